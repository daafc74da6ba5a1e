-- add_words
-- The words and the meaning of memories, with the label and life of each.
SELECT confide.add_words($1, $2::smallint, $3, $4, $5, $6, $7, $8, $9, $10);

-- relevant
-- The memories that fit a question best among those this audience may hear. Whatever is counted
-- here is counted over the rows that row-level security lets through; recall/ranking.py explains
-- the formula. A bit stands for each word and each name of the question.
-- $1 vector, $2 words and names, $3 how many words, $4 names if not all fit into $2, $5 the bit of
-- the asker among the names, $6 weights, $7 most of one author to weigh, $8 most of one author to
-- return, $9 most to return; `by meaning` is one of the next two.
-- The agent and all else that row-level security asks for is left to it, once a row.
WITH mix AS MATERIALIZED (
    SELECT prior_rows, prior_length, length_share, meaning, asker_share, own, win, name, floor,
        beside, threshold, least_brevity, (1 << $3::integer) - 1 AS every_word,
        1 << $5::integer AS asker,
        -- What shares nothing with the question and is no nearer than this is never a candidate:
        -- where anything is known, the best is at least so relevant.
        LEAST(threshold, beside * LEAST(threshold, floor / (1 + 2 * meaning))) AS faint
    FROM (
        SELECT w[1] AS prior_rows, w[2] AS prior_length, w[3] AS length_share, w[4] AS meaning,
            w[5] AS asker_share, w[6] AS own, w[7] AS win, w[8] AS name, w[9] AS floor,
            w[10] AS beside, w[11] AS threshold, w[12] AS least_brevity
        FROM (SELECT $6::float8[] AS w) AS given) AS named
),
-- One look at every memory: how many there are, how long they usually are, and those that share a
-- word or a name with the question or are near it in meaning.
scanned AS MATERIALIZED (
    SELECT count(*)::float8 AS memories, COALESCE(sum(length), 0)::float8 AS lengths,
        array_agg(ROW (memory_id, author, length, shared, similarity)::confide.fit)
            FILTER (WHERE shared > 0 OR similarity >= (SELECT faint FROM mix)) AS fits
    FROM (
        SELECT w.memory_id, w.author, w.length,
            1 - (w.vector OPERATOR(public.<=>) $1::public.halfvec) AS similarity,
            public.inner_product(w.terms, (SELECT $2::text::public.sparsevec))
                + CASE WHEN $4::text IS NULL THEN 0 ELSE 16777216
                    * public.inner_product(w.terms, (SELECT $4::text::public.sparsevec)) END
                AS shared
        FROM confide.words w
        WHERE w.is_own AND w.part = 0
        OFFSET 0) AS every_row
),
-- Words are bits from 0, names from 24.
fit AS MATERIALIZED (
    SELECT f.memory_id, f.author, f.length, f.similarity, CASE WHEN $4::text IS NULL
        THEN f.shared & every_word | (f.shared >> $3::integer << 24) ELSE f.shared END AS bits
    FROM mix, scanned, unnest(fits) AS f
),
-- Long texts have several rows, and what was said before a memory has its own, which are negative.
further AS MATERIALIZED (
    SELECT f.* FROM (
        SELECT w.memory_id, w.author, w.length,
            CASE WHEN w.is_own THEN 1 ELSE -1 END
                * public.inner_product(w.terms, (SELECT $2::text::public.sparsevec))::bigint AS bits
        FROM confide.words w
        WHERE NOT (w.is_own AND w.part = 0)
        OFFSET 0) AS f
    WHERE f.bits <> 0
),
hit AS MATERIALIZED (
    SELECT h.memory_id, h.author, h.length, (h.own >> 24)::integer AS people,
        (h.said & ((1 << 24) - 1))::integer AS said, (h.own & ((1 << 24) - 1))::integer AS own,
        h.similarity
    FROM (
        SELECT f.memory_id, f.author, f.length, f.similarity, f.bits AS said, f.bits AS own
        FROM fit f
        WHERE f.bits <> 0 AND NOT EXISTS (SELECT FROM further)
        UNION ALL
        SELECT h.memory_id, max(h.author), max(h.length), max(h.similarity), bit_or(abs(h.bits)),
            bit_or(GREATEST(h.bits, 0))
        FROM (
            SELECT f.* FROM fit f WHERE f.bits <> 0
            UNION ALL
            SELECT f.memory_id, f.author, f.length, NULL, f.bits FROM further f) AS h
        WHERE EXISTS (SELECT FROM further)
        GROUP BY h.memory_id) AS h
),
known AS MATERIALIZED (
    SELECT memories, named, every_word & ~named AS asked,
        (prior_rows * prior_length + lengths) / (prior_rows + memories) AS usual,
        -- In a chat with one person their name tells nothing apart.
        name * (1 - (SELECT count(*) FROM hit WHERE people & (named | asker) <> 0)
            / (memories + 1)) AS apart
    -- A word is a name only if somebody bears it whose memories may be told here.
    FROM mix, scanned, LATERAL (
        SELECT COALESCE((SELECT bit_or(people) FROM hit), 0) & (asker - 1) AS named) AS borne
),
alike AS MATERIALIZED (
    SELECT own & asked AS own, said & asked AS said, count(*) AS memories
    FROM hit, known GROUP BY 1, 2
),
rarity AS MATERIALIZED (
    SELECT bit, 1 << bit AS mask,
        ln(1 + (k.memories + prior_rows - bearing + 0.5) / (bearing + 0.5)) AS weight
    FROM mix, known k, generate_series(0, $3::integer - 1) AS bit,
        LATERAL (SELECT COALESCE(sum(a.memories), 0)::float8 AS bearing FROM alike a
            WHERE a.own & (1 << bit) <> 0) AS b
    WHERE asked & (1 << bit) <> 0
),
-- Which part of the question each combination of its words is; there are few of those.
cover AS MATERIALIZED (
    SELECT a.own, a.said, mix.own * COALESCE(sum(r.weight ORDER BY r.bit)
            FILTER (WHERE a.own & r.mask <> 0) / sum(r.weight ORDER BY r.bit), 0)
        + win * COALESCE(sum(r.weight ORDER BY r.bit)
            FILTER (WHERE a.said & r.mask <> 0) / sum(r.weight ORDER BY r.bit), 0) AS part
    FROM mix CROSS JOIN alike a LEFT JOIN rarity r ON true
    GROUP BY a.own, a.said, mix.own, win
),
-- What speaks for a memory apart from its meaning.
worded AS MATERIALIZED (
    SELECT h.memory_id, h.author, h.similarity, h.said & asked = asked AND (asked <> 0 OR h.people & named <> 0)
            AS has_every_word, CASE
            -- Who asks nothing but a name wants to hear what is known about that person.
            WHEN asked = 0 THEN (mix.own + win) * (h.people & named <> 0)::integer
            ELSE c.part * LEAST(1, GREATEST(least_brevity,
                1 / (1 - length_share + length_share * h.length / usual)))
        END + CASE
            WHEN h.people & named <> 0 THEN apart
            WHEN h.people & asker <> 0 THEN apart * asker_share ELSE 0
        END AS relevance
    FROM mix CROSS JOIN known CROSS JOIN hit h
    JOIN cover c ON c.own = h.own & asked AND c.said = h.said & asked
),
-- What shares nothing with the question is a candidate only if it is nearer than this.
bar AS MATERIALIZED (
    SELECT LEAST(threshold, GREATEST(faint, beside / meaning * (SELECT max(relevance) FROM worded)))
        AS least
    FROM mix
),
near AS MATERIALIZED (/* by meaning */),
scored AS MATERIALIZED (
    SELECT memory_id, author, similarity,
        -- A sum's last digits depend on the order of adding, and that on rows nobody may see.
        round(1e6 * ((SELECT meaning FROM mix) * GREATEST(similarity, 0) + relevance)) / 1e6
            AS relevance
    FROM (
        SELECT COALESCE(w.memory_id, n.memory_id) AS memory_id, COALESCE(w.author, n.author) AS author,
            COALESCE(w.relevance, 0) AS relevance,
            COALESCE(n.similarity, w.similarity, (
                -- Found by what was said before it only.
                SELECT 1 - (o.vector OPERATOR(public.<=>) $1::public.halfvec)
                FROM confide.words o
                WHERE o.agent = (SELECT confide.this_agent()) AND o.memory_id = w.memory_id
                  AND o.is_own AND o.part = 0), 0) AS similarity
        FROM near n FULL JOIN worded w ON w.memory_id = n.memory_id
        WHERE n.similarity >= (SELECT least FROM bar) OR w.memory_id IS NOT NULL) AS every_one
),
best AS MATERIALIZED (
    SELECT max(relevance) AS relevance FROM scored
),
fitting AS MATERIALIZED (
    SELECT s.memory_id, s.author, s.similarity, s.relevance
    FROM scored s, best, mix
    WHERE s.relevance >= beside * best.relevance OR s.similarity >= threshold
),
-- Weighing takes at most three tenths off, so what is less relevant than seven tenths of as many
-- authors' best as are asked for cannot come in among them; such rows are not read.
reach AS MATERIALIZED (
    SELECT 0.7::float8 * min(a.relevance) - 1e-5 AS least FROM (
        SELECT max(f.relevance) AS relevance FROM fitting f
        GROUP BY f.author ORDER BY 1 DESC LIMIT $9) AS a
    HAVING count(*) = $9
),
-- A shared word that nothing comes near in meaning is chance, and so is the reverse; but whoever
-- has every word, such as coordinates, answers.
answer AS MATERIALIZED (
    SELECT best.relevance + nearest.similarity >= floor OR nearest.similarity >= threshold
        OR EXISTS (SELECT FROM worded WHERE has_every_word) AS is_known
    FROM mix, best, (SELECT max(similarity) AS similarity FROM fitting) AS nearest
),
candidate AS MATERIALIZED (
    SELECT c.* FROM (
        SELECT f.memory_id, f.similarity, f.relevance,
            row_number() OVER (PARTITION BY f.author ORDER BY f.relevance DESC, f.memory_id) AS nth
        FROM fitting f
        WHERE (SELECT is_known FROM answer)
          AND f.relevance >= COALESCE((SELECT least FROM reach), 0)) AS c
    WHERE c.nth <= $7
    ORDER BY c.relevance DESC, c.memory_id
    LIMIT 2 * $9
),
-- Among equally relevant memories the strong, sure and first-hand ones come first.
weighed AS MATERIALIZED (
    SELECT m, c.similarity, c.relevance, round(1e6 * c.relevance * (
        0.7::float8 + 0.1::float8 * CASE WHEN m.type = 'episodic' AND NOT m.is_protected
            THEN power(0.5, GREATEST(0, EXTRACT(epoch FROM
                (SELECT confide.this_moment()) - m.reinforced_at))::float8 / 7776000)
            ELSE 1 END
        + 0.1::float8 * m.confidence
        + 0.1::float8 * CASE m.trust WHEN 'said' THEN 1 WHEN 'observed' THEN 0.75
            WHEN 'inferred' THEN 0.5 WHEN 'hearsay' THEN 0.25 ELSE 0 END)) / 1e6 AS weight
    FROM candidate c
    JOIN confide.memory m ON m.agent = (SELECT confide.this_agent()) AND m.id = c.memory_id
),
chosen AS MATERIALIZED (
    SELECT c.* FROM (
        SELECT w.*, row_number() OVER (
            PARTITION BY COALESCE((m).speaker, (m).owner)
            ORDER BY w.weight DESC, (m).said_at DESC, (m).id) AS nth
        FROM weighed w) AS c
    WHERE c.nth <= $8
    ORDER BY c.weight DESC, (c.m).said_at DESC, (c.m).id
    LIMIT $9
)
SELECT (c.m).*, NULLIF((c.m).expires_at, 'infinity') AS ends_at, p.kind AS place_kind,
    p.parent AS place_parent, c.similarity, c.relevance, c.weight
