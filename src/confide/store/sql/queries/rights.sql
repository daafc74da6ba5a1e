-- concerning
-- All that is somebody's or about them, among what this audience may hear, oldest first.
SELECT m.*, NULLIF(m.expires_at, 'infinity') AS ends_at, p.kind AS place_kind,
    p.parent AS place_parent
FROM confide.memory m
LEFT JOIN confide.place p ON p.agent = m.agent AND p.id = m.place
WHERE m.agent = (SELECT confide.this_agent())
  AND (m.owner = $1 OR m.speaker = $1 OR m.subjects @> ARRAY[$1])
ORDER BY m.said_at, m.id;

-- mentions
-- A page of what others said about somebody, among what this audience may hear, newest first.
SELECT m.*, NULLIF(m.expires_at, 'infinity') AS ends_at, p.kind AS place_kind,
    p.parent AS place_parent
FROM confide.memory m
LEFT JOIN confide.place p ON p.agent = m.agent AND p.id = m.place
WHERE m.agent = (SELECT confide.this_agent()) AND m.subjects @> ARRAY[$1]
  AND m.owner <> $1 AND m.speaker IS DISTINCT FROM $1
ORDER BY m.updated_at DESC, m.id
LIMIT $2 OFFSET $3;

-- stats
-- How many of a person's own memories this audience may hear, by level and kind.
SELECT m.scope, m.kind, count(*) AS memories, max(m.updated_at) AS updated_at
FROM confide.memory m
WHERE m.agent = (SELECT confide.this_agent()) AND (m.owner = $1 OR m.speaker = $1)
GROUP BY m.scope, m.kind
ORDER BY m.scope, m.kind;

-- mentioned
-- How many memories of others that this audience may hear are about somebody.
SELECT count(*) FROM confide.memory m
WHERE m.agent = (SELECT confide.this_agent()) AND m.subjects @> ARRAY[$1]
  AND m.owner <> $1 AND m.speaker IS DISTINCT FROM $1;

-- namespaces
-- The workspaces and scopes in which a person keeps something.
SELECT workspace, namespace_scope FROM confide.memory
WHERE agent = $1 AND (owner = $2 OR speaker = $2) AND is_namespaced
UNION
SELECT namespace[1], namespace[2] FROM confide.message
WHERE agent = $1 AND speaker = $2 AND namespace IS NOT NULL
ORDER BY workspace NULLS FIRST, namespace_scope NULLS FIRST;

-- spaces
-- The spaces a person is in now.
SELECT space FROM confide.space_member WHERE agent = $1 AND entity = $2 ORDER BY space;

-- own_past
-- What somebody said themselves and is told to nobody now: replaced, waiting, faded, opted out.
SELECT m.*, NULLIF(m.expires_at, 'infinity') AS ends_at, p.kind AS place_kind,
    p.parent AS place_parent
FROM confide.memory m
LEFT JOIN confide.place p ON p.agent = m.agent AND p.id = m.place
WHERE m.agent = $1 AND m.speaker = $2 AND m.status <> 'deleted'
  AND (NOT m.is_live OR m.expires_at <= $3)
ORDER BY m.said_at, m.id;

-- own_messages
-- What somebody said and the agent has not purged yet, with the label of where it was said.
SELECT m.id, m.place, m.text, m.said_at, m.clauses, m.namespace FROM confide.message m
WHERE m.agent = $1 AND m.speaker = $2 AND NOT m.is_from_agent AND m.text IS NOT NULL
ORDER BY m.said_at, m.id;

