-- add_link
-- A link to sign in with; only its hash.
INSERT INTO confide.sign_in_link (agent, id, hash, entity, made_by, made_at, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, $7);

-- link
-- A link that was neither used nor is too old.
SELECT id, entity, made_by, made_at, expires_at FROM confide.sign_in_link
WHERE agent = $1 AND hash = $2 AND used_at IS NULL AND expires_at > $3;

-- use_link
-- Used up: nobody gets in by it a second time.
UPDATE confide.sign_in_link SET used_at = $3
WHERE agent = $1 AND hash = $2 AND used_at IS NULL AND expires_at > $3
RETURNING id, entity, made_by, made_at, expires_at;

-- links
-- The links that were made for somebody, newest first.
SELECT id, made_by, made_at, expires_at, used_at FROM confide.sign_in_link
WHERE agent = $1 AND entity = $2 AND made_at >= $3 ORDER BY made_at DESC, id LIMIT $4;

-- drop_links
-- Links that nobody needs to be told of any more.
DELETE FROM confide.sign_in_link WHERE agent = $1 AND made_at < $2;

-- begin
-- Somebody is signed in.
INSERT INTO confide.browser_session (agent, id, hash, kind, entity, key_id, started_at, seen_at,
    rotated_at, ends_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $7, $7, $8);

-- session
-- Whose cookie it is, while the session lasts and was used not long ago.
SELECT s.*, s.hash = $2 AS is_newest FROM confide.browser_session s
WHERE s.agent = $1 AND (s.hash = $2 OR (s.former_hash = $2 AND s.former_until > $3))
  AND s.ends_at > $3 AND s.seen_at > $4;

-- seen
UPDATE confide.browser_session SET seen_at = $3 WHERE agent = $1 AND id = $2;

-- rotate
-- Another cookie for the same session; of two requests at once, one changes it.
UPDATE confide.browser_session
SET hash = $4, former_hash = hash, former_until = $5, rotated_at = $6, seen_at = $6
WHERE agent = $1 AND id = $2 AND hash = $3;

-- end
DELETE FROM confide.browser_session WHERE agent = $1 AND id = $2;

-- end_all
-- Every session of somebody.
DELETE FROM confide.browser_session WHERE agent = $1 AND entity IS NOT DISTINCT FROM $2
  AND kind = $3;

-- drop_ended
DELETE FROM confide.browser_session WHERE agent = $1 AND (ends_at <= $2 OR seen_at <= $3);
