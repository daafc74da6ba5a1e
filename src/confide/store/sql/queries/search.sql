-- add_words
-- The words of memories, with the label and life of each.
INSERT INTO confide.words (agent, memory_id, part, is_own, label_id, before_label_id,
    earlier_label_id, is_live, expires_at, length, terms, people, version)
SELECT $1, m.id, g.part, g.before_label_id IS NULL, m.label_id, g.before_label_id,
    g.earlier_label_id, m.is_live, m.expires_at, g.length, g.terms::public.sparsevec,
    g.people::public.sparsevec, $2
FROM unnest($3::uuid[], $4::smallint[], $5::integer[], $6::integer[], $7::integer[], $8::text[],
    $9::text[]) AS g (memory_id, part, before_label_id, earlier_label_id, length, terms, people)
JOIN confide.memory m ON m.agent = $1 AND m.id = g.memory_id
ON CONFLICT (agent, memory_id, is_own, part) DO NOTHING;

-- relevant
-- The memories that fit a question best among those this audience may hear. Whatever is counted
-- here is counted over the rows that row-level security lets through; recall/ranking.py explains
-- the formula. A bit stands for each word and each name of the question.
-- $1 model, $2 vector, $3 words, $4 how many, $5 names and the asker, $6 weights, $7 most to return
WITH mix AS MATERIALIZED (
    SELECT $6::float8[] AS w, ((1 << $4::integer) - 1) AS every_word, 1 << 23 AS asker
),
scanned AS MATERIALIZED (
    SELECT w.memory_id, w.is_own, w.is_own AND w.part = 0 AS is_first, w.length,
        public.inner_product(w.terms, (SELECT $3::text::public.sparsevec))::integer AS words,
        public.inner_product(w.people, (SELECT $5::text::public.sparsevec))::integer AS people
    FROM confide.words w
    WHERE w.agent = (SELECT confide.this_agent())
),
-- How many memories there are, how long they usually are, and which of the names are borne.
counted AS MATERIALIZED (
    SELECT count(*)::float8 AS memories,
        (w[1] * w[2] + COALESCE(sum(length), 0)) / (w[1] + count(*)) AS usual,
        COALESCE(bit_or(people), 0) & (asker - 1) AS named
    FROM scanned, mix WHERE is_first
    GROUP BY w, asker
),
known AS MATERIALIZED (
    SELECT COALESCE(c.memories, 0) AS memories, COALESCE(c.usual, w[2]) AS usual,
        COALESCE(c.named, 0) AS named, every_word & ~COALESCE(c.named, 0) AS asked,
        -- In a chat with one person their name tells nothing apart.
        1 - (SELECT count(*) FROM scanned
             WHERE is_first AND people & (COALESCE(c.named, 0) | asker) <> 0)
            / (COALESCE(c.memories, 0) + 1) AS apart
    FROM mix LEFT JOIN counted c ON true
),
matched AS MATERIALIZED (
    SELECT memory_id, max(length) AS length, bit_or(people) AS people, bit_or(words) & asked AS said,
        COALESCE(bit_or(words) FILTER (WHERE is_own), 0) & asked AS own
    FROM scanned, known
    WHERE words & asked <> 0 OR people <> 0
    GROUP BY memory_id, asked
),
rarity AS MATERIALIZED (
    SELECT bit, 1 << bit AS mask,
        ln(1 + (memories + w[1] - bearing + 0.5) / (bearing + 0.5)) AS weight
    FROM mix, known, generate_series(0, $4::integer - 1) AS bit,
        LATERAL (SELECT COALESCE(sum(n), 0)::float8 AS bearing FROM (
            SELECT own, count(*) AS n FROM matched GROUP BY own) AS alike
            WHERE own & (1 << bit) <> 0) AS b
    WHERE asked & (1 << bit) <> 0
),
-- Which part of the question's words is in each combination of them; there are few of those.
cover AS MATERIALIZED (
    SELECT m.words, sum(r.weight ORDER BY r.bit) / (SELECT sum(weight ORDER BY bit) FROM rarity)
        AS part
    FROM (SELECT own AS words FROM matched UNION SELECT said FROM matched) AS m
    JOIN rarity r ON m.words & r.mask <> 0
    GROUP BY m.words
),
near AS MATERIALIZED (
    SELECT e.memory_id,
        1 - (e.vector OPERATOR(public.<=>) (SELECT $2::text::public.halfvec)) AS similarity
    FROM confide.embedding e
    WHERE e.agent = (SELECT confide.this_agent()) AND e.model = $1
),
scored AS MATERIALIZED (
    SELECT memory_id, COALESCE(n.similarity, 0) AS similarity,
        -- A sum's last digits depend on the order of adding, and that on rows nobody may see.
        round(1e6 * (w[4] * GREATEST(COALESCE(n.similarity, 0), 0)
            + CASE
                WHEN m.memory_id IS NULL THEN 0
                -- Who asks nothing but a name wants to hear what is known about that person.
                WHEN asked = 0 THEN (w[6] + w[7]) * (m.people & named <> 0)::integer
                ELSE (w[6] * COALESCE(own.part, 0) + w[7] * COALESCE(said.part, 0))
                    * LEAST(1, 1 / (1 - w[3] + w[3] * m.length / usual))
            END
            + w[8] * apart * CASE
                WHEN m.people & named <> 0 THEN 1 WHEN m.people & asker <> 0 THEN w[5] ELSE 0
            END)) / 1e6 AS relevance
    FROM near n FULL JOIN matched m USING (memory_id)
    CROSS JOIN mix CROSS JOIN known
    LEFT JOIN cover own ON own.words = m.own
    LEFT JOIN cover said ON said.words = m.said
),
best AS MATERIALIZED (
    SELECT max(relevance) AS relevance, max(similarity) AS similarity FROM scored
)
SELECT m.*, NULLIF(m.expires_at, 'infinity') AS ends_at, p.kind AS place_kind,
    p.parent AS place_parent, c.similarity, c.relevance
