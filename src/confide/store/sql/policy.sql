-- The same rule as privacy/policy.py, as the database enforces it.
-- Applied again after every migration. Functions are STABLE and run with the caller's rights.
-- The three small ones have no search_path of their own, so that PostgreSQL can inline them; they
-- name their schemas instead. The others pin it, and most keep their plans from call to call.

-- Stated anew: a function whose shape has changed cannot be replaced. Policies that use one go
-- with it and are stated again below, in the same transaction.
DO $$
DECLARE old regprocedure;
BEGIN
    FOR old IN SELECT p.oid::regprocedure FROM pg_proc p
        WHERE p.pronamespace = 'confide'::regnamespace
    LOOP
        EXECUTE format('DROP FUNCTION IF EXISTS %s CASCADE', old);
    END LOOP;
END $$;

CREATE OR REPLACE FUNCTION confide.this_agent() RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    -- After COMMIT a setting becomes the empty string, which must match nothing.
    SELECT NULLIF(pg_catalog.current_setting('confide.agent', true), '')
$$;

CREATE OR REPLACE FUNCTION confide.this_moment() RETURNS timestamptz
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT COALESCE(
        NULLIF(pg_catalog.current_setting('confide.now', true), '')::pg_catalog.timestamptz,
        pg_catalog.now())
$$;

CREATE OR REPLACE FUNCTION confide.told_labels() RETURNS integer[]
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT NULLIF(pg_catalog.current_setting('confide.labels', true), '')::pg_catalog.int4[]
$$;

CREATE OR REPLACE FUNCTION confide.around(of_agent text, place_id text)
RETURNS SETOF confide.place
LANGUAGE plpgsql STABLE SET search_path = pg_catalog AS $$
-- A place and what it lies in, innermost first.
DECLARE
    at text := place_id;
    seen text[] := '{}';
    here confide.place;
BEGIN
    WHILE at IS NOT NULL AND at <> ALL (seen) LOOP
        SELECT p.* INTO here FROM confide.place p WHERE p.agent = of_agent AND p.id = at;
        EXIT WHEN NOT FOUND;
        RETURN NEXT here;
        seen := seen || at;
        at := here.parent;
    END LOOP;
END $$;

CREATE OR REPLACE FUNCTION confide.spaces_around(spaces text[]) RETURNS text[]
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog AS $$
    -- Whoever is in a space inside a space is in both: `guild/verified` lies in `guild`.
    SELECT array_agg(DISTINCT array_to_string(parts[1:n], '/'))
    FROM unnest(spaces) AS space, string_to_array(space, '/') AS parts,
        generate_series(1, cardinality(parts)) AS n
$$;

CREATE OR REPLACE FUNCTION confide.belongs(of_agent text, who text) RETURNS text[]
LANGUAGE plpgsql STABLE SET search_path = pg_catalog AS $$
-- The places, spaces, roles and groups someone is in now, and the presences they were part of.
BEGIN
    RETURN ARRAY(
        WITH been AS MATERIALIZED (
            SELECT m.place, m.joined_epoch, m.left_epoch FROM confide.place_member m
            WHERE m.agent = of_agent AND m.entity = who
        )
        SELECT 'p=' || b.place FROM been b WHERE b.left_epoch IS NULL
        UNION ALL
        SELECT 's=' || m.space FROM confide.space_member m
        WHERE m.agent = of_agent AND m.entity = who
        UNION ALL
        SELECT 'g=' || m.collective FROM confide.collective_member m
        WHERE m.agent = of_agent AND m.entity = who
        UNION ALL
        -- Two identities that both confirmed to be one person; nobody else's word makes them one.
        SELECT 'e=' || m.other FROM confide.same_person m
        WHERE m.agent = of_agent AND m.entity = who
        UNION ALL
        SELECT 'w=' || b.place || '#' || n
        FROM been b
        JOIN been now ON now.place = b.place AND now.left_epoch IS NULL
        JOIN confide.place p ON p.agent = of_agent AND p.id = b.place
            AND p.kind IN ('group', 'context', 'connection')
        CROSS JOIN LATERAL generate_series(
            b.joined_epoch, COALESCE(b.left_epoch - 1, p.epoch)) AS n);
