-- add
-- Somebody agreed that a memory of which they own clauses may be shared.
INSERT INTO confide.consent (
    agent, id, memory_id, grantor, grantee, place, purpose, granted_at, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, COALESCE($9, 'infinity'::timestamptz));

-- of_memory
-- The consents on a memory that were not withdrawn.
SELECT grantor, grantee, place, purpose, NULLIF(expires_at, 'infinity') AS ends_at
FROM confide.consent
WHERE agent = $1 AND memory_id = $2 AND revoked_at IS NULL
ORDER BY granted_at, id;
