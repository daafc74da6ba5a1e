-- How every change leaves an entry in the trail, whoever makes it. Stated anew like the policy.

CREATE OR REPLACE FUNCTION confide.trail_names(of_agent text, names text[]) RETURNS void
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog AS $$
-- Give each a pseudonym and a key of its own, once.
BEGIN
    IF EXISTS (
        SELECT FROM unnest(names) AS n WHERE n IS NOT NULL AND NOT EXISTS (
            SELECT FROM confide.trail_name t WHERE t.agent = of_agent AND t.name = n)) THEN
        INSERT INTO confide.trail_name (agent, name, pseudonym, key)
        SELECT of_agent, n, gen_random_uuid(),
            uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())
        FROM (SELECT DISTINCT unnest(names) AS n ORDER BY 1) AS missing
        WHERE n IS NOT NULL
        ON CONFLICT DO NOTHING;
    END IF;
END $$;

CREATE OR REPLACE FUNCTION confide.trail_pseudonym(of_agent text, of_name text) RETURNS uuid
LANGUAGE plpgsql STABLE SET search_path = pg_catalog AS $$
BEGIN
    RETURN (SELECT t.pseudonym FROM confide.trail_name t
            WHERE t.agent = of_agent AND t.name = of_name);
END $$;

CREATE OR REPLACE FUNCTION confide.trail_key(of_agent text, names text[]) RETURNS bytea
LANGUAGE plpgsql STABLE SET search_path = pg_catalog AS $$
-- Made of the keys of all who are concerned: gone with the first of them who is erased.
BEGIN
    RETURN (SELECT sha256(string_agg(t.key, ''::bytea ORDER BY t.name))
            FROM confide.trail_name t WHERE t.agent = of_agent AND t.name = ANY (names));
END $$;

CREATE OR REPLACE FUNCTION confide.trail_hash(key bytea, state text) RETURNS bytea
LANGUAGE sql STABLE AS $$
    SELECT pg_catalog.sha256(key || pg_catalog.sha256(
        key || pg_catalog.convert_to(state, 'UTF8')))
$$;

CREATE OR REPLACE FUNCTION confide.memory_names(m confide.memory) RETURNS text[]
LANGUAGE sql STABLE AS $$
    SELECT pg_catalog.array_remove(ARRAY[m.owner, m.speaker] || m.subjects, NULL)
$$;

CREATE OR REPLACE FUNCTION confide.memory_state(m confide.memory) RETURNS text
LANGUAGE sql STABLE AS $$
    -- All of a memory but when it was last heard: the same row gives the same text anywhere.
    SELECT pg_catalog.json_build_array(m.id,
        m.owner, m.speaker, m.subjects, m.text, m.kind, m.type, m.scope, m.sensitivity,
        m.trust, m.status, m.waits_because, m.superseded_by, m.deleted_at AT TIME ZONE
        'UTC', m.confidence, m.place, m.space, m.epoch, m.present, m.workspace,
        m.namespace_scope, m.grants, m.joined_later, m.objectors, m.inherited,
        m.is_namespaced, m.is_portable, m.is_portable_confirmed, m.is_protected,
        m.is_opted_out, m.clauses, m.attribute, m.source_count, m.said_at AT TIME ZONE
        'UTC', m.created_at AT TIME ZONE 'UTC', m.expires_at AT TIME ZONE 'UTC'
        )::text
$$;

