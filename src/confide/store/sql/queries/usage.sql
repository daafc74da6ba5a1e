-- add
-- One use of a model.
INSERT INTO confide.usage (agent, id, used_at, operation, model, person, place, space, tokens_read,
    tokens_written, dollars)
VALUES ($1, gen_random_uuid(), $2, $3, $4, $5, $6, $7, $8, $9, $10);

-- spent
-- Dollars since a moment: by everyone, by one person, and in one space.
SELECT COALESCE(sum(dollars), 0) AS agent,
    COALESCE(sum(dollars) FILTER (WHERE person = $3), 0) AS person,
    COALESCE(sum(dollars) FILTER (WHERE space = $4), 0) AS space
FROM confide.usage WHERE agent = $1 AND used_at >= $2;

-- by
-- What was used since a moment, dearest first, for each person, place, operation and model.
SELECT u.person, u.place, u.space, u.operation, u.model, count(*) AS uses,
    sum(u.tokens_read)::bigint AS tokens_read, sum(u.tokens_written)::bigint AS tokens_written,
    sum(u.dollars) AS dollars
FROM confide.usage u
WHERE u.agent = $1 AND u.used_at >= $2
GROUP BY u.person, u.place, u.space, u.operation, u.model
ORDER BY dollars DESC, u.operation, u.model, u.person, u.place;
