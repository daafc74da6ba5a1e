-- name
-- What somebody is called from now on.
INSERT INTO confide.person (agent, entity, display_name, updated_at) VALUES ($1, $2, $3, $4)
ON CONFLICT (agent, entity) DO UPDATE
SET display_name = excluded.display_name, updated_at = excluded.updated_at;

-- names
-- What the owners and speakers of told memories are called; of nobody else.
SELECT entity, display_name FROM confide.person
WHERE agent = (SELECT confide.this_agent()) AND entity = ANY ($1);
