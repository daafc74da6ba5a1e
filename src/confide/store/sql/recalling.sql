-- What a recall reads: signals of every memory that may be told, raw. recall/ranking.py says what they
-- are worth. Stated anew like the policy.

CREATE OR REPLACE FUNCTION confide.signals(
    of_agent text, audience jsonb, moment timestamptz, asked_vector public.halfvec,
    asked public.sparsevec, asked_further public.sparsevec, noise float8, by_model text,
    model_vector public.halfvec, model_noise float8)
RETURNS TABLE (
    seen jsonb, memories bigint, askers bigint, words bigint, ids bytea, authors bytea, lengths bytea,
    near bytea, model_near bytea, own bytea, said bytea)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog AS $$
-- Enter as `audience` and look. `seen` says what was decided on; no row at all: the platform says
-- something new about the place.
BEGIN
    seen := confide.enter(of_agent, audience, moment);
    IF seen IS NOT NULL THEN
        RETURN QUERY SELECT seen, l.* FROM confide.look(asked_vector, asked, asked_further, noise,
            by_model, model_vector, model_noise) AS l;
    END IF;
END $$;

CREATE OR REPLACE FUNCTION confide.look(
    asked_vector public.halfvec, asked public.sparsevec, asked_further public.sparsevec, noise float8,
    by_model text, model_vector public.halfvec, model_noise float8)
RETURNS TABLE (
    memories bigint, askers bigint, words bigint, ids bytea, authors bytea, lengths bytea, near bytea,
    model_near bytea, own bytea, said bytea)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog
-- Only the indexes that cover all that is looked at, which begin with the label: with some statistics
-- another one seems cheaper, through which everything of the agent is read.
SET enable_seqscan = off SET enable_indexscan = off SET enable_bitmapscan = off
-- With statistics of an empty table one table would be read again for each row of the other.
SET enable_nestloop = off AS $$
-- One look at each memory that row-level security lets through: how many there are, how many words
-- they have, how many are of the asker (the first bit), and the signals of those that share a word or a
-- name with the question or are near it.
-- The words asked for weigh 1, 2, 4, 8, … (`asked`, and from the 25th on `asked_further`), so that an
-- inner product is a number whose bits say which of them a text has. Columns are packed: thousands of
-- rows of numbers would take longer to send than to find.
BEGIN
    RETURN QUERY
    SELECT count(*), count(*) FILTER (WHERE r.own & 1 <> 0), COALESCE(sum(r.length), 0)::bigint,
        array_send(array_agg(r.memory_id) FILTER (WHERE r.is_sent)),
        array_send(array_agg(r.author) FILTER (WHERE r.is_sent)),
        array_send(array_agg(r.length) FILTER (WHERE r.is_sent)),
        array_send(array_agg(r.near) FILTER (WHERE r.is_sent)),
        array_send(array_agg(COALESCE(r.model_near, 'NaN'))
            FILTER (WHERE r.is_sent AND by_model IS NOT NULL)),
        array_send(array_agg(r.own) FILTER (WHERE r.is_sent)),
        array_send(array_agg(r.said) FILTER (WHERE r.is_sent))
    FROM (
        SELECT w.memory_id, w.author, w.length, w.near, m.near AS model_near,
            w.own | COALESCE(f.own, 0) AS own, w.own | COALESCE(f.said, 0) AS said,
            w.own > 1 OR w.near >= noise OR f.said IS NOT NULL
                OR COALESCE(m.near >= model_noise, false) AS is_sent
        FROM (
            SELECT w.memory_id, w.author, w.length,
                1 - (w.vector OPERATOR(public.<=>) (SELECT asked_vector)) AS near,
                public.inner_product(w.terms, (SELECT asked))::bigint
                    + CASE WHEN asked_further IS NULL THEN 0 ELSE 16777216
                        * public.inner_product(w.terms, (SELECT asked_further))::bigint END AS own
            FROM confide.words w WHERE w.is_own AND w.part = 0
            OFFSET 0) AS w
        -- The rest of a long text, and words that only the messages before a memory have.
        LEFT JOIN (
            SELECT h.memory_id, bit_or(h.said) AS said,
                bit_or(CASE WHEN h.is_own THEN h.said ELSE 0 END) AS own
            FROM (
                SELECT w.memory_id, w.is_own, public.inner_product(w.terms, (SELECT asked))::bigint
                    + CASE WHEN asked_further IS NULL THEN 0 ELSE 16777216
                        * public.inner_product(w.terms, (SELECT asked_further))::bigint END AS said
                FROM confide.words w WHERE NOT (w.is_own AND w.part = 0)
                OFFSET 0) AS h
            WHERE h.said <> 0
            GROUP BY h.memory_id) AS f ON f.memory_id = w.memory_id
        LEFT JOIN (
            SELECT e.memory_id, 1 - (e.vector OPERATOR(public.<=>) model_vector) AS near
            FROM confide.embedding e WHERE by_model IS NOT NULL AND e.model = by_model
            OFFSET 0) AS m ON m.memory_id = w.memory_id
        OFFSET 0) AS r;
END $$;
