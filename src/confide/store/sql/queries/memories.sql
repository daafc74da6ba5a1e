-- known_before
-- All that has to be known before statements can be kept, in one question.
SELECT * FROM confide.known_before($1, $2, $3, $4);

-- add
-- Store memories with their words, or count those again of which the very same is there (S19).
SELECT id, hash, status, waits_because FROM confide.remember(
    $1, $2::jsonb, $3::jsonb, $4::jsonb, $5::smallint, $6, $7, $8, $9, $10, $11, $12, $13);

-- intern
-- The numbers of labels, in the order given; those not known yet are stored.
SELECT confide.intern_label($1, g.key, g.clauses::jsonb) AS id
FROM unnest($2::bytea[], $3::text[]) AS g (key, clauses);

-- add_evidence
-- The words that led to memories, each with the label of where it was said.
INSERT INTO confide.evidence (agent, id, memory_id, speaker, text, said_at, position, label_id,
    is_live, expires_at, memory_label_id)
SELECT $1, gen_random_uuid(), m.id, g.speaker, g.text, g.said_at, g.position, g.label_id, m.is_live,
    m.expires_at, m.label_id
FROM unnest($2::uuid[], $3::text[], $4::text[], $5::timestamptz[], $6::integer[], $7::integer[])
    AS g (memory_id, speaker, text, said_at, position, label_id)
JOIN confide.memory m ON m.agent = $1 AND m.id = g.memory_id;

-- add_embedding
-- The vectors of memories for one model.
INSERT INTO confide.embedding (agent, model, memory_id, label_id, is_live, expires_at, vector)
SELECT $1, $2, m.id, m.label_id, m.is_live, m.expires_at, g.vector
FROM unnest($3::uuid[], $4::public.halfvec[]) AS g (memory_id, vector)
JOIN confide.memory m ON m.agent = $1 AND m.id = g.memory_id
ON CONFLICT (agent, memory_id, model) DO UPDATE SET vector = excluded.vector;

-- told
-- Those of the given memories that this audience may hear, in the order they are given in.
SELECT m.*, NULLIF(m.expires_at, 'infinity') AS ends_at, p.kind AS place_kind,
    p.parent AS place_parent
FROM confide.memory m
LEFT JOIN confide.place p ON p.agent = m.agent AND p.id = m.place
WHERE m.agent = (SELECT confide.this_agent()) AND m.id = ANY ($1)
ORDER BY array_position($1, m.id);

-- own
-- A page of a person's own memories among those this audience may hear, newest first.
SELECT m.*, NULLIF(m.expires_at, 'infinity') AS ends_at, p.kind AS place_kind,
    p.parent AS place_parent
FROM confide.memory m
LEFT JOIN confide.place p ON p.agent = m.agent AND p.id = m.place
WHERE m.agent = (SELECT confide.this_agent()) AND (m.owner = $1 OR m.speaker = $1)
  AND ($2::text IS NULL OR m.scope = $2)
ORDER BY m.updated_at DESC, m.id
LIMIT $3 OFFSET $4;

-- evidence_told
-- The words behind the given memories, where they may be told themselves.
SELECT e.memory_id, COALESCE(p.display_name, e.speaker) AS speaker, e.text, e.said_at
FROM confide.evidence e
LEFT JOIN confide.person p ON p.agent = e.agent AND p.entity = e.speaker
WHERE e.agent = (SELECT confide.this_agent()) AND e.memory_id = ANY ($1) AND e.text <> ''
ORDER BY e.memory_id, e.position;

-- kept
-- A memory as the agent keeps it, for deciding on it; its text goes to nobody by this way.
SELECT m.*, NULLIF(m.expires_at, 'infinity') AS ends_at, p.kind AS place_kind,
    p.parent AS place_parent
FROM confide.memory m
LEFT JOIN confide.place p ON p.agent = m.agent AND p.id = m.place
WHERE m.agent = $1 AND m.id = $2
FOR UPDATE OF m;

-- kept_in_place
-- The memories said in a place, for labelling them again.
SELECT m.*, NULLIF(m.expires_at, 'infinity') AS ends_at, p.kind AS place_kind,
    p.parent AS place_parent
