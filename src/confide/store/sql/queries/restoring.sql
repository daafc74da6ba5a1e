-- withdrawn
-- Consents that were withdrawn.
SELECT id, revoked_at FROM confide.consent WHERE agent = $1 AND revoked_at IS NOT NULL;

-- has_lived
-- Whether anything ever happened here.
SELECT EXISTS (SELECT FROM confide.trail WHERE agent = $1);

-- objectors
-- Whose objections to what others said were granted.
SELECT DISTINCT asker FROM confide.data_request
WHERE agent = $1 AND what = 'object' AND is_granted;

-- opted_out
-- Who wants nothing of theirs told.
SELECT entity, is_global_only FROM confide.opt_out WHERE agent = $1;

-- withdraw
-- A consent that was withdrawn after the backup was made, and what it touches.
UPDATE confide.consent SET revoked_at = $3 WHERE agent = $1 AND id = $2 AND revoked_at IS NULL;

-- gone
-- Messages that were deleted after the backup was made.
SELECT m.id, m.place, m.session_id FROM confide.message m
JOIN confide.message_gone g ON g.agent = m.agent AND g.platform = m.platform
    AND g.message_id = m.message_id
WHERE m.agent = $1 ORDER BY m.id;