FROM chosen c
LEFT JOIN LATERAL (
    SELECT p.kind, p.parent FROM confide.place p
    WHERE p.agent = (SELECT confide.this_agent()) AND p.id = (c.m).place LIMIT 1) AS p ON true
ORDER BY c.weight DESC, (c.m).said_at DESC, (c.m).id;

-- by_built_in
-- What is near in meaning alone, by the built-in model.
SELECT f.memory_id, f.author, f.similarity FROM fit f WHERE f.bits = 0

-- by_provider
-- What is near by a provider's model, on the scale of the built-in one, and by that where it is
-- missing. $10 the provider's model, $11 its vector, $12 and $13 its cosine of strangers and from
-- where on texts are related
SELECT COALESCE(s.memory_id, n.memory_id) AS memory_id, n.author,
    COALESCE(threshold * CASE
        WHEN s.cosine < $13::float8 THEN (s.cosine - $12::float8) / ($13::float8 - $12::float8)
        ELSE 1 + (s.cosine - $13::float8) / (1 - $13::float8) * (1 / threshold - 1)
    END, n.similarity) AS similarity
FROM mix CROSS JOIN (
    SELECT e.memory_id,
        1 - (e.vector OPERATOR(public.<=>) $11::public.halfvec) AS cosine
    FROM confide.embedding e
    WHERE e.model = $10
    OFFSET 0) AS s
FULL JOIN (SELECT f.* FROM fit f WHERE f.bits = 0) AS n ON n.memory_id = s.memory_id

-- about
-- Memories of some kinds about one person, among those this audience may hear: newest first.
-- $1 vector, $2 and $3 the person's names and how many, $4 kinds, $5 most to return
SELECT m.*, NULLIF(m.expires_at, 'infinity') AS ends_at, p.kind AS place_kind,
    p.parent AS place_parent, 1.0::float8 AS relevance, 1.0::float8 AS weight,
    1 - (w.vector OPERATOR(public.<=>) $1::public.halfvec) AS similarity
FROM confide.words w
JOIN confide.memory m ON m.agent = w.agent AND m.id = w.memory_id
LEFT JOIN confide.place p ON p.agent = m.agent AND p.id = m.place
WHERE w.agent = (SELECT confide.this_agent()) AND w.is_own AND w.part = 0
  AND public.inner_product(w.terms, (SELECT $2::text::public.sparsevec)) >= $3
  AND m.kind = ANY ($4)
ORDER BY m.reinforced_at DESC, m.said_at DESC, m.id
LIMIT $5;