CREATE OR REPLACE FUNCTION confide.memory_action(was confide.memory, now confide.memory)
RETURNS text
LANGUAGE sql STABLE AS $$
    -- What became of a memory; null: it is as it was, but for when it was last heard.
    SELECT CASE
        WHEN was.status IN ('deleted', 'archived') AND now.status IN ('approved', 'pending')
            THEN 'restored'
        WHEN was.text <> now.text THEN 'edited'
        WHEN was.status <> now.status THEN now.status
        WHEN was.is_opted_out <> now.is_opted_out THEN
            CASE WHEN now.is_opted_out THEN 'silenced' ELSE 'no longer silenced' END
        WHEN was.clauses <> now.clauses THEN 'relabelled'
        WHEN was.is_protected <> now.is_protected THEN
            CASE WHEN now.is_protected THEN 'protected' ELSE 'no longer protected' END
        WHEN was.source_count < now.source_count OR was.expires_at < now.expires_at THEN 'renewed'
        WHEN (
            was.owner, was.speaker, was.subjects, was.text, was.kind, was.type, was.scope,
            was.sensitivity, was.trust, was.status, was.waits_because, was.superseded_by,
            was.deleted_at, was.confidence, was.place, was.space, was.epoch, was.present,
            was.workspace, was.namespace_scope, was.grants, was.joined_later, was.objectors,
            was.inherited, was.is_namespaced, was.is_portable, was.is_portable_confirmed,
            was.is_protected, was.is_opted_out, was.clauses, was.attribute, was.source_count,
            was.said_at, was.created_at, was.expires_at
            ) IS DISTINCT FROM (
            now.owner, now.speaker, now.subjects, now.text, now.kind, now.type, now.scope,
            now.sensitivity, now.trust, now.status, now.waits_because, now.superseded_by,
            now.deleted_at, now.confidence, now.place, now.space, now.epoch, now.present,
            now.workspace, now.namespace_scope, now.grants, now.joined_later, now.objectors,
            now.inherited, now.is_namespaced, now.is_portable, now.is_portable_confirmed,
            now.is_protected, now.is_opted_out, now.clauses, now.attribute, now.source_count,
            now.said_at, now.created_at, now.expires_at
            ) THEN 'changed' END
$$;

CREATE OR REPLACE FUNCTION confide.trail_enter(
    of_agent text, names text[], OUT at timestamptz, OUT proof text, OUT actor uuid, OUT doing text)
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog AS $$
-- Who acts in this transaction and what they do, as `Database.keep` was told; they and all others
-- whom it concerns have pseudonyms afterwards.
DECLARE
    acting text := NULLIF(current_setting('confide.actor', true), '');
    who text;
BEGIN
    at := COALESCE(NULLIF(current_setting('confide.acting_at', true), '')::timestamptz,
        clock_timestamp());
    doing := NULLIF(current_setting('confide.doing', true), '');
    proof := COALESCE(split_part(acting, ' as ', 1), 'agent');
    who := NULLIF(substr(acting, length(proof) + 5), '');
    PERFORM confide.trail_names(of_agent, names || who);
    -- Who may hear what has changed: in doubt, somebody is told less.
    PERFORM set_config('confide.narrows', 'on', true);
    IF who IS NOT NULL THEN
        actor := confide.trail_pseudonym(of_agent, who);
    END IF;
END $$;

CREATE OR REPLACE FUNCTION confide.trail_memory_added() RETURNS trigger
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog AS $$
-- One entry for each memory that a statement added. Remembering waits for this, so it does what
-- `trail_enter` does in as few statements as can be; names are looked up by their key, always.
DECLARE
    acting text := NULLIF(current_setting('confide.actor', true), '');
    proven text := COALESCE(split_part(acting, ' as ', 1), 'agent');
    actor_name text := NULLIF(substr(acting, length(proven) + 5), '');
    moment timestamptz := COALESCE(
        NULLIF(current_setting('confide.acting_at', true), '')::timestamptz, clock_timestamp());
    verb text := NULLIF(current_setting('confide.doing', true), '');
    of_agent text;
    missing text[];
