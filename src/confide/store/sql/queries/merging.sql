-- unseen
-- New memories that nothing alike was looked for yet, oldest first. Typed attributes merge with nothing.
SELECT m.id FROM confide.memory m
WHERE m.agent = $1 AND m.is_live AND m.expires_at > $2 AND m.created_at > $3
  AND m.scope <> 'global' AND m.attribute IS NULL AND NOT m.is_protected
  AND NOT EXISTS (
      SELECT FROM confide.merge_seen s WHERE s.agent = m.agent AND s.memory_id = m.id)
ORDER BY m.created_at, m.id
LIMIT $4;

-- alike
-- The nearest of those that one memory may merge with: all that makes the label, the kind, the namespace
-- and the trust are the same, and nobody agreed to, derived or was given anything from either alone.
SELECT o.id, m.hash, o.hash AS other_hash,
    (m.said_at, m.created_at, m.id) > (o.said_at, o.created_at, o.id) AS is_newer
FROM confide.memory m
JOIN confide.words e ON e.agent = m.agent AND e.memory_id = m.id AND e.is_own AND e.part = 0
JOIN confide.memory o ON o.agent = m.agent AND o.label_id = m.label_id AND o.id <> m.id
JOIN confide.words f ON f.agent = o.agent AND f.memory_id = o.id AND f.is_own AND f.part = 0
WHERE m.agent = $1 AND m.id = $2 AND m.is_live AND o.is_live AND o.expires_at > $3
  AND (o.owner, o.kind, o.type, o.trust, o.scope, o.sensitivity, o.epoch, o.subjects, o.present,
       o.grants, o.joined_later, o.objectors, o.inherited, o.clauses, o.is_portable,
       o.is_portable_confirmed, o.is_namespaced, o.is_confidential, o.only_for)
    = (m.owner, m.kind, m.type, m.trust, m.scope, m.sensitivity, m.epoch, m.subjects, m.present,
       m.grants, m.joined_later, m.objectors, m.inherited, m.clauses, m.is_portable,
       m.is_portable_confirmed, m.is_namespaced, m.is_confidential, m.only_for)
  AND (o.speaker, o.place, o.thread, o.through, o.space, o.workspace, o.namespace_scope)
    IS NOT DISTINCT FROM
      (m.speaker, m.place, m.thread, m.through, m.space, m.workspace, m.namespace_scope)
  AND o.attribute IS NULL AND NOT o.is_protected
  AND 1 - (e.vector OPERATOR(public.<=>) f.vector) > $4
  AND NOT EXISTS (SELECT FROM confide.consent c
      WHERE c.agent = m.agent AND c.memory_id IN (m.id, o.id))
  AND NOT EXISTS (SELECT FROM confide.consent_request c
      WHERE c.agent = m.agent AND c.memory_id IN (m.id, o.id) AND c.answered_at IS NULL)
  AND NOT EXISTS (SELECT FROM confide.lineage l
      WHERE l.agent = m.agent AND (l.memory_id IN (m.id, o.id) OR l.source_id IN (m.id, o.id)))
  AND NOT EXISTS (SELECT FROM confide.relationship r
      WHERE r.agent = m.agent AND r.memory_id IN (m.id, o.id))
  AND NOT EXISTS (SELECT FROM confide.stacked s
      WHERE s.agent = m.agent AND s.memory_id IN (m.id, o.id))
  AND NOT EXISTS (SELECT FROM confide.merging d
      WHERE d.agent = m.agent AND d.decided_at IS NOT NULL
        AND (d.newer, d.older) IN ((m.id, o.id), (o.id, m.id)))
ORDER BY e.vector OPERATOR(public.<=>) f.vector, o.id
LIMIT $5;

-- claim
-- Ask about two memories, unless somebody else does; whoever was silent too long has lost the claim.
INSERT INTO confide.merging AS g (agent, newer, older, newer_hash, older_hash, asked_at)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (agent, newer, older) DO UPDATE
SET asked_at = excluded.asked_at, newer_hash = excluded.newer_hash, older_hash = excluded.older_hash
WHERE g.decided_at IS NULL AND g.answer IS NULL AND g.asked_at <= $7
RETURNING g.newer;