END $$;

CREATE OR REPLACE FUNCTION confide.up(of_agent text, viewer text, belonging jsonb) RETURNS text[]
LANGUAGE plpgsql STABLE SET search_path = pg_catalog AS $$
-- The atoms that cover a viewer: an entity, everyone in a place, everyone in a space, or anyone.
DECLARE
    rooms text[];
    spaces text[];
BEGIN
    CASE
        WHEN viewer = '*' THEN
            RETURN ARRAY['*'];
        WHEN viewer LIKE 's=%' THEN
            RETURN ARRAY['*'] || confide.spaces_around(ARRAY[viewer]);
        WHEN viewer LIKE 'p=%' AND belonging ? viewer THEN
            RETURN ARRAY['*', viewer] || ARRAY(SELECT jsonb_array_elements_text(belonging -> viewer));
        WHEN viewer LIKE 'p=%' THEN
            SELECT array_agg('p=' || a.id), array_agg('s=' || a.space) FILTER (WHERE a.space IS NOT NULL)
            INTO rooms, spaces FROM confide.around(of_agent, substr(viewer, 3)) a;
            IF array_to_string(spaces, '') LIKE '%/%' THEN
                spaces := confide.spaces_around(spaces);
            END IF;
            RETURN ARRAY['*', viewer] || rooms || spaces;
        WHEN viewer LIKE 'e=%' OR viewer LIKE 'g=%' THEN
            RETURN ARRAY['*', viewer]
                || ARRAY(SELECT jsonb_array_elements_text(belonging -> substr(viewer, 3)));
        ELSE
            RETURN '{}';
    END CASE;
END $$;

CREATE OR REPLACE FUNCTION confide.setting(of_agent text, audience jsonb) RETURNS text[]
LANGUAGE plpgsql STABLE SET search_path = pg_catalog AS $$
-- Where the answer will appear: its place and parents, their space, the namespace, alone or not.
DECLARE
    rooms text[];
    spaces text[];
    alone text[] := '{}';
BEGIN
    IF audience ->> 'kind' = 'guest' THEN
        RETURN '{}';
    END IF;
    SELECT array_agg('@p=' || a.id), array_agg('@s=' || a.space) FILTER (WHERE a.space IS NOT NULL)
    INTO rooms, spaces FROM confide.around(of_agent,
        audience ->> CASE WHEN audience ? 'is_said' THEN 'parent' ELSE 'place' END) a;
    IF audience ? 'is_said' THEN
        spaces := confide.spaces_said(of_agent, audience, '@s=');
    ELSIF rooms IS NULL AND audience ->> 'space' IS NOT NULL THEN
        spaces := ARRAY['@s=' || (audience ->> 'space')];
    END IF;
    IF array_to_string(spaces, '') LIKE '%/%' THEN
        spaces := confide.spaces_around(spaces);
    END IF;
    IF (audience ->> 'kind') IN ('direct', 'ephemeral', 'thought') AND NOT EXISTS (
            SELECT FROM jsonb_array_elements_text(audience -> 'viewers') AS v
            WHERE v NOT IN (audience ->> 'asker', audience ->> 'agent')) THEN
        alone := ARRAY['@alone'];
    END IF;
    RETURN ARRAY['@p=' || (audience ->> 'place')] || rooms || spaces || alone
        || ARRAY(SELECT jsonb_array_elements_text(audience -> 'scopes'));
END $$;

CREATE OR REPLACE FUNCTION confide.spaces_said(of_agent text, audience jsonb, prefix text)
RETURNS text[]
LANGUAGE sql STABLE SET search_path = pg_catalog AS $$
    -- The space of a place as somebody says it; where they name none, that of what it lies in.
    SELECT confide.spaces_around(array_agg(prefix || space)) FROM (
        SELECT audience ->> 'space' AS space
        UNION
        SELECT a.space FROM confide.around(of_agent, audience ->> 'parent') a
        WHERE audience ->> 'space' IS NULL
    ) AS said WHERE space IS NOT NULL
$$;

