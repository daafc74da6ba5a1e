-- said
-- How many memories that may be told to somebody were said in each place, by label and level.
SELECT m.label_id, COALESCE(m.place, '') AS place, m.sensitivity, count(*) AS memories
FROM confide.memory m
WHERE m.agent = $1 AND m.status = 'approved' AND m.is_live AND m.expires_at > $2
GROUP BY 1, 2, 3;

-- clauses
-- What clauses name now. What serves one purpose only is left out.
SELECT t.clause_id, t.kind, array_agg(t.atom) FILTER (WHERE t.until > $2 AND t.purpose = '') AS atoms
FROM confide.clause_term t WHERE t.agent = $1 AND t.clause_id = ANY ($3)
GROUP BY t.clause_id, t.kind;

-- labels
-- Which clauses labels have.
SELECT id, clauses FROM confide.label WHERE agent = $1 AND id = ANY ($2);

-- places
-- Every place that is known now.
SELECT id, kind, space, parent FROM confide.place WHERE agent = $1 AND is_current ORDER BY id;

-- members
-- Who is in which place, and since which epoch.
SELECT place, entity, joined_epoch, left_epoch FROM confide.place_member WHERE agent = $1;

-- others
-- Who is in which space, role or group, and which accounts are one person.
SELECT 's=' || space AS atom, entity FROM confide.space_member WHERE agent = $1
UNION ALL SELECT 'g=' || collective, entity FROM confide.collective_member WHERE agent = $1
UNION ALL SELECT 'e=' || other, entity FROM confide.same_person WHERE agent = $1;

-- of_person
-- The rooms that somebody is in now, with who else is.
SELECT p.id, p.platform_id, p.kind, p.space, p.parent, array_agg(o.entity ORDER BY o.entity) AS people
FROM confide.place_member m
JOIN confide.place p ON p.agent = m.agent AND p.id = m.place AND p.is_current
JOIN confide.place_member o ON o.agent = m.agent AND o.place = m.place AND o.left_epoch IS NULL
WHERE m.agent = $1 AND m.entity = $2 AND m.left_epoch IS NULL
GROUP BY p.id, p.platform_id, p.kind, p.space, p.parent ORDER BY p.space NULLS FIRST, p.id;

-- told_here
-- Of what this audience may hear, how much was said in each of some places.
SELECT m.place, m.sensitivity, count(*) AS memories FROM confide.memory m
WHERE m.agent = (SELECT confide.this_agent()) AND m.place = ANY ($1)
  AND (m.owner = $2 OR m.speaker = $2 OR m.present @> ARRAY[$2] OR m.place = ANY ($3))
GROUP BY 1, 2;

-- words_here
-- The newest of what this audience may hear and was said in one place.
SELECT m.id FROM confide.memory m
WHERE m.agent = (SELECT confide.this_agent()) AND m.place = $1
  AND (m.owner = $2 OR m.speaker = $2 OR m.present @> ARRAY[$2] OR m.place = ANY ($3))
ORDER BY m.said_at DESC, m.id LIMIT $4;

-- labels_said
-- The newest that were said in some places and may be told to somebody: labels, no words.
SELECT m.id, m.label_id, m.sensitivity, m.scope, m.kind FROM confide.memory m
WHERE m.agent = $1 AND m.is_live AND m.expires_at > $2 AND COALESCE(m.place, '') = ANY ($3)
ORDER BY m.said_at DESC, m.id LIMIT $4;

-- people
-- Everybody who is known, for the operator.
SELECT entity FROM confide.place_member WHERE agent = $1
UNION SELECT owner FROM confide.memory WHERE agent = $1
ORDER BY 1 LIMIT 500;

-- inside
-- Who is in a place now.
SELECT m.entity FROM confide.place_member m
JOIN confide.place p ON p.agent = m.agent AND p.id = m.place AND p.is_current
WHERE m.agent = $1 AND p.platform_id = $2 AND m.left_epoch IS NULL
  AND m.entity NOT LIKE 'someone:%' AND m.entity NOT LIKE 'si:%'
ORDER BY 1 LIMIT $3;
