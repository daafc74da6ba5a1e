-- add_words
-- The words of memories, with the label and life of each.
INSERT INTO confide.words (agent, memory_id, part, is_own, label_id, before_label_id,
    earlier_label_id, is_live, expires_at, author, length, terms, people, version)
SELECT $1, m.id, g.part, g.before_label_id IS NULL, m.label_id, g.before_label_id,
    g.earlier_label_id, m.is_live, m.expires_at, g.author, g.length, g.terms::public.sparsevec,
    g.people::public.sparsevec, $2
FROM unnest($3::uuid[], $4::smallint[], $5::integer[], $6::integer[], $7::integer[], $8::integer[],
    $9::text[], $10::text[])
    AS g (memory_id, part, before_label_id, earlier_label_id, author, length, terms, people)
JOIN confide.memory m ON m.agent = $1 AND m.id = g.memory_id
ON CONFLICT (agent, memory_id, is_own, part) DO NOTHING;

-- relevant
-- The memories that fit a question best among those this audience may hear. Whatever is counted
-- here is counted over the rows that row-level security lets through; recall/ranking.py explains
-- the formula. A bit stands for each word and each name of the question.
-- $1 model, $2 vector, $3 words, $4 how many, $5 names and the asker, $6 weights, $7 most of one
-- author to weigh, $8 most of one author to return, $9 most to return
WITH mix AS MATERIALIZED (
    SELECT $6::float8[] AS w, ((1 << $4::integer) - 1) AS every_word, 1 << 23 AS asker
),
scanned AS MATERIALIZED (
    SELECT w.memory_id, w.is_own, w.is_own AND w.part = 0 AS is_first, w.author, w.length,
        public.inner_product(w.terms, (SELECT $3::text::public.sparsevec))::integer AS words,
        public.inner_product(w.people, (SELECT $5::text::public.sparsevec))::integer AS people
    FROM confide.words w
    WHERE w.agent = (SELECT confide.this_agent())
),
-- How many memories there are, how long they usually are, and which of the names are borne.
counted AS MATERIALIZED (
    SELECT count(*)::float8 AS memories, COALESCE(sum(length), 0)::float8 AS length,
        COALESCE(bit_or(people), 0) & ((1 << 23) - 1) AS named
    FROM scanned WHERE is_first
),
known AS MATERIALIZED (
    SELECT memories, named, every_word & ~named AS asked,
        (w[1] * w[2] + length) / (w[1] + memories) AS usual,
        -- In a chat with one person their name tells nothing apart.
        1 - (SELECT count(*) FROM scanned WHERE is_first AND people & (named | asker) <> 0)
            / (memories + 1) AS apart
    FROM mix, counted
),
-- What further parts of a long text have, and the messages before it.
further AS MATERIALIZED (
    SELECT memory_id, bit_or(words) AS said, COALESCE(bit_or(words) FILTER (WHERE is_own), 0) AS own
    FROM scanned WHERE NOT is_first AND words <> 0
    GROUP BY memory_id
),
matched AS MATERIALIZED (
    SELECT s.memory_id, s.author, s.length, s.people,
        (s.words | COALESCE(f.own, 0)) & asked AS own,
        (s.words | COALESCE(f.said, 0)) & asked AS said
    FROM scanned s CROSS JOIN known LEFT JOIN further f ON f.memory_id = s.memory_id
    WHERE s.is_first
),
alike AS MATERIALIZED (
    SELECT own, said, count(*) AS memories FROM matched GROUP BY own, said
),
rarity AS MATERIALIZED (
    SELECT bit, 1 << bit AS mask,
        ln(1 + (k.memories + w[1] - bearing + 0.5) / (bearing + 0.5)) AS weight
    FROM mix, known k, generate_series(0, $4::integer - 1) AS bit,
        LATERAL (SELECT COALESCE(sum(a.memories), 0)::float8 AS bearing FROM alike a
            WHERE own & (1 << bit) <> 0) AS b
    WHERE asked & (1 << bit) <> 0
),
-- Which part of the question each combination of its words is; there are few of those.
cover AS MATERIALIZED (
    SELECT m.words, sum(r.weight ORDER BY r.bit) / (SELECT sum(weight ORDER BY bit) FROM rarity)
        AS part
    FROM (SELECT own AS words FROM alike UNION SELECT said FROM alike) AS m
    JOIN rarity r ON m.words & r.mask <> 0
    GROUP BY m.words
),
covered AS MATERIALIZED (
    SELECT a.own, a.said, w[6] * COALESCE(own.part, 0) + w[7] * COALESCE(said.part, 0) AS part
    FROM mix CROSS JOIN alike a
    LEFT JOIN cover own ON own.words = a.own LEFT JOIN cover said ON said.words = a.said
),
near AS MATERIALIZED (
    SELECT e.memory_id,
        1 - (e.vector OPERATOR(public.<=>) (SELECT $2::real[]::public.halfvec)) AS similarity
    FROM confide.embedding e
    WHERE e.agent = (SELECT confide.this_agent()) AND e.model = $1
),
scored AS MATERIALIZED (
    SELECT m.memory_id, m.author, COALESCE(n.similarity, 0) AS similarity,
        -- A sum's last digits depend on the order of adding, and that on rows nobody may see.
        round(1e6 * (w[4] * GREATEST(COALESCE(n.similarity, 0), 0)
            -- Who asks nothing but a name wants to hear what is known about that person.
            + CASE WHEN asked = 0 THEN (w[6] + w[7]) * (m.people & named <> 0)::integer
                ELSE c.part * LEAST(1, GREATEST(w[12], 1 / (1 - w[3] + w[3] * m.length / usual))) END
            + CASE WHEN m.people = 0 THEN 0
                WHEN m.people & named <> 0 THEN w[8] * apart ELSE w[8] * apart * w[5] END
        )) / 1e6 AS relevance
    FROM mix CROSS JOIN known CROSS JOIN matched m
    JOIN covered c ON c.own = m.own AND c.said = m.said
    LEFT JOIN near n ON n.memory_id = m.memory_id
),
best AS MATERIALIZED (
    SELECT max(relevance) AS relevance, max(similarity) AS similarity FROM scored
),
candidate AS MATERIALIZED (
    SELECT s.memory_id, s.author, s.similarity, s.relevance,
        row_number() OVER (PARTITION BY s.author ORDER BY s.relevance DESC, s.memory_id) AS nth
    FROM scored s, best, mix
    WHERE (best.relevance >= w[9] OR best.similarity >= w[11])
      AND (s.relevance >= w[10] * best.relevance OR s.similarity >= w[11])
),
-- Among equally relevant memories the strong, sure and first-hand ones come first.
weighed AS MATERIALIZED (
    SELECT c.memory_id, c.author, c.similarity, c.relevance, m.said_at, round(1e6 * c.relevance * (
        0.7::float8 + 0.1::float8 * CASE WHEN m.type = 'episodic' AND NOT m.is_protected
            THEN power(0.5, GREATEST(0, EXTRACT(epoch FROM
                (SELECT confide.this_moment()) - m.reinforced_at))::float8 / 7776000)
            ELSE 1 END
        + 0.1::float8 * m.confidence
        + 0.1::float8 * CASE m.trust WHEN 'said' THEN 1 WHEN 'observed' THEN 0.75
            WHEN 'inferred' THEN 0.5 WHEN 'hearsay' THEN 0.25 ELSE 0 END)) / 1e6 AS weight
    FROM candidate c
    JOIN confide.memory m ON m.agent = (SELECT confide.this_agent()) AND m.id = c.memory_id
    WHERE c.nth <= $7
),
chosen AS MATERIALIZED (
    SELECT c.* FROM (
        SELECT w.*, row_number() OVER (
            PARTITION BY w.author ORDER BY w.weight DESC, w.said_at DESC, w.memory_id) AS nth
        FROM weighed w) AS c
    WHERE c.nth <= $8
    ORDER BY c.weight DESC, c.said_at DESC, c.memory_id
    LIMIT $9
)
SELECT m.*, NULLIF(m.expires_at, 'infinity') AS ends_at, p.kind AS place_kind,
    p.parent AS place_parent, c.similarity, c.relevance, c.weight