CREATE OR REPLACE FUNCTION confide.visible_as_said(of_agent text, said jsonb, belonging jsonb)
RETURNS integer[]
LANGUAGE plpgsql STABLE SET search_path = pg_catalog AS $$
-- What could be told if the place were as somebody says it is.
BEGIN
    RETURN confide.visible_labels(of_agent, said || '{"is_said": true}', COALESCE(belonging, '{}')
        || jsonb_build_object('p=' || (said ->> 'place'), to_jsonb(
            ARRAY(SELECT 'p=' || a.id FROM confide.around(of_agent, said ->> 'parent') a)
            || COALESCE(confide.spaces_said(of_agent, said, 's='), '{}'))));
END $$;

CREATE OR REPLACE FUNCTION confide.listeners(audience jsonb) RETURNS text[]
LANGUAGE plpgsql STABLE SET search_path = pg_catalog AS $$
-- The viewers that must be covered: the agent always is; a connection's client reads along.
BEGIN
    RETURN ARRAY(
        SELECT v FROM jsonb_array_elements_text(audience -> 'viewers') AS v
        WHERE v <> audience ->> 'agent'
        UNION
        SELECT 'p=' || (audience ->> 'place') WHERE audience ->> 'kind' = 'connection');
END $$;

CREATE OR REPLACE FUNCTION confide.visible_labels(of_agent text, audience jsonb) RETURNS integer[]
LANGUAGE plpgsql STABLE SET search_path = pg_catalog AS $$
BEGIN
    RETURN confide.visible_labels(of_agent, audience, confide.belonging(of_agent, audience));
END $$;

CREATE OR REPLACE FUNCTION confide.visible_labels(of_agent text, audience jsonb, belonging jsonb)
RETURNS integer[]
LANGUAGE plpgsql STABLE SET search_path = pg_catalog AS $$
-- The labels of which every clause holds.
DECLARE
    listener text[] := confide.listeners(audience);
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
    RETURN confide.labels_that_hold(
        of_agent, listener, belonging,
        confide.up(of_agent, audience ->> 'asker', belonging) || confide.setting(of_agent, audience),
        COALESCE(audience ->> 'purpose', ''));
END $$;

CREATE OR REPLACE FUNCTION confide.labels_that_hold(
    of_agent text, listener text[], belonging jsonb, asking text[], why text) RETURNS integer[]
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog SET plan_cache_mode = force_generic_plan AS $$
-- Candidates come through each label's narrowest clause, which judges the next one too, and only
-- what is then left is looked up, so that the work follows what may be told, not what is stored.
DECLARE
    moment timestamptz := confide.this_moment();
    hearing text[] := confide.up(of_agent, listener[1], belonging);
    is_one boolean := cardinality(listener) = 1;
    certain integer[];
    candidate integer[];
    needed integer[];              -- beside each candidate a clause still to be judged
    held integer[];
    one text;
BEGIN
    WITH door AS MATERIALIZED (
        SELECT d.label_id, CASE WHEN is_one THEN d.later ELSE d.rest END AS rest
        FROM confide.label_door d
        WHERE d.agent = of_agent AND d.kind = 'ask' AND d.atom = ANY (asking)
          AND d.until > moment AND d.purpose IN ('', why)
          AND (d.then_atoms IS NULL
            OR d.then_atoms && CASE d.then_kind WHEN 'ask' THEN asking WHEN 'hear' THEN hearing END)
        UNION ALL
        SELECT d.label_id, CASE WHEN is_one THEN d.later ELSE d.rest END
        FROM confide.label_door d
        WHERE d.agent = of_agent AND d.kind = 'hear' AND d.atom = ANY (hearing)
          AND d.until > moment AND d.purpose IN ('', why)
          AND (d.then_atoms IS NULL
            OR d.then_atoms && CASE d.then_kind WHEN 'ask' THEN asking WHEN 'hear' THEN hearing END)
    )
    SELECT ARRAY(SELECT DISTINCT d.label_id FROM door d WHERE d.rest = '{}'),
        array_agg(d.label_id), array_agg(r.clause_id)
    INTO certain, candidate, needed
    FROM door d CROSS JOIN LATERAL unnest(d.rest) AS r (clause_id)
    WHERE d.rest <> '{}';
    IF needed IS NULL THEN
        RETURN certain;
    END IF;
    held := needed;
    FOREACH one IN ARRAY listener LOOP
        hearing := confide.up(of_agent, one, belonging);
        held := ARRAY(
            SELECT DISTINCT t.clause_id FROM confide.clause_term t
            WHERE t.agent = of_agent AND t.clause_id = ANY (held)
              AND t.until > moment AND t.purpose IN ('', why)
              AND t.atom = ANY (CASE t.kind WHEN 'ask' THEN asking WHEN 'hear' THEN hearing END));
    END LOOP;
    RETURN certain || ARRAY(
        SELECT n.label_id FROM unnest(candidate, needed) AS n (label_id, clause_id)
        GROUP BY n.label_id
        HAVING bool_and(n.clause_id IN (SELECT unnest(held))));
