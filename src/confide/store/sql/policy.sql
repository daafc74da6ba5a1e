-- The same rule as privacy/policy.py, as the database enforces it.
-- Applied again after every migration. Functions are STABLE and run with the caller's rights.

CREATE OR REPLACE FUNCTION confide.this_agent() RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog AS $$
    -- After COMMIT a setting becomes the empty string, which must match nothing.
    SELECT NULLIF(current_setting('confide.agent', true), '')
$$;

CREATE OR REPLACE FUNCTION confide.this_moment() RETURNS timestamptz
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog AS $$
    SELECT COALESCE(NULLIF(current_setting('confide.now', true), '')::timestamptz, now())
$$;

CREATE OR REPLACE FUNCTION confide.told_labels() RETURNS integer[]
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog AS $$
    SELECT NULLIF(current_setting('confide.labels', true), '')::integer[]
$$;

CREATE OR REPLACE FUNCTION confide.around(of_agent text, place_id text)
RETURNS TABLE (id text, space text)
LANGUAGE sql STABLE SET search_path = pg_catalog AS $$
    -- A place and what it lies in. UNION ends a circle of parents.
    WITH RECURSIVE within AS (
        SELECT p.id, p.space, p.parent FROM confide.place p
        WHERE p.agent = of_agent AND p.id = place_id
        UNION
        SELECT p.id, p.space, p.parent FROM confide.place p
        JOIN within w ON p.agent = of_agent AND p.id = w.parent
    )
    SELECT within.id, within.space FROM within
$$;

CREATE OR REPLACE FUNCTION confide.belongs(of_agent text, who text) RETURNS text[]
LANGUAGE sql STABLE SET search_path = pg_catalog AS $$
    -- The places, spaces, roles and groups someone is in now, and the presences they were part of.
    WITH now_in AS (
        SELECT m.place FROM confide.place_member m
        WHERE m.agent = of_agent AND m.entity = who AND m.left_epoch IS NULL
    )
    SELECT COALESCE(array_agg(atom), '{}') FROM (
        SELECT 'p=' || place AS atom FROM now_in
        UNION ALL
        SELECT 's=' || space FROM confide.space_member
        WHERE agent = of_agent AND entity = who
        UNION ALL
        SELECT 'g=' || collective FROM confide.collective_member
        WHERE agent = of_agent AND entity = who
        UNION ALL
        SELECT 'w=' || m.place || '#' || n
        FROM confide.place_member m
        JOIN now_in USING (place)
        JOIN confide.place p ON p.agent = of_agent AND p.id = m.place
        CROSS JOIN LATERAL generate_series(
            m.joined_epoch, COALESCE(m.left_epoch - 1, p.epoch)) AS n
        WHERE m.agent = of_agent AND m.entity = who AND p.kind IN ('group', 'context', 'connection')
    ) AS found
$$;

CREATE OR REPLACE FUNCTION confide.up(of_agent text, viewer text) RETURNS text[]
LANGUAGE plpgsql STABLE SET search_path = pg_catalog AS $$
-- The atoms that cover a viewer: an entity, everyone in a place, everyone in a space, or anyone.
BEGIN
    CASE
        WHEN viewer = '*' THEN
            RETURN ARRAY['*'];
        WHEN viewer LIKE 's=%' THEN
            RETURN ARRAY['*', viewer];
        WHEN viewer LIKE 'p=%' THEN
            RETURN ARRAY['*', viewer] || ARRAY(
                SELECT 'p=' || a.id FROM confide.around(of_agent, substr(viewer, 3)) a
                UNION
                SELECT 's=' || a.space FROM confide.around(of_agent, substr(viewer, 3)) a
                WHERE a.space IS NOT NULL);
        WHEN viewer LIKE 'e=%' OR viewer LIKE 'g=%' THEN
            RETURN ARRAY['*', viewer] || confide.belongs(of_agent, substr(viewer, 3));
        ELSE
            RETURN '{}';
    END CASE;
END $$;