FROM confide.memory m
LEFT JOIN confide.place p ON p.agent = m.agent AND p.id = m.place
WHERE m.agent = $1 AND m.place = $2
ORDER BY m.id
FOR UPDATE OF m;

-- kept_in_thread
-- The memories said in a thread, for labelling them again.
SELECT m.*, NULLIF(m.expires_at, 'infinity') AS ends_at, p.kind AS place_kind,
    p.parent AS place_parent
FROM confide.memory m
LEFT JOIN confide.place p ON p.agent = m.agent AND p.id = m.place
WHERE m.agent = $1 AND (m.thread = $2 OR m.place = $2)
ORDER BY m.id
FOR UPDATE OF m;

-- kept_as_present
-- The memories of a room at which somebody seemed to be present who had left before: those of lost
-- epochs, and those said since that arrived late. In rooms without epochs it matters to subjects only.
SELECT m.*, NULLIF(m.expires_at, 'infinity') AS ends_at, p.kind AS place_kind,
    p.parent AS place_parent
FROM confide.memory m JOIN confide.place p ON p.agent = m.agent AND p.id = m.place
WHERE m.agent = $1 AND m.place = $2 AND $3 = ANY (m.present) AND m.speaker IS DISTINCT FROM $3
  AND CASE WHEN p.kind NOT IN ('group', 'context', 'connection')
      THEN m.subjects @> ARRAY[$3] AND m.said_at >= $5
      WHEN m.epoch < 0 THEN m.said_at >= $5 ELSE m.epoch >= $4 END
ORDER BY m.id
FOR UPDATE OF m;

-- kept_many
-- Several memories as the agent keeps them, for labelling them again.
SELECT m.*, NULLIF(m.expires_at, 'infinity') AS ends_at, p.kind AS place_kind,
    p.parent AS place_parent
FROM confide.memory m
LEFT JOIN confide.place p ON p.agent = m.agent AND p.id = m.place
WHERE m.agent = $1 AND m.id = ANY ($2)
ORDER BY m.id
FOR UPDATE OF m;

-- supersede_twins
-- Of memories that are about to say the same under one label, the first stays.
UPDATE confide.memory m
SET status = 'superseded', superseded_by = twin.stays, updated_at = $4
FROM (
    SELECT n.id, COALESCE(
        (SELECT o.id FROM confide.memory o
         WHERE o.agent = $1 AND o.hash = n.hash AND o.id <> ALL ($2)
           AND o.status IN ('approved', 'pending') LIMIT 1),
        first_value(n.id) OVER (PARTITION BY n.hash ORDER BY n.position)) AS stays
    FROM unnest($2::uuid[], $3::bytea[]) WITH ORDINALITY AS n (id, hash, position)
) AS twin
WHERE m.agent = $1 AND m.id = twin.id AND twin.stays <> twin.id
  AND m.status IN ('approved', 'pending');

-- free_hashes
-- While many change at once, none may stand in another's way.
UPDATE confide.memory SET hash = sha256(id::text::bytea)
WHERE agent = $1 AND id = ANY ($2) AND hash = ANY ($3);

-- relabel
-- Put memories under the labels that their origins and consents give now. `updated_at` stays: who
-- may hear it is no news to those who could before.
UPDATE confide.memory m
SET scope = n.scope, joined_later = string_to_array(n.late, E'\x1f'),
    objectors = string_to_array(n.objectors, E'\x1f'), clauses = n.clauses::jsonb,
    label_id = n.label_id, hash = n.hash, place = n.place, space = n.space,
    thread = n.thread, present = string_to_array(n.present, E'\x1f'),
    subjects = string_to_array(n.subjects, E'\x1f')
FROM unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::integer[], $8::bytea[],
        $9::text[], $10::text[], $11::text[], $12::text[], $13::text[])
    AS n (id, scope, late, objectors, clauses, label_id, hash, place, space, thread, present,
        subjects)
WHERE m.agent = $1 AND m.id = n.id;