-- own_records
-- What else is kept of somebody: names, accounts, places, roles, guardians.
SELECT 'name' AS what, display_name AS one, NULL AS other FROM confide.person
WHERE agent = $1 AND entity = $2
UNION ALL
SELECT 'account', platform, account FROM confide.account WHERE agent = $1 AND entity = $2
UNION ALL
SELECT 'calls', alias, entity FROM confide.alias WHERE agent = $1 AND speaker = $2
UNION ALL
SELECT 'is in', place, NULL FROM confide.place_member
WHERE agent = $1 AND entity = $2 AND left_epoch IS NULL
UNION ALL
SELECT 'belongs to', space, NULL FROM confide.space_member WHERE agent = $1 AND entity = $2
UNION ALL
SELECT 'has the role', collective, NULL FROM confide.collective_member
WHERE agent = $1 AND entity = $2
UNION ALL
SELECT 'is off the record in', place, NULL FROM confide.off_record
WHERE agent = $1 AND entity = $2
UNION ALL
SELECT 'has the guardian', guardian, NULL FROM confide.guardian WHERE agent = $1 AND child = $2
UNION ALL
SELECT 'confirms for', child, NULL FROM confide.guardian WHERE agent = $1 AND guardian = $2
UNION ALL
SELECT 'is one with', other, NULL FROM confide.same_person WHERE agent = $1 AND entity = $2
ORDER BY 1, 2, 3;

-- own_tellings
-- When and where a person's own memories were told; whoever asked is not named.
SELECT t.memory_id, t.told_at, t.place_kind, t.place FROM confide.telling t
JOIN confide.memory m ON m.agent = t.agent AND m.id = t.memory_id
WHERE t.agent = $1 AND m.owner = $2
ORDER BY t.told_at, t.memory_id, t.id;

-- chain
-- A memory with everything it replaced and everything that replaced it.
WITH RECURSIVE newer AS (
    SELECT m.id, m.superseded_by FROM confide.memory m WHERE m.agent = $1 AND m.id = $2
    UNION
    SELECT m.id, m.superseded_by FROM confide.memory m JOIN newer n ON m.id = n.superseded_by
    WHERE m.agent = $1
),
versions AS (
    SELECT n.id FROM newer n
    UNION
    SELECT m.id FROM confide.memory m JOIN versions v ON m.superseded_by = v.id
    WHERE m.agent = $1
)
SELECT m.*, NULLIF(m.expires_at, 'infinity') AS ends_at, p.kind AS place_kind,
    p.parent AS place_parent
FROM confide.memory m
LEFT JOIN confide.place p ON p.agent = m.agent AND p.id = m.place
WHERE m.agent = $1 AND m.id IN (SELECT id FROM versions) AND m.status <> 'deleted'
ORDER BY m.said_at, m.created_at, m.superseded_by IS NULL, m.id;

-- is_derived
-- Whether a memory was made from others, or came from another agent.
SELECT EXISTS (SELECT FROM confide.lineage WHERE agent = $1 AND memory_id = $2)
    OR EXISTS (SELECT FROM confide.generalization WHERE agent = $1 AND memory_id = $2)
    OR EXISTS (SELECT FROM confide.stacked WHERE agent = $1 AND memory_id = $2);

-- ask
-- Somebody asks for something about what others said of them.
INSERT INTO confide.data_request (agent, id, asker, asked_by, what, memory_id, wanted, asked_at,
    due_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9);

-- same_request
-- The same request that is still open.
SELECT * FROM confide.data_request
WHERE agent = $1 AND asker = $2 AND what = $3 AND memory_id IS NOT DISTINCT FROM $4
  AND answered_at IS NULL AND wanted IS NOT DISTINCT FROM $5;

-- open_requests
-- How many requests of somebody wait for an answer.
SELECT count(*) FROM confide.data_request
WHERE agent = $1 AND asker = $2 AND answered_at IS NULL;

-- requests
-- What was asked, by everybody or by one, the most urgent first.
SELECT * FROM confide.data_request
WHERE agent = $1 AND ($2::text IS NULL OR asker = $2) AND ($3 OR answered_at IS NULL)
ORDER BY answered_at IS NOT NULL, due_at, id;

-- request
-- One request that waits for an answer.
SELECT * FROM confide.data_request WHERE agent = $1 AND id = $2 AND answered_at IS NULL
FOR UPDATE;

-- answer
-- Decided, with the reason.
UPDATE confide.data_request
SET answered_at = $3, answered_by = $4, is_granted = $5, reason = $6
WHERE agent = $1 AND id = $2;

-- is_about
-- Whether a memory that others told is about somebody.
SELECT EXISTS (
    SELECT FROM confide.memory WHERE agent = $1 AND id = $2 AND subjects @> ARRAY[$3]
      AND speaker IS DISTINCT FROM $3 AND status <> 'deleted');
