-- numbers
-- What an operator watches, of one agent: what waits and since when. Counts and seconds only.
SELECT
    (SELECT count(*) FROM confide.session s
     WHERE s.agent = $1 AND s.due_at IS NOT NULL AND s.failed_because IS NULL) AS jobs_due,
    (SELECT extract(epoch FROM $2::timestamptz - min(s.due_at)) FROM confide.session s
     WHERE s.agent = $1 AND s.due_at IS NOT NULL AND s.failed_because IS NULL) AS jobs_due_age,
    (SELECT count(*) FROM confide.session s
     WHERE s.agent = $1 AND s.due_at IS NOT NULL AND s.failed_because IS NULL AND s.attempts > 1)
        AS learning_retries,
    (SELECT count(*) FROM confide.session s
     WHERE s.agent = $1 AND s.failed_because IS NOT NULL) AS learning_failures,
    (SELECT count(*) FROM confide.memory m
     WHERE m.agent = $1 AND m.status = 'pending' AND m.expires_at > $2) AS review_waiting,
    (SELECT extract(epoch FROM $2::timestamptz - min(m.created_at)) FROM confide.memory m
     WHERE m.agent = $1 AND m.status = 'pending' AND m.expires_at > $2) AS review_age,
    (SELECT count(*) FROM confide.erasure e
     WHERE e.agent = $1 AND e.final_at IS NULL) AS erasures_pending,
    (SELECT extract(epoch FROM $2::timestamptz - min(e.erased_at)) FROM confide.erasure e
     WHERE e.agent = $1 AND e.final_at IS NULL) AS erasures_age,
    (SELECT count(*) FROM confide.data_request d
     WHERE d.agent = $1 AND d.answered_at IS NULL) AS requests_open,
    (SELECT count(*) FROM confide.data_request d
     WHERE d.agent = $1 AND d.answered_at IS NULL AND d.due_at < $2) AS requests_overdue;

-- models
-- What each model read, wrote and cost since a moment.
SELECT u.model, sum(u.tokens_read)::bigint AS tokens_read,
    sum(u.tokens_written)::bigint AS tokens_written, sum(u.dollars)::float8 AS dollars
FROM confide.usage u
WHERE u.agent = $1 AND u.used_at >= $2
GROUP BY u.model ORDER BY u.model;
