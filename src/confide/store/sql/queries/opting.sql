-- is_out_of_global
-- Whether somebody wants nothing told everywhere, or nothing at all.
SELECT EXISTS (SELECT FROM confide.opt_out WHERE agent = $1 AND entity = $2);

-- opt_out
-- Somebody wants nothing of theirs kept or told, or nothing told everywhere.
INSERT INTO confide.opt_out (agent, entity, since, is_global_only) VALUES ($1, $2, $3, $4)
ON CONFLICT (agent, entity) DO UPDATE SET is_global_only = excluded.is_global_only;

-- opt_in
-- Back to normal.
DELETE FROM confide.opt_out WHERE agent = $1 AND entity = $2;

-- opted_out
-- Which of the given people opted out of everything.
SELECT entity FROM confide.opt_out WHERE agent = $1 AND entity = ANY ($2) AND NOT is_global_only;

-- state
-- What somebody decided about their own memories.
SELECT since, is_global_only FROM confide.opt_out WHERE agent = $1 AND entity = $2;

-- silence
-- Memories that somebody owns or said are told to nobody, or are told again if nobody else whose they
-- are opted out. So are what another agent passed on of theirs, and insights that nobody approved.
WITH concerned AS (
    SELECT m.id FROM confide.memory m WHERE m.agent = $1 AND (m.owner = $2 OR m.speaker = $2)
    UNION ALL
    SELECT s.memory_id FROM confide.stacked s
    JOIN confide.memory m ON m.agent = s.agent AND m.id = s.memory_id
    WHERE s.agent = $1
      AND EXISTS (SELECT FROM jsonb_array_elements(m.clauses) AS c WHERE c ->> 1 = $2)
    UNION ALL
    SELECT l.memory_id FROM confide.memory m
    JOIN confide.lineage l ON l.agent = m.agent AND l.source_id = m.id
    JOIN confide.generalization g ON g.agent = m.agent AND g.memory_id = l.memory_id
        AND NOT g.is_approved
    WHERE m.agent = $1 AND (m.owner = $2 OR m.speaker = $2))
UPDATE confide.memory m SET is_opted_out = $3, updated_at = $5
WHERE m.agent = $1 AND m.id IN (SELECT id FROM concerned) AND m.is_opted_out <> $3
  AND (NOT $4 OR m.scope = 'global')
  AND ($3 OR NOT EXISTS (
      SELECT FROM confide.opt_out o
      WHERE o.agent = m.agent AND o.entity <> $2 AND (NOT o.is_global_only OR m.scope = 'global')
        AND (o.entity IN (m.owner, m.speaker)
          OR EXISTS (SELECT FROM confide.stacked s
              WHERE s.agent = m.agent AND s.memory_id = m.id AND EXISTS (
                  SELECT FROM jsonb_array_elements(m.clauses) AS c WHERE c ->> 1 = o.entity))
          OR EXISTS (SELECT FROM confide.lineage l
              JOIN confide.memory s ON s.agent = l.agent AND s.id = l.source_id
              WHERE l.agent = m.agent AND l.memory_id = m.id
                AND o.entity IN (s.owner, s.speaker)))));

-- about
-- Memories that others told about somebody.
SELECT m.id FROM confide.memory m
WHERE m.agent = $1 AND m.subjects @> ARRAY[$2] AND m.speaker IS DISTINCT FROM $2;

-- drop_lent
-- Memories of others that hold their words: what they asked, so that the answer could be understood.
DELETE FROM confide.memory m USING confide.evidence e
WHERE m.agent = $1 AND e.agent = m.agent AND e.memory_id = m.id AND e.speaker = $2
  AND e.message_id IS NOT NULL AND m.owner IS DISTINCT FROM $2;

-- said
-- What they said, learned from or not.
SELECT id FROM confide.message WHERE agent = $1 AND speaker = $2;

-- drop_messages
-- What they said and nothing was learned from yet.
DELETE FROM confide.message WHERE agent = $1 AND speaker = $2;

-- objected
-- Those of the given memories against which somebody's objection was granted, itself or in an earlier
-- version.
WITH RECURSIVE held AS (
    SELECT m.id, m.superseded_by FROM confide.memory m
    JOIN confide.data_request r ON r.agent = m.agent AND r.asker = $2 AND r.what = 'object'
        AND r.is_granted
        AND (r.memory_id = m.id OR (r.memory_id IS NULL AND m.created_at <= r.answered_at))
    WHERE m.agent = $1 AND m.subjects @> ARRAY[$2]
    UNION
    SELECT m.id, m.superseded_by FROM confide.memory m JOIN held h ON m.id = h.superseded_by
    WHERE m.agent = $1)
SELECT DISTINCT h.id FROM held h WHERE h.id = ANY ($3);
