-- add
-- A new key; only its hash.
INSERT INTO confide.api_key (
    agent, id, kind, name, platform, entity, hash, per_minute, created_at, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10);

-- by_hash
-- The key with this hash that is valid now, and whether its owner opened their connections.
SELECT k.*, EXISTS (
    SELECT FROM confide.connection_opened o WHERE o.agent = k.agent AND o.entity = k.entity
) AS is_opened, CASE WHEN k.platform = 'local' THEN ARRAY(
    SELECT DISTINCT o.platform FROM confide.api_key o
    WHERE o.agent = k.agent AND o.platform IS NOT NULL) END AS registered
FROM confide.api_key k
WHERE k.agent = $1 AND (k.hash = $2 OR (k.former_hash = $2 AND k.former_until > $3))
  AND k.revoked_at IS NULL AND k.expires_at > $3;

-- by_id
-- A key that is valid now, for a token that it minted.
SELECT k.*, false AS is_opened, CASE WHEN k.platform = 'local' THEN ARRAY(
    SELECT DISTINCT o.platform FROM confide.api_key o
    WHERE o.agent = k.agent AND o.platform IS NOT NULL) END AS registered
FROM confide.api_key k
WHERE k.agent = $1 AND k.id = $2 AND k.revoked_at IS NULL AND k.expires_at > $3;

-- list
-- Every key, also those that ended.
SELECT k.*, EXISTS (
    SELECT FROM confide.connection_opened o WHERE o.agent = k.agent AND o.entity = k.entity
) AS is_opened
FROM confide.api_key k WHERE k.agent = $1 ORDER BY k.created_at, k.id;

-- is_registered
-- Whether a platform of this name ever had a key.
SELECT EXISTS (SELECT FROM confide.api_key WHERE agent = $1 AND platform = $2);

-- has_ids
-- Whether anybody, a place or a space has an id that begins with this word and a dot.
SELECT EXISTS (SELECT FROM confide.memory m WHERE m.agent = $1 AND (
        split_part(m.owner, ':', 2) LIKE $2 OR split_part(m.speaker, ':', 2) LIKE $2
        OR EXISTS (SELECT FROM unnest(m.subjects) AS s WHERE split_part(s, ':', 2) LIKE $2)))
    OR EXISTS (SELECT FROM confide.message m
        WHERE m.agent = $1 AND split_part(m.speaker, ':', 2) LIKE $2)
    OR EXISTS (SELECT FROM confide.place_member m
        WHERE m.agent = $1 AND split_part(m.entity, ':', 2) LIKE $2)
    OR EXISTS (SELECT FROM confide.person p
        WHERE p.agent = $1 AND split_part(p.entity, ':', 2) LIKE $2)
    OR EXISTS (SELECT FROM confide.api_key k
        WHERE k.agent = $1 AND split_part(k.entity, ':', 2) LIKE $2)
    OR EXISTS (SELECT FROM confide.place p WHERE p.agent = $1 AND (
        p.platform_id LIKE $2 OR p.platform_id LIKE 'ctx:' || $2 OR p.space LIKE $2));

-- used
-- When a key was last used, to the minute: every request would be a write too many.
UPDATE confide.api_key SET last_used_at = $3
WHERE agent = $1 AND id = $2 AND (last_used_at IS NULL OR last_used_at < $4);

-- rotate
-- Another secret for the same key; the former one serves until a time.
UPDATE confide.api_key
SET hash = $3, former_hash = CASE WHEN $5::timestamptz > $4 THEN hash END,
    former_until = CASE WHEN $5::timestamptz > $4 THEN $5::timestamptz END, expires_at = $6
WHERE agent = $1 AND id = $2 AND revoked_at IS NULL AND expires_at > $4
RETURNING *, false AS is_opened;

-- revoke
-- From now on it opens nothing.
UPDATE confide.api_key SET revoked_at = $3, former_hash = NULL, former_until = NULL
WHERE agent = $1 AND id = $2 AND revoked_at IS NULL;

-- any_valid
-- Whether anybody could use this memory from elsewhere.
SELECT EXISTS (
    SELECT FROM confide.api_key
    WHERE agent = $1 AND revoked_at IS NULL AND expires_at > $2);

-- lock_signing
-- One at a time makes a new signing key.
SELECT pg_advisory_xact_lock(hashtextextended('confide signing key ' || $1, 0));

-- signing
-- The keys that tokens may be signed with now, the newest first.
SELECT id, secret FROM confide.signing_key
WHERE agent = $1 AND created_at <= $2 AND signs_until > $2 ORDER BY signs_until DESC, id;

-- checking
-- The key that a token says it was signed with, while it counts.
SELECT secret FROM confide.signing_key WHERE agent = $1 AND id = $2 AND checks_until > $3;

-- known_of
-- What platforms say now of an audience's place and of who is named in it; null: nothing is known.
SELECT jsonb_build_array(known ->> 'place', known ->> 'kind', known ->> 'space', ARRAY(
    SELECT v FROM jsonb_array_elements_text(known -> 'there') AS v
    WHERE confide.has_left($1, confide.room_of($1, known ->> 'place'), substr(v, 3)) ORDER BY v))::text
FROM confide.as_known($1, $2::jsonb) AS known WHERE known IS NOT NULL;

-- add_signing
INSERT INTO confide.signing_key (agent, id, secret, created_at, signs_until, checks_until)
VALUES ($1, $2, $3, $4, $5, $6);

-- end_signing
-- The others sign no longer; what they signed counts until a time.
UPDATE confide.signing_key
SET signs_until = LEAST(signs_until, $3), checks_until = LEAST(checks_until, $4)
WHERE agent = $1 AND id <> $2;

-- drop_signing
DELETE FROM confide.signing_key WHERE agent = $1 AND checks_until <= $2;

-- is_opened
SELECT EXISTS (
    SELECT FROM confide.connection_opened WHERE agent = $1 AND entity = $2);

-- open
INSERT INTO confide.connection_opened (agent, entity, opened_by, since) VALUES ($1, $2, $3, $4)
ON CONFLICT DO NOTHING;

-- close
DELETE FROM confide.connection_opened WHERE agent = $1 AND entity = $2;

-- claim
-- Say that a request is being answered; nothing comes back if somebody said so before.
INSERT INTO confide.asked_once AS a (agent, caller, key_hash, body_hash, claimed_at)
VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (agent, caller, key_hash) DO UPDATE
SET body_hash = excluded.body_hash, claimed_at = excluded.claimed_at, status = NULL, answer = NULL
WHERE a.claimed_at < $7 OR (a.status IS NULL AND a.claimed_at < $6 AND a.body_hash = $4)
RETURNING true;

-- claimed
SELECT body_hash, status, answer FROM confide.asked_once
WHERE agent = $1 AND caller = $2 AND key_hash = $3;

-- answered
UPDATE confide.asked_once SET status = $4, answer = $5::jsonb
WHERE agent = $1 AND caller = $2 AND key_hash = $3;

-- unclaim
-- It could not be done, and may be asked again.
DELETE FROM confide.asked_once WHERE agent = $1 AND caller = $2 AND key_hash = $3;

-- drop_claims
DELETE FROM confide.asked_once WHERE agent = $1 AND claimed_at < $2;
