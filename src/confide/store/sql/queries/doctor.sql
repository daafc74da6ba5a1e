-- page
-- The memories after one in a fixed order, person by person, for looking at their labels.
SELECT m.*, NULLIF(m.expires_at, 'infinity') AS ends_at, p.kind AS place_kind,
    p.parent AS place_parent, l.key AS label_key
FROM confide.memory m
LEFT JOIN confide.place p ON p.agent = m.agent AND p.id = m.place
LEFT JOIN confide.label l ON l.agent = m.agent AND l.id = m.label_id
WHERE m.agent = $1 AND (m.owner, m.id) > ($2, $3) AND m.status <> 'deleted'
ORDER BY m.owner, m.id
LIMIT $4;

-- memories
-- How many memories will be looked at.
SELECT count(*) FROM confide.memory WHERE agent = $1 AND status <> 'deleted';

-- has_consents
-- Whether anybody ever agreed to anything.
SELECT EXISTS (SELECT FROM confide.consent WHERE agent = $1 AND revoked_at IS NULL);

-- place_kinds
-- Every place that ever was, for what lies in it.
SELECT id, kind, space, parent FROM confide.place WHERE agent = $1;

-- hold
-- Told to nobody until somebody has looked at it.
UPDATE confide.memory SET status = 'pending', waits_because = $3, updated_at = $4
WHERE agent = $1 AND id = ANY ($2) AND status = 'approved';

-- supersede
-- Of two that contradict each other the newer is told, and the older is its history.
UPDATE confide.memory m SET status = 'superseded', superseded_by = n.newer, updated_at = $4
FROM unnest($2::uuid[], $3::uuid[]) AS n (older, newer)
WHERE m.agent = $1 AND m.id = n.older AND m.status = 'approved' AND EXISTS (
    SELECT FROM confide.memory k
    WHERE k.agent = $1 AND k.id = n.newer AND k.status = 'approved');

-- words_missing
-- Memories that can be told and cannot be found.
SELECT m.id::text AS id FROM confide.memory m
WHERE m.agent = $1 AND m.is_live AND m.expires_at > $2 AND NOT EXISTS (
    SELECT FROM confide.words w
    WHERE w.agent = m.agent AND w.memory_id = m.id AND w.is_own AND w.part = 0 AND w.version = $3);

-- unindexed
-- The same with their texts, a few at a time, for writing their words.
SELECT m.*, NULLIF(m.expires_at, 'infinity') AS ends_at, p.kind AS place_kind,
    p.parent AS place_parent
FROM confide.memory m
LEFT JOIN confide.place p ON p.agent = m.agent AND p.id = m.place
WHERE m.agent = $1 AND m.is_live AND m.expires_at > $2 AND NOT EXISTS (
    SELECT FROM confide.words w
    WHERE w.agent = m.agent AND w.memory_id = m.id AND w.is_own AND w.part = 0 AND w.version = $3)
ORDER BY m.id
LIMIT $4;

-- drop_old_words
-- Words written in an older way make place for new ones.
DELETE FROM confide.words WHERE agent = $1 AND memory_id = ANY ($2) AND is_own AND version <> $3;

-- names_missing
-- People whose names were written before names were searched, or in an older way.
SELECT p.entity AS id FROM confide.person p
WHERE p.agent = $1 AND p.terms_version IS DISTINCT FROM $2
ORDER BY p.entity;

-- unnamed
-- The same with their names, a few at a time, held while these are written.
SELECT p.entity, p.display_name, p.updated_at FROM confide.person p
WHERE p.agent = $1 AND p.terms_version IS DISTINCT FROM $2
ORDER BY p.entity LIMIT $3 FOR UPDATE;

-- successor_missing
-- Memories replaced by one that is gone.
SELECT m.id::text AS id FROM confide.memory m
WHERE m.agent = $1 AND m.superseded_by IS NOT NULL AND NOT EXISTS (
    SELECT FROM confide.memory n WHERE n.agent = m.agent AND n.id = m.superseded_by);

-- mend_successors
-- They stay replaced, by nothing in particular.
UPDATE confide.memory m SET superseded_by = NULL
WHERE m.agent = $1 AND m.superseded_by IS NOT NULL AND NOT EXISTS (
    SELECT FROM confide.memory n WHERE n.agent = m.agent AND n.id = m.superseded_by);

-- place_missing
-- Memories that can be told and were said in a place that is unknown.
SELECT m.id::text AS id FROM confide.memory m
WHERE m.agent = $1 AND m.status = 'approved' AND m.place IS NOT NULL
  AND m.scope IN ('group', 'channel_restricted', 'guild_public')
  AND NOT EXISTS (SELECT FROM confide.place p WHERE p.agent = m.agent AND p.id = m.place);

-- one_without_proof
-- Two identities that count as one person although nobody confirmed it, or somebody ended it.
SELECT s.entity AS id FROM confide.same_person s
WHERE s.agent = $1 AND NOT EXISTS (
    SELECT FROM confide.merge m
    WHERE m.agent = s.agent AND m.id = s.merge_id AND m.ended_at IS NULL
      AND m.one_confirmed_at IS NOT NULL AND m.other_confirmed_at IS NOT NULL);

