-- last
-- What was told when this asker last asked in this place.
SELECT t.memory_id, t.told_at FROM confide.telling t
WHERE t.agent = $1 AND t.asker = $2 AND t.place = $3
  AND t.told_at = (SELECT max(l.told_at) FROM confide.telling l
                   WHERE l.agent = $1 AND l.asker = $2 AND l.place = $3);

-- of_memory
-- When and in what kind of place a memory was told, without naming who asked.
SELECT t.told_at, t.place_kind, t.place FROM confide.telling t
WHERE t.agent = $1 AND t.memory_id = $2
ORDER BY t.told_at DESC, t.id
LIMIT $3;
