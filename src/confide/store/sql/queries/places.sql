-- current
-- The place that a platform id means now.
SELECT id, kind, space, parent, epoch, is_epoch_used FROM confide.place
WHERE agent = $1 AND platform_id = $2 AND is_current
FOR UPDATE;

-- peek
-- The same without holding it, for reading.
SELECT id, kind, space, parent FROM confide.place
WHERE agent = $1 AND platform_id = $2 AND is_current;

-- by_bare_id
-- Places a person may mean when they leave the space out.
SELECT platform_id FROM confide.place
WHERE agent = $1 AND is_current AND (platform_id = $2 OR platform_id LIKE $3);

-- add
-- A place seen for the first time, or one that opened and starts anew.
INSERT INTO confide.place (agent, id, platform_id, kind, space, parent, needs_review)
VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT DO NOTHING;

-- retire
-- What was said in this place before it opened stays with the place it was.
UPDATE confide.place SET is_current = false WHERE agent = $1 AND id = $2;

-- generations
-- How often a platform id has started anew.
SELECT count(*) FROM confide.place WHERE agent = $1 AND platform_id = $2;

-- change
-- A place whose kind, space or parent is different now.
UPDATE confide.place SET kind = $3, space = $4, parent = $5 WHERE agent = $1 AND id = $2;

-- use_epoch
-- Something is being said: whoever joins from now on was not there.
UPDATE confide.place SET is_epoch_used = true WHERE agent = $1 AND id = $2 AND NOT is_epoch_used;

-- next_epoch
-- Start a new epoch if anything was said in the last one.
UPDATE confide.place
SET epoch = epoch + CASE WHEN is_epoch_used THEN 1 ELSE 0 END, is_epoch_used = false
WHERE agent = $1 AND id = $2
RETURNING epoch;

-- members
-- Who is in a place now.
SELECT entity FROM confide.place_member
WHERE agent = $1 AND place = $2 AND left_epoch IS NULL ORDER BY entity;

-- join
-- Someone is in a place from this epoch on.
INSERT INTO confide.place_member (agent, place, entity, joined_epoch)
SELECT $1, $2, entity, $4 FROM unnest($3::text[]) AS entity
ON CONFLICT (agent, entity, place, joined_epoch) DO UPDATE SET left_epoch = NULL;

-- leave
-- Someone is in a place no longer.
UPDATE confide.place_member SET left_epoch = $4
WHERE agent = $1 AND place = $2 AND entity = $3 AND left_epoch IS NULL;

-- left_with
-- The places someone is in that end with one: it, its threads, and what it was before it opened.
WITH RECURSIVE ended AS (
    SELECT p.id, p.kind FROM confide.place p
    JOIN confide.place left_now USING (agent, platform_id)
    WHERE p.agent = $1 AND left_now.id = $2
    UNION
    SELECT p.id, p.kind FROM confide.place p JOIN ended e ON p.agent = $1 AND p.parent = e.id
)
SELECT e.id, e.kind FROM ended e
JOIN confide.place_member m ON m.agent = $1 AND m.place = e.id AND m.entity = $3
WHERE m.left_epoch IS NULL;

-- join_space
-- Someone is in a space.
INSERT INTO confide.space_member (agent, entity, space)
SELECT $1, entity, $3 FROM unnest($2::text[]) AS entity
ON CONFLICT DO NOTHING;

-- leave_space
-- Someone left a space, and with it every place of that space.
DELETE FROM confide.space_member WHERE agent = $1 AND entity = $2 AND space = $3;

-- places_of_space
-- The places a person is in that belong to a space.
SELECT p.id FROM confide.place p
JOIN confide.place_member m ON m.agent = p.agent AND m.place = p.id AND m.left_epoch IS NULL
WHERE p.agent = $1 AND p.space = $2 AND m.entity = $3;

-- join_collective
-- An authority gave someone a role, or took them into a group or organisation.
INSERT INTO confide.collective_member (agent, entity, collective) VALUES ($1, $2, $3)
ON CONFLICT DO NOTHING;

-- leave_collective
-- A role ended, or someone left a group or organisation.
DELETE FROM confide.collective_member WHERE agent = $1 AND entity = $2 AND collective = $3;

-- inside
-- A place and the threads within it.
WITH RECURSIVE inside AS (
    SELECT id FROM confide.place WHERE agent = $1 AND id = $2
    UNION
    SELECT p.id FROM confide.place p JOIN inside i ON p.agent = $1 AND p.parent = i.id
)
SELECT id FROM inside;

-- list
-- Every current place, for the operator.
SELECT p.platform_id, p.kind, p.space, p.parent, p.epoch, p.needs_review,
    (SELECT count(*) FROM confide.place_member m
     WHERE m.agent = p.agent AND m.place = p.id AND m.left_epoch IS NULL) AS members
FROM confide.place p WHERE p.agent = $1 AND p.is_current ORDER BY p.platform_id;

-- said_in
-- How many memories that are not gone were said in the given places.
SELECT count(*) FROM confide.memory
WHERE agent = $1 AND place = ANY ($2) AND status <> 'deleted';

-- of_space
-- The current places of a space, with who is in them.
SELECT p.platform_id, p.kind, p.parent, ARRAY(
    SELECT m.entity FROM confide.place_member m
    WHERE m.agent = p.agent AND m.place = p.id AND m.left_epoch IS NULL) AS members
FROM confide.place p
WHERE p.agent = $1 AND p.space = $2 AND p.is_current
ORDER BY p.platform_id;

-- reviewed
-- Somebody has looked at what was said before a place opened.
UPDATE confide.place SET needs_review = false
WHERE agent = $1 AND platform_id = $2 AND is_current AND needs_review;

-- hold_still
-- While something said in a place is being written, who can read the place does not change.
SELECT pg_advisory_xact_lock_shared(hashtextextended($1 || chr(31) || $2, 723004));

-- wait_for_writers
-- Whoever changes who can read a place waits for what is being written, and then sees it too.
SELECT pg_advisory_xact_lock(hashtextextended($1 || chr(31) || $2, 723004));
