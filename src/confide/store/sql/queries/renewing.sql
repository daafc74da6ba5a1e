-- old
-- Whose id was made from a name, whose acquaintance they are, and what they are called.
SELECT p.entity, p.display_name AS called, (
    SELECT m.speaker FROM confide.memory m
    WHERE m.agent = p.agent AND m.subjects @> ARRAY[p.entity] AND m.speaker IS NOT NULL
    LIMIT 1) AS speaker
FROM confide.person p
WHERE p.agent = $1 AND p.entity LIKE '%:local.%' AND p.entity ~ '^(human|pet):local\.[0-9a-f]{20}$'
ORDER BY p.entity;

-- memories
-- What is about them, or repeats what is about them, under their new ids.
WITH renewed AS (SELECT old, new FROM unnest($2::text[], $3::text[]) AS r (old, new))
UPDATE confide.memory m SET
    subjects = ARRAY(SELECT COALESCE(r.new, e) FROM unnest(m.subjects) AS e
        LEFT JOIN renewed r ON r.old = e ORDER BY 1),
    joined_later = ARRAY(SELECT COALESCE(r.new, e) FROM unnest(m.joined_later) AS e
        LEFT JOIN renewed r ON r.old = e ORDER BY 1),
    objectors = ARRAY(SELECT COALESCE(r.new, e) FROM unnest(m.objectors) AS e
        LEFT JOIN renewed r ON r.old = e ORDER BY 1),
    inherited = COALESCE((SELECT jsonb_agg(jsonb_build_array(c -> 0,
            COALESCE((SELECT r.new FROM renewed r WHERE r.old = c ->> 1), c ->> 1),
            (SELECT jsonb_agg(jsonb_build_array(
                COALESCE((SELECT 'e=' || r.new FROM renewed r WHERE 'e=' || r.old = t ->> 0), t ->> 0),
                t -> 1, t -> 2)) FROM jsonb_array_elements(c -> 2) AS t)))
        FROM jsonb_array_elements(m.inherited) AS c), '[]')
WHERE m.agent = $1 AND (m.subjects && $2 OR m.inherited::text LIKE '%:local.%')
RETURNING m.id;

-- words
-- The words that they are found by carry a number of theirs.
UPDATE confide.words w SET terms = (
    SELECT '{' || string_agg(COALESCE(r.new::text, split_part(one, ':', 1)) || ':1', ',') || '}/'
        || split_part(w.terms::text, '/', 2)
    FROM unnest(string_to_array(trim(BOTH '{}' FROM split_part(w.terms::text, '/', 1)), ',')) AS one
    LEFT JOIN unnest($3::integer[], $4::integer[]) AS r (old, new)
        ON r.old::text = split_part(one, ':', 1))::public.sparsevec
WHERE w.agent = $1 AND w.memory_id = ANY ($2) AND w.is_own;

-- aliases
-- What others call them.
UPDATE confide.alias a SET entity = r.new
FROM unnest($2::text[], $3::text[]) AS r (old, new) WHERE a.agent = $1 AND a.entity = r.old;

-- relationships
-- How they belong to others.
UPDATE confide.relationship l SET
    entity = COALESCE((SELECT new FROM unnest($2::text[], $3::text[]) AS r (old, new)
        WHERE old = l.entity), l.entity),
    other = COALESCE((SELECT new FROM unnest($2::text[], $3::text[]) AS r (old, new)
        WHERE old = l.other), l.other)
WHERE l.agent = $1 AND (l.entity = ANY ($2) OR l.other = ANY ($2));

-- consents
-- What was agreed about them.
UPDATE confide.consent c SET subject = r.new
FROM unnest($2::text[], $3::text[]) AS r (old, new) WHERE c.agent = $1 AND c.subject = r.old;

-- names
-- Their names stand with who uses them.
DELETE FROM confide.person p WHERE p.agent = $1 AND p.entity LIKE '%:local.%'
  AND p.entity ~ '^(human|pet):local\.[0-9a-f]{20}$';
