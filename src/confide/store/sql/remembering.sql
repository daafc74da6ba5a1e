-- What happens in the database when something is remembered. Stated anew like the policy.

CREATE OR REPLACE FUNCTION confide.known_before(
    of_agent text, people text[], speakers text[], rooms text[],
    OUT opted_out text[], OUT off_record integer[], OUT has_standing boolean, OUT key_ids uuid[],
    OUT keys bytea[], OUT places jsonb[])
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog
SET plan_cache_mode = force_generic_plan AS $$
-- All that has to be known of the people and rooms of statements before they can be kept. Who said
-- what where: `speakers` beside `rooms`; `off_record` has the positions of what is not to be kept.
-- The rooms are held until the end of the transaction, always in the same order.
DECLARE
    here confide.place;
BEGIN
    places := '{}';
    FOR here IN
        SELECT p.* FROM confide.place p
        WHERE p.agent = of_agent AND p.platform_id = ANY (rooms) AND p.is_current
        ORDER BY p.platform_id
        FOR UPDATE
    LOOP
        -- Asked once the room is held: whoever held it before may have let somebody in.
        places := places || jsonb_build_object(
            'platform_id', here.platform_id, 'id', here.id, 'kind', here.kind,
            'space', here.space, 'parent', here.parent, 'epoch', here.epoch,
            'kind_at', here.kind_at, 'members_at', here.members_at, 'opened_at', here.opened_at,
            'members', ARRAY(
                SELECT m.entity FROM confide.place_member m
                WHERE m.agent = of_agent AND m.place = here.id AND m.left_epoch IS NULL));
    END LOOP;
    SELECT ARRAY(
            SELECT o.entity FROM confide.opt_out o
            WHERE o.agent = of_agent AND o.entity = ANY (people) AND NOT o.is_global_only),
        ARRAY(
            SELECT said.n FROM unnest(speakers, rooms) WITH ORDINALITY AS said (speaker, room, n)
            JOIN confide.off_record o ON o.agent = of_agent AND o.entity = said.speaker
                AND o.place = said.room),
        EXISTS (
            SELECT FROM confide.consent c
            WHERE c.agent = of_agent AND c.revoked_at IS NULL AND c.memory_id IS NULL),
        forgotten.ids, forgotten.keys
    INTO opted_out, off_record, has_standing, key_ids, keys
    FROM (
        SELECT array_agg(k.id ORDER BY k.made_at, k.id) AS ids,
            array_agg(k.key ORDER BY k.made_at, k.id) AS keys
        FROM confide.erasure_key k
        WHERE k.agent = of_agent AND EXISTS (
            SELECT FROM confide.suppression s WHERE s.agent = of_agent AND s.key_id = k.id)
    ) AS forgotten;
END $$;

CREATE OR REPLACE FUNCTION confide.remember(
    of_agent text, labels jsonb, origins jsonb, memories jsonb, version smallint, ids uuid[],
    parts smallint[], before_labels integer[], earlier_labels integer[], authors integer[],
    lengths integer[], terms text[], vectors public.halfvec[])
RETURNS TABLE (id uuid, hash bytea, status text, waits_because text)
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog
SET plan_cache_mode = force_generic_plan AS $$
-- Store memories with their words, or count those again of which the very same is there (S19).
-- Many have the same label and the same origin, so each names theirs by its position in a list.
#variable_conflict use_column
DECLARE
    label_ids integer[] := ARRAY(
        SELECT confide.intern_label(of_agent, decode(l ->> 'key', 'hex'), l -> 'minimal')
        FROM jsonb_array_elements(labels) WITH ORDINALITY AS given (l, n) ORDER BY n);
BEGIN
    RETURN QUERY
    INSERT INTO confide.memory AS m (
        agent, id, owner, speaker, subjects, text, kind, type, scope, sensitivity, trust, status,
        waits_because, confidence, place, space, epoch, present, workspace, namespace_scope,
        is_namespaced, grants, is_portable, is_portable_confirmed, joined_later, objectors,
        inherited, thread, through, is_confidential, only_for, clauses, label_id, hash, attribute,
        source_count, said_at, created_at, updated_at, reinforced_at, expires_at)
    SELECT of_agent, g.id, o.owner, o.speaker, o.subjects, g.text, o.kind, g.type, o.scope,
        o.sensitivity, g.trust, g.status, g.waits_because, g.confidence, o.place, o.space, o.epoch,
        o.present, o.workspace, o.namespace_scope, o.is_namespaced, o.grants, o.is_portable,
        o.is_portable_confirmed, o.joined_later, o.objectors, o.inherited::jsonb,
        o.thread, o.through, o.is_confidential, o.only_for, labels -> g.label - 1 -> 'clauses',
        label_ids[g.label], decode(g.hash, 'hex'), g.attribute, g.source_count, g.said_at,
        g.created_at, g.created_at, g.created_at,
        COALESCE(g.expires_at, 'infinity'::timestamptz)
    FROM jsonb_to_recordset(memories) AS g (
        id uuid, origin integer, label integer, text text, type text, trust text, status text,
        waits_because text, confidence real, hash text, attribute text, source_count integer,
        said_at timestamptz, created_at timestamptz, expires_at timestamptz)
    JOIN jsonb_to_recordset(origins) AS o (
        position integer, owner text, speaker text, subjects text[], kind text, scope text,
        sensitivity text, place text, space text, epoch integer, present text[], workspace text,
        namespace_scope text, is_namespaced boolean, grants text[], is_portable boolean,
        is_portable_confirmed boolean, joined_later text[], objectors text[], inherited text,
        thread text, through text, is_confidential boolean, only_for text[])
        ON o.position = g.origin
    ON CONFLICT (agent, hash) WHERE status IN ('approved', 'pending') DO UPDATE
    SET source_count = m.source_count + excluded.source_count,
        confidence = GREATEST(m.confidence, excluded.confidence),
        updated_at = excluded.updated_at,
        reinforced_at = excluded.reinforced_at,
        expires_at = GREATEST(m.expires_at, excluded.expires_at)
    RETURNING m.id, m.hash, m.status, m.waits_because;
    PERFORM confide.add_words(of_agent, version, ids, parts, before_labels, earlier_labels, authors,
        lengths, terms, vectors);
