-- of_memories
-- What is still found of memories after they were erased.
SELECT (SELECT count(*) FROM confide.memory WHERE agent = $1 AND id = ANY ($2)) AS memory,
    (SELECT count(*) FROM confide.evidence WHERE agent = $1 AND memory_id = ANY ($2)) AS evidence,
    (SELECT count(*) FROM confide.embedding WHERE agent = $1 AND memory_id = ANY ($2)) AS embedding,
    (SELECT count(*) FROM confide.words WHERE agent = $1 AND memory_id = ANY ($2)) AS words,
    (SELECT count(*) FROM confide.consent WHERE agent = $1 AND memory_id = ANY ($2)) AS consent,
    (SELECT count(*) FROM confide.consent_request WHERE agent = $1 AND memory_id = ANY ($2))
        AS consent_request,
    (SELECT count(*) FROM confide.telling WHERE agent = $1 AND memory_id = ANY ($2)) AS telling,
    (SELECT count(*) FROM confide.relationship WHERE agent = $1 AND memory_id = ANY ($2))
        AS relationship,
    (SELECT count(*) FROM confide.generalization WHERE agent = $1 AND memory_id = ANY ($2))
        AS generalization,
    (SELECT count(*) FROM confide.lineage
     WHERE agent = $1 AND (memory_id = ANY ($2) OR source_id = ANY ($2))) AS lineage,
    (SELECT count(*) FROM confide.stacked WHERE agent = $1 AND memory_id = ANY ($2)) AS stacked;

-- of_messages
-- What is still found of messages after they were erased.
SELECT (SELECT count(*) FROM confide.message WHERE agent = $1 AND id = ANY ($2)) AS message,
    (SELECT count(*) FROM confide.evidence WHERE agent = $1 AND message_id = ANY ($2)) AS lent;

-- of_person
-- What is still found of somebody after they were erased, where nothing should be. They may have
-- said something new since.
SELECT
    (SELECT count(*) FROM confide.memory WHERE agent = $1 AND $2 IN (owner, speaker)
     AND created_at <= $3) AS memory,
    (SELECT count(*) FROM confide.evidence WHERE agent = $1 AND speaker = $2) AS evidence,
    (SELECT count(*) FROM confide.message WHERE agent = $1 AND speaker = $2
     AND observed_at <= $3) AS message,
    (SELECT count(*) FROM confide.session WHERE agent = $1 AND speaker = $2
     AND started_at <= $3) AS session,
    (SELECT count(*) FROM confide.person WHERE agent = $1 AND entity = $2) AS person,
    (SELECT count(*) FROM confide.alias WHERE agent = $1 AND $2 IN (speaker, entity)) AS alias,
    (SELECT count(*) FROM confide.account WHERE agent = $1 AND entity = $2) AS account,
    (SELECT count(*) FROM confide.merge WHERE agent = $1 AND $2 IN (one, other, proposed_by))
        AS merge,
    (SELECT count(*) FROM confide.consent WHERE agent = $1
     AND ($2 IN (grantor, given_by, subject) OR grantee = 'e=' || $2)) AS consent,
    (SELECT count(*) FROM confide.consent_request WHERE agent = $1
     AND ($2 IN (grantor, subject, asked_by) OR grantee = 'e=' || $2)) AS consent_request,
    (SELECT count(*) FROM confide.telling WHERE agent = $1 AND asker = $2) AS telling,
    (SELECT count(*) FROM confide.asked WHERE agent = $1 AND asker = $2
     AND asked_at <= $3) AS asked,
    (SELECT count(*) FROM confide.usage WHERE agent = $1 AND person = $2) AS usage,
    (SELECT count(*) FROM confide.participant WHERE agent = $1 AND entity = $2) AS participant,
    (SELECT count(*) FROM confide.batch WHERE agent = $1 AND given_by = $2) AS batch;

-- kept_of_person
-- What names somebody and stays on purpose; docs/erasure.md says why.
SELECT
    (SELECT count(*) FROM confide.opt_out WHERE agent = $1 AND entity = $2) AS opt_out,
    (SELECT count(*) FROM confide.off_record WHERE agent = $1 AND entity = $2) AS off_record,
    (SELECT count(*) FROM confide.guardian WHERE agent = $1 AND $2 IN (child, guardian)) AS guardian,
    (SELECT count(*) FROM confide.place_member WHERE agent = $1 AND entity = $2) AS place_member,
    (SELECT count(*) FROM confide.space_member WHERE agent = $1 AND entity = $2) AS space_member,
    (SELECT count(*) FROM confide.collective_member WHERE agent = $1 AND entity = $2)
        AS collective_member,
    (SELECT count(*) FROM confide.stack_serial WHERE agent = $1 AND peer = $2) AS stack_serial;

-- in_rooms
-- What is still found of places after they were emptied.
SELECT (SELECT count(*) FROM confide.memory WHERE agent = $1 AND place = ANY ($2)
        AND created_at <= $3) AS memory,
    (SELECT count(*) FROM confide.message WHERE agent = $1 AND place = ANY ($2)
        AND observed_at <= $3) AS message,
    (SELECT count(*) FROM confide.session WHERE agent = $1 AND place = ANY ($2)
        AND started_at <= $3) AS session;

-- of_batch
-- What is still found of a file after it, or one person's part in it, was forgotten.
SELECT (SELECT count(*) FROM confide.batch WHERE agent = $1 AND id = $2 AND $3::text IS NULL)
        AS batch,
    (SELECT count(*) FROM confide.message WHERE agent = $1 AND batch_id = $2
        AND ($3::text IS NULL OR speaker = $3) AND observed_at <= $4) AS message;
