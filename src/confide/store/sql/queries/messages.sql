-- observe
-- Keep one message, in one round trip, if the place is as it was last known.
SELECT confide.observe($1, $2::jsonb, $3, $4);

-- one
-- A message by the platform's id.
SELECT m.id, m.session_id, m.speaker, m.place FROM confide.message m
WHERE m.agent = $1 AND m.platform = $2 AND m.message_id = $3;

-- just_before
-- What its speaker had said in that room before a message, since somebody else last spoke there.
SELECT m.id, m.session_id, m.speaker, m.place, m.epoch, m.clauses, r.id AS room_id,
    r.kind AS room_kind, r.space AS room_space, r.parent AS room_parent
FROM confide.message t
JOIN confide.message m ON m.agent = t.agent AND m.speaker = t.speaker AND m.seq < t.seq
    AND COALESCE(m.room, m.place) = COALESCE(t.room, t.place)
    AND m.said_at BETWEEN t.said_at - $4::interval AND t.said_at
JOIN confide.place r ON r.agent = m.agent AND r.id = COALESCE(m.room, m.place)
WHERE t.agent = $1 AND t.platform = $2 AND t.message_id = $3
  AND NOT m.is_from_agent AND NOT m.is_confidential
  AND NOT EXISTS (
      SELECT FROM confide.message o WHERE o.agent = t.agent
      AND COALESCE(o.room, o.place) = COALESCE(t.room, t.place)
      AND o.speaker IS DISTINCT FROM t.speaker AND o.seq > m.seq AND o.seq < t.seq)
ORDER BY m.seq;

-- make_confidential
-- From now on it is between those who were there, and learned from again.
UPDATE confide.message
SET is_confidential = true, clauses = $3::jsonb, label_id = $4, learned_at = NULL
WHERE agent = $1 AND id = $2;

-- mark_gone
-- The message was deleted where it was said; it never comes back.
INSERT INTO confide.message_gone (agent, platform, message_id, gone_at) VALUES ($1, $2, $3, $4)
ON CONFLICT DO NOTHING;

-- erase
-- The raw words of a message, and that it was ever there.
DELETE FROM confide.message WHERE agent = $1 AND id = $2;

-- edit
-- Other words under the same id, to be learned from again.
UPDATE confide.message SET text = $3, said_at = GREATEST(said_at, $4), learned_at = NULL
WHERE agent = $1 AND id = $2;

-- unlearned
-- What one person said in a session and nothing was learned from yet, oldest first.
SELECT m.*, p.kind AS place_kind, p.space AS place_space, p.parent AS place_parent,
    p.platform_id AS place_platform_id, r.id AS room_id, r.kind AS room_kind,
    r.space AS room_space, r.parent AS room_parent, ARRAY(
        SELECT o.entity FROM confide.place_member o
        WHERE o.agent = m.agent AND o.place = r.id AND o.left_epoch IS NULL) AS members,
    s.called AS author_name, s.means AS author_means
FROM confide.message m
JOIN confide.place p ON p.agent = m.agent AND p.id = m.place
JOIN confide.place r ON r.agent = m.agent AND r.id = COALESCE(m.room, m.place)
LEFT JOIN confide.someone s ON s.agent = m.agent AND s.entity = m.author
WHERE m.agent = $1 AND m.session_id = $2 AND m.learned_at IS NULL
  AND m.seq BETWEEN $3 AND $4
ORDER BY m.seq
LIMIT $5;

-- around
-- Turns of everyone in the same place and membership, to understand the person's own.
SELECT around.* FROM (
    SELECT m.*, p.kind AS place_kind, p.space AS place_space, p.parent AS place_parent,
        p.platform_id AS place_platform_id, '{}'::text[] AS members, r.id AS room_id,
        r.kind AS room_kind, r.space AS room_space, r.parent AS room_parent
    FROM confide.message m
    JOIN confide.place p ON p.agent = m.agent AND p.id = m.place
    JOIN confide.place r ON r.agent = m.agent AND r.id = COALESCE(m.room, m.place)
    WHERE m.agent = $1 AND m.place = $2 AND m.epoch = ANY ($3::integer[]) AND m.seq <= $4
      AND m.text IS NOT NULL AND m.namespace IS NOT DISTINCT FROM $7::text[]
      -- Whoever left the record since lends no words to others either.
      AND (m.speaker = $6 OR NOT EXISTS (
          SELECT FROM confide.off_record o WHERE o.agent = m.agent AND o.entity = m.speaker
          AND o.place = p.platform_id))
    ORDER BY m.seq DESC LIMIT $5) AS around