END $$;

CREATE OR REPLACE FUNCTION confide.enter(of_agent text, said jsonb, moment timestamptz)
RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog AS $$
-- Make this transaction speak to one audience only, and say what that was decided on.
-- Null: the platform says something new about the place, which has to be written first.
DECLARE
    audience jsonb;
    belonging jsonb;
BEGIN
    PERFORM set_config('confide.agent', of_agent, true),
            set_config('confide.now', moment::text, true);
    audience := confide.as_known(of_agent, said);
    IF audience IS NULL THEN
        RETURN NULL;
    END IF;
    belonging := confide.belonging(of_agent, audience);
    PERFORM set_config('confide.labels',
        CASE WHEN confide.is_off_record(of_agent, said) THEN '{}'
            WHEN audience ? 'as_said' THEN ARRAY(
                SELECT unnest(confide.visible_labels(of_agent, audience, belonging))
                INTERSECT
                SELECT unnest(confide.visible_as_said(of_agent, audience -> 'as_said', belonging)))::text
            ELSE confide.visible_labels(of_agent, audience, belonging)::text END, true);
    RETURN jsonb_build_object(
        'place', audience -> 'place', 'kind', audience -> 'kind', 'space', audience -> 'space',
        'viewers', audience -> 'viewers', 'belongs', belonging, 'as_said', audience -> 'as_said',
        'places', confide.surroundings(of_agent, audience));
END $$;

CREATE OR REPLACE FUNCTION confide.is_off_record(of_agent text, said jsonb) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog AS $$
    -- B8: the asker wants nothing read or written in this place.
    SELECT EXISTS (
        SELECT FROM confide.off_record o
        WHERE o.agent = of_agent AND 'e=' || o.entity = said ->> 'asker'
          AND o.place IN (said ->> 'place', regexp_replace(said ->> 'place', '#\d+$', '')))
$$;

CREATE OR REPLACE FUNCTION confide.as_known(of_agent text, said jsonb) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog AS $$
-- The audience in the place as it is attested, with everyone known to be there among its viewers.
-- Where it was said to be another kind of place, `as_said` has the audience of that: both must hold.
DECLARE
    known record;
    room text;
    above record;
    named text;
    is_same boolean;
    has_opened boolean;