BEGIN
    SELECT max(n.agent), array_agg(who.name) FILTER (WHERE who.name IS NOT NULL AND (
            SELECT t.pseudonym FROM confide.trail_name t
            WHERE t.agent = n.agent AND t.name = who.name) IS NULL)
    INTO of_agent, missing
    FROM new_rows n, unnest(ARRAY[n.owner, n.speaker, actor_name] || n.subjects) AS who (name);
    IF of_agent IS NULL THEN
        RETURN NULL;
    END IF;
    IF missing IS NOT NULL THEN
        PERFORM confide.trail_names(of_agent, missing);
    END IF;
    INSERT INTO confide.trail (agent, at, proof, actor, doing, what, action, memory_id, owner,
        workspace, after)
    SELECT of_agent, moment, proven, k.actor, verb, 'memory',
        CASE n.status WHEN 'approved' THEN 'added' ELSE 'added, ' || n.status END, n.id, k.owner,
        CASE WHEN n.workspace IS NOT NULL
            THEN confide.trail_hash(sha256(k.owner_key), n.workspace) END,
        confide.trail_hash(k.key, confide.memory_state(ROW (n.*)::confide.memory))
    FROM new_rows n
    CROSS JOIN LATERAL (
        SELECT (array_agg(t.pseudonym) FILTER (WHERE t.name = actor_name))[1] AS actor,
            (array_agg(t.pseudonym) FILTER (WHERE t.name = n.owner))[1] AS owner,
            (array_agg(t.key) FILTER (WHERE t.name = n.owner))[1] AS owner_key,
            sha256(string_agg(t.key, ''::bytea ORDER BY t.name) FILTER (
                WHERE t.name IN (n.owner, n.speaker) OR t.name = ANY (n.subjects))) AS key
        FROM confide.trail_name t
        WHERE t.agent = of_agent
          AND t.name = ANY (ARRAY[n.owner, n.speaker, actor_name] || n.subjects)) AS k;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION confide.trail_memory_changed() RETURNS trigger
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog AS $$
-- One entry for each memory that a statement changed; when it was last heard is no change. What it
-- is now is read by its key: joining the two transition tables would be planned for the first few.
DECLARE
    of_agent text;
    names text[];
    did record;
BEGIN
    -- Remembering comes by here each time, and usually nothing that was there has changed.
    IF NOT EXISTS (SELECT FROM old_rows) THEN
        RETURN NULL;
    END IF;
    SELECT max(n.agent), array_agg(DISTINCT who.name) INTO of_agent, names
    FROM old_rows o
    JOIN confide.memory n ON n.agent = o.agent AND n.id = o.id,
        unnest(ARRAY[o.owner, o.speaker, n.owner, n.speaker] || o.subjects || n.subjects)
            AS who (name)
    WHERE confide.memory_action(ROW (o.*)::confide.memory, n) IS NOT NULL;
    IF of_agent IS NULL THEN
        RETURN NULL;
    END IF;
    did := confide.trail_enter(of_agent, names);
    INSERT INTO confide.trail (agent, at, proof, actor, doing, what, action, memory_id, owner,
        workspace, before, after)
    SELECT of_agent, did.at, did.proof, did.actor, did.doing, 'memory',
        confide.memory_action(ROW (o.*)::confide.memory, n), n.id, own.pseudonym,
        CASE WHEN n.workspace IS NOT NULL
            THEN confide.trail_hash(sha256(own.key), n.workspace) END,
        confide.trail_hash(
            CASE WHEN (o.owner, o.speaker, o.subjects)
                IS NOT DISTINCT FROM (n.owner, n.speaker, n.subjects) THEN k.key
            ELSE confide.trail_key(of_agent, ARRAY[o.owner, o.speaker] || o.subjects) END,
            confide.memory_state(ROW (o.*)::confide.memory)),
        confide.trail_hash(k.key, confide.memory_state(n))
    FROM old_rows o
    JOIN confide.memory n ON n.agent = o.agent AND n.id = o.id
    JOIN confide.trail_name own ON own.agent = of_agent AND own.name = n.owner
    CROSS JOIN LATERAL (
        SELECT sha256(string_agg(t.key, ''::bytea ORDER BY t.name)) AS key
        FROM confide.trail_name t
        WHERE t.agent = of_agent AND t.name = ANY (ARRAY[n.owner, n.speaker] || n.subjects)) AS k
    WHERE confide.memory_action(ROW (o.*)::confide.memory, n) IS NOT NULL
    ORDER BY n.id;  -- as the rows happen to lie would tell of rows between them
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION confide.trail_memory_erased() RETURNS trigger
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog AS $$
-- One entry for each memory that a statement erased.
DECLARE
    of_agent text;
    names text[];
    did record;
