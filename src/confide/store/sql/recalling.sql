-- What happens in the database when something is recalled. Stated anew like the policy.

CREATE OR REPLACE FUNCTION confide.recall(
    of_agent text, audience jsonb, moment timestamptz, top_k integer, weights float8[],
    asked_vector public.halfvec, asked_terms text, asked_kinds integer[], asked_names text,
    asker_bit integer, name_keys integer[], name_bits integer[], by_model text,
    model_vector public.halfvec, unrelated float8, related float8, broad jsonb)
RETURNS TABLE (
    seen jsonb, search integer, similarity float8, relevance float8, weight float8,
    memory confide.memory, place_kind text, place_parent text, called text, dialogue jsonb)
LANGUAGE plpgsql STABLE
SET role = confide_tell SET search_path = pg_catalog
SET jit = off SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
-- A whole recall in one statement, and so in one snapshot: enter as `audience`, find, and read what
-- is written beside what was found. First comes a row with what was decided on, or none at all if
-- the platform says something new about the place; then the memories that fit best (search 0), then
-- those of each of the searches that a `broad` question stands for.
#variable_conflict use_column
DECLARE
    -- A bit stands for each word of the question, after those for each kind of thing it asks for, and
    -- then for each name in it. If a number has too few bits for all, names are looked for apart.
    sought public.sparsevec := asked_terms::public.sparsevec;
    sought_names public.sparsevec := asked_names::public.sparsevec;
    term_count integer := cardinality(asked_kinds);
    every_bit integer := (1 << term_count) - 1 | COALESCE(
        (SELECT bit_or(k) FROM unnest(asked_kinds) AS k) & ((1 << 24) - 1), 0);
    bits_asked integer := bit_count(every_bit::bit(32));
    half integer := GREATEST(1, top_k / 2);
    -- Who of those heard here is called by which of the names, by position.
    person integer[];
    names_of integer[];
    borne integer[];
    sought_people public.sparsevec;
    -- What its owner asks keeps a memory strong, and nobody else may notice that they asked.
    reinforced_for text;
    memory_count float8;
    found confide.found[];