ORDER BY around.seq;

-- drop_unwanted
-- Nothing is learned from somebody who opted out since, or from words that are gone.
UPDATE confide.message m SET learned_at = $3, text = NULL
WHERE m.agent = $1 AND m.session_id = $2 AND m.learned_at IS NULL
  AND (m.text IS NULL OR EXISTS (
      SELECT FROM confide.opt_out o
      WHERE o.agent = $1 AND o.entity = m.speaker AND NOT o.is_global_only));

-- is_opted_out
-- Whether somebody wants nothing told everywhere, or nothing at all.
SELECT EXISTS (SELECT FROM confide.opt_out WHERE agent = $1 AND entity = $2);

-- mark_learned
-- Everything was taken from these messages that there was.
UPDATE confide.message SET learned_at = $5
WHERE agent = $1 AND session_id = $2 AND seq BETWEEN $3 AND $4 AND learned_at IS NULL;

-- purge
-- Raw words leave some days after they were learned from, and at last in any case. The owner of a
-- space may have decided on fewer days.
UPDATE confide.message m SET text = NULL, learned_at = COALESCE(m.learned_at, $4)
WHERE m.agent = $1 AND m.text IS NOT NULL AND (
    m.observed_at < $3
    OR (m.observed_at < $2 AND (m.is_from_agent OR m.learned_at < $2))
    OR (EXISTS (SELECT FROM confide.space_rules WHERE agent = $1 AND rules ? 'raw_days')
        AND EXISTS (
            SELECT FROM confide.place p JOIN confide.space_rules r ON r.agent = p.agent
                AND (p.space = r.space OR starts_with(p.space, r.space || '/'))
            WHERE p.agent = $1 AND p.id = m.place
              AND m.observed_at < $4::timestamptz - (r.rules ->> 'raw_days')::integer * interval '1 day')));

-- contributions
-- Memories that a message contributed to, and how many others did without it.
SELECT DISTINCT e.memory_id, m.text = e.stated AS gave_its_text, (
        SELECT count(*) FROM confide.evidence o
        WHERE o.agent = e.agent AND o.memory_id = e.memory_id
          AND NOT EXISTS (
              SELECT FROM confide.evidence mine
              WHERE mine.agent = o.agent AND mine.message_id = $2
                AND mine.journal_id = o.journal_id
                AND mine.journal_position = o.journal_position)) AS others
FROM confide.evidence e
JOIN confide.memory m ON m.agent = e.agent AND m.id = e.memory_id
WHERE e.agent = $1 AND e.message_id = $2;

-- borrowers
-- Messages whose facts hold words of this one: parts of the same contribution, by the memory's owner.
SELECT DISTINCT o.message_id, b.session_id, b.speaker FROM confide.evidence e
JOIN confide.memory m ON m.agent = e.agent AND m.id = e.memory_id
JOIN confide.evidence o ON o.agent = e.agent AND o.journal_id = e.journal_id
    AND o.journal_position = e.journal_position AND o.message_id <> e.message_id
    AND o.speaker = m.owner
JOIN confide.message b ON b.agent = o.agent AND b.id = o.message_id AND b.text IS NOT NULL
WHERE e.agent = $1 AND e.message_id = $2
ORDER BY b.speaker, b.session_id, o.message_id;

-- learn_again
-- Its words are the same, but those it answered are not.
UPDATE confide.message SET learned_at = NULL WHERE agent = $1 AND id = $2;

-- willing
-- Those of the given messages whose words may still be used, held so that they stay.
SELECT m.id FROM confide.message m
JOIN confide.place p ON p.agent = m.agent AND p.id = m.place
WHERE m.agent = $1 AND m.id = ANY ($2) AND m.text IS NOT NULL
  AND NOT EXISTS (SELECT FROM confide.opt_out o
      WHERE o.agent = m.agent AND o.entity = m.speaker AND NOT o.is_global_only)
  AND NOT EXISTS (SELECT FROM confide.off_record o
      WHERE o.agent = m.agent AND o.entity = m.speaker AND o.place = p.platform_id)
FOR KEY SHARE OF m;

-- other_contribution
-- What others contributed to a memory without this message, newest first.
SELECT o.message_id, o.stated FROM confide.evidence o
WHERE o.agent = $1 AND o.memory_id = $2 AND o.stated IS NOT NULL
  AND NOT EXISTS (
      SELECT FROM confide.evidence mine
      WHERE mine.agent = o.agent AND mine.message_id = $3 AND mine.journal_id = o.journal_id
        AND mine.journal_position = o.journal_position)