BEGIN
    IF said ->> 'kind' = 'guest' THEN
        RETURN said;
    END IF;
    -- One look each way: asking for either at once would read every place there is.
    SELECT p.id, p.kind, p.space, p.parent INTO known FROM confide.place p
    WHERE p.agent = of_agent AND p.platform_id = said ->> 'place' AND p.is_current;
    IF NOT FOUND THEN
        SELECT p.id, p.kind, p.space, p.parent INTO known FROM confide.place p
        WHERE p.agent = of_agent AND p.id = said ->> 'place' AND p.is_current;
    END IF;
    IF NOT FOUND THEN
        RETURN CASE WHEN said ->> 'readers' IN ('asker', 'nobody') THEN said END;
    END IF;
    is_same := known.kind = said ->> 'kind' AND NOT COALESCE(known.space <> said ->> 'space', false);
    IF NOT is_same AND known.kind = 'unknown' THEN
        RETURN NULL;  -- nothing was known of it yet
    END IF;
    room := known.id;
    has_opened := said ->> 'kind' IN ('public', 'announcement', 'thread', 'forum_post')
        AND known.kind <> said ->> 'kind' AND known.kind NOT IN ('public', 'announcement');
    IF known.parent IS NOT NULL THEN
        SELECT p.kind INTO above FROM confide.place p
        WHERE p.agent = of_agent AND p.id = known.parent AND p.is_current;
        IF NOT FOUND THEN
            RETURN NULL;
        END IF;
        room := confide.room_of(of_agent, known.id);
        IF above.kind <> said ->> 'above' THEN
            is_same := false;
            IF said ->> 'above' IN ('public', 'announcement')
                    AND above.kind NOT IN ('public', 'announcement') THEN
                has_opened := true;
                known.parent := NULL;
            END IF;
        END IF;
    END IF;
    -- If it has opened it is another place, in which nothing of before is told.
    named := known.id || CASE WHEN has_opened THEN '#as-said' ELSE '' END;
    IF said ->> 'readers' IN ('asker', 'nobody') AND is_same THEN
        RETURN said || jsonb_build_object('place', known.id);
    END IF;
    IF EXISTS (
            SELECT FROM jsonb_array_elements_text(said -> 'there') AS v
            WHERE NOT EXISTS (
                SELECT FROM confide.place_member m
                WHERE m.agent = of_agent AND m.place = room
                  AND m.entity = substr(v, 3) AND v LIKE 'e=%' AND m.left_epoch IS NULL)
              AND NOT confide.has_left(of_agent, room, substr(v, 3))) THEN
        RETURN NULL;
    END IF;
    RETURN said || jsonb_build_object('place', known.id, 'kind', known.kind, 'space', known.space,
        'viewers', confide.viewers_of(of_agent, said, known.id, known.kind, room))
        || CASE WHEN is_same THEN '{}' ELSE jsonb_build_object('as_said',
            said || jsonb_build_object('place', named, 'parent', known.parent, 'viewers', (
                SELECT jsonb_agg(CASE WHEN v = 'p=' || (said ->> 'place') THEN 'p=' || named
                    ELSE v END)
                FROM jsonb_array_elements_text(said -> 'viewers') AS v)
                || CASE WHEN said ->> 'above' = 'announcement' THEN '["*"]' ELSE '[]' END::jsonb
            )) END;
END $$;

CREATE OR REPLACE FUNCTION confide.room_of(of_agent text, place_id text) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog AS $$
    -- A thread or forum post is its room: members, presences and epochs are the room's.
    SELECT a.id FROM confide.around(of_agent, place_id) WITH ORDINALITY
        AS a (agent, id, platform_id, kind)
    WHERE a.kind NOT IN ('thread', 'forum_post') LIMIT 1
$$;

CREATE OR REPLACE FUNCTION confide.ends_with(of_agent text, room text) RETURNS text[]
LANGUAGE sql STABLE SET search_path = pg_catalog AS $$
    -- Who leaves one of these is in the room no longer: it, what it lies in, and their spaces.
    SELECT array_agg('p=' || a.id) || COALESCE(confide.spaces_around(
        array_agg('s=' || a.space) FILTER (WHERE a.space IS NOT NULL)), '{}')
    FROM confide.around(of_agent, room) a
$$;

CREATE OR REPLACE FUNCTION confide.has_left(of_agent text, room text, who text) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog AS $$
    -- The newest statement about this person is that they left the room, or what it lies in.
    SELECT EXISTS (
        SELECT FROM confide.departed d
        WHERE d.agent = of_agent AND d.entity = who AND d.back_at IS NULL
          AND d.what = ANY (confide.ends_with(of_agent, room)))
$$;

CREATE OR REPLACE FUNCTION confide.viewers_of(
    of_agent text, said jsonb, place_id text, kind text, room text) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog AS $$
-- Everyone in it stands for each of its members; who listens beyond it stays a viewer by name.
DECLARE
    inside text[] := ARRAY(
        SELECT 'e=' || m.entity FROM confide.place_member m
        WHERE m.agent = of_agent AND m.place = room AND m.left_epoch IS NULL
          AND (kind = 'context' OR 'e=' || m.entity IN (
              SELECT jsonb_array_elements_text(said -> 'viewers'))));