BEGIN
    SELECT max(o.agent), array_agg(DISTINCT who.name) INTO of_agent, names
    FROM old_rows o, unnest(ARRAY[o.owner, o.speaker] || o.subjects) AS who (name);
    IF of_agent IS NULL THEN
        RETURN NULL;
    END IF;
    did := confide.trail_enter(of_agent, names);
    INSERT INTO confide.trail (agent, at, proof, actor, doing, what, action, memory_id, owner,
        workspace, before)
    SELECT of_agent, did.at, did.proof, did.actor, did.doing, 'memory', 'erased', o.id,
        own.pseudonym,
        CASE WHEN o.workspace IS NOT NULL
            THEN confide.trail_hash(sha256(own.key), o.workspace) END,
        confide.trail_hash(k.key, confide.memory_state(ROW (o.*)::confide.memory))
    FROM old_rows o
    JOIN confide.trail_name own ON own.agent = of_agent AND own.name = o.owner
    CROSS JOIN LATERAL (
        SELECT sha256(string_agg(t.key, ''::bytea ORDER BY t.name)) AS key
        FROM confide.trail_name t
        WHERE t.agent = of_agent AND t.name = ANY (ARRAY[o.owner, o.speaker] || o.subjects)) AS k
    ORDER BY o.id;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION confide.trail_told() RETURNS trigger
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog SET timezone = 'UTC' AS $$
-- What was told: one entry for each memory. Who asked is in its hash only, so that the access log
-- alone says it, for as long as that is kept.
DECLARE
    of_agent text;
    names text[];
BEGIN
    SELECT max(t.agent), array_agg(DISTINCT t.asker) || array_agg(DISTINCT m.owner)
    INTO of_agent, names
    FROM new_rows t JOIN confide.memory m ON m.agent = t.agent AND m.id = t.memory_id;
    IF of_agent IS NULL THEN
        RETURN NULL;
    END IF;
    PERFORM confide.trail_names(of_agent, names);
    INSERT INTO confide.trail (agent, at, proof, doing, what, action, memory_id, owner, after)
    SELECT t.agent, t.told_at, 'agent', 'recall', 'telling', 'told, ' || t.place_kind, t.memory_id,
        own.pseudonym,
        confide.trail_hash(k.key, jsonb_build_array(t.id, t.memory_id, t.told_at, t.asker,
            t.place_kind, t.place, t.was_in_prompt)::text)
    FROM new_rows t
    JOIN confide.memory m ON m.agent = t.agent AND m.id = t.memory_id
    JOIN confide.trail_name own ON own.agent = of_agent AND own.name = m.owner
    CROSS JOIN LATERAL (
        SELECT sha256(string_agg(n.key, ''::bytea ORDER BY n.name)) AS key
        FROM confide.trail_name n
        WHERE n.agent = of_agent AND n.name = ANY (ARRAY[t.asker, m.owner])) AS k
    ORDER BY t.memory_id;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION confide.trail_other() RETURNS trigger
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog SET timezone = 'UTC' AS $$
-- Any other table that says who may hear what. Its arguments: what does not count as a change,
-- the column with the place, then the columns with people, whose it is first.
DECLARE
    was jsonb := CASE WHEN TG_OP <> 'INSERT' THEN to_jsonb(OLD) END;
    now jsonb := CASE WHEN TG_OP <> 'DELETE' THEN to_jsonb(NEW) END;
    row jsonb := COALESCE(now, was);
    of_agent text := row ->> 'agent';
    skipped text[] := string_to_array(TG_ARGV[0], ',');
    people text[] := '{}';
    room text := row ->> TG_ARGV[1];
    key bytea;
    did record;