CREATE OR REPLACE FUNCTION confide.setting(of_agent text, audience jsonb) RETURNS text[]
LANGUAGE sql STABLE SET search_path = pg_catalog AS $$
    -- Where the answer will appear: its place and parents, their space, the namespace, alone or not.
    SELECT ARRAY(
        SELECT '@p=' || (audience ->> 'place')
        UNION
        SELECT '@p=' || a.id FROM confide.around(of_agent, audience ->> 'place') a
        UNION
        SELECT '@s=' || a.space FROM confide.around(of_agent, audience ->> 'place') a
        WHERE a.space IS NOT NULL
        UNION
        SELECT '@s=' || (audience ->> 'space') WHERE audience ->> 'space' IS NOT NULL
            AND NOT EXISTS (SELECT FROM confide.around(of_agent, audience ->> 'place'))
        UNION
        SELECT jsonb_array_elements_text(audience -> 'scopes')
        UNION
        SELECT '@alone' WHERE (audience ->> 'kind') IN ('direct', 'ephemeral', 'thought')
            AND NOT EXISTS (
                SELECT FROM jsonb_array_elements_text(audience -> 'viewers') AS v
                WHERE v NOT IN (audience ->> 'asker', audience ->> 'agent'))
    )
$$;

CREATE OR REPLACE FUNCTION confide.listeners(audience jsonb) RETURNS text[]
LANGUAGE sql STABLE SET search_path = pg_catalog AS $$
    -- The viewers that must be covered: the agent always is; a connection's client reads along.
    SELECT ARRAY(
        SELECT v FROM jsonb_array_elements_text(audience -> 'viewers') AS v
        WHERE v <> audience ->> 'agent'
        UNION
        SELECT 'p=' || (audience ->> 'place') WHERE audience ->> 'kind' = 'connection'
    )
$$;

CREATE OR REPLACE FUNCTION confide.visible_labels(of_agent text, audience jsonb) RETURNS integer[]
LANGUAGE plpgsql STABLE SET search_path = pg_catalog AS $$
-- The labels of which every clause holds. Candidates come through each label's narrowest clause,
-- so that the work follows what may be told, not what is stored.
DECLARE
    listener text[] := confide.listeners(audience);
    asking text[];
    moment timestamptz := confide.this_moment();
    why text := COALESCE(audience ->> 'purpose', '');
BEGIN
    IF audience IS NULL OR of_agent IS NULL OR audience ->> 'asker' IS NULL
       OR COALESCE(audience ->> 'kind', 'unknown') = 'unknown'
       OR jsonb_array_length(COALESCE(audience -> 'viewers', '[]')) = 0 THEN
        RETURN '{}';
    END IF;
    IF cardinality(listener) = 0 THEN
        -- The agent is the only viewer: alone it may reason over all it holds.
        RETURN ARRAY(SELECT l.id FROM confide.label l
            WHERE l.agent = of_agent AND audience ->> 'asker' = audience ->> 'agent');
    END IF;
    asking := confide.up(of_agent, audience ->> 'asker') || confide.setting(of_agent, audience);
    RETURN ARRAY(SELECT confide.labels_that_hold(of_agent, asking, listener, moment, why));
END $$;

CREATE OR REPLACE FUNCTION confide.labels_that_hold(
    of_agent text, asking text[], listener text[], moment timestamptz, why text)
RETURNS SETOF integer
LANGUAGE sql STABLE SET search_path = pg_catalog AS $$
    WITH listening AS MATERIALIZED (
        SELECT n, unnest(confide.up(of_agent, v)) AS atom
        FROM unnest(listener) WITH ORDINALITY AS viewer (v, n)
    ),
    held_guard AS MATERIALIZED (
        -- Only the first listener: the others are asked of the few candidates below.
        SELECT DISTINCT t.clause_id FROM confide.clause_term t
        WHERE t.agent = of_agent AND t.until > moment AND t.purpose IN ('', why)
          AND ((t.kind = 'ask' AND t.atom = ANY (asking))
            OR (t.kind = 'hear' AND t.atom IN (SELECT atom FROM listening WHERE n = 1)))
    ),
    candidate AS MATERIALIZED (
        SELECT l.id, l.clause_count FROM held_guard g
        JOIN confide.label l ON l.agent = of_agent AND l.guard = g.clause_id
    ),
    needed AS MATERIALIZED (
        SELECT DISTINCT lc.clause_id FROM candidate c
        JOIN confide.label_clause lc ON lc.agent = of_agent AND lc.label_id = c.id
    ),
    held AS MATERIALIZED (
        SELECT t.clause_id
        FROM needed
        JOIN confide.clause_term t ON t.agent = of_agent AND t.clause_id = needed.clause_id
        LEFT JOIN listening l ON t.kind = 'hear' AND l.atom = t.atom
        WHERE t.until > moment AND t.purpose IN ('', why)
          AND (l.atom IS NOT NULL OR (t.kind = 'ask' AND t.atom = ANY (asking)))
        GROUP BY t.clause_id, t.kind
        HAVING t.kind = 'ask' OR count(DISTINCT l.n) = cardinality(listener)
    )
    SELECT c.id FROM candidate c
    JOIN confide.label_clause lc ON lc.agent = of_agent AND lc.label_id = c.id
    JOIN held ON held.clause_id = lc.clause_id
    GROUP BY c.id, c.clause_count
    HAVING count(*) = c.clause_count