BEGIN
    IF kind = 'context' THEN
        RETURN (said -> 'viewers') || to_jsonb(inside);
    END IF;
    RETURN to_jsonb(ARRAY(
        SELECT v FROM jsonb_array_elements_text(said -> 'viewers') AS v
        WHERE v <> ALL (inside) AND v <> 'p=' || (said ->> 'place')
        UNION
        SELECT 'p=' || place_id
        UNION
        -- A thread is read by whoever can read the channel.
        SELECT '*' WHERE EXISTS (
            SELECT FROM confide.around(of_agent, place_id) a WHERE a.kind = 'announcement')));
END $$;

CREATE OR REPLACE FUNCTION confide.belonging(of_agent text, audience jsonb) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog AS $$
-- Where the asker and everyone named who listens belong, as platforms attest it.
BEGIN
    RETURN (
        SELECT jsonb_object_agg(substr(v, 3), confide.belongs(of_agent, substr(v, 3)))
        FROM (SELECT DISTINCT unnest(confide.listeners(audience) || (audience ->> 'asker')
            || CASE WHEN audience ? 'as_said' THEN confide.listeners(audience -> 'as_said') END
        )) AS who (v)
        WHERE v LIKE 'e=%' OR v LIKE 'g=%');
END $$;

CREATE OR REPLACE FUNCTION confide.surroundings(of_agent text, audience jsonb) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog AS $$
-- The places that matter for this audience and what they lie in, for the decision in Python.
BEGIN
    RETURN (
        SELECT jsonb_agg(DISTINCT jsonb_build_array(p.id, p.kind, p.space, p.parent))
        FROM (
            SELECT audience ->> 'place' AS id
            UNION
            SELECT substr(v, 3) FROM unnest(confide.listeners(audience)) AS v WHERE v LIKE 'p=%'
        ) AS sink
        CROSS JOIN LATERAL confide.around(of_agent, sink.id) AS p);
END $$;