BEGIN
    -- A chat with one person is named after them, and that they are in it says nothing new.
    IF was - skipped = now - skipped OR row ->> 'kind' IN ('direct', 'ephemeral', 'thought')
            OR right(room, length(row ->> 'entity')) = row ->> 'entity' THEN
        RETURN NULL;
    END IF;
    FOR n IN 2 .. TG_NARGS - 1 LOOP
        people := people || regexp_replace(row ->> TG_ARGV[n], '^e=', '');
    END LOOP;
    room := 'place:' || room;
    people := array_remove(people || room, NULL);
    IF people = '{}' THEN
        people := ARRAY['si:' || of_agent];
    END IF;
    did := confide.trail_enter(of_agent, people);
    key := confide.trail_key(of_agent, people);
    INSERT INTO confide.trail (agent, at, proof, actor, doing, what, action, memory_id, owner,
        place, before, after)
    VALUES (of_agent, did.at, did.proof, did.actor, did.doing, TG_TABLE_NAME,
        CASE TG_OP WHEN 'INSERT' THEN 'added' WHEN 'DELETE' THEN 'removed' ELSE 'changed' END,
        (row ->> 'memory_id')::uuid,
        CASE WHEN TG_NARGS > 2 THEN confide.trail_pseudonym(of_agent, row ->> TG_ARGV[2]) END,
        confide.trail_pseudonym(of_agent, room),
        confide.trail_hash(key, was::text), confide.trail_hash(key, now::text));
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION confide.trail_written() RETURNS trigger
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog AS $$
-- Held until the end of the transaction. Whoever seals waits for all of these for a moment, and
-- then knows that no entry with a smaller number is still to come.
BEGIN
    PERFORM pg_advisory_xact_lock_shared(hashtextextended(confide.this_agent(), 723010));
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION confide.trail_refuse() RETURNS trigger
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog AS $$
BEGIN
    RAISE EXCEPTION 'the trail is only ever added to' USING ERRCODE = 'insufficient_privilege';
END $$;

DO $$
DECLARE
    t text;
    one text[];
