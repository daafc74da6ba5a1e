-- waiting
-- What waits for a reviewer: all of it, or one person's own. Without content.
SELECT m.id, m.owner, m.speaker, m.subjects, m.kind, m.scope, m.sensitivity, m.trust, m.confidence,
    m.place, m.workspace, m.namespace_scope, m.waits_because, m.created_at,
    EXISTS (SELECT FROM confide.generalization g
        WHERE g.agent = m.agent AND g.memory_id = m.id) AS is_insight
FROM confide.memory m
WHERE m.agent = $1 AND m.status = 'pending' AND m.expires_at > $2
  AND ($3::text IS NULL OR m.owner = $3) AND ($4::uuid IS NULL OR m.id = $4)
  AND NOT m.is_opted_out
ORDER BY m.created_at, m.id LIMIT $5;

-- read
-- The words of something that waits, for its owner or for a reviewer; the trail says who read them.
SELECT m.text FROM confide.memory m
WHERE m.agent = $1 AND m.id = $2 AND m.status = 'pending' AND NOT m.is_opted_out
  AND cardinality(m.objectors) = 0;

-- approve
-- Somebody looked at it and lets it be told.
UPDATE confide.memory SET status = 'approved', waits_because = NULL, updated_at = $3
WHERE agent = $1 AND id = $2 AND status = 'pending';

-- reject
-- Somebody looked at it; it is never told.
UPDATE confide.memory SET status = 'rejected', updated_at = $3
WHERE agent = $1 AND id = $2 AND status = 'pending';

-- last_decision
-- Who decided on it last and when, if nothing happened to it since; and what it replaced.
SELECT t.at, t.proof, n.name AS actor, t.action,
    EXISTS (SELECT FROM confide.memory o
        WHERE o.agent = $1 AND o.superseded_by = $2) AS replaced_another
FROM (
    SELECT agent, at, proof, actor, action, doing FROM confide.trail
    WHERE agent = $1 AND memory_id = $2 AND what = 'memory'
    ORDER BY seq DESC LIMIT 1) AS t
LEFT JOIN confide.trail_name n ON n.agent = t.agent AND n.pseudonym = t.actor
WHERE t.doing IN ('approve', 'reject') AND t.action IN ('approved', 'rejected');

-- take_back
-- It waits again, as before somebody decided.
UPDATE confide.memory SET status = 'pending', waits_because = COALESCE(waits_because, $3),
    updated_at = $4
WHERE agent = $1 AND id = $2 AND status IN ('approved', 'rejected');

-- edit
-- Other words, as careful as both need, that somebody has to look at.
UPDATE confide.memory
SET text = $3, attribute = $4, sensitivity = $5, waits_because = $6, hash = $7, updated_at = $8,
    is_portable = false, is_portable_confirmed = false
WHERE agent = $1 AND id = $2 AND status = 'pending';

-- drop_words
-- What was searchable of the old words, and the evidence for them.
WITH words AS (DELETE FROM confide.words WHERE agent = $1 AND memory_id = $2),
vectors AS (DELETE FROM confide.embedding WHERE agent = $1 AND memory_id = $2)
SELECT 1;

-- twin
-- What says the same already under the same label.
SELECT id FROM confide.memory
WHERE agent = $1 AND hash = $2 AND id <> $3 AND status IN ('approved', 'pending');

-- move
-- Another namespace of the same person.
UPDATE confide.memory
SET workspace = $3, namespace_scope = $4, is_namespaced = $5, updated_at = $6
WHERE agent = $1 AND id = $2 AND status = 'pending';

-- editors
-- Who wrote the words that wait, as far as they were changed here.
SELECT DISTINCT n.name FROM confide.trail t
JOIN confide.trail_name n ON n.agent = t.agent AND n.pseudonym = t.actor
WHERE t.agent = $1 AND t.memory_id = $2 AND t.action = 'edited';

-- one_person
-- Who else these people are, as all concerned confirmed.
SELECT DISTINCT s.other AS name FROM confide.same_person s
WHERE s.agent = $1 AND s.entity = ANY ($2);

-- vector
-- A memory's own vector, for comparing it with what is known.
SELECT w.vector FROM confide.words w
WHERE w.agent = $1 AND w.memory_id = $2 AND w.is_own AND w.part = 0;

-- edit_evidence
-- What was said in other words than these is no longer shown; it still ends when its message does.
UPDATE confide.evidence SET text = '', stated = CASE WHEN stated IS NOT NULL THEN $3 END
WHERE agent = $1 AND memory_id = $2;
