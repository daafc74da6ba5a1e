-- begin
-- A file is being read; the same again from the same hands is known, or goes on where it was cut off.
INSERT INTO confide.batch (agent, id, platforms, file_name, digest, proof, given_by,
    first_given_at, last_given_at, lines)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8, $9)
ON CONFLICT (agent, digest, proof, given_by, platforms) WHERE proof <> ''
DO UPDATE SET last_given_at = EXCLUDED.last_given_at, times_given = batch.times_given + 1
RETURNING id, finished_at, times_given;

-- finish
-- All of it was read. One that brought nothing keeps no name: nobody could find it to erase it.
UPDATE confide.batch b
SET finished_at = COALESCE(b.finished_at, $3), lines = GREATEST($4, kept.count),
    refused = LEAST($5, GREATEST(0, $4 - kept.count)),
    file_name = CASE WHEN kept.count > 0 THEN b.file_name ELSE '' END
FROM (SELECT count(*)::integer AS count FROM confide.message m
      WHERE m.agent = $1 AND m.batch_id = $2) AS kept
WHERE b.agent = $1 AND b.id = $2
RETURNING b.id;

-- every
-- Every file that was taken in, newest first, or one; numbers, and nobody's words.
SELECT b.id, b.platforms, b.file_name, b.digest, b.proof, b.given_by, b.first_given_at,
    b.last_given_at, b.times_given, b.finished_at, b.lines, b.refused,
    count(DISTINCT m.id)::integer AS messages, count(DISTINCT x.id)::integer AS memories,
    min(m.said_at) AS first_said_at, max(m.said_at) AS last_said_at
FROM confide.batch b
LEFT JOIN confide.message m ON m.agent = b.agent AND m.batch_id = b.id
LEFT JOIN confide.evidence e ON e.agent = m.agent AND e.message_id = m.id
LEFT JOIN confide.memory x ON x.agent = e.agent AND x.id = e.memory_id AND x.status <> 'deleted'
WHERE b.agent = $1 AND ($2::uuid IS NULL OR b.id = $2)
GROUP BY b.agent, b.id
ORDER BY b.first_given_at DESC, b.id;

-- own
-- The files that brought somebody's own words, newest first, or one; only these words are counted.
-- What a file is called, its fingerprint and how long it took are about all who are in it: whoever
-- gave it knows them.
SELECT b.id, array_agg(DISTINCT m.platform ORDER BY m.platform) AS platforms,
    CASE WHEN b.given_by = $2 THEN b.file_name END AS file_name,
    CASE WHEN b.given_by = $2 THEN b.digest END AS digest,
    CASE WHEN b.given_by = $2 THEN b.finished_at END AS finished_at, b.first_given_at,
    count(DISTINCT m.id)::integer AS messages, count(DISTINCT x.id)::integer AS memories,
    min(m.said_at) AS first_said_at, max(m.said_at) AS last_said_at
FROM confide.message m
JOIN confide.batch b ON b.agent = m.agent AND b.id = m.batch_id
LEFT JOIN confide.evidence e ON e.agent = m.agent AND e.message_id = m.id
LEFT JOIN confide.memory x ON x.agent = e.agent AND x.id = e.memory_id AND x.status <> 'deleted'
    AND $2 IN (x.owner, x.speaker)
WHERE m.agent = $1 AND m.speaker = $2 AND NOT m.is_from_agent
  AND ($3::uuid IS NULL OR m.batch_id = $3)
GROUP BY b.agent, b.id
ORDER BY b.first_given_at DESC, b.id;

-- platforms
-- Where words came from: somebody's own, or everybody's.
SELECT m.platform AS name, count(DISTINCT m.id)::integer AS messages,
    count(DISTINCT x.id)::integer AS memories,
    min(m.said_at) AS first_said_at, max(m.said_at) AS last_said_at
FROM confide.message m
LEFT JOIN confide.evidence e ON e.agent = m.agent AND e.message_id = m.id
LEFT JOIN confide.memory x ON x.agent = e.agent AND x.id = e.memory_id AND x.status <> 'deleted'
    AND ($2::text IS NULL OR $2 IN (x.owner, x.speaker))
WHERE m.agent = $1 AND NOT m.is_from_agent AND ($2::text IS NULL OR m.speaker = $2)
GROUP BY m.platform
ORDER BY m.platform;

-- stacks
-- The agents whose memories were loaded, and what is kept of the last stack of each.
SELECT s.peer AS name, count(x.id)::integer AS memories, min(x.said_at) AS first_said_at,
    max(x.said_at) AS last_said_at
FROM confide.stacked s
JOIN confide.memory x ON x.agent = s.agent AND x.id = s.memory_id AND x.status <> 'deleted'
WHERE s.agent = $1
GROUP BY s.peer
ORDER BY s.peer;

-- own_messages
-- Somebody's own messages of a platform, or that a file brought.
SELECT m.id FROM confide.message m
WHERE m.agent = $1 AND m.speaker = $2 AND NOT m.is_from_agent
  AND CASE WHEN $4::uuid IS NOT NULL THEN m.batch_id = $4 ELSE m.platform = $3 END;

-- learned_from
-- The memories that any of these messages gave something to.
SELECT DISTINCT e.memory_id AS id FROM confide.evidence e
WHERE e.agent = $1 AND e.message_id = ANY ($2);
