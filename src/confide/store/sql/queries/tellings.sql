-- last
-- What was told when this asker last asked in this place; nothing is an answer too.
SELECT t.memory_id, t.told_at
FROM (
    SELECT a.id, a.asked_at FROM confide.asked a
    WHERE a.agent = $1 AND a.asker = $2 AND a.place = $3
    ORDER BY a.seq DESC LIMIT 1) AS q
JOIN confide.telling t ON t.agent = $1 AND t.place = $3 AND t.told_at >= q.asked_at
    AND t.asked_id = q.id
ORDER BY t.memory_id;

-- names
-- What the owners of memories are called now, where the audience hears something of them.
SELECT p.entity, p.display_name FROM confide.person p
WHERE p.agent = (SELECT confide.this_agent()) AND p.entity = ANY ($1);

-- of_memory
-- When and in what kind of place a memory was told. Of who asked only whether it was its owner.
SELECT t.told_at, t.place_kind, t.place, t.asker = $4 AS is_to_you FROM confide.telling t
WHERE t.agent = $1 AND t.memory_id = $2
ORDER BY t.told_at DESC, t.id
LIMIT $3;
