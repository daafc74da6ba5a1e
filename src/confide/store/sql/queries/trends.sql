-- levels
-- How many memories became told each week, by level; the first row has all from before.
SELECT GREATEST($2::timestamptz, date_bin(interval '7 days', m.created_at, $2::timestamptz)) AS day,
    m.sensitivity, count(*) AS memories
FROM confide.memory m WHERE m.agent = $1 AND m.status = 'approved'
GROUP BY 1, 2 ORDER BY 1, 2;

-- asked
-- Memories told on each day, and questions to which nothing was told.
SELECT (asked_at AT TIME ZONE 'UTC')::date AS day, sum(told)::bigint AS told,
    count(*) FILTER (WHERE told = 0) AS unanswered
FROM confide.asked WHERE agent = $1 AND asked_at >= $2 GROUP BY 1 ORDER BY 1;

-- cost
-- What models cost on each day.
SELECT (used_at AT TIME ZONE 'UTC')::date AS day, sum(dollars)::float8 AS dollars
FROM confide.usage WHERE agent = $1 AND used_at >= $2 GROUP BY 1 ORDER BY 1;

-- recent
-- How many of the memories that can be told are new.
SELECT count(*) FROM confide.memory WHERE agent = $1 AND created_at >= $2 AND status = 'approved';