ORDER BY o.said_at DESC LIMIT 1;

-- drop_contribution
-- One message's part in a memory that others contributed to as well, with all it was part of.
WITH dropped AS (
    DELETE FROM confide.evidence o
    WHERE o.agent = $1 AND o.memory_id = $3 AND EXISTS (
        SELECT FROM confide.evidence mine
        WHERE mine.agent = o.agent AND mine.message_id = $2 AND mine.journal_id = o.journal_id
          AND mine.journal_position = o.journal_position)
    RETURNING o.journal_id, o.journal_position
)
UPDATE confide.memory m
SET source_count = GREATEST(1, m.source_count - (
        SELECT count(DISTINCT (d.journal_id, d.journal_position))::integer FROM dropped d)),
    updated_at = $4
WHERE m.agent = $1 AND m.id = $3;

-- move_contributions
-- A memory written again from what is left takes its evidence along.
UPDATE confide.evidence e
SET memory_id = n.id, memory_label_id = n.label_id, is_live = n.is_live, expires_at = n.expires_at
FROM confide.memory n
WHERE e.agent = $1 AND e.memory_id = $2 AND n.agent = $1 AND n.id = $3;

-- unsupersede
-- What was replaced by something that is gone now holds again, or waits again if it did.
UPDATE confide.memory
SET status = CASE WHEN waits_because IS NULL THEN 'approved' ELSE 'pending' END,
    superseded_by = NULL, updated_at = $3
WHERE agent = $1 AND superseded_by = $2 AND status = 'superseded'
  AND NOT EXISTS (
      SELECT FROM confide.memory o WHERE o.agent = $1 AND o.hash = memory.hash
      AND o.status IN ('approved', 'pending'));

-- add_evidence
-- One message's part in a memory. The key makes applying an answer twice impossible.
INSERT INTO confide.evidence (agent, id, memory_id, speaker, text, said_at, position, label_id,
    is_live, expires_at, memory_label_id, message_id, stated, journal_id, journal_position)
SELECT $1, gen_random_uuid(), $2, $3, $4, $5, m.source_count - 1, $6, m.is_live, m.expires_at,
    m.label_id, $7, $8, $9, $10
FROM confide.memory m WHERE m.agent = $1 AND m.id = $2;

-- told_in_place
-- Memories that were told in a place lately: whoever repeats one says nothing new.
SELECT m.*, NULLIF(m.expires_at, 'infinity') AS ends_at, p.kind AS place_kind,
    p.parent AS place_parent
FROM confide.memory m
LEFT JOIN confide.place p ON p.agent = m.agent AND p.id = m.place
WHERE m.agent = $1 AND m.id IN (
    SELECT t.memory_id FROM confide.telling t
    WHERE t.agent = $1 AND t.place = ANY ($2) AND t.told_at BETWEEN $3 AND $4)
ORDER BY m.id;

-- told_to
-- What others said and somebody was told lately, wherever: a file could give it out as anybody's.
SELECT m.*, NULLIF(m.expires_at, 'infinity') AS ends_at, p.kind AS place_kind,
    p.parent AS place_parent
FROM confide.memory m
LEFT JOIN confide.place p ON p.agent = m.agent AND p.id = m.place
WHERE m.agent = $1 AND m.speaker IS DISTINCT FROM $2 AND m.owner <> $2 AND m.id IN (
    SELECT t.memory_id FROM confide.telling t
    WHERE t.agent = $1 AND t.asker = $2 AND t.told_at BETWEEN $3 AND $4)
ORDER BY m.id;

-- listen
-- Whether everything said in a place is kept, or only what is said to the agent.
UPDATE confide.place SET is_listened_to = $3 WHERE agent = $1 AND platform_id = $2 AND is_current;

-- go_off_record
-- From now on nothing of this person is read or written in this place.
INSERT INTO confide.off_record (agent, entity, place, since) VALUES ($1, $2, $3, $4)
ON CONFLICT DO NOTHING;

-- go_on_record
-- Back to normal.
DELETE FROM confide.off_record WHERE agent = $1 AND entity = $2 AND place = $3;

-- alike
-- Memories that a new one may repeat or replace: the same label, kind and namespace, by nearness.
SELECT m.id, m.text, m.said_at, m.trust, m.speaker, m.subjects, m.attribute,
    1 - (e.vector OPERATOR(public.<=>) $6::public.halfvec) AS similarity
