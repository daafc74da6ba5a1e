-- own_labels
-- A person's own memories that this audience may hear, counted by label.
SELECT m.label_id, m.clauses, count(*) AS memories FROM confide.memory m
WHERE m.agent = (SELECT confide.this_agent()) AND (m.owner = $1 OR m.speaker = $1)
GROUP BY m.label_id, m.clauses;

-- own_list
-- A page of them under some labels, newest first.
SELECT m.*, NULLIF(m.expires_at, 'infinity') AS ends_at, p.kind AS place_kind,
    p.parent AS place_parent
FROM confide.memory m
LEFT JOIN confide.place p ON p.agent = m.agent AND p.id = m.place
WHERE m.agent = (SELECT confide.this_agent()) AND (m.owner = $1 OR m.speaker = $1)
  AND ($2::integer[] IS NULL OR m.label_id = ANY ($2))
  AND ($3::text IS NULL OR m.kind = $3) AND ($4::text IS NULL OR m.sensitivity = $4)
  AND ($5::text IS NULL OR m.place = $5)
ORDER BY m.updated_at DESC, m.id
LIMIT $6 OFFSET $7;
