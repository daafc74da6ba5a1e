-- keys
-- What hashes were made with, the one in use first.
SELECT id, key FROM confide.erasure_key WHERE agent = $1 ORDER BY made_at, id;

-- make_key
-- The key of an agent that has none yet.
INSERT INTO confide.erasure_key (agent, id, key, made_at) VALUES ($1, $2, $3, $4);

-- keys_in_use
-- The same, if anything is suppressed at all: usually nothing is.
SELECT k.id, k.key FROM confide.erasure_key k
WHERE k.agent = $1 AND EXISTS (
    SELECT FROM confide.suppression s WHERE s.agent = k.agent AND s.key_id = k.id)
ORDER BY k.made_at, k.id;

-- enter
-- An erasure, without content.
INSERT INTO confide.erasure (agent, id, kind, memory_ids, key_id, target, whose, is_about_too, actor,
    erased_at, final_at, memories)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
ON CONFLICT (agent, id) DO UPDATE SET final_at = excluded.final_at;

-- one
-- An erasure that can still be undone.
SELECT id, kind, memory_ids, key_id, target, whose, is_about_too, actor, erased_at, final_at, memories
FROM confide.erasure WHERE agent = $1 AND id = $2 AND final_at IS NULL
FOR UPDATE;

-- of_memory
-- The erasure that a memory waits for.
SELECT e.id, e.kind, e.memory_ids, e.key_id, e.target, e.whose, e.is_about_too, e.actor, e.erased_at,
    e.final_at, e.memories
FROM confide.memory m
JOIN confide.erasure e ON e.agent = m.agent AND e.id = m.erasure_id AND e.final_at IS NULL
WHERE m.agent = $1 AND m.id = $2
FOR UPDATE OF e;

-- overdue
-- Erasures that can be undone no longer and were not finished yet.
SELECT id, kind, memory_ids, key_id, target, whose, is_about_too, actor, erased_at, final_at, memories
FROM confide.erasure WHERE agent = $1 AND final_at IS NULL AND erased_at <= $2
ORDER BY erased_at, id
FOR UPDATE;

-- every
-- The whole ledger, oldest first.
SELECT id, kind, memory_ids, key_id, target, whose, is_about_too, actor, erased_at, final_at, memories
FROM confide.erasure WHERE agent = $1 ORDER BY erased_at, id;

-- finish
-- It can be undone no longer.
UPDATE confide.erasure SET final_at = $3 WHERE agent = $1 AND id = $2;

-- remove
-- It was undone: nothing was erased.
DELETE FROM confide.erasure WHERE agent = $1 AND id = $2 AND final_at IS NULL;

-- suppress
-- Facts that are not to be learned again.
INSERT INTO confide.suppression (agent, who, what, key_id, erasure_id)
SELECT $1, s.who, s.what, $4, $5 FROM unnest($2::bytea[], $3::bytea[]) AS s (who, what)
ON CONFLICT (agent, who, what) DO NOTHING;

-- is_suppressed
-- Whether one of these facts was forgotten.
SELECT EXISTS (
    SELECT FROM unnest($2::bytea[], $3::bytea[]) AS s (who, what)
    JOIN confide.suppression f ON f.agent = $1 AND f.who = s.who AND f.what = s.what);

-- lift
-- Its owner wants it remembered after all.
DELETE FROM confide.suppression f
USING unnest($2::bytea[], $3::bytea[]) AS s (who, what)
WHERE f.agent = $1 AND f.who = s.who AND f.what = s.what;

-- unsuppress
-- The erasure was undone, and what it stopped may be learned again.
DELETE FROM confide.suppression WHERE agent = $1 AND erasure_id = $2;