FROM (
    SELECT s.memory_id, s.similarity, s.relevance
    FROM scored s, best, mix
    WHERE (best.relevance >= w[9] OR best.similarity >= w[11])
      AND (s.relevance >= w[10] * best.relevance OR s.similarity >= w[11])
    ORDER BY s.relevance DESC, s.memory_id
    LIMIT $7
) AS c
JOIN confide.memory m ON m.agent = (SELECT confide.this_agent()) AND m.id = c.memory_id
LEFT JOIN confide.place p ON p.agent = m.agent AND p.id = m.place
ORDER BY c.relevance DESC, m.said_at DESC, m.id;

-- about
-- Memories of some kinds about one person, among those this audience may hear: newest first.
-- $1 model, $2 vector, $3 and $4 the person's names and how many, $5 kinds, $6 most to return
SELECT m.*, NULLIF(m.expires_at, 'infinity') AS ends_at, p.kind AS place_kind,
    p.parent AS place_parent, COALESCE(
        1 - (e.vector OPERATOR(public.<=>) (SELECT $2::text::public.halfvec)), 0) AS similarity
FROM confide.words w
JOIN confide.memory m ON m.agent = w.agent AND m.id = w.memory_id
LEFT JOIN confide.embedding e ON e.agent = m.agent AND e.memory_id = m.id AND e.model = $1
LEFT JOIN confide.place p ON p.agent = m.agent AND p.id = m.place
WHERE w.agent = (SELECT confide.this_agent()) AND w.is_own AND w.part = 0
  AND public.inner_product(w.people, (SELECT $3::text::public.sparsevec)) >= $4
  AND m.kind = ANY ($5)
ORDER BY m.reinforced_at DESC, m.said_at DESC, m.id
LIMIT $6;