$$;

CREATE OR REPLACE FUNCTION confide.enter(of_agent text, said jsonb, moment timestamptz)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog AS $$
-- Make this transaction speak to one audience only, and say what that was decided on.
-- Null: the platform says something new about the place, which has to be written first.
DECLARE
    audience jsonb;
BEGIN
    PERFORM set_config('confide.agent', of_agent, true),
            set_config('confide.now', moment::text, true);
    audience := confide.as_known(of_agent, said);
    IF audience IS NULL THEN
        RETURN NULL;
    END IF;
    PERFORM set_config('confide.labels', confide.visible_labels(of_agent, audience)::text, true);
    RETURN confide.world(of_agent, audience) || jsonb_build_object(
        'place', audience -> 'place', 'viewers', audience -> 'viewers');
END $$;

CREATE OR REPLACE FUNCTION confide.as_known(of_agent text, said jsonb) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog AS $$
-- The audience in the place as it is now, with everyone known to be there among its viewers.
DECLARE
    known record;
    inside text[];
BEGIN
    SELECT p.id, p.kind, p.space, p.parent INTO known FROM confide.place p
    WHERE p.agent = of_agent AND (p.platform_id = said ->> 'place' OR p.id = said ->> 'place')
      AND p.is_current;
    IF NOT FOUND THEN
        RETURN CASE WHEN said ->> 'readers' IN ('asker', 'nobody') THEN said END;
    END IF;
    IF known.kind <> said ->> 'kind' OR known.space <> said ->> 'space'
       OR (known.parent IS NOT NULL AND NOT EXISTS (
           SELECT FROM confide.place p
           WHERE p.agent = of_agent AND p.id = known.parent AND p.is_current)) THEN
        RETURN NULL;
    END IF;
    IF said ->> 'readers' IN ('asker', 'nobody') THEN
        RETURN said || jsonb_build_object('place', known.id);
    END IF;
    inside := ARRAY(
        SELECT 'e=' || m.entity FROM confide.place_member m
        WHERE m.agent = of_agent AND m.place = known.id AND m.left_epoch IS NULL);
    IF NOT inside @> ARRAY(SELECT jsonb_array_elements_text(said -> 'there')) THEN
        RETURN NULL;
    END IF;
    RETURN said || jsonb_build_object('place', known.id, 'viewers',
        CASE said ->> 'readers'
            WHEN 'listed' THEN (said -> 'viewers') || to_jsonb(inside)
            ELSE jsonb_build_array('p=' || known.id)
        END);
END $$;

CREATE OR REPLACE FUNCTION confide.world(of_agent text, audience jsonb) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog AS $$
    -- What platforms attest about this audience, for the second decision in Python.
    SELECT jsonb_build_object(
        'belongs', (
            SELECT jsonb_object_agg(substr(v, 3), confide.belongs(of_agent, substr(v, 3)))
            FROM (SELECT DISTINCT unnest(
                confide.listeners(audience) || (audience ->> 'asker')) AS v) AS who
            WHERE v LIKE 'e=%' OR v LIKE 'g=%'),
        'places', (
            SELECT jsonb_agg(DISTINCT jsonb_build_array(p.id, p.kind, p.space, p.parent))
            FROM (
                SELECT audience ->> 'place' AS of_place
                UNION
                SELECT substr(v, 3) FROM unnest(confide.listeners(audience)) AS v
                WHERE v LIKE 'p=%') AS sink
            CROSS JOIN LATERAL confide.around(of_agent, of_place) AS a
            JOIN confide.place p ON p.agent = of_agent AND p.id = a.id))
$$;

