-- by_day
-- How many memories were made on each day, by level.
SELECT (m.created_at AT TIME ZONE 'UTC')::date AS day, m.scope, count(*) AS memories
FROM confide.memory m
WHERE m.agent = $1 AND m.created_at >= $2 AND m.status <> 'deleted'
GROUP BY 1, 2 ORDER BY 1, 2;

-- everywhere
-- What is told to its owner everywhere, by the kind of place it came from.
SELECT COALESCE(p.kind, 'unknown') AS kind, count(*) AS memories, max(m.updated_at) AS updated_at
FROM confide.memory m
LEFT JOIN confide.place p ON p.agent = m.agent AND p.id = m.place
WHERE m.agent = $1 AND m.scope = 'global' AND m.status = 'approved'
GROUP BY 1 ORDER BY 1;

-- learned
-- Of what was learned from conversations, how much stood and how much was rejected.
SELECT count(*) FILTER (WHERE m.status IN ('approved', 'superseded', 'archived')) AS approved,
    count(*) FILTER (WHERE m.status = 'rejected') AS rejected
FROM confide.memory m
WHERE m.agent = $1 AND EXISTS (
    SELECT FROM confide.evidence e
    WHERE e.agent = m.agent AND e.memory_id = m.id AND e.journal_id IS NOT NULL);

-- asked
-- How many questions there were, and how many found something.
SELECT count(*) AS questions, count(*) FILTER (WHERE told > 0) AS answered
FROM confide.asked WHERE agent = $1 AND asked_at >= $2;

-- erased
-- Erasures that must be complete by now, and those of which nothing is left.
SELECT count(*) AS due, count(*) FILTER (
    WHERE e.final_at IS NOT NULL AND NOT EXISTS (
        SELECT FROM confide.memory m WHERE m.agent = e.agent AND m.id = ANY (e.memory_ids))
    ) AS complete
FROM confide.erasure e
WHERE e.agent = $1 AND (e.final_at IS NOT NULL OR e.erased_at <= $2);
