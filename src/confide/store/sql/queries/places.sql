-- current
-- The place that a platform id means now.
SELECT id, kind, space, parent, epoch, kind_at, members_at, opened_at FROM confide.place
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
INSERT INTO confide.place (
    agent, id, platform_id, kind, space, parent, needs_review, kind_at, opened_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
ON CONFLICT DO NOTHING;

-- before_it_opened
-- What a place was when something was said in it, if it opened since.
SELECT was.id, was.kind, was.space, was.parent FROM confide.place was
JOIN confide.place p USING (agent, platform_id)
WHERE p.agent = $1 AND p.id = $2 AND was.opened_at < p.opened_at
ORDER BY was.opened_at <= $3 DESC, was.opened_at DESC LIMIT 1;

-- retire
-- What was said in this place before it opened stays with the place it was.
UPDATE confide.place SET is_current = false WHERE agent = $1 AND id = $2;

-- generations
-- How often a platform id has started anew.
SELECT count(*) FROM confide.place WHERE agent = $1 AND platform_id = $2;

-- change
-- A place whose kind, space or parent is different now.
UPDATE confide.place SET kind = $3, space = $4, parent = $5, kind_at = GREATEST(kind_at, $6)
WHERE agent = $1 AND id = $2;

-- confirm_kind
-- A platform says again what a place is.
UPDATE confide.place SET kind_at = $3 WHERE agent = $1 AND id = $2 AND kind_at < $3;

-- use_epoch
-- Something is being said: whoever joins from now on was not there.
UPDATE confide.place SET is_epoch_used = true, last_said = GREATEST(last_said, $3)
WHERE agent = $1 AND id = $2 AND NOT (is_epoch_used AND last_said >= $3);

-- next_epoch
-- Start a new epoch if anything was said in the last one, or if one of $4 joined in it before.
WITH next AS (
    UPDATE confide.place p
    SET epoch = p.epoch + CASE WHEN p.is_epoch_used OR EXISTS (
            SELECT FROM confide.place_member m WHERE m.agent = $1 AND m.place = $2
            AND m.entity = ANY ($4) AND m.joined_epoch = p.epoch) THEN 1 ELSE 0 END,
        is_epoch_used = false
    WHERE p.agent = $1 AND p.id = $2
    RETURNING p.agent, p.id, p.epoch, p.last_said
), begun AS (
    -- It begins after all that was said in the one before.
    INSERT INTO confide.place_epoch (agent, place, epoch, since)
    SELECT agent, id, epoch, GREATEST($3, last_said) FROM next
    ON CONFLICT DO NOTHING
)
SELECT epoch FROM next;

-- epoch_at
-- The epoch that a moment falls into.
SELECT max(epoch) FROM confide.place_epoch WHERE agent = $1 AND place = $2 AND since <= $3;

-- late_epoch
-- Words that arrive late have an epoch of their own, with those who were there.
UPDATE confide.place SET late_epochs = late_epochs + 1 WHERE agent = $1 AND id = $2
RETURNING -late_epochs;

-- were_there
-- Who was there, of those present at words that arrived late.
INSERT INTO confide.place_member (
    agent, place, entity, joined_epoch, left_epoch, joined_at, seen_at, left_at)
SELECT $1, $2, entity, $4, $4 + 1, $5, '1970-01-01 00:00:00+00', $5 FROM unnest($3::text[]) AS entity
ON CONFLICT DO NOTHING;

-- there_at
-- Who was in a room at a moment, as far as is known now.
SELECT DISTINCT entity FROM confide.place_member
WHERE agent = $1 AND place = $2 AND joined_at <= $3 AND COALESCE($3 < left_at, true)
ORDER BY entity;

-- members_at
-- When a platform last said anything about who is in a room.
SELECT members_at FROM confide.place WHERE agent = $1 AND id = $2;

-- standing
-- Of each person whether they are in a room, were there before, have left it or what it lies in, and
-- when they last did.
SELECT who AS entity, EXISTS (
        SELECT FROM confide.place_member m WHERE m.agent = $1 AND m.place = $2
        AND m.entity = who AND m.left_epoch IS NULL) AS is_in,
    EXISTS (
        SELECT FROM confide.place_member m WHERE m.agent = $1 AND m.place = $2
        AND m.entity = who) AS was_in,
    EXISTS (
        SELECT FROM confide.departed d WHERE d.agent = $1 AND d.entity = who
        AND d.what = ANY (a.what) AND d.back_at IS NULL) AS has_left,
    (SELECT max(d.at) FROM confide.departed d
     WHERE d.agent = $1 AND d.entity = who AND d.what = ANY (a.what)) AS left_at
FROM unnest($3::text[]) AS who, (SELECT confide.ends_with($1, $2) AS what) AS a;

-- said_about_members
-- When a platform last said anything about who is in a room.
UPDATE confide.place SET members_at = $3 WHERE agent = $1 AND id = ANY ($2) AND members_at < $3;

-- confirm
-- They are said again to be in a room.
UPDATE confide.place_member SET seen_at = GREATEST(seen_at, $4)
WHERE agent = $1 AND place = $2 AND entity = ANY ($3) AND left_epoch IS NULL;

-- depart
-- Remember who left what and when, and since when they are back, where a newer statement says so.
-- Of two statements of one time the one that tells fewer counts.
INSERT INTO confide.departed (agent, what, entity, at, back_at)
SELECT $1, what, $3, $4, COALESCE(
    (SELECT m.seen_at FROM confide.place_member m WHERE m.agent = $1 AND m.entity = $3
     AND 'p=' || m.place = what AND m.left_epoch IS NULL),
    (SELECT m.at FROM confide.space_member m WHERE m.agent = $1 AND m.entity = $3
     AND 's=' || m.space = what),
    (SELECT m.at FROM confide.collective_member m WHERE m.agent = $1 AND m.entity = $3
     AND 'g=' || m.collective = what))
FROM unnest($2::text[]) AS what
ON CONFLICT (agent, entity, what) DO UPDATE SET at = GREATEST(departed.at, excluded.at),
    back_at = GREATEST(excluded.back_at, NULLIF(departed.back_at, LEAST(departed.back_at, excluded.at)));

-- return
-- They came back after they had left. What was before their leaving stays before it.
UPDATE confide.departed SET back_at = GREATEST(back_at, $4)
WHERE agent = $1 AND entity = ANY ($2) AND what = ANY ($3) AND at < $5;

-- lose_late_words
-- Who had left already was not there for words that arrived late.
DELETE FROM confide.place_member
WHERE agent = $1 AND place = $2 AND entity = $3 AND joined_epoch < 0 AND joined_at >= $4;

-- lose_epochs
-- Who had left already was not there in this epoch and all later ones.
UPDATE confide.place_member SET left_epoch = GREATEST($4, joined_epoch)
WHERE agent = $1 AND place = $2 AND entity = $3 AND joined_epoch >= 0
  AND left_epoch > GREATEST($4, joined_epoch);

-- shorten_stays
-- Nor at any time of a stay that was thought to last longer.
UPDATE confide.place_member SET left_at = $4
WHERE agent = $1 AND place = $2 AND entity = $3 AND joined_at < $4 AND left_at > $4;

-- members
-- Who is in a place now.
SELECT entity FROM confide.place_member
WHERE agent = $1 AND place = $2 AND left_epoch IS NULL ORDER BY entity;

-- join
-- Someone is in a place from this epoch on.
INSERT INTO confide.place_member (agent, place, entity, joined_epoch, joined_at, seen_at)
SELECT $1, $2, entity, $4, $5, $6 FROM unnest($3::text[]) AS entity
ON CONFLICT (agent, entity, place, joined_epoch) DO UPDATE
SET left_epoch = NULL, left_at = NULL, joined_at = excluded.joined_at, seen_at = excluded.seen_at;

-- leave
-- Someone is in a place no longer.
UPDATE confide.place_member SET left_epoch = GREATEST($4, joined_epoch), left_at = $5
WHERE agent = $1 AND place = $2 AND entity = $3 AND left_epoch IS NULL;

-- left_with
-- The places someone is or was in that end with one: it, its threads, and what it was before it opened.
WITH RECURSIVE ended AS (
    SELECT p.id, p.kind, p.last_said FROM confide.place p
    JOIN confide.place left_now USING (agent, platform_id)
    WHERE p.agent = $1 AND left_now.id = $2
    UNION
    SELECT p.id, p.kind, p.last_said FROM confide.place p
    JOIN ended e ON p.agent = $1 AND p.parent = e.id
)
SELECT DISTINCT ON (e.id) e.id, e.kind, e.last_said, m.joined_at, m.seen_at,
    m.left_epoch IS NULL AS is_in
FROM ended e JOIN confide.place_member m ON m.agent = $1 AND m.place = e.id AND m.entity = $3
ORDER BY e.id, m.left_epoch IS NULL DESC;

-- groups_of
-- The rooms that somebody is in now whose words are for those who were there.
SELECT p.id, p.kind, p.parent FROM confide.place p
JOIN confide.place_member m ON m.agent = p.agent AND m.place = p.id AND m.left_epoch IS NULL
WHERE p.agent = $1 AND m.entity = $2 AND p.kind = 'group' AND p.id NOT LIKE 'import:%'
ORDER BY p.id;

-- join_space
-- Someone is in a space, and in those it lies in, unless they left one of these since.
INSERT INTO confide.space_member (agent, entity, space, at)
SELECT $1, entity, space, $4 FROM unnest($2::text[]) AS entity, unnest($3::text[]) AS space
WHERE NOT EXISTS (
    SELECT FROM confide.departed d
    WHERE d.agent = $1 AND d.entity = entity.entity AND d.at >= $5
      AND d.what = ANY (confide.spaces_around(ARRAY['s=' || space.space])))
ON CONFLICT (agent, entity, space) DO UPDATE SET at = GREATEST(space_member.at, excluded.at)
RETURNING xmax = 0 AS is_new;

-- in_space_since
-- The newest statement that somebody is in a space, or in one inside it.
SELECT max(at) FROM confide.space_member
WHERE agent = $1 AND entity = $2 AND (space = $3 OR starts_with(space, $3 || '/'));

-- leave_space
-- Someone left a space, and with it every place and space inside.
DELETE FROM confide.space_member
WHERE agent = $1 AND entity = $2 AND (space = $3 OR starts_with(space, $3 || '/')) AND at <= $4;

-- places_of_space
-- The places of a space that a person is or was in.
SELECT DISTINCT ON (p.id) p.id, p.kind, p.last_said, m.joined_at, m.seen_at,
    m.left_epoch IS NULL AS is_in
FROM confide.place p JOIN confide.place_member m ON m.agent = p.agent AND m.place = p.id
WHERE p.agent = $1 AND (p.space = $2 OR starts_with(p.space, $2 || '/')) AND m.entity = $3
ORDER BY p.id, m.left_epoch IS NULL DESC;

-- join_collective
-- An authority gave someone a role, or took them into a group or organisation.
INSERT INTO confide.collective_member (agent, entity, collective, at)
SELECT $1, $2, $3, $4 WHERE NOT EXISTS (
    SELECT FROM confide.departed d
    WHERE d.agent = $1 AND d.entity = $2 AND d.what = 'g=' || $3 AND d.at >= $5)
ON CONFLICT (agent, entity, collective) DO UPDATE
SET at = GREATEST(collective_member.at, excluded.at)
RETURNING xmax = 0 AS is_new;

-- collective_since
-- The newest statement that somebody has a role, or is in a group or organisation.
SELECT at FROM confide.collective_member WHERE agent = $1 AND entity = $2 AND collective = $3;

-- leave_collective
-- A role ended, or someone left a group or organisation.
DELETE FROM confide.collective_member
WHERE agent = $1 AND entity = $2 AND collective = $3 AND at <= $4;

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
WHERE p.agent = $1 AND (p.space = $2 OR starts_with(p.space, $2 || '/')) AND p.is_current
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

-- rooms_of
-- The rooms of any space that somebody is in now, or was in before.
SELECT DISTINCT p.platform_id FROM confide.place p
JOIN confide.place_member m ON m.agent = p.agent AND m.place = p.id
WHERE p.agent = $1 AND m.entity = $2 AND (p.space IS NOT NULL OR p.parent IS NOT NULL)
ORDER BY p.platform_id;

-- in_space
-- Who is in a space, or in a place of it.
SELECT entity FROM confide.space_member WHERE agent = $1 AND space = $2
UNION
SELECT m.entity FROM confide.place_member m
JOIN confide.place p ON p.agent = m.agent AND p.id = m.place
WHERE m.agent = $1 AND p.space = $2 AND m.left_epoch IS NULL
ORDER BY entity;

-- held_by
-- Of some roles, groups and organisations those that somebody of these people is in now.
SELECT DISTINCT collective FROM confide.collective_member
WHERE agent = $1 AND collective = ANY ($2) AND entity = ANY ($3);

-- holds_any
-- Whether somebody has one of these roles now.
SELECT EXISTS (SELECT FROM confide.collective_member
    WHERE agent = $1 AND entity = $2 AND collective = ANY ($3));

-- runs_any
-- Whether somebody runs a room or a space.
SELECT EXISTS (SELECT FROM confide.collective_member
    WHERE agent = $1 AND entity = $2 AND collective LIKE 'role:%/admin');
