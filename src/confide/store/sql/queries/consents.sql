-- add
-- Somebody agreed that what they own clauses of may be shared.
INSERT INTO confide.consent (agent, id, memory_id, subject, origin, grantor, grantee, place, purpose,
    reason, given_by, granted_at, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, COALESCE($13, 'infinity'::timestamptz));

-- of_memories
-- The consents in force on each of the given memories: their own, and the standing ones that fit.
SELECT m.id AS of_memory, c.grantor, c.grantee, c.place, c.purpose,
    NULLIF(c.expires_at, 'infinity') AS ends_at
FROM confide.memory m
JOIN confide.consent c ON c.agent = m.agent AND c.revoked_at IS NULL
    AND (c.memory_id = m.id
      OR c.memory_id IS NULL
        AND (c.subject IS NULL OR c.subject = ANY (m.subjects) OR c.subject = m.speaker)
        AND (c.origin IS NULL OR c.origin = m.place))
WHERE m.agent = $1 AND m.id = ANY ($2)
ORDER BY c.granted_at, c.id;

-- standing
-- The standing consents that fit a memory which is about to be stored. Who withdraws one meanwhile
-- waits until the memory is there to be labelled again.
SELECT c.grantor, c.grantee, c.place, c.purpose, NULLIF(c.expires_at, 'infinity') AS ends_at
FROM confide.consent c
WHERE c.agent = $1 AND c.revoked_at IS NULL AND c.memory_id IS NULL
  AND (c.subject IS NULL OR c.subject = ANY ($2))
  AND (c.origin IS NULL OR c.origin = $3)
ORDER BY c.granted_at, c.id
FOR SHARE;

-- touched
-- The memories that a consent is about, for labelling them again: those with a clause of its grantor
-- or of a child whom they confirm for. Nobody else's are locked.
SELECT m.id FROM confide.memory m
JOIN confide.consent c ON c.agent = m.agent AND c.id = $2
WHERE m.agent = $1
  AND (m.clauses @> jsonb_build_array(jsonb_build_array(c.grantor)) OR EXISTS (
      SELECT FROM confide.guardian g
      WHERE g.agent = c.agent AND g.guardian = c.grantor
        AND m.clauses @> jsonb_build_array(jsonb_build_array(g.child))))
  AND (c.memory_id = m.id
    OR c.memory_id IS NULL
      AND (c.subject IS NULL OR c.subject = ANY (m.subjects) OR c.subject = m.speaker)
      AND (c.origin IS NULL OR c.origin = m.place));

-- one
-- A consent that can still be withdrawn.
SELECT id, grantor, given_by FROM confide.consent
WHERE agent = $1 AND id = $2 AND revoked_at IS NULL
FOR UPDATE;

-- revoke
-- Withdrawn: it was never there.
UPDATE confide.consent SET revoked_at = $3 WHERE agent = $1 AND id = $2;

-- shares
-- The consents by which somebody shared one memory with one grantee.
SELECT id FROM confide.consent
WHERE agent = $1 AND memory_id = $2 AND grantor = $3 AND grantee = $4 AND revoked_at IS NULL;

-- given
-- What somebody agreed to, themselves or through a guardian, newest first.
SELECT id, memory_id, subject, origin, grantor, grantee, place, purpose, reason, given_by,
    granted_at, NULLIF(expires_at, 'infinity') AS ends_at, revoked_at
FROM confide.consent
WHERE agent = $1 AND (grantor = $2 OR given_by = $2)
ORDER BY granted_at DESC, id;

-- guardians
-- Who confirms for whom.
SELECT child, guardian FROM confide.guardian WHERE agent = $1;

-- register_guardian
-- An authority says who confirms for a child.
INSERT INTO confide.guardian (agent, child, guardian, since, registered_by)
VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING;

-- end_guardian
-- Somebody confirms for a child no longer.
DELETE FROM confide.guardian WHERE agent = $1 AND child = $2 AND guardian = $3;

-- ask
-- Leave a request for somebody's consent, or for another act of theirs.
INSERT INTO confide.consent_request (agent, id, memory_id, subject, origin, grantor, grantee, place,
    purpose, reason, asked_by, asked_at, act, target, words)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15);

-- same_asked
-- The same request of the same person that nobody answered yet.
SELECT id FROM confide.consent_request
WHERE agent = $1 AND answered_at IS NULL AND grantor = $2 AND act = $3
  AND (memory_id, subject, origin, grantee, place, purpose, target, words, asked_by)
    IS NOT DISTINCT FROM ($4::uuid, $5::text, $6::text, $7::text, $8::text, $9::text, $10::text,
      $11::text, $12::text);

-- asked_open
-- How many requests wait for somebody's answer.
SELECT count(*) FROM confide.consent_request
WHERE agent = $1 AND answered_at IS NULL AND grantor = $2;

-- asked
-- What waits for somebody's answer, or a guardian's.
SELECT r.id, r.memory_id, r.subject, r.origin, r.grantor, r.grantee, r.place, r.purpose, r.reason,
    r.asked_by, r.asked_at, r.act, r.target, r.words
FROM confide.consent_request r
WHERE r.agent = $1 AND r.answered_at IS NULL
  AND (r.grantor = $2 OR EXISTS (
      SELECT FROM confide.guardian g
      WHERE g.agent = r.agent AND g.child = r.grantor AND g.guardian = $2))
ORDER BY r.asked_at, r.id;

-- was_asked
-- Whether somebody was asked about a memory, who so learned of it.
SELECT EXISTS (
    SELECT FROM confide.consent_request
    WHERE agent = $1 AND memory_id = $2 AND grantor = $3);

-- asked_one
-- One request that waits for an answer.
SELECT r.id, r.memory_id, r.subject, r.origin, r.grantor, r.grantee, r.place, r.purpose, r.reason,
    r.asked_by, r.asked_at, r.act, r.target, r.words
FROM confide.consent_request r
WHERE r.agent = $1 AND r.id = $2 AND r.answered_at IS NULL
FOR UPDATE;

-- answer
-- Somebody said yes or no to a request; a second answer finds nothing.
UPDATE confide.consent_request SET answered_at = $3, is_granted = $4, words = NULL
WHERE agent = $1 AND id = $2 AND answered_at IS NULL;

-- any_child
-- Whether one of the given people has a guardian.
SELECT EXISTS (SELECT FROM confide.guardian WHERE agent = $1 AND child = ANY ($2));

-- childs_own
-- What a child agreed to before anybody confirmed for it.
SELECT id FROM confide.consent
WHERE agent = $1 AND grantor = $2 AND given_by IS NULL AND revoked_at IS NULL;

-- concerning
-- What follows a child everywhere, or travels with it.
SELECT m.id FROM confide.memory m
WHERE m.agent = $1 AND (m.owner = $2 OR m.speaker = $2 OR m.subjects @> ARRAY[$2])
  AND (m.scope = 'global' OR m.is_portable);

-- stay
-- These travel with nobody.
UPDATE confide.memory SET is_portable = false, is_portable_confirmed = false
WHERE agent = $1 AND id = ANY ($2) AND is_portable;