-- soft_delete
-- No longer told, and for a while not yet gone.
UPDATE confide.memory SET status = 'deleted', deleted_at = $3, updated_at = $3
WHERE agent = $1 AND id = $2 AND status <> 'deleted';

-- undelete
-- Undo a soft delete that is young enough.
UPDATE confide.memory SET status = 'approved', deleted_at = NULL, updated_at = $3
WHERE agent = $1 AND id = $2 AND status = 'deleted' AND deleted_at > $4;

-- erase
-- Gone, with everything that hangs on it.
DELETE FROM confide.memory WHERE agent = $1 AND id = $2;

-- traces
-- What is still found of a memory after it was erased.
SELECT (SELECT count(*) FROM confide.memory WHERE agent = $1 AND id = $2) AS memory,
    (SELECT count(*) FROM confide.evidence WHERE agent = $1 AND memory_id = $2) AS evidence,
    (SELECT count(*) FROM confide.embedding WHERE agent = $1 AND memory_id = $2) AS embedding,
    (SELECT count(*) FROM confide.words WHERE agent = $1 AND memory_id = $2) AS words,
    (SELECT count(*) FROM confide.consent WHERE agent = $1 AND memory_id = $2) AS consent,
    (SELECT count(*) FROM confide.telling WHERE agent = $1 AND memory_id = $2) AS telling;

-- log_tellings
-- Which memories were told, when, to whom and where.
SELECT confide.log_tellings($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::jsonb, $11);

-- count_by_status
-- How many memories the agent keeps, for the operator's status.
SELECT status, count(*) AS memories FROM confide.memory WHERE agent = $1
GROUP BY status ORDER BY status;

-- hashed
-- What can be said twice, the first first, with all that its hash is made of.
SELECT m.*, p.kind AS place_kind, p.parent AS place_parent
FROM confide.memory m
LEFT JOIN confide.place p ON p.agent = m.agent AND p.id = m.place
WHERE m.agent = $1 AND m.status IN ('approved', 'pending')
ORDER BY m.created_at, m.id;

-- rehash
-- The hashes of memories, made anew.
UPDATE confide.memory m SET hash = n.hash
FROM unnest($2::uuid[], $3::bytea[]) AS n (id, hash)
WHERE m.agent = $1 AND m.id = n.id;

-- made_by
-- Which of these somebody owns or said; with a place, said there.
SELECT m.id FROM confide.memory m
WHERE m.agent = $1 AND m.id = ANY ($2) AND (m.owner = $3 OR m.speaker = $3)
  AND ($4::text IS NULL OR m.place = $4 OR m.place LIKE $4 || '#%');

-- said_alike
-- What somebody said in one place under one label and namespace, the nearest first: candidates for
-- being replaced by new words of theirs. Nothing long, nor what was made from other memories.
SELECT m.*, NULLIF(m.expires_at, 'infinity') AS ends_at, p.kind AS place_kind,
    p.parent AS place_parent
FROM confide.memory m
JOIN confide.place p ON p.agent = m.agent AND p.id = m.place
JOIN confide.words e ON e.agent = m.agent AND e.memory_id = m.id AND e.is_own AND e.part = 0
WHERE m.agent = $1 AND m.place = $2 AND m.owner = $3 AND m.label_id = $4
  AND m.is_namespaced = ($5::text[] IS NOT NULL) AND m.workspace IS NOT DISTINCT FROM ($5)[1]
  AND m.namespace_scope IS NOT DISTINCT FROM ($5)[2]
  AND m.status = 'approved' AND m.expires_at > $6 AND length(m.text) <= $9
  AND NOT EXISTS (SELECT FROM confide.lineage l WHERE l.agent = m.agent AND l.memory_id = m.id)
  AND NOT EXISTS (
      SELECT FROM confide.generalization g WHERE g.agent = m.agent AND g.memory_id = m.id)
  AND NOT EXISTS (SELECT FROM confide.stacked s WHERE s.agent = m.agent AND s.memory_id = m.id)
ORDER BY e.vector OPERATOR(public.<=>) $7::public.halfvec, m.id
LIMIT $8
FOR UPDATE OF m;
