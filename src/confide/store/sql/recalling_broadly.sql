-- Weighing, and the searches of a broad question: parts of `recalling.sql`.

CREATE OR REPLACE FUNCTION confide.weigh(
    relevance double precision, strength double precision, confidence double precision, trust text)
RETURNS double precision
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    -- As recall/ranking.py weighs; without a search_path of its own PostgreSQL can inline it.
    SELECT pg_catalog.round(1e6 * relevance * (0.7::double precision
        + 0.1::double precision * strength + 0.1::double precision * confidence
        + 0.1::double precision * CASE trust WHEN 'said' THEN 1 WHEN 'observed' THEN 0.75
            WHEN 'inferred' THEN 0.5 WHEN 'hearsay' THEN 0.25 ELSE 0 END)) / 1e6
$$;

CREATE OR REPLACE FUNCTION confide.recall_broadly(
    of_agent text, moment timestamptz, top_k integer, weights float8[],
    asked_vector public.halfvec, broad jsonb, best confide.found[])
RETURNS confide.found[]
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog
SET jit = off SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
-- Memories about one person by their kinds, for a question that shares no word with its answers;
-- part of `recall` and in its role. Each fits like one that is asked for by nothing but a name.
DECLARE
    named public.sparsevec := (broad ->> 'names')::public.sparsevec;
    called public.sparsevec := (broad ->> 'people')::public.sparsevec;
    name_count integer := (broad ->> 'name_count')::integer;
    reinforced_for text := broad ->> 'reinforced_for';
    meaning float8 := weights[4];
    asker_part float8 := weights[8] * weights[5];
    near float8 := weights[11];
    wanted jsonb := broad -> 'wanted';
    further confide.found[];
    has_wanted boolean;
BEGIN
    WITH about AS MATERIALIZED (
        SELECT a.* FROM (
            SELECT w.memory_id, 1 - (w.vector OPERATOR(public.<=>) (SELECT asked_vector)) AS similarity,
                public.inner_product(w.terms, (SELECT named)) >= name_count
                    OR (called IS NOT NULL
                        AND public.inner_product(w.terms, (SELECT called)) > 0) AS is_about
            FROM confide.words w
            WHERE w.is_own AND w.part = 0
            OFFSET 0) AS a
        WHERE a.is_about
    ),
    fit AS MATERIALIZED (
        SELECT s.search, m.id, m.said_at, m.kind, a.similarity, wanted ? m.kind AS is_wanted,
            a.relevance, confide.weigh(a.relevance, confide.strength(1, CASE m.owner
                WHEN reinforced_for THEN m.reinforced_at ELSE m.created_at END, moment,
                m.type = 'episodic' AND NOT m.is_protected), m.confidence, m.trust) AS weight
        FROM (
            SELECT a.memory_id, a.similarity, round(1e6 * (weights[6] + weights[7]
                + meaning * GREATEST(a.similarity, 0) + weights[8] * (1 - count(*) OVER ()
                    / ((broad ->> 'memories')::float8 + 1)))) / 1e6 AS relevance
            FROM about a) AS a
        JOIN confide.memory m ON m.agent = of_agent AND m.id = a.memory_id
        JOIN jsonb_to_recordset(broad -> 'searches') AS s (search integer, kinds jsonb)
            ON s.kinds ? m.kind
    ),
    placed AS (
        SELECT f.*, row_number() OVER (
            PARTITION BY f.search ORDER BY f.weight DESC, f.said_at DESC, f.id) AS place
        FROM fit f
        -- Of another sort only if nothing of the wanted is known, or if near in meaning.
        WHERE f.is_wanted OR f.similarity >= near
           OR NOT EXISTS (SELECT FROM fit o WHERE o.is_wanted)
    )
    SELECT array_agg(ROW (p.search, p.id, p.similarity, p.relevance, p.weight)::confide.found
        ORDER BY p.search, p.place), bool_or(p.is_wanted)
    INTO further, has_wanted FROM placed p WHERE p.place <= top_k;
    IF has_wanted THEN
        -- The same for what the ordinary search found, unless it has a word of the question.
        best := ARRAY(
            SELECT ROW (f.search, f.id, f.similarity, f.relevance, f.weight)::confide.found
            FROM unnest(best) WITH ORDINALITY AS f (search, id, similarity, relevance, weight, n)
            JOIN confide.memory m ON m.agent = of_agent AND m.id = f.id
            WHERE wanted ? m.kind OR f.similarity >= near
               OR f.relevance > meaning * GREATEST(f.similarity, 0) + asker_part + 1e-6
            ORDER BY f.n);
    END IF;
    RETURN best || further;
END $$;