-- make_two
-- They are two again.
DELETE FROM confide.same_person s
WHERE s.agent = $1 AND NOT EXISTS (
    SELECT FROM confide.merge m
    WHERE m.agent = s.agent AND m.id = s.merge_id AND m.ended_at IS NULL
      AND m.one_confirmed_at IS NOT NULL AND m.other_confirmed_at IS NOT NULL);

-- participant_missing
-- Roles in contexts of people who are in them no longer.
SELECT c.place AS id FROM confide.participant c
WHERE c.agent = $1 AND NOT EXISTS (
    SELECT FROM confide.place_member m
    WHERE m.agent = c.agent AND m.place = c.place AND m.entity = c.entity AND m.left_epoch IS NULL);

-- drop_participants
-- They have no role there any more.
DELETE FROM confide.participant c
WHERE c.agent = $1 AND NOT EXISTS (
    SELECT FROM confide.place_member m
    WHERE m.agent = c.agent AND m.place = c.place AND m.entity = c.entity AND m.left_epoch IS NULL);

-- expired
-- Memories whose time is over and that were not put away.
SELECT m.id::text AS id FROM confide.memory m
WHERE m.agent = $1 AND m.status IN ('approved', 'pending') AND m.expires_at <= $2;

-- unfinished
-- Erasures that cannot be undone any more and were not finished.
SELECT e.id::text AS id FROM confide.erasure e
WHERE e.agent = $1 AND e.final_at IS NULL AND e.erased_at <= $2;

-- raw
-- Messages whose words should be gone.
SELECT m.id::text AS id FROM confide.message m
WHERE m.agent = $1 AND m.text IS NOT NULL AND (
    m.observed_at < $3
    OR (m.observed_at < $2 AND (m.is_from_agent OR m.learned_at < $2)));

-- answers
-- Answers of an extractor that were applied and kept all the same.
SELECT j.id::text AS id FROM confide.journal j
WHERE j.agent = $1 AND j.applied_at IS NOT NULL AND j.answer IS NOT NULL;

-- drop_answers
-- A memory needs its evidence, not this.
UPDATE confide.journal SET answer = NULL
WHERE agent = $1 AND applied_at IS NOT NULL AND answer IS NOT NULL;

-- jobs_failed
-- Sessions that were given up.
SELECT s.id::text AS id FROM confide.session s
WHERE s.agent = $1 AND s.failed_because IS NOT NULL;

-- jobs_stuck
-- Sessions that nobody has learned from for long although they are due.
SELECT s.id::text AS id FROM confide.session s
WHERE s.agent = $1 AND s.failed_because IS NULL AND s.due_at < $2
  AND s.leased_until <= clock_timestamp();

-- jobs_miscounted
-- Sessions that count other messages than there are.
SELECT s.id::text AS id FROM confide.session s
WHERE s.agent = $1 AND s.leased_until <= clock_timestamp() AND s.unlearned <> (
    SELECT count(*) FROM confide.message m
    WHERE m.agent = s.agent AND m.session_id = s.id AND m.learned_at IS NULL);

-- recount
-- They count what there is.
UPDATE confide.session s SET unlearned = c.unlearned, first_unlearned = c.first,
    due_at = CASE WHEN c.unlearned = 0 THEN NULL ELSE s.due_at END
FROM (
    SELECT s.id, count(m.id)::integer AS unlearned, min(m.seq) AS first
    FROM confide.session s
    LEFT JOIN confide.message m ON m.agent = s.agent AND m.session_id = s.id
        AND m.learned_at IS NULL
    WHERE s.agent = $1 GROUP BY s.id
) AS c
WHERE s.agent = $1 AND s.id = c.id AND s.unlearned <> c.unlearned
  AND s.leased_until <= clock_timestamp();

-- requests_overdue
-- Requests of people that should have been answered.
SELECT r.id::text AS id FROM confide.data_request r
WHERE r.agent = $1 AND r.answered_at IS NULL AND r.due_at < $2;

-- indexes_invalid
-- Indexes that the database does not use because building them failed.
SELECT c.relname AS id FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
WHERE c.relnamespace = 'confide'::regnamespace AND NOT (i.indisvalid AND i.indisready);

-- indexes
-- All indexes there are.
SELECT c.relname AS id FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
WHERE c.relnamespace = 'confide'::regnamespace;

-- constraints_unchecked
-- Constraints that were never checked on the rows that were there.
SELECT conname AS id FROM pg_constraint
WHERE connamespace = 'confide'::regnamespace AND NOT convalidated;

-- words_counted
-- How many rows of words there are; read once by the table and once by the index.
SELECT count(*) FROM confide.words WHERE agent = $1 AND is_live;

-- memories_counted
-- How many memories can be told; read once by the table and once by the index.
SELECT count(*) FROM confide.memory WHERE agent = $1 AND is_live;
