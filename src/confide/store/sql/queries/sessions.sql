-- take
-- The session that has been due longest and that nobody holds; the new fence shuts out whoever did.
UPDATE confide.session s
SET fence = s.fence + 1, attempts = s.attempts + 1,
    leased_until = clock_timestamp() + $2::interval
WHERE s.agent = $1 AND s.id = (
    SELECT d.id FROM confide.session d
    WHERE d.agent = $1 AND d.due_at IS NOT NULL AND d.failed_because IS NULL
      AND d.leased_until < clock_timestamp() AND d.try_after < clock_timestamp()
    ORDER BY d.due_at, d.id
    LIMIT 1
    FOR UPDATE SKIP LOCKED)
RETURNING s.id, s.place, s.speaker, s.fence, s.attempts;

-- renew
-- Hold a session for longer, if it is still held.
UPDATE confide.session SET leased_until = clock_timestamp() + $4::interval
WHERE agent = $1 AND id = $2 AND fence = $3;

-- demand
-- Lock the session for applying what was learned; null if somebody else has it now.
SELECT id FROM confide.session WHERE agent = $1 AND id = $2 AND fence = $3 FOR UPDATE;

-- settle
-- Count what is left; a session with nothing left is no longer due.
UPDATE confide.session s
SET unlearned = rest.count, first_unlearned = rest.first, extracted_at = $3, attempts = 0,
    due_at = CASE WHEN rest.count > 0 THEN s.due_at END,
    due_because = CASE WHEN rest.count > 0 THEN s.due_because END
FROM (SELECT count(*)::integer AS count, min(m.seq) AS first FROM confide.message m
      WHERE m.agent = $1 AND m.session_id = $2 AND m.learned_at IS NULL) AS rest
WHERE s.agent = $1 AND s.id = $2;

-- release
-- Let go of a session, if it is still held.
UPDATE confide.session SET leased_until = '-infinity' WHERE agent = $1 AND id = $2 AND fence = $3;

-- retry_later
-- It did not work; try again after a while, or give up and say why.
UPDATE confide.session
SET leased_until = '-infinity', try_after = clock_timestamp() + $4::interval, failed_because = $5
WHERE agent = $1 AND id = $2 AND fence = $3;

-- wait_for_model
-- A provider is away; that is no fault of the session, so the attempt does not count.
UPDATE confide.session
SET leased_until = '-infinity', try_after = clock_timestamp() + $4::interval,
    attempts = GREATEST(0, attempts - 1)
WHERE agent = $1 AND id = $2 AND fence = $3;

-- sweep
-- Sessions in which nobody said anything for a while end; what was said in them is learned from.
-- A last activity in the future means that a clock was set back; such a session has waited enough.
UPDATE confide.session s
SET is_open = false,
    due_at = CASE WHEN s.unlearned > 0 THEN COALESCE(s.due_at, $2::timestamptz) END,
    due_because = CASE WHEN s.unlearned > 0 THEN COALESCE(s.due_because, 'silence') END
WHERE s.agent = $1 AND s.is_open
  AND (s.last_activity_at <= $2::timestamptz - $3::interval
       OR s.last_activity_at > $2::timestamptz + $3::interval);

-- make_due
-- Everything that is left is to be learned now.
UPDATE confide.session SET due_at = $2, due_because = 'told'
WHERE agent = $1 AND unlearned > 0 AND due_at IS NULL AND failed_because IS NULL;

-- make_one_due
-- A message changed: nobody who read the old words may apply what they found.
UPDATE confide.session s
SET fence = s.fence + 1, leased_until = '-infinity', attempts = 0, failed_because = NULL,
    unlearned = rest.count, first_unlearned = rest.first,
    due_at = CASE WHEN rest.count > 0 THEN COALESCE(s.due_at, $3) END,
    due_because = CASE WHEN rest.count > 0 THEN COALESCE(s.due_because, 'told') END
FROM (SELECT count(*)::integer AS count, min(m.seq) AS first FROM confide.message m
      WHERE m.agent = $1 AND m.session_id = $2 AND m.learned_at IS NULL) AS rest
WHERE s.agent = $1 AND s.id = $2;

-- lock
-- Hold a session while one of its messages changes.
SELECT id FROM confide.session WHERE agent = $1 AND id = $2 FOR UPDATE;

-- shut_out
-- Words changed that anybody learning in this place may have read; they begin anew.
UPDATE confide.session s SET fence = s.fence + 1, leased_until = '-infinity', attempts = 0
FROM (SELECT o.id FROM confide.session o WHERE o.agent = $1 AND o.place = $2 AND o.unlearned > 0
      ORDER BY o.id FOR UPDATE) AS learning
WHERE s.agent = $1 AND s.id = learning.id;

-- again
-- Try once more what was given up.
UPDATE confide.session SET failed_because = NULL, attempts = 0, try_after = '-infinity'
WHERE agent = $1 AND failed_because IS NOT NULL AND ($2::uuid IS NULL OR id = $2);

-- left
-- How many messages are still to be learned from, leaving out what was given up.
SELECT COALESCE(sum(unlearned), 0)::integer FROM confide.session
WHERE agent = $1 AND due_at IS NOT NULL AND failed_because IS NULL;

-- list
-- Every stretch of somebody in a place, newest first; numbers and times only.
SELECT s.id, s.speaker, p.platform_id AS place, s.started_at, s.last_activity_at, s.message_count,
    s.unlearned, s.extracted_at, s.is_open, s.due_because
FROM confide.session s
JOIN confide.place p ON p.agent = s.agent AND p.id = s.place
WHERE s.agent = $1
ORDER BY s.last_activity_at DESC, s.id
LIMIT $2;

-- jobs
-- What waits, what is being learned from, and what was given up, with the reason.
SELECT s.id, s.speaker, p.platform_id AS place, s.unlearned, s.due_at, s.due_because, s.attempts,
    s.leased_until > clock_timestamp() AS is_held, NULLIF(s.try_after, '-infinity') AS try_after,
    s.failed_because
FROM confide.session s
JOIN confide.place p ON p.agent = s.agent AND p.id = s.place
WHERE s.agent = $1 AND s.due_at IS NOT NULL
ORDER BY s.failed_because IS NULL, s.due_at, s.id
LIMIT $2;

-- take_one
-- This session, whether it is due or not, if nobody holds it.
UPDATE confide.session s
SET fence = s.fence + 1, attempts = s.attempts + 1,
    leased_until = clock_timestamp() + $3::interval,
    due_at = COALESCE(s.due_at, $4), due_because = COALESCE(s.due_because, 'told')
WHERE s.agent = $1 AND s.id = $2 AND s.unlearned > 0 AND s.failed_because IS NULL
  AND s.leased_until < clock_timestamp() AND s.try_after < clock_timestamp()
RETURNING s.id, s.place, s.speaker, s.fence, s.attempts;

-- is_held
-- Whether somebody else is learning from a session now; null: there is nothing to learn in it.
SELECT leased_until >= clock_timestamp() FROM confide.session
WHERE agent = $1 AND id = $2 AND unlearned > 0;
