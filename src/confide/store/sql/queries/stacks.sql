-- told
-- All that this audience may hear, oldest first, for a stack made for it.
SELECT m.*, NULLIF(m.expires_at, 'infinity') AS ends_at, p.kind AS place_kind,
    p.parent AS place_parent
FROM confide.memory m
LEFT JOIN confide.place p ON p.agent = m.agent AND p.id = m.place
WHERE m.agent = (SELECT confide.this_agent())
ORDER BY m.said_at, m.id
LIMIT $1;

-- next_serial
-- The number of the next stack for another agent.
INSERT INTO confide.stack_serial (agent, direction, peer, serial, moved_at)
VALUES ($1, 'to', $2, 1, $3)
ON CONFLICT (agent, direction, peer) DO UPDATE
SET serial = stack_serial.serial + 1, moved_at = excluded.moved_at
RETURNING serial;

-- take_serial
-- Take a stack once, and none that is older than the last one taken.
INSERT INTO confide.stack_serial (agent, direction, peer, serial, moved_at)
VALUES ($1, 'from', $2, $3, $4)
ON CONFLICT (agent, direction, peer) DO UPDATE
SET serial = excluded.serial, moved_at = excluded.moved_at
WHERE stack_serial.serial < excluded.serial
RETURNING serial;

-- drop
-- What an earlier stack of that agent brought makes way for the new one.
DELETE FROM confide.memory m USING confide.stacked s
WHERE m.agent = $1 AND s.agent = $1 AND s.memory_id = m.id AND s.peer = $2;

-- add
-- A memory that came with a stack.
INSERT INTO confide.stacked (agent, memory_id, peer) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING;
