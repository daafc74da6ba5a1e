-- name_all
-- Pseudonyms for all whom an entry speaks of.
SELECT confide.trail_names($1, $2);

-- record
-- An act that changes no row of its own. What it was and became is kept as hashes only.
INSERT INTO confide.trail (agent, at, proof, actor, doing, what, action, memory_id, owner, place,
    before, after)
SELECT $1, $2, $3, confide.trail_pseudonym($1, $4), $5, $6, $7, $8,
    confide.trail_pseudonym($1, $9), confide.trail_pseudonym($1, $10),
    confide.trail_hash(confide.trail_key($1, $11), $12),
    confide.trail_hash(confide.trail_key($1, $11), $13);

-- forget_names
-- From now on the entries about these point to nobody.
DELETE FROM confide.trail_name WHERE agent = $1 AND name = ANY ($2);

-- hold_writers
-- Wait until whoever is writing entries has finished; nobody starts meanwhile.
SELECT pg_advisory_xact_lock(hashtextextended($1, 723010));

-- hold_sealers
-- One seal at a time.
SELECT pg_advisory_xact_lock(hashtextextended($1, 723011));

-- newest
-- The number of the newest entry.
SELECT COALESCE(max(seq), 0) FROM confide.trail WHERE agent = $1;

-- last_seal
-- Where sealing stands.
SELECT number, last_seq, hash FROM confide.trail_seal WHERE agent = $1
ORDER BY number DESC LIMIT 1;

-- entries
-- Entries in the order of their numbers, as they are hashed.
SELECT seq, at, proof, actor, doing, what, action, memory_id, owner, place, workspace, before, after
FROM confide.trail WHERE agent = $1 AND seq > $2 AND seq <= $3
ORDER BY seq LIMIT $4;

-- seal
-- Link what was written since the last seal to all that came before.
INSERT INTO confide.trail_seal (agent, number, last_seq, entries, digest, previous, hash, sealed_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8);

-- seals
-- All seals in their order, some at a time.
SELECT number, last_seq, entries, digest, previous, hash, sealed_at FROM confide.trail_seal
WHERE agent = $1 AND number > $2 ORDER BY number LIMIT $3;

-- listed
-- Entries about somebody or a memory, newest first, with the names that are still known. What
-- somebody's act did to others' memories beside what they meant is not theirs to know: it may be of
-- something that is hidden from them.
SELECT t.seq, t.at, t.proof, a.name AS actor, t.doing, t.what, t.action, t.memory_id,
    o.name AS owner, p.name AS place, t.actor AS actor_id, t.owner AS owner_id
FROM confide.trail t
LEFT JOIN confide.trail_name a ON a.agent = t.agent AND a.pseudonym = t.actor
LEFT JOIN confide.trail_name o ON o.agent = t.agent AND o.pseudonym = t.owner
LEFT JOIN confide.trail_name p ON p.agent = t.agent AND p.pseudonym = t.place
WHERE t.agent = $1
  AND ($2::text IS NULL
    -- That others agreed to something about one's memory is not one's own to know.
    OR t.owner = confide.trail_pseudonym($1, $2) AND (
      t.action <> 'relabelled' OR t.actor = confide.trail_pseudonym($1, $2))
    OR t.actor = confide.trail_pseudonym($1, $2) AND (
      t.action = 'added' OR t.doing IN ('approve', 'reject', 'take back', 'edit', 'move', 'review')
      OR t.what = 'memory' AND t.action IN ('deleted', 'restored')
      OR t.what <> 'memory' AND COALESCE(t.doing NOT IN ('forget', 'opt out'), true)))
  AND ($3::uuid IS NULL OR t.memory_id = $3)
  AND ($4::timestamptz IS NULL OR t.at >= $4)
ORDER BY t.seq DESC LIMIT $5;

-- unlike_trail
-- Memories that are not as their last entry left them: changed behind the trail's back.
SELECT m.id FROM confide.memory m
CROSS JOIN LATERAL (
    SELECT t.after FROM confide.trail t
    WHERE t.agent = m.agent AND t.memory_id = m.id AND t.what = 'memory'
    ORDER BY t.seq DESC LIMIT 1) AS last
WHERE m.agent = $1 AND last.after IS DISTINCT FROM confide.trail_hash(
    confide.trail_key($1, confide.memory_names(m)), confide.memory_state(m))
ORDER BY m.id;
