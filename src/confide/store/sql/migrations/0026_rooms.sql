-- Statements about rooms have a time, threads are part of their rooms, and what is said in
-- confidence or through a connection is kept with the memory. Nothing that is stored becomes wider:
-- threads keep the labels and members they have, and what was known counts as older than any statement.

-- For the length of this transaction the owner sees rows; the policies are stated again at its end.
ALTER TABLE confide.place NO FORCE ROW LEVEL SECURITY;
ALTER TABLE confide.place_member NO FORCE ROW LEVEL SECURITY;
ALTER TABLE confide.space_member NO FORCE ROW LEVEL SECURITY;
ALTER TABLE confide.memory NO FORCE ROW LEVEL SECURITY;
ALTER TABLE confide.clause_term NO FORCE ROW LEVEL SECURITY;
ALTER TABLE confide.label_door NO FORCE ROW LEVEL SECURITY;
-- What a migration does is nobody's act, so the trail does not speak of it.
ALTER TABLE confide.place DISABLE TRIGGER USER;
ALTER TABLE confide.place_member DISABLE TRIGGER USER;
ALTER TABLE confide.space_member DISABLE TRIGGER USER;
ALTER TABLE confide.memory DISABLE TRIGGER USER;

ALTER TABLE confide.place
    ADD COLUMN kind_at timestamptz NOT NULL DEFAULT '1970-01-01 00:00:00+00',     -- of the newest statement
    ADD COLUMN members_at timestamptz NOT NULL DEFAULT '1970-01-01 00:00:00+00',  -- of the newest about anybody
    ADD COLUMN last_said timestamptz NOT NULL DEFAULT '1970-01-01 00:00:00+00',
    ADD COLUMN late_epochs integer NOT NULL DEFAULT 0;  -- named -1, -2, …: words that arrived late

ALTER TABLE confide.place_member
    ADD COLUMN joined_at timestamptz NOT NULL DEFAULT '1970-01-01 00:00:00+00',
    ADD COLUMN seen_at timestamptz NOT NULL DEFAULT '1970-01-01 00:00:00+00',  -- newest statement; speech is none
    ADD COLUMN left_at timestamptz;
-- Since when they were there is not known, so they were present at nothing that arrives late.
UPDATE confide.place_member SET joined_at = now();
UPDATE confide.place_member SET left_at = joined_at WHERE left_epoch IS NOT NULL;
UPDATE confide.place p SET last_said = now() WHERE p.is_epoch_used;

ALTER TABLE confide.space_member ADD COLUMN at timestamptz NOT NULL DEFAULT '1970-01-01 00:00:00+00';
ALTER TABLE confide.collective_member ADD COLUMN at timestamptz NOT NULL DEFAULT '1970-01-01 00:00:00+00';

-- Who left a room, space, role or group, and when: an older statement does not bring them back.
CREATE TABLE confide.departed (
    agent text NOT NULL,
    what text NOT NULL,            -- an atom: p=room, s=space, g=role
    entity text NOT NULL,
    at timestamptz NOT NULL,
    PRIMARY KEY (agent, entity, what)
);
-- Somebody who left before stays away until a platform says that they came back.
INSERT INTO confide.departed (agent, what, entity, at)
SELECT DISTINCT m.agent, 'p=' || m.place, m.entity, '1970-01-01 00:00:00+00'::timestamptz
FROM confide.place_member m
WHERE m.left_epoch IS NOT NULL AND NOT EXISTS (
    SELECT FROM confide.place_member n WHERE n.agent = m.agent AND n.place = m.place
    AND n.entity = m.entity AND n.left_epoch IS NULL);

CREATE TABLE confide.place_epoch (
    agent text NOT NULL,
    place text NOT NULL,
    epoch integer NOT NULL,
    since timestamptz NOT NULL,
    PRIMARY KEY (agent, place, epoch),
    FOREIGN KEY (agent, place) REFERENCES confide.place (agent, id) ON DELETE CASCADE
);

ALTER TABLE confide.memory
    ADD COLUMN thread text,                -- where in its room it was said
    ADD COLUMN through text,               -- the connection that carried the words into a context
    ADD COLUMN is_confidential boolean NOT NULL DEFAULT false;
ALTER TABLE confide.message
    ADD COLUMN room text,                  -- null: its place, which was its own room
    ADD COLUMN is_confidential boolean NOT NULL DEFAULT false;
CREATE INDEX memory_in_thread ON confide.memory (agent, thread) WHERE thread IS NOT NULL;

-- A memory that somebody told the agent is theirs; the agent only holds it.
UPDATE confide.memory SET owner = speaker
WHERE scope IN ('granted', 'self_only') AND speaker IS NOT NULL AND owner = 'si:' || agent;

-- Spaces inside a space are written with a slash from now on. Names that had one stay as they are.
UPDATE confide.place SET space = replace(space, '/', U&'\2215') WHERE space LIKE '%/%';
UPDATE confide.space_member SET space = replace(space, '/', U&'\2215') WHERE space LIKE '%/%';
UPDATE confide.memory SET space = replace(space, '/', U&'\2215') WHERE space LIKE '%/%';
UPDATE confide.clause_term SET atom = replace(atom, '/', U&'\2215')
WHERE atom LIKE '%/%' AND (atom LIKE 's=%' OR atom LIKE '@s=%');
UPDATE confide.label_door SET atom = replace(atom, '/', U&'\2215')
WHERE atom LIKE '%/%' AND (atom LIKE 's=%' OR atom LIKE '@s=%');
UPDATE confide.label_door d SET then_atoms = ARRAY(
    SELECT CASE WHEN a LIKE 's=%' OR a LIKE '@s=%' THEN replace(a, '/', U&'\2215') ELSE a END
    FROM unnest(d.then_atoms) WITH ORDINALITY AS t (a, n) ORDER BY n)
WHERE array_to_string(d.then_atoms, ' ') LIKE '%s=%/%';

ALTER TABLE confide.place ENABLE TRIGGER USER;
ALTER TABLE confide.place_member ENABLE TRIGGER USER;
ALTER TABLE confide.space_member ENABLE TRIGGER USER;
ALTER TABLE confide.memory ENABLE TRIGGER USER;
