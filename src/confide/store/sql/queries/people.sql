-- name
-- What somebody is called from now on, and is found by.
SELECT confide.call($1, $2, $3, $4, $5::smallint, $6);

-- enter
-- Somebody takes part in a context, perhaps as something.
INSERT INTO confide.participant (agent, place, entity, role, entered_at)
VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (agent, place, entity) DO UPDATE SET role = COALESCE(excluded.role, participant.role);

-- leave
-- Somebody takes part no longer.
DELETE FROM confide.participant WHERE agent = $1 AND place = $2 AND entity = $3;

-- contexts
-- The contexts that somebody is in now, or all.
SELECT p.id FROM confide.place p
WHERE p.agent = $1 AND p.kind = 'context' AND p.is_current
  AND ($2::text IS NULL OR EXISTS (
      SELECT FROM confide.place_member m
      WHERE m.agent = $1 AND m.place = p.id AND m.entity = $2 AND m.left_epoch IS NULL)
    OR EXISTS (
      SELECT FROM confide.participant a
      WHERE a.agent = $1 AND a.place = p.id AND a.entity = $2))
ORDER BY p.id;

-- participants
-- Who is in a context, and as what.
SELECT COALESCE(m.entity, a.entity) AS entity, a.role, a.entered_at
FROM (SELECT entity FROM confide.place_member
      WHERE agent = $1 AND place = $2 AND left_epoch IS NULL) AS m
FULL JOIN (SELECT entity, role, entered_at FROM confide.participant
      WHERE agent = $1 AND place = $2) AS a USING (entity)
ORDER BY 1;

-- add_alias
-- What one speaker calls somebody from now on.
INSERT INTO confide.alias (agent, speaker, alias, entity, created_at) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (agent, speaker, alias) DO UPDATE
SET entity = excluded.entity, created_at = excluded.created_at;

-- remove_alias
-- One speaker calls somebody so no longer.
DELETE FROM confide.alias WHERE agent = $1 AND speaker = $2 AND alias = $3 AND entity = $4;

-- aliases
-- What a speaker calls people; of everyone's names where none is given.
SELECT speaker, alias, entity FROM confide.alias
WHERE agent = $1 AND ($2::text IS NULL OR speaker = $2)
  AND ($3::text IS NULL OR entity = $3)
ORDER BY entity, speaker, alias;

-- someone
-- Whom a speaker means by a name that nobody else is known by.
INSERT INTO confide.someone (agent, speaker, name, entity, called, relation, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (agent, speaker, name) DO UPDATE
SET relation = COALESCE(excluded.relation, someone.relation)
RETURNING entity;

-- author
-- Who is in an import. What the importer said of them once is remembered.
INSERT INTO confide.someone (agent, speaker, name, entity, called, created_at, means)
VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (agent, speaker, name) DO UPDATE SET means = COALESCE(excluded.means, someone.means)
RETURNING entity, means, (SELECT c.account FROM confide.claim c
    WHERE c.agent = $1 AND c.someone = entity AND c.confirmed_at IS NOT NULL) AS account;

-- acquaintances
-- Whom only a speaker knows: of some of them, or all.
SELECT entity, speaker, called, relation, means FROM confide.someone
WHERE agent = $1 AND ($2::text IS NULL OR speaker = $2)
  AND ($3::text[] IS NULL OR entity = ANY ($3))
ORDER BY speaker, name;

-- names_of
-- What people are called, by themselves and by others.
SELECT entity, display_name AS name FROM confide.person WHERE agent = $1 AND entity = ANY ($2)
UNION ALL
SELECT entity, alias FROM confide.alias WHERE agent = $1 AND entity = ANY ($2);

-- add_account
-- A platform vouches that an account is somebody. An account is one person's.
INSERT INTO confide.account (agent, platform, account, entity, attested_by, created_at)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (agent, platform, account) DO NOTHING;

-- account
-- Whose account this is.
SELECT entity FROM confide.account WHERE agent = $1 AND platform = $2 AND account = $3;

-- accounts
-- The accounts that prove who somebody is.
SELECT platform, account FROM confide.account WHERE agent = $1 AND entity = $2
ORDER BY platform, account;

-- add_relationship
-- How two belong together, as a memory says it.
INSERT INTO confide.relationship (agent, entity, relation, other, memory_id, said_by, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING;

-- relationships
-- How somebody belongs to others, as far as this audience hears the memories that say so.
SELECT entity, relation, other, memory_id, said_by FROM confide.relationship
WHERE agent = (SELECT confide.this_agent()) AND (entity = $1 OR other = $1)
ORDER BY entity, relation, other;

-- seen
-- The people this audience knows of by the memories it hears.
SELECT who AS entity, (SELECT p.display_name FROM confide.person p
    WHERE p.agent = (SELECT confide.this_agent()) AND p.entity = who) AS display_name
FROM (
    SELECT m.owner AS who FROM confide.memory m WHERE m.agent = (SELECT confide.this_agent())
    UNION
    SELECT m.speaker FROM confide.memory m
    WHERE m.agent = (SELECT confide.this_agent()) AND m.speaker IS NOT NULL
    UNION
    SELECT unnest(m.subjects) FROM confide.memory m
    WHERE m.agent = (SELECT confide.this_agent())
) AS known
WHERE $1::text IS NULL OR who = $1
ORDER BY who;

-- propose_merge
-- Two identities may be one person; until both say so, nothing changes.
INSERT INTO confide.merge (agent, id, one, other, evidence, proposed_by, proposed_at)
VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (agent, LEAST(one, other), GREATEST(one, other)) WHERE ended_at IS NULL DO NOTHING;

-- merge
-- One proposal that has not ended, held while it is decided on.
SELECT id, one, other, evidence, proposed_by, proposed_at, one_confirmed_at, other_confirmed_at
FROM confide.merge WHERE agent = $1 AND id = $2 AND ended_at IS NULL
FOR UPDATE;

-- merges
-- The proposals and merges that concern somebody, or all.
SELECT id, one, other, evidence, proposed_by, proposed_at, one_confirmed_at, other_confirmed_at
FROM confide.merge
WHERE agent = $1 AND ended_at IS NULL AND ($2::text IS NULL OR $2 IN (one, other, proposed_by))
ORDER BY proposed_at, id;

-- confirm_merge
-- One of the two says it is so.
UPDATE confide.merge
SET one_confirmed_at = CASE WHEN one = $3 THEN COALESCE(one_confirmed_at, $4)
        ELSE one_confirmed_at END,
    other_confirmed_at = CASE WHEN other = $3 THEN COALESCE(other_confirmed_at, $4)
        ELSE other_confirmed_at END
WHERE agent = $1 AND id = $2
RETURNING one, other, one_confirmed_at IS NOT NULL AND other_confirmed_at IS NOT NULL AS is_confirmed;

-- make_one
-- Both confirmed: each hears what the other may.
INSERT INTO confide.same_person (agent, entity, other, merge_id)
VALUES ($1, $3, $4, $2), ($1, $4, $3, $2) ON CONFLICT DO NOTHING;

-- end_merge
-- It was not so, or is so no longer.
UPDATE confide.merge SET ended_at = $3, ended_by = $4 WHERE agent = $1 AND id = $2;

-- make_two
-- What came by being one person ends.
DELETE FROM confide.same_person WHERE agent = $1 AND merge_id = $2;