-- let_go
-- Nothing came of asking; it may be asked again at once.
DELETE FROM confide.merging
WHERE agent = $1 AND newer = $2 AND older = $3 AND answer IS NULL AND decided_at IS NULL;

-- answered
-- What the model said, before any of it counts.
UPDATE confide.merging SET answer = $4::jsonb
WHERE agent = $1 AND newer = $2 AND older = $3 AND decided_at IS NULL AND answer IS NULL;

-- open
-- Answers that were written down and not applied yet.
SELECT newer, older, newer_hash, older_hash, answer FROM confide.merging
WHERE agent = $1 AND decided_at IS NULL AND answer IS NOT NULL
ORDER BY asked_at, newer, older;

-- still_open
-- Whether the answer is still to be applied, and to the same words under the same label.
SELECT g.newer FROM confide.merging g
JOIN confide.memory n ON n.agent = g.agent AND n.id = g.newer AND n.hash = g.newer_hash
JOIN confide.memory o ON o.agent = g.agent AND o.id = g.older AND o.hash = g.older_hash
WHERE g.agent = $1 AND g.newer = $2 AND g.older = $3 AND g.decided_at IS NULL
  AND n.is_live AND o.is_live
FOR UPDATE OF g;

-- decide
-- What became of it. The answer's words are not needed any more.
UPDATE confide.merging SET answer = NULL, decided_at = $4, outcome = $5
WHERE agent = $1 AND newer = $2 AND older = $3 AND decided_at IS NULL;

-- seen
-- Looked at; nothing is asked about it again.
INSERT INTO confide.merge_seen (agent, memory_id)
SELECT $1, m.id FROM confide.memory m WHERE m.agent = $1 AND m.id = $2
ON CONFLICT DO NOTHING;

-- evidence
-- The words behind two memories, each with its place in the order they are shown to the model.
SELECT e.id, e.text FROM confide.evidence e
WHERE e.agent = $1 AND e.memory_id = ANY ($2)
ORDER BY e.said_at, e.id
LIMIT $3;

-- add_parts
-- What a merged memory was made of.
INSERT INTO confide.merged_part (agent, merged_id, part_id)
SELECT $1, $2, unnest($3::uuid[]);

-- grow
-- A merged memory counts all that its parts counted, and lives as long as the longest of them.
UPDATE confide.memory m
SET source_count = p.sources, reinforced_at = p.reinforced_at, expires_at = p.expires_at,
    last_accessed_at = p.last_accessed_at
FROM (SELECT sum(o.source_count)::integer AS sources, max(o.reinforced_at) AS reinforced_at,
        max(o.expires_at) AS expires_at, max(o.last_accessed_at) AS last_accessed_at
    FROM confide.memory o WHERE o.agent = $1 AND o.id = ANY ($3)) AS p
WHERE m.agent = $1 AND m.id = $2;

-- copy_evidence
-- The dialogue that matters, each line with the label it has always had.
INSERT INTO confide.evidence (agent, id, memory_id, speaker, text, said_at, position, label_id,
    is_live, expires_at, memory_label_id)
SELECT $1, gen_random_uuid(), m.id, e.speaker, e.text, e.said_at,
    row_number() OVER (ORDER BY e.said_at, e.id) - 1, e.label_id, m.is_live, m.expires_at,
    m.label_id
FROM confide.evidence e
JOIN confide.memory m ON m.agent = e.agent AND m.id = $2
WHERE e.agent = $1 AND e.id = ANY ($3) AND e.memory_id = ANY ($4);

-- unmerge
-- A message goes: what was merged from its words goes first, and the parts hold again.
SELECT confide.take_apart($1, merged.id) FROM (
    SELECT DISTINCT p.merged_id AS id FROM confide.merged_part p
    JOIN confide.evidence e ON e.agent = p.agent AND e.memory_id = p.part_id
    WHERE p.agent = $1 AND e.message_id = $2) AS merged;