END $$;

CREATE OR REPLACE FUNCTION confide.add_words(
    of_agent text, version smallint, ids uuid[], parts smallint[], before_labels integer[],
    earlier_labels integer[], authors integer[], lengths integer[], terms text[],
    vectors public.halfvec[])
RETURNS void
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog
SET plan_cache_mode = force_generic_plan AS $$
-- Make memories searchable, those of the given that there are; the label and life of each row are
-- its memory's. The first row of a memory's own words has its vector.
#variable_conflict use_column
BEGIN
    -- Whoever renames an author meanwhile waits, or is waited for.
    PERFORM FROM confide.person p
    WHERE p.agent = of_agent AND p.entity IN (
        SELECT COALESCE(m.speaker, m.owner) FROM confide.memory m
        WHERE m.agent = of_agent AND m.id = ANY (ids))
    ORDER BY p.entity FOR SHARE;
    INSERT INTO confide.words (agent, memory_id, part, is_own, label_id, before_label_id,
        earlier_label_id, is_live, expires_at, author, length, terms, vector, version)
    SELECT of_agent, m.id, g.part, g.before_label_id IS NULL, m.label_id, g.before_label_id,
        g.earlier_label_id, m.is_live, m.expires_at, g.author, g.length,
        CASE WHEN g.vector IS NOT NULL AND p.called <> '{}'
            THEN confide.with_keys(g.terms::public.sparsevec, '{}', p.called)
            ELSE g.terms::public.sparsevec END,
        g.vector, add_words.version
    FROM unnest(ids, parts, before_labels, earlier_labels, authors, lengths, add_words.terms,
        vectors) AS g (
        memory_id, part, before_label_id, earlier_label_id, author, length, terms, vector)
    JOIN confide.memory m ON m.agent = of_agent AND m.id = g.memory_id
    LEFT JOIN confide.person p ON p.agent = of_agent AND p.entity = COALESCE(m.speaker, m.owner)
    ON CONFLICT (agent, memory_id, is_own, part) DO NOTHING;
END $$;

CREATE OR REPLACE FUNCTION confide.with_keys(
    terms public.sparsevec, without integer[], more integer[]) RETURNS public.sparsevec
LANGUAGE sql STABLE SET search_path = pg_catalog AS $$
    -- Some of the words that a memory is found by, exchanged.
    SELECT ('{' || COALESCE(string_agg(k.key || ':1', ',' ORDER BY k.key), '') || '}/'
        || split_part(terms::text, '/', 2))::public.sparsevec
    FROM (
        SELECT split_part(one, ':', 1)::integer AS key
        FROM regexp_split_to_table(trim(both '{}' FROM split_part(terms::text, '/', 1)), ',') AS one
        WHERE one <> ''
        EXCEPT SELECT unnest(without)
        UNION SELECT unnest(more)) AS k
$$;

CREATE OR REPLACE FUNCTION confide.call(
    of_agent text, who text, name text, moment timestamptz, of_version smallint, keys integer[])
RETURNS void
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog AS $$
-- What somebody is called from now on: shown, and beside all that they said found by the words of that
-- name instead of an earlier one.
DECLARE
    earlier integer[];
BEGIN
    INSERT INTO confide.person AS p (agent, entity, display_name, updated_at)
    VALUES (of_agent, who, name, moment)
    ON CONFLICT (agent, entity) DO UPDATE SET display_name = EXCLUDED.display_name,
        updated_at = EXCLUDED.updated_at
    RETURNING COALESCE(p.called, '{}') INTO earlier;
    UPDATE confide.person p SET called = keys, terms_version = of_version
    WHERE p.agent = of_agent AND p.entity = who;
    UPDATE confide.words w SET terms = confide.with_keys(w.terms, earlier, keys)
    FROM (
        SELECT m.id FROM confide.memory m WHERE m.agent = of_agent AND m.speaker = who
        UNION ALL
        SELECT m.id FROM confide.memory m
        WHERE m.agent = of_agent AND m.owner = who AND m.speaker IS NULL) AS said
    WHERE w.agent = of_agent AND w.memory_id = said.id AND w.is_own AND w.part = 0
      AND earlier <> keys;
END $$;