BEGIN
    FOREACH t IN ARRAY ARRAY['trail', 'trail_seal', 'trail_name'] LOOP
        EXECUTE format('ALTER TABLE confide.%I ENABLE ROW LEVEL SECURITY', t);
        EXECUTE format('ALTER TABLE confide.%I FORCE ROW LEVEL SECURITY', t);
        EXECUTE format('DROP POLICY IF EXISTS keep ON confide.%I', t);
        -- The owner too: what goes with a row that it hangs on is deleted with the owner's rights.
        EXECUTE format('CREATE POLICY keep ON confide.%I TO confide_keep, confide_owner '
            'USING (agent = (SELECT confide.this_agent())) '
            'WITH CHECK (agent = (SELECT confide.this_agent()))', t);
        EXECUTE format('REVOKE ALL ON confide.%I FROM confide_keep, confide_tell, confide_migrate', t);
    END LOOP;
    -- A pseudonym is never given to another name; it can only end.
    GRANT SELECT, INSERT, DELETE ON confide.trail_name TO confide_keep;
    GRANT SELECT, INSERT ON confide.trail_seal TO confide_keep;
    -- Not its number: nobody writes an entry into the past.
    GRANT SELECT, INSERT (agent, at, proof, actor, doing, what, action, memory_id, owner, place,
        workspace, before, after) ON confide.trail TO confide_keep;
    FOREACH t IN ARRAY ARRAY['trail', 'trail_seal'] LOOP
        EXECUTE format('REVOKE UPDATE, DELETE, TRUNCATE ON confide.%I FROM confide_owner', t);
        EXECUTE format('CREATE OR REPLACE TRIGGER trail_refuse BEFORE UPDATE OR DELETE OR TRUNCATE '
            'ON confide.%I FOR EACH STATEMENT EXECUTE FUNCTION confide.trail_refuse()', t);
    END LOOP;
    CREATE OR REPLACE TRIGGER trail_written BEFORE INSERT ON confide.trail
        FOR EACH STATEMENT EXECUTE FUNCTION confide.trail_written();

    CREATE OR REPLACE TRIGGER trail_added AFTER INSERT ON confide.memory
        REFERENCING NEW TABLE AS new_rows
        FOR EACH STATEMENT EXECUTE FUNCTION confide.trail_memory_added();
    CREATE OR REPLACE TRIGGER trail_changed AFTER UPDATE ON confide.memory
        REFERENCING OLD TABLE AS old_rows
        FOR EACH STATEMENT EXECUTE FUNCTION confide.trail_memory_changed();
    CREATE OR REPLACE TRIGGER trail_erased AFTER DELETE ON confide.memory
        REFERENCING OLD TABLE AS old_rows
        FOR EACH STATEMENT EXECUTE FUNCTION confide.trail_memory_erased();
    CREATE OR REPLACE TRIGGER trail_added AFTER INSERT ON confide.telling
        REFERENCING NEW TABLE AS new_rows
        FOR EACH STATEMENT EXECUTE FUNCTION confide.trail_told();

    -- Table, what does not count, its place, its people.
    FOREACH one SLICE 1 IN ARRAY ARRAY[
        ['place', 'epoch,is_epoch_used,last_said,members_at,late_epochs,kind_at,opened_at', 'id', NULL, NULL, NULL],
        ['place_member', 'seen_at,joined_at', 'place', 'entity', NULL, NULL],
        ['space_member', 'at', '', 'entity', NULL, NULL],
        ['collective_member', 'at', '', 'entity', NULL, NULL],
        ['consent', '', '', 'grantor', 'grantee', 'given_by'],
        ['consent_request', '', '', 'grantor', 'grantee', 'asked_by'],
        ['guardian', '', '', 'child', 'guardian', NULL],
        ['opt_out', '', '', 'entity', NULL, NULL],
        ['off_record', '', 'place', 'entity', NULL, NULL],
        ['person', 'updated_at', '', 'entity', NULL, NULL],
        ['alias', '', '', 'speaker', 'entity', NULL],
        ['someone', 'created_at', '', 'speaker', NULL, NULL],
        ['claim', 'claimed_at', '', 'account', 'importer', NULL],
        ['account', '', '', 'entity', NULL, NULL],
        ['relationship', '', '', 'said_by', 'entity', 'other'],
        ['merge', '', '', 'one', 'other', NULL],
        ['participant', '', 'place', 'entity', NULL, NULL],
        ['generalization', '', '', NULL, NULL, NULL],
        ['stack_serial', '', '', 'peer', NULL, NULL],
        ['data_request', '', '', 'asker', 'asked_by', NULL],
        ['api_key', 'last_used_at', '', 'entity', NULL, NULL],
        ['connection_opened', '', '', 'entity', NULL, NULL],
        ['sign_in_link', '', '', 'entity', NULL, NULL],
        ['browser_session', 'hash,former_hash,former_until,seen_at,rotated_at', '', 'entity', NULL, NULL],
        ['break_glass', '', '', 'owner', NULL, NULL],
        ['batch', 'lines,refused', '', 'given_by', NULL, NULL],
        ['space_rules', '', '', NULL, NULL, NULL]]
    LOOP
        EXECUTE format('CREATE OR REPLACE TRIGGER trail_other AFTER INSERT OR UPDATE OR DELETE '
            'ON confide.%I FOR EACH ROW EXECUTE FUNCTION confide.trail_other(%s)', one[1],
            (SELECT string_agg(quote_literal(a), ', ' ORDER BY n)
             FROM unnest(one[2:]) WITH ORDINALITY AS u (a, n) WHERE a IS NOT NULL));
    END LOOP;
END $$;