BEGIN
    seen := confide.enter(of_agent, audience, moment);
    IF seen IS NULL THEN
        RETURN;
    END IF;
    RETURN NEXT;
    IF NOT EXISTS (
            SELECT FROM jsonb_array_elements_text(seen -> 'viewers') AS v
            WHERE v NOT IN (audience ->> 'asker', audience ->> 'agent')) THEN
        reinforced_for := substr(audience ->> 'asker', 3);
    END IF;
    SELECT array_agg(p.person), array_agg(p.names), ARRAY(
            -- Four fit into a number; no question is about more people than that.
            SELECT n FROM generate_subscripts(name_keys, 1) AS n
            WHERE name_bits[n] <> 0 AND bit_or(p.names) & (1 << (n - 1)) <> 0
            ORDER BY n LIMIT 4)
    INTO person, names_of, borne
    FROM (
        SELECT t.person, bit_or(1 << (array_position(name_keys, t.term) - 1)) AS names
        FROM confide.name_term t
        WHERE t.agent = of_agent AND t.term = ANY (name_keys)
        GROUP BY t.person) AS p;
    IF person IS NOT NULL THEN
        -- Two people of one memory may have one name, so that each name is counted, up to 63.
        sought_people := (
            SELECT '{' || string_agg(w.person || ':' || w.weight, ',') || '}/'
                || split_part(asked_terms, '/', 2)
            FROM (
                SELECT p.person, sum(1 << 6 * (b.nth::integer - 1)) AS weight
                FROM unnest(person, names_of) AS p (person, names)
                JOIN unnest(borne) WITH ORDINALITY AS b (n, nth) ON p.names & (1 << (b.n - 1)) <> 0
                GROUP BY p.person) AS w)::public.sparsevec;
    END IF;
    -- Whatever is counted here is counted over the rows that row-level security lets through;
    -- recall/ranking.py explains the formula.
    WITH mix AS MATERIALIZED (
        SELECT prior_rows, prior_length, length_share, meaning, asker_share, own, win, name, floor,
            beside, threshold, least_brevity, kin_share, least_part, (1 << term_count) - 1 AS every_word,
            1 << asker_bit AS asker,
            -- What shares nothing with the question and is no nearer than this is never a candidate:
            -- where anything is known, the best is at least so relevant; only by words that are seldom
            -- said it may be less, and then what is as far away as this is no answer either.
            LEAST(threshold, beside * LEAST(threshold, floor / (1 + 2 * meaning),
                win * kin_share * least_brevity / meaning)) AS faint
        FROM (
            SELECT w[1] AS prior_rows, w[2] AS prior_length, w[3] AS length_share, w[4] AS meaning,
                w[5] AS asker_share, w[6] AS own, w[7] AS win, w[8] AS name, w[9] AS floor,
                w[10] AS beside, w[11] AS threshold, w[12] AS least_brevity,
                w[13] AS kin_share, w[14] AS least_part
            FROM (SELECT weights AS w) AS given) AS named
    ),
    -- One look at every memory: how many there are, how long they usually are, and those that share a
    -- word or a name with the question or are near it in meaning.
    scanned AS MATERIALIZED (
        SELECT count(*)::float8 AS memories, COALESCE(sum(length), 0)::float8 AS lengths,
            array_agg(ROW (memory_id, author, length, shared, similarity, called)::confide.fit)
                FILTER (WHERE shared > 0 OR called > 0 OR similarity >= (SELECT faint FROM mix))
                AS fits
        FROM (
            SELECT w.memory_id, w.author, w.length,
                1 - (w.vector OPERATOR(public.<=>) (SELECT asked_vector)) AS similarity,
                public.inner_product(w.terms, (SELECT sought))
                    + CASE WHEN sought_names IS NULL THEN 0 ELSE 16777216
                        * public.inner_product(w.terms, (SELECT sought_names)) END
                    AS shared,
                CASE WHEN sought_people IS NULL THEN 0
                    ELSE public.inner_product(w.terms, (SELECT sought_people)) END AS called
            FROM confide.words w
            WHERE w.is_own AND w.part = 0
            OFFSET 0) AS every_row
    ),
    -- Words are bits from 0, names from 24.
    fit AS MATERIALIZED (
        SELECT f.memory_id, f.author, f.length, f.similarity, CASE WHEN sought_names IS NULL
                THEN f.shared & every_bit | (f.shared >> bits_asked << 24) ELSE f.shared END
            | ((CASE WHEN f.called & 63 <> 0 THEN name_bits[borne[1]] ELSE 0 END
                | CASE WHEN f.called >> 6 & 63 <> 0 THEN name_bits[borne[2]] ELSE 0 END
                | CASE WHEN f.called >> 12 & 63 <> 0 THEN name_bits[borne[3]] ELSE 0 END
                | CASE WHEN f.called >> 18 & 63 <> 0 THEN name_bits[borne[4]] ELSE 0 END
                )::bigint << 24) AS bits
        FROM mix, scanned, unnest(fits) AS f
    ),
    -- Long texts have several rows, and what was said before a memory has its own, which are negative.
    further AS MATERIALIZED (
        SELECT f.* FROM (
            SELECT w.memory_id, w.author, w.length,
                CASE WHEN w.is_own THEN 1 ELSE -1 END
                    * public.inner_product(w.terms, (SELECT sought))::bigint AS bits
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
        SELECT memories, named, every_word & ~named AS asked, every_bit & ~(every_word & named) AS told,
            (prior_rows * prior_length + lengths) / (prior_rows + memories) AS usual,
            -- In a chat with one person their name tells nothing apart.
            name * (1 - (SELECT count(*) FROM hit WHERE people & (named | asker) <> 0)
                / (memories + 1)) AS apart
        -- A word is a name only if somebody bears it whose memories may be told here.
        FROM mix, scanned, LATERAL (
            SELECT COALESCE((SELECT bit_or(people) FROM hit), 0) & (asker - 1) AS named) AS borne
    ),
    alike AS MATERIALIZED (
        SELECT own & told AS own, said & told AS said, count(*) AS memories
        FROM hit, known GROUP BY 1, 2
    ),
    rarity AS MATERIALIZED (
        SELECT bit, 1 << bit AS mask, 1 << bit | asked_kinds[bit + 1] AS kin,
            ln(1 + (k.memories + prior_rows - bearing + 0.5) / (bearing + 0.5)) AS weight
        FROM mix, known k, generate_series(0, term_count - 1) AS bit,
            LATERAL (SELECT COALESCE(sum(a.memories), 0)::float8 AS bearing FROM alike a
                WHERE a.own & (1 << bit) <> 0) AS b
        WHERE asked & (1 << bit) <> 0
    ),
    -- Which part of the question each combination of its words is; there are few of those.
    cover AS MATERIALIZED (
        SELECT a.own, a.said, mix.own * COALESCE(sum(r.weight * CASE WHEN a.own & r.mask <> 0 THEN 1
                WHEN a.own & r.kin <> 0 THEN kin_share ELSE 0 END ORDER BY r.bit)
                / sum(r.weight ORDER BY r.bit), 0)
            + win * COALESCE(sum(r.weight * CASE WHEN a.said & r.mask <> 0 THEN 1
                WHEN a.said & r.kin <> 0 THEN kin_share ELSE 0 END ORDER BY r.bit)
                / sum(r.weight ORDER BY r.bit), 0) AS part,
            -- Whether it has every word or its kind; what is seldom said may be missing.
            COALESCE(bool_and(a.said & r.kin <> 0) FILTER (WHERE r.kin < 1 << 24),
                bool_and(a.said & r.kin <> 0)) AS is_whole,
            count(*) FILTER (WHERE a.own & r.kin <> 0) AS shared
        FROM mix CROSS JOIN alike a LEFT JOIN rarity r ON true
        GROUP BY a.own, a.said, mix.own, win, kin_share
    ),
    -- What speaks for a memory apart from its meaning.
    worded AS MATERIALIZED (
        SELECT h.memory_id, h.author, h.similarity, h.said & asked = asked AND (asked <> 0 OR h.people & named <> 0)
                OR c.is_whole AND c.shared >= least_part * h.length AS has_every_word, CASE
                -- Who asks nothing but a name wants to hear what is known about that person.
                WHEN asked = 0 THEN (mix.own + win) * (h.people & named <> 0)::integer
                ELSE c.part * LEAST(1, GREATEST(least_brevity,
                    1 / (1 - length_share + length_share * h.length / usual)))
            END + CASE
                WHEN h.people & named <> 0 THEN apart
                WHEN h.people & asker <> 0 THEN apart * asker_share ELSE 0
            END AS relevance
        FROM mix CROSS JOIN known CROSS JOIN hit h
        JOIN cover c ON c.own = h.own & told AND c.said = h.said & told
    ),
    -- What shares nothing with the question is a candidate only if it is nearer than this.
    bar AS MATERIALIZED (
        SELECT LEAST(threshold, GREATEST(faint, beside / meaning * (SELECT max(relevance) FROM worded)))
            AS least
        FROM mix
    ),
    -- By the built-in model, or on its scale by a provider's where that has a vector.
    near AS MATERIALIZED (
        SELECT COALESCE(s.memory_id, n.memory_id) AS memory_id, n.author,
            COALESCE(threshold * CASE
                WHEN s.cosine < related THEN (s.cosine - unrelated) / (related - unrelated)
                ELSE 1 + (s.cosine - related) / (1 - related) * (1 / threshold - 1)
            END, n.similarity) AS similarity
        FROM mix CROSS JOIN (
            SELECT e.memory_id, 1 - (e.vector OPERATOR(public.<=>) model_vector) AS cosine
            FROM confide.embedding e
            WHERE by_model IS NOT NULL AND e.model = by_model
            OFFSET 0) AS s
        FULL JOIN (SELECT f.* FROM fit f WHERE f.bits = 0) AS n ON n.memory_id = s.memory_id
    ),
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
                    SELECT 1 - (o.vector OPERATOR(public.<=>) (SELECT asked_vector))
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
            GROUP BY f.author ORDER BY 1 DESC LIMIT 2 * top_k) AS a
        HAVING count(*) = 2 * top_k
    ),
    -- A shared word that nothing comes near in meaning is chance, and so is the reverse; but whoever
    -- has every word, such as coordinates, answers.
    answer AS MATERIALIZED (
        SELECT best.relevance + nearest.similarity >= floor OR nearest.similarity >= threshold
            OR EXISTS (SELECT FROM worded WHERE has_every_word) AS is_known
        FROM mix, best, (SELECT max(similarity) AS similarity FROM fitting) AS nearest
    ),
    -- The best, and beside them the best of those authors who have many: one of them must not drown
    -- the others (S14), and where nobody else has anything to say, may have all.
    candidate AS MATERIALIZED (
        SELECT c.memory_id, c.similarity, c.relevance FROM (
            SELECT a.*, row_number() OVER (
                PARTITION BY a.nth > 2 * half ORDER BY a.relevance DESC, a.memory_id) AS place
            FROM (
                SELECT f.memory_id, f.similarity, f.relevance, CASE WHEN f.author IS NULL THEN 0
                    ELSE row_number() OVER (
                        PARTITION BY f.author ORDER BY f.relevance DESC, f.memory_id) END AS nth
                FROM fitting f
                WHERE (SELECT is_known FROM answer)
                  AND f.relevance >= COALESCE((SELECT least FROM reach), 0)) AS a) AS c
        WHERE c.place <= 2 * top_k
    ),
    -- Among equally relevant memories the strong, sure and first-hand ones come first.
    weighed AS MATERIALIZED (
        SELECT m.id, m.said_at, COALESCE(m.speaker, m.owner) AS author, c.similarity, c.relevance,
            confide.weigh(c.relevance, confide.strength(1, CASE m.owner WHEN reinforced_for
                THEN m.reinforced_at ELSE m.created_at END, moment,
                m.type = 'episodic' AND NOT m.is_protected), m.confidence, m.trust) AS weight
        FROM candidate c
        JOIN confide.memory m ON m.agent = of_agent AND m.id = c.memory_id
    ),
    chosen AS MATERIALIZED (
        SELECT c.* FROM (
            SELECT a.*, row_number() OVER (
                PARTITION BY a.nth > half AND 'e=' || a.author <> audience ->> 'asker'
                ORDER BY a.weight DESC, a.said_at DESC, a.id) AS place
            FROM (
                SELECT w.*, row_number() OVER (
                    PARTITION BY w.author ORDER BY w.weight DESC, w.said_at DESC, w.id) AS nth
                FROM weighed w) AS a) AS c
        WHERE c.place <= top_k
    )
    SELECT array_agg(ROW (0, c.id, c.similarity, c.relevance, c.weight)::confide.found
        ORDER BY c.weight DESC, c.said_at DESC, c.id), (SELECT memories FROM scanned)
    INTO found, memory_count FROM chosen c;
    IF broad IS NOT NULL THEN
        found := confide.recall_broadly(of_agent, moment, top_k, weights, asked_vector, broad
            || jsonb_build_object('reinforced_for', reinforced_for, 'memories', memory_count,
                'people', (
                    SELECT '{' || string_agg(p.person || ':1', ',') || '}/'
                        || split_part(asked_terms, '/', 2)
                    FROM unnest(person, names_of) AS p (person, names)
                    WHERE p.names & (broad ->> 'called')::integer = (broad ->> 'called')::integer)),
            found);
    END IF;
    IF found IS NULL THEN
        RETURN;
    END IF;
    RETURN QUERY
    SELECT NULL::jsonb, f.search, f.similarity, f.relevance, f.weight, m, p.kind, p.parent, (
            SELECT n.display_name FROM confide.person n
            WHERE n.agent = of_agent AND n.entity = m.owner), (
            SELECT jsonb_agg(jsonb_build_array(COALESCE(n.display_name, e.speaker, ''), e.text)
                ORDER BY e.position)
            FROM confide.evidence e
            LEFT JOIN confide.person n ON n.agent = of_agent AND n.entity = e.speaker
            WHERE e.agent = of_agent AND e.memory_id = m.id AND e.text <> '')
    FROM unnest(found) WITH ORDINALITY AS f (search, id, similarity, relevance, weight, n)
    JOIN confide.memory m ON m.agent = of_agent AND m.id = f.id
    LEFT JOIN confide.place p ON p.agent = of_agent AND p.id = m.place
    ORDER BY f.n;
END $$;