-- Who may touch what. The telling role sees text only through row-level security.
DO $$
DECLARE t text;
BEGIN
    FOREACH t IN ARRAY ARRAY['place', 'place_member', 'space_member', 'collective_member', 'clause',
        'clause_term', 'label', 'label_clause', 'memory', 'evidence', 'embedding', 'consent',
        'telling', 'opt_out']
    LOOP
        EXECUTE format('ALTER TABLE confide.%I ENABLE ROW LEVEL SECURITY', t);
        EXECUTE format('ALTER TABLE confide.%I FORCE ROW LEVEL SECURITY', t);
        EXECUTE format('DROP POLICY IF EXISTS keep ON confide.%I', t);
        EXECUTE format('CREATE POLICY keep ON confide.%I TO confide_keep '
            'USING (agent = (SELECT confide.this_agent())) '
            'WITH CHECK (agent = (SELECT confide.this_agent()))', t);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON confide.%I TO confide_keep', t);
        EXECUTE format('DROP POLICY IF EXISTS tell ON confide.%I', t);
    END LOOP;
    DROP POLICY IF EXISTS of_told_memory ON confide.evidence;
    -- The world and the labels hold no text of anyone's; the telling role reads them by agent.
    FOREACH t IN ARRAY ARRAY['place', 'place_member', 'space_member', 'collective_member',
        'clause_term', 'label', 'label_clause']
    LOOP
        EXECUTE format('CREATE POLICY tell ON confide.%I FOR SELECT TO confide_tell '
            'USING (agent = (SELECT confide.this_agent()))', t);
        EXECUTE format('GRANT SELECT ON confide.%I TO confide_tell', t);
    END LOOP;
    FOREACH t IN ARRAY ARRAY['memory', 'evidence', 'embedding']
    LOOP
        -- Live, and its label is among those this audience may hear: decide() in one line.
        EXECUTE format('CREATE POLICY tell ON confide.%I FOR SELECT TO confide_tell USING ('
            'agent = (SELECT confide.this_agent()) AND is_live '
            'AND expires_at > (SELECT confide.this_moment()) '
            'AND label_id = ANY ((SELECT confide.told_labels())::integer[]))', t);
        EXECUTE format('GRANT SELECT ON confide.%I TO confide_tell', t);
    END LOOP;
    -- Words that led to a memory need both: what they are themselves, and what became of them.
    CREATE POLICY of_told_memory ON confide.evidence AS RESTRICTIVE FOR SELECT TO confide_tell
        USING (memory_label_id = ANY ((SELECT confide.told_labels())::integer[]));
END $$;
GRANT USAGE ON SCHEMA confide TO confide_tell, confide_keep;

-- Interning: labels and clauses are stored once, without owners.
CREATE OR REPLACE FUNCTION confide.intern_label(of_agent text, label_key bytea, wanted jsonb)
RETURNS integer
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog AS $$
-- `wanted`: [{key, kind, breadth, terms: [[atom, until, purpose], …]}, …], narrowest clause first.
DECLARE
    found integer;
    clause_ids integer[] := '{}';
    one jsonb;
    this_clause integer;
BEGIN
    SELECT l.id INTO found FROM confide.label l WHERE l.agent = of_agent AND l.key = label_key;
    IF found IS NOT NULL THEN
        RETURN found;
    END IF;
    FOR one IN SELECT * FROM jsonb_array_elements(wanted) LOOP
        INSERT INTO confide.clause (agent, kind, key)
        VALUES (of_agent, one ->> 'kind', decode(one ->> 'key', 'hex'))
        ON CONFLICT DO NOTHING RETURNING id INTO this_clause;
        IF this_clause IS NULL THEN
            SELECT c.id INTO STRICT this_clause FROM confide.clause c
            WHERE c.agent = of_agent AND c.key = decode(one ->> 'key', 'hex');
        ELSE
            INSERT INTO confide.clause_term (agent, clause_id, kind, atom, until, purpose)
            SELECT of_agent, this_clause, one ->> 'kind', t ->> 0,
                COALESCE((t ->> 1)::timestamptz, 'infinity'), COALESCE(t ->> 2, '')
            FROM jsonb_array_elements(one -> 'terms') AS t;
        END IF;
        clause_ids := clause_ids || this_clause;
    END LOOP;
    INSERT INTO confide.label (agent, key, clause_count, guard)
    VALUES (of_agent, label_key, cardinality(clause_ids), clause_ids[1])
    ON CONFLICT DO NOTHING RETURNING id INTO found;
    IF found IS NULL THEN
        SELECT l.id INTO STRICT found FROM confide.label l
        WHERE l.agent = of_agent AND l.key = label_key;
    ELSE
        INSERT INTO confide.label_clause (agent, label_id, clause_id)
        SELECT of_agent, found, c FROM unnest(clause_ids) AS c;
    END IF;
    RETURN found;
END $$;
