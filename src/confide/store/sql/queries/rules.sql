-- of_space
-- What an owner decided for a space.
SELECT rules FROM confide.space_rules WHERE agent = $1 AND space = $2;

-- decide
-- An owner's decision, as a whole.
INSERT INTO confide.space_rules (agent, space, rules) VALUES ($1, $2, $3::jsonb)
ON CONFLICT (agent, space) DO UPDATE SET rules = excluded.rules;

-- leave
-- The agent was removed from a space, or is back in it. Being removed twice counts once.
INSERT INTO confide.space_rules (agent, space, left_at) VALUES ($1, $2, $3)
ON CONFLICT (agent, space) DO UPDATE
SET left_at = CASE WHEN $3::timestamptz IS NULL THEN NULL
    ELSE coalesce(confide.space_rules.left_at, $3) END
WHERE confide.space_rules.left_at IS DISTINCT FROM excluded.left_at;

-- known
-- Spaces of a platform that the agent knows places in and was not removed from.
SELECT DISTINCT split_part(p.space, '/', 1) AS space FROM confide.place p
WHERE p.agent = $1 AND p.is_current AND starts_with(p.space, $2 || '.') AND NOT EXISTS (
    SELECT FROM confide.space_rules r
    WHERE r.agent = p.agent AND r.space = split_part(p.space, '/', 1) AND r.left_at IS NOT NULL)
ORDER BY 1;

-- departed
-- Spaces that the agent left before a time and in which something is still kept.
SELECT r.space, array_agg(p.platform_id ORDER BY p.platform_id) AS places
FROM confide.space_rules r
JOIN confide.place p ON p.agent = r.agent
    AND (p.space = r.space OR p.space LIKE r.space || '/%')
WHERE r.agent = $1 AND r.left_at < $2 AND p.is_current
GROUP BY r.space ORDER BY r.space;

-- forget
-- A space of which nothing is kept any more.
DELETE FROM confide.space_rules WHERE agent = $1 AND space = $2;

-- said_by
-- Messages that somebody said in a space.
SELECT m.platform, m.message_id FROM confide.message m
JOIN confide.place p ON p.agent = m.agent AND p.id = m.place
WHERE m.agent = $1 AND m.speaker = $2 AND (p.space = $3 OR p.space LIKE $3 || '/%')
ORDER BY m.said_at;

-- kept_of
-- Memories of somebody that were said in a space.
SELECT m.id FROM confide.memory m
JOIN confide.place p ON p.agent = m.agent AND p.id = m.place
WHERE m.agent = $1 AND m.owner = $2 AND (p.space = $3 OR p.space LIKE $3 || '/%')
  AND m.status <> 'deleted'
ORDER BY m.created_at;

-- budget
-- Dollars a month that the owner of a space, or of the one around it, allows for models there.
SELECT min((rules ->> 'budget')::float8) FROM confide.space_rules
WHERE agent = $1 AND (space = $2 OR starts_with($2, space || '/'));
