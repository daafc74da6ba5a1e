-- add_words
-- The words and the meaning of memories, with the label and life of each.
SELECT confide.add_words($1, $2::smallint, $3, $4, $5, $6, $7, $8, $9, $10);

-- signals
-- Enter as an audience, and see what is known of each memory that it may hear and that could fit.
SELECT * FROM confide.signals($1, $2::jsonb, $3, $4, $5::text::public.sparsevec,
    $6::text::public.sparsevec, $7, $8, $9, $10);

-- look
-- The same again in the same snapshot.
SELECT * FROM confide.look($1, $2::text::public.sparsevec, $3::text::public.sparsevec, $4, $5, $6, $7);

-- told
-- A few memories with what is written beside them, each by its key whatever the statistics say, and what
-- the asker ($3) wants in every answer, the newest first. What they said through a connection is wanted in
-- that connection ($4) only.
WITH standing AS MATERIALIZED (
    SELECT m.id, row_number() OVER (ORDER BY m.said_at DESC, m.id) AS n
    FROM confide.memory m
    WHERE m.agent = $1 AND m.owner = $3 AND m.type = 'procedural' AND m.is_live
      AND (m.through IS NULL OR m.through = ANY ($4))
      AND (m.place = ANY ($4) OR (SELECT p.kind FROM confide.place p
          WHERE p.agent = $1 AND p.id = m.place) IS DISTINCT FROM 'connection')
    ORDER BY m.said_at DESC, m.id LIMIT $5)
SELECT m.*, NULLIF(m.expires_at, 'infinity') AS ends_at, p.kind AS place_kind,
    p.parent AS place_parent, f.is_standing, (
        SELECT n.display_name FROM confide.person n
        WHERE n.agent = $1 AND n.entity = m.owner) AS called, (
        SELECT jsonb_agg(jsonb_build_array(COALESCE(n.display_name, e.speaker, ''), e.text)
            ORDER BY e.position)
        FROM confide.evidence e
        LEFT JOIN confide.person n ON n.agent = $1 AND n.entity = e.speaker
        WHERE e.agent = $1 AND e.memory_id = m.id AND e.text <> '') AS dialogue
FROM (
    SELECT f.id, f.n, false AS is_standing FROM unnest($2::uuid[]) WITH ORDINALITY AS f (id, n)
    UNION ALL SELECT s.id, s.n, true FROM standing AS s) AS f
CROSS JOIN LATERAL (
    SELECT m.* FROM confide.memory m WHERE m.agent = $1 AND m.id = f.id OFFSET 0) AS m
LEFT JOIN LATERAL (
    SELECT p.kind, p.parent FROM confide.place p
    WHERE p.agent = $1 AND p.id = m.place OFFSET 0) AS p ON true
ORDER BY f.is_standing, f.n;