-- Who may touch what. The telling role sees text only through row-level security.
DO $$
DECLARE t text;
BEGIN
    FOREACH t IN ARRAY ARRAY['place', 'place_member', 'place_epoch', 'space_member', 'collective_member',
        'departed', 'clause', 'clause_term', 'label', 'label_door', 'memory', 'evidence', 'embedding', 'consent',
        'telling', 'opt_out', 'guardian', 'consent_request', 'person', 'words',
        'session', 'message', 'message_gone', 'journal', 'turn', 'off_record', 'alias', 'relationship',
        'account', 'merge', 'same_person', 'participant', 'generalization', 'lineage',
        'stack_serial', 'stacked', 'usage', 'calibration', 'upkeep', 'api_key', 'signing_key',
        'connection_opened', 'asked_once', 'data_request', 'asked', 'batch', 'someone',
        'claim', 'space_rules', 'sign_in_link', 'browser_session', 'scenario', 'scenario_memory',
        'break_glass',
        'erasure', 'erasure_key', 'suppression',
        'narrowing', 'reader_lease']
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
    DROP POLICY IF EXISTS of_told_messages ON confide.words;
    -- The world and the labels hold no text of anyone's; the telling role reads them by agent.
    FOREACH t IN ARRAY ARRAY['place', 'place_member', 'space_member', 'collective_member', 'departed',
        'clause_term', 'label', 'label_door', 'off_record', 'same_person', 'narrowing',
        'reader_lease']
    LOOP
        EXECUTE format('CREATE POLICY tell ON confide.%I FOR SELECT TO confide_tell '
            'USING (agent = (SELECT confide.this_agent()))', t);
        EXECUTE format('GRANT SELECT ON confide.%I TO confide_tell', t);
    END LOOP;
    FOREACH t IN ARRAY ARRAY['memory', 'evidence', 'embedding', 'words']
    LOOP
        -- Live, and its label is among those this audience may hear: decide() in one line.
        EXECUTE format('CREATE POLICY tell ON confide.%I FOR SELECT TO confide_tell USING ('
            'agent = (SELECT confide.this_agent()) AND is_live '
            'AND expires_at > (SELECT confide.this_moment()) '
            'AND label_id = ANY ((SELECT confide.told_labels())::integer[]))', t);
        EXECUTE format('GRANT SELECT ON confide.%I TO confide_tell', t);
    END LOOP;
    -- For looking after all agents at once: which there are. None of these holds anybody's words.
    FOREACH t IN ARRAY ARRAY['label', 'opt_out', 'erasure']
    LOOP
        EXECUTE format('DROP POLICY IF EXISTS tend ON confide.%I', t);
        EXECUTE format(
            'CREATE POLICY tend ON confide.%I FOR SELECT TO confide_owner USING (true)', t);
    END LOOP;
    -- A name is seen only through a memory that this audience hears. (An EXISTS would be answered by
    -- reading all that it hears.)
    CREATE POLICY tell ON confide.person FOR SELECT TO confide_tell USING (
        agent = (SELECT confide.this_agent()) AND (
            (SELECT true FROM confide.memory m
             WHERE m.agent = person.agent AND m.owner = person.entity LIMIT 1)
            OR (SELECT true FROM confide.memory m
             WHERE m.agent = person.agent AND m.speaker = person.entity LIMIT 1)));
    GRANT SELECT ON confide.person TO confide_tell;
    -- So is a relationship: through the memory that says it.
    CREATE POLICY tell ON confide.relationship FOR SELECT TO confide_tell USING (
        agent = (SELECT confide.this_agent()) AND EXISTS (
            SELECT FROM confide.memory m
            WHERE m.agent = relationship.agent AND m.id = relationship.memory_id));
    GRANT SELECT ON confide.relationship TO confide_tell;
    -- Words that led to a memory need both: what they are themselves, and what became of them.
    CREATE POLICY of_told_memory ON confide.evidence AS RESTRICTIVE FOR SELECT TO confide_tell
        USING (memory_label_id = ANY ((SELECT confide.told_labels())::integer[]));
    -- What was said before a memory helps to find it only where all of it may be told.
    CREATE POLICY of_told_messages ON confide.words AS RESTRICTIVE FOR SELECT TO confide_tell
        USING (is_own OR (before_label_id IN (SELECT unnest(confide.told_labels()))
            AND earlier_label_id IN (SELECT unnest(confide.told_labels()))));
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
            INSERT INTO confide.clause_term (agent, clause_id, position, kind, atom, until, purpose)
            SELECT of_agent, this_clause, n, one ->> 'kind', t ->> 0,
                (t ->> 1)::timestamptz, t ->> 2
            FROM jsonb_array_elements(one -> 'terms') WITH ORDINALITY AS given (t, n);
        END IF;
        clause_ids := clause_ids || this_clause;
    END LOOP;
    INSERT INTO confide.label (agent, key, clauses) VALUES (of_agent, label_key, clause_ids)
    ON CONFLICT DO NOTHING RETURNING id INTO found;
    IF found IS NULL THEN
        SELECT l.id INTO STRICT found FROM confide.label l
        WHERE l.agent = of_agent AND l.key = label_key;
    ELSE
        -- An ask clause is judged at the door; a hear clause, there, for the first listener only.
        INSERT INTO confide.label_door (
            agent, label_id, position, kind, atom, until, purpose, rest, then_kind, then_atoms,
            later)
        SELECT of_agent, found, t.position, t.kind, t.atom, t.until, t.purpose,
            CASE t.kind WHEN 'ask' THEN clause_ids[2:] ELSE clause_ids END, next.kind, next.atoms,
            CASE WHEN next.atoms IS NULL THEN clause_ids[2:] ELSE clause_ids[3:] END
        FROM confide.clause_term t
        LEFT JOIN (
            SELECT min(n.kind) AS kind, array_agg(n.atom ORDER BY n.position) AS atoms
            FROM confide.clause_term n WHERE n.agent = of_agent AND n.clause_id = clause_ids[2]
            HAVING bool_and(n.until = 'infinity' AND n.purpose = '')
        ) AS next ON true
        WHERE t.agent = of_agent AND t.clause_id = clause_ids[1];
    END IF;
    RETURN found;
END $$;
