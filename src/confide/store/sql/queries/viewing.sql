-- add_scenario
-- Who asks where; no words.
INSERT INTO confide.scenario (agent, id, made_by, asker, place, present, made_at)
VALUES ($1, $2, $3, $4, $5, $6, $7);

-- add_memories
-- Which memories it is about, and whether each is told.
INSERT INTO confide.scenario_memory (agent, scenario_id, memory_id, is_told)
SELECT $1, $2, m.id, g.is_told FROM unnest($3::uuid[], $4::boolean[]) AS g (id, is_told)
JOIN confide.memory m ON m.agent = $1 AND m.id = g.id;

-- scenarios
-- What somebody saved, newest first. One whose memories are all gone is gone with them.
SELECT s.id, s.asker, s.place, s.present, s.made_at, array_agg(m.memory_id ORDER BY m.memory_id) AS memories,
    array_agg(m.is_told ORDER BY m.memory_id) AS told,
    array_agg(k.sensitivity ORDER BY m.memory_id) AS levels,
    array_agg(k.scope ORDER BY m.memory_id) AS scopes
FROM confide.scenario s
JOIN confide.scenario_memory m ON m.agent = s.agent AND m.scenario_id = s.id
JOIN confide.memory k ON k.agent = m.agent AND k.id = m.memory_id
WHERE s.agent = $1 AND s.made_by IS NOT DISTINCT FROM $2
GROUP BY s.id, s.asker, s.place, s.present, s.made_at ORDER BY s.made_at DESC, s.id LIMIT 100;

-- drop_empty
DELETE FROM confide.scenario s WHERE s.agent = $1 AND NOT EXISTS (
    SELECT FROM confide.scenario_memory m WHERE m.agent = s.agent AND m.scenario_id = s.id);

-- drop_scenario
DELETE FROM confide.scenario WHERE agent = $1 AND id = $2 AND made_by IS NOT DISTINCT FROM $3;

-- glass_words
-- The words of one memory, for the operator who gave a reason.
SELECT m.text, m.owner FROM confide.memory m
WHERE m.agent = $1 AND m.id = $2 AND m.status <> 'deleted';

-- break_glass
INSERT INTO confide.break_glass (agent, id, memory_id, owner, reason, at)
VALUES ($1, $2, $3, $4, $5, $6);

-- opened
-- When the operator read something of somebody's, and why.
SELECT memory_id, reason, at FROM confide.break_glass
WHERE agent = $1 AND owner = $2 ORDER BY at DESC, id LIMIT 20;