FROM confide.memory m
JOIN confide.words e ON e.agent = m.agent AND e.memory_id = m.id AND e.is_own AND e.part = 0
WHERE m.agent = $1 AND m.label_id = $2 AND m.owner = $3 AND m.kind = $4
  AND m.is_namespaced = ($9::text[] IS NOT NULL) AND m.workspace IS NOT DISTINCT FROM ($9)[1]
  AND m.namespace_scope IS NOT DISTINCT FROM ($9)[2] AND m.status = $8 AND m.expires_at > $5
ORDER BY similarity DESC, m.id
LIMIT $7;

-- repeated
-- Memories that one of a file may repeat. It replaces nothing, so only the nearest are looked at, and
-- those by the index of a label's meanings: a file brings thousands under one label.
WITH near AS MATERIALIZED (
    SELECT e.memory_id, 1 - (e.vector OPERATOR(public.<=>) $6::public.halfvec) AS similarity
    FROM confide.words e
    WHERE e.agent = $1 AND e.label_id = $2 AND e.is_live AND e.is_own AND e.part = 0
      AND e.expires_at > $5 AND 1 - (e.vector OPERATOR(public.<=>) $6::public.halfvec) > $10
    ORDER BY similarity DESC LIMIT 4 * $7)
SELECT m.id, m.text, m.said_at, m.trust, m.speaker, m.subjects, m.attribute, n.similarity
FROM near n JOIN confide.memory m ON m.agent = $1 AND m.id = n.memory_id
WHERE m.owner = $3 AND m.kind = $4
  AND m.is_namespaced = ($9::text[] IS NOT NULL) AND m.workspace IS NOT DISTINCT FROM ($9)[1]
  AND m.namespace_scope IS NOT DISTINCT FROM ($9)[2] AND m.status = $8
ORDER BY n.similarity DESC, m.id
LIMIT $7;

-- approve
-- What waited because it was doubtful was said outright now.
UPDATE confide.memory SET status = 'approved', waits_because = NULL, updated_at = $3
WHERE agent = $1 AND id = $2 AND status = 'pending';

-- merge
-- Somebody said the same again in other words.
UPDATE confide.memory
SET source_count = source_count + 1, confidence = GREATEST(confidence, $3), updated_at = $4,
    reinforced_at = GREATEST(reinforced_at, $6),
    expires_at = GREATEST(expires_at, COALESCE($5, 'infinity'::timestamptz))
WHERE agent = $1 AND id = $2;

-- supersede
-- A memory that another one replaces; it stays as history.
UPDATE confide.memory SET status = 'superseded', superseded_by = $3, updated_at = $4
WHERE agent = $1 AND id = $2;

-- hold_owner
-- One at a time decides what is new about a person, so that nothing is kept twice.
SELECT pg_advisory_xact_lock(hashtextextended($1 || chr(31) || $2, 723003));

-- is_open
-- Whether everyone in the space can read a place; a thread is as open as what it lies in.
SELECT EXISTS (
    SELECT FROM confide.place p
    LEFT JOIN confide.place above ON above.agent = p.agent AND above.id = p.parent
    WHERE p.agent = $1 AND p.id = $2
      AND COALESCE(above.kind, p.kind) IN ('public', 'announcement'));

-- labels
-- The labels of messages that still read as they did, by people who still want to be read.
SELECT m.platform, m.message_id, m.clauses
FROM unnest($2::text[], $3::text[], $4::text[]) AS g (platform, message_id, said)
JOIN confide.message m ON m.agent = $1 AND m.platform = g.platform AND m.message_id = g.message_id
    AND m.text = g.said
JOIN confide.place p ON p.agent = m.agent AND p.id = m.place
WHERE NOT EXISTS (SELECT FROM confide.opt_out o
      WHERE o.agent = m.agent AND o.entity = m.speaker AND NOT o.is_global_only)
  AND NOT EXISTS (SELECT FROM confide.off_record o
      WHERE o.agent = m.agent AND o.entity = m.speaker AND o.place = p.platform_id);

-- was_not_there
-- Messages of a room and its threads at which somebody seemed to be present who had left before.
UPDATE confide.message m SET present = array_remove(m.present, $3)
FROM confide.place p
WHERE p.agent = $1 AND p.id = $2 AND m.agent = $1 AND m.place = ANY ($6)
  AND COALESCE(m.room, m.place) = $2 AND $3 = ANY (m.present) AND m.speaker <> $3
  AND CASE WHEN m.epoch < 0 OR p.kind NOT IN ('group', 'context', 'connection')
      THEN m.said_at >= $5 ELSE m.epoch >= $4 END;
