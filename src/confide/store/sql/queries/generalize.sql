-- names
-- What the people concerned are called: by themselves and by everybody else.
SELECT display_name AS name FROM confide.person WHERE agent = $1 AND entity = ANY ($2)
UNION
SELECT alias FROM confide.alias WHERE agent = $1 AND entity = ANY ($2)
UNION
SELECT account FROM confide.account WHERE agent = $1 AND entity = ANY ($2);

-- add
-- An insight, whom it is meant for, and whether it may be told to them yet.
INSERT INTO confide.generalization (
    agent, memory_id, grants, note, proposed_by, proposed_at, is_approved)
VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING;

-- add_sources
-- The memories that an insight was made from.
INSERT INTO confide.lineage (agent, memory_id, source_id)
SELECT $1, $2, source FROM unnest($3::uuid[]) AS source ON CONFLICT DO NOTHING;

-- sources
-- Where an insight came from; for its owner alone.
SELECT source_id FROM confide.lineage WHERE agent = $1 AND memory_id = $2 ORDER BY source_id;

-- waiting
-- Insights that a reviewer has not seen yet.
SELECT g.memory_id, g.grants, g.note, g.proposed_by, g.proposed_at,
    (SELECT count(*) FROM confide.lineage l
     WHERE l.agent = g.agent AND l.memory_id = g.memory_id) AS sources
FROM confide.generalization g
JOIN confide.memory m ON m.agent = g.agent AND m.id = g.memory_id
WHERE g.agent = $1 AND g.reviewed_at IS NULL AND NOT g.is_approved
  AND m.status IN ('pending', 'approved')
ORDER BY g.proposed_at, g.memory_id;

-- review
-- A reviewer said yes or no; a second word finds nothing.
UPDATE confide.generalization SET reviewed_by = $3, reviewed_at = $4, is_approved = $5
WHERE agent = $1 AND memory_id = $2 AND reviewed_at IS NULL AND NOT is_approved
RETURNING grants;

-- release
-- Approved: its own grants decide from now on, no longer its sources.
UPDATE confide.memory SET inherited = '[]', status = 'approved', waits_because = NULL,
    updated_at = $3
WHERE agent = $1 AND id = $2 AND status IN ('pending', 'approved');

-- refuse
-- Rejected: nobody is told.
UPDATE confide.memory SET status = 'rejected', updated_at = $3
WHERE agent = $1 AND id = $2 AND status IN ('pending', 'approved');

-- made_from
-- Insights that still carry the clauses of these sources, with all sources of each.
SELECT l.memory_id, array_agg(l.source_id ORDER BY l.source_id) AS sources
FROM confide.lineage l
JOIN confide.generalization g ON g.agent = l.agent AND g.memory_id = l.memory_id
WHERE l.agent = $1 AND NOT g.is_approved AND l.memory_id IN (
    SELECT memory_id FROM confide.lineage WHERE agent = $1 AND source_id = ANY ($2))
GROUP BY l.memory_id;

-- inherit
-- What an insight takes over from its sources as they are labelled now.
UPDATE confide.memory SET inherited = $3::jsonb WHERE agent = $1 AND id = $2;

-- attested
-- Who of these a platform attests: by an account, or because their id is that of one. Two accounts of
-- one person are one.
SELECT DISTINCT ON (COALESCE(s.least, e)) e AS entity
FROM unnest($2::text[]) AS e
LEFT JOIN LATERAL (SELECT LEAST(e, min(o.other)) AS least FROM confide.same_person o
    WHERE o.agent = $1 AND o.entity = e) AS s ON true
WHERE split_part(e, ':', 2) LIKE '_%._%'
   OR EXISTS (SELECT FROM confide.account a WHERE a.agent = $1 AND a.entity = e)
ORDER BY COALESCE(s.least, e), e;

-- is_missing_agreement
-- Whether somebody who has a say in an insight's sources has not agreed yet, or has said no.
SELECT EXISTS (SELECT FROM confide.consent_request
    WHERE agent = $1 AND memory_id = $2 AND act = 'open_insight' AND id IS DISTINCT FROM $3
      AND is_granted IS NOT TRUE);

-- looked_at
-- Its words are fit to go; somebody's yes is missing.
UPDATE confide.memory SET status = 'approved', waits_because = $4, updated_at = $3
WHERE agent = $1 AND id = $2 AND status IN ('pending', 'approved');

-- open
-- Everyone agreed, and nobody has to look at its words any more.
UPDATE confide.generalization g SET is_approved = true
FROM confide.memory m
WHERE g.agent = $1 AND g.memory_id = $2 AND NOT g.is_approved
  AND m.agent = g.agent AND m.id = g.memory_id
  AND (m.status = 'approved' OR m.waits_because = $3);
