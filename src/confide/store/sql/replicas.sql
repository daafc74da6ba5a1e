-- How an answer that was read on a standby is checked on the primary. Stated anew like the policy.

CREATE OR REPLACE FUNCTION confide.narrow(is_certain boolean) RETURNS void
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog AS $$
-- Last in a transaction: count it if it wrote anything, for afterwards somebody may be told less.
-- Not `is_certain`: it is known to only add; then it counts if it changed who may hear what.
BEGIN
    IF pg_current_xact_id_if_assigned() IS NULL
            OR NOT is_certain AND current_setting('confide.narrows', true) IS DISTINCT FROM 'on' THEN
        RETURN;
    END IF;
    INSERT INTO confide.narrowing AS n (agent, slot, count)
    VALUES (confide.this_agent(), pg_backend_pid() % 16, 1)
    ON CONFLICT (agent, slot) DO UPDATE SET count = n.count + 1;
END $$;

CREATE OR REPLACE FUNCTION confide.narrowings(of_agent text) RETURNS jsonb
LANGUAGE sql STABLE AS $$
    -- Slot by slot: who counts in one waits for the last one there to be seen, so equal counts are the
    -- same writes. Equal sums are not: a standby may show a commit that its primary still waits with,
    -- and lack a later one that its primary shows.
    SELECT pg_catalog.jsonb_object_agg(n.slot, n.count) FROM confide.narrowing n
    WHERE n.agent = of_agent
$$;

CREATE OR REPLACE FUNCTION confide.rules_version() RETURNS text
LANGUAGE sql STABLE AS $$
    -- Another one after every migration: what it changed is no transaction that counts.
    SELECT p.digest || ' ' || (SELECT pg_catalog.max(m.number) FROM confide.migration m)
    FROM confide.policy_version p
$$;

CREATE OR REPLACE FUNCTION confide.this_timeline() RETURNS text
LANGUAGE sql STABLE AS $$
    -- It changes with every promotion, at once. Only a primary can say it.
    SELECT pg_catalog.substr(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), 1, 8)
$$;

CREATE OR REPLACE FUNCTION confide.renew_lease(of_agent text, reader uuid) RETURNS jsonb
LANGUAGE plpgsql VOLATILE SET role = confide_keep SET search_path = pg_catalog AS $$
-- Let a program read on standbys for a few seconds more. A standby that shows `history` has replayed
-- what this very primary wrote, since it became one.
DECLARE
    lease confide.reader_lease;
BEGIN
    PERFORM set_config('confide.agent', of_agent, true), set_config('synchronous_commit', 'off', true);
    INSERT INTO confide.reader_lease AS l (agent, id, history, timeline, renewed_at)
    VALUES (of_agent, reader, gen_random_uuid(), confide.this_timeline(), clock_timestamp())
    ON CONFLICT (agent, id) DO UPDATE SET
        history = CASE l.timeline WHEN EXCLUDED.timeline THEN l.history ELSE EXCLUDED.history END,
        timeline = EXCLUDED.timeline, renewed_at = EXCLUDED.renewed_at
    RETURNING * INTO lease;
    DELETE FROM confide.reader_lease l
    WHERE l.agent = of_agent AND l.renewed_at < clock_timestamp() - interval '1 hour';
    RETURN jsonb_build_object('history', lease.history, 'renewed_at', lease.renewed_at);
END $$;

CREATE OR REPLACE FUNCTION confide.read_at(of_agent text, reader uuid) RETURNS jsonb
LANGUAGE plpgsql STABLE SET role = confide_tell SET search_path = pg_catalog AS $$
-- On a standby: how far this statement sees. Null: it has not replayed the reader's lease.
BEGIN
    PERFORM set_config('confide.agent', of_agent, true);
    RETURN (
        SELECT jsonb_build_object('reader', l.id, 'history', l.history, 'renewed_at', l.renewed_at,
            'narrowings', confide.narrowings(of_agent), 'rules', confide.rules_version())
        FROM confide.reader_lease l WHERE l.agent = of_agent AND l.id = reader);
END $$;

CREATE OR REPLACE FUNCTION confide.may_be_told(of_agent text, read_at jsonb, lag float8)
RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog AS $$
-- On the primary: whether a statement that saw so far has seen every narrowing write, under the same
-- rules. Its history is this primary's, so equal counts are the same writes.
-- How far it lags is measured by one clock, this one.
BEGIN
    RETURN EXISTS (
            SELECT FROM confide.reader_lease l
            WHERE l.agent = of_agent AND l.id = (read_at ->> 'reader')::uuid
              AND l.history = (read_at ->> 'history')::uuid
              AND l.timeline = confide.this_timeline()
              AND (read_at ->> 'renewed_at')::timestamptz > clock_timestamp() - lag * interval '1 s')
        AND COALESCE(confide.narrowings(of_agent), 'null') = read_at -> 'narrowings'
        AND confide.rules_version() = read_at ->> 'rules';
END $$;