FROM chosen c
JOIN confide.memory m ON m.agent = (SELECT confide.this_agent()) AND m.id = c.memory_id
LEFT JOIN confide.place p ON p.agent = m.agent AND p.id = m.place
ORDER BY c.weight DESC, m.said_at DESC, m.id;

-- about
-- Memories of some kinds about one person, among those this audience may hear: newest first.
-- $1 model, $2 vector, $3 and $4 the person's names and how many, $5 kinds, $6 most to return
SELECT m.*, NULLIF(m.expires_at, 'infinity') AS ends_at, p.kind AS place_kind,
    p.parent AS place_parent, 1.0::float8 AS relevance, 1.0::float8 AS weight, COALESCE(
        1 - (e.vector OPERATOR(public.<=>) (SELECT $2::real[]::public.halfvec)), 0) AS similarity
FROM confide.words w
JOIN confide.memory m ON m.agent = w.agent AND m.id = w.memory_id
LEFT JOIN confide.embedding e ON e.agent = m.agent AND e.memory_id = m.id AND e.model = $1
LEFT JOIN confide.place p ON p.agent = m.agent AND p.id = m.place
WHERE w.agent = (SELECT confide.this_agent()) AND w.is_own AND w.part = 0
  AND public.inner_product(w.people, (SELECT $3::text::public.sparsevec)) >= $4
  AND m.kind = ANY ($5)
ORDER BY m.reinforced_at DESC, m.said_at DESC, m.id
LIMIT $6;
