-- make
-- Somebody in a file is said to be an account; what was said of them before no longer counts.
INSERT INTO confide.claim (agent, id, someone, account, importer, platform, is_in_person, claimed_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT (agent, someone) DO UPDATE SET is_in_person = claim.is_in_person OR excluded.is_in_person
WHERE claim.account = excluded.account;

-- of_someone
-- What is said of somebody in a file, held while it changes.
SELECT id, someone, account, importer, platform, is_in_person, claimed_at, confirmed_at, refused_at
FROM confide.claim WHERE agent = $1 AND someone = $2 FOR UPDATE;

-- one
-- One claim on an account, held while it is decided on.
SELECT c.id, c.someone, c.account, c.importer, c.platform, c.is_in_person, c.claimed_at,
    c.confirmed_at, c.refused_at, s.called
FROM confide.claim c JOIN confide.someone s ON s.agent = c.agent AND s.entity = c.someone
WHERE c.agent = $1 AND c.id = $2 AND c.is_in_person FOR UPDATE OF c;

-- on_account
-- Who in which files is said to be somebody: only where the file lists them in a room, since a yes
-- opens nothing else. Files that list nobody hold names from an address book.
SELECT c.id, c.someone, c.account, c.importer, c.platform, c.is_in_person, c.claimed_at,
    c.confirmed_at, c.refused_at, s.called
FROM confide.claim c JOIN confide.someone s ON s.agent = c.agent AND s.entity = c.someone
WHERE c.agent = $1 AND c.account = $2 AND c.is_in_person AND EXISTS (
    SELECT FROM confide.place_member m WHERE m.agent = c.agent AND m.entity = c.someone)
ORDER BY c.claimed_at, c.id;

-- drop
-- It is not said any more.
DELETE FROM confide.claim WHERE agent = $1 AND id = $2;

-- confirm
-- They are one.
UPDATE confide.claim SET confirmed_at = $3, refused_at = NULL WHERE agent = $1 AND id = $2;

-- refuse
-- They are not.
UPDATE confide.claim SET confirmed_at = NULL, refused_at = $3 WHERE agent = $1 AND id = $2;

-- rooms
-- The rooms of files that somebody in a file was in.
SELECT DISTINCT m.place FROM confide.place_member m
WHERE m.agent = $1 AND m.entity = $2 AND m.place LIKE 'import:%' ORDER BY m.place;

-- enter
-- An account was where somebody in a file was, for as long.
INSERT INTO confide.place_member (
    agent, place, entity, joined_epoch, left_epoch, joined_at, seen_at, left_at)
SELECT m.agent, m.place, $3, m.joined_epoch, m.left_epoch, m.joined_at, m.seen_at, m.left_at
FROM confide.place_member m
WHERE m.agent = $1 AND m.entity = $2 AND m.place LIKE 'import:%'
ON CONFLICT DO NOTHING;

-- leave
-- An account is in the rooms of files only as those whom its owner confirmed.
DELETE FROM confide.place_member m
WHERE m.agent = $1 AND m.entity = $2 AND m.place = ANY ($3) AND NOT EXISTS (
    SELECT FROM confide.claim c JOIN confide.place_member o ON o.agent = c.agent
        AND o.entity = c.someone AND o.place = m.place AND o.joined_epoch = m.joined_epoch
    WHERE c.agent = $1 AND c.account = $2 AND c.confirmed_at IS NOT NULL);

-- present
-- Who was there, for what nothing was learned from yet.
UPDATE confide.message x SET present = ARRAY(
    SELECT unnest(x.present) EXCEPT SELECT $2 UNION SELECT $2 WHERE EXISTS (
        SELECT FROM confide.place_member m WHERE m.agent = x.agent AND m.place = x.room
        AND m.entity = $2 AND m.joined_epoch <= x.epoch
        AND COALESCE(x.epoch < m.left_epoch, true)) ORDER BY 1)
WHERE x.agent = $1 AND x.learned_at IS NULL AND x.speaker <> $2
  AND x.place IN (SELECT p.id FROM confide.place p WHERE p.agent = $1 AND p.parent = ANY ($3));

-- was_there
-- The epochs of a room that an account was there for.
SELECT m.joined_epoch, m.left_epoch FROM confide.place_member m
WHERE m.agent = $1 AND m.place = $2 AND m.entity = $3;

-- said
-- The memories of what somebody in a file said, for labelling them again.
SELECT m.*, NULLIF(m.expires_at, 'infinity') AS ends_at, p.kind AS place_kind,
    p.parent AS place_parent
FROM confide.memory m
LEFT JOIN confide.place p ON p.agent = m.agent AND p.id = m.place
WHERE m.agent = $1 AND m.speaker = $2
ORDER BY m.id
FOR UPDATE OF m;
