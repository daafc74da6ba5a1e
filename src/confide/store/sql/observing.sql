-- What happens in the database when somebody says something. Stated anew like the policy.

CREATE OR REPLACE FUNCTION confide.observe(of_agent text, said jsonb, words text, moment timestamptz)
RETURNS text
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog AS $$
-- Keep one message and count it in its session, if the place is still as `said` knows it.
-- 'stale': it is not; find out what the place is now, and say it again.
DECLARE
    known record;
    sitting confide.session;
    this_seq bigint;
    is_agents boolean := (said ->> 'is_from_agent')::boolean;
    wants_now boolean := (said ->> 'wants_now')::boolean;
    quiet interval := (said ->> 'silence')::interval;
    came_in uuid := (said ->> 'batch')::uuid;
    is_late boolean := jsonb_typeof(said -> 'late') = 'array';
    spoken timestamptz := LEAST((said ->> 'said_at')::timestamptz, moment);
    within text[] := CASE WHEN jsonb_typeof(said -> 'namespace') = 'array'
        THEN ARRAY(SELECT jsonb_array_elements_text(said -> 'namespace')) END;
BEGIN
    PERFORM set_config('confide.agent', of_agent, true);
    IF EXISTS (SELECT FROM confide.off_record o WHERE o.agent = of_agent
               AND o.place = said ->> 'platform_place'
               AND (o.entity = said ->> 'speaker' OR is_agents)) THEN
        RETURN 'off the record';
    END IF;
    IF EXISTS (SELECT FROM confide.opt_out o WHERE o.agent = of_agent
               AND o.entity = said ->> 'speaker' AND NOT o.is_global_only) THEN
        RETURN 'opted out';
    END IF;
    SELECT p.is_listened_to, r.kind AS room_kind, r.last_said INTO known FROM confide.place p
    JOIN confide.place r ON r.agent = of_agent AND r.id = said ->> 'room'
    WHERE p.agent = of_agent AND p.id = said ->> 'place' AND p.is_current
      AND p.kind = said ->> 'kind'
      AND p.space IS NOT DISTINCT FROM said ->> 'space'
      AND p.parent IS NOT DISTINCT FROM said ->> 'parent'
      AND r.is_current AND r.kind = said ->> 'room_kind'
      -- Words older than what is known of the room are looked at one by one.
      AND (spoken >= r.opened_at OR (said ->> 'is_old')::boolean)
      AND (is_late OR (r.epoch = (said ->> 'epoch')::integer AND spoken >= r.members_at
          AND (r.is_epoch_used OR r.kind NOT IN ('group', 'context', 'connection'))));
    IF NOT FOUND OR NOT EXISTS (
        -- A label that nothing had any more may be gone, or after a restore be another one.
        SELECT FROM confide.label l WHERE l.agent = of_agent
        AND l.id = (said ->> 'label_id')::integer
        AND l.key = decode(said ->> 'label_key', 'hex')) OR EXISTS (
        SELECT FROM jsonb_array_elements_text(said -> 'there') AS who
        WHERE NOT EXISTS (
            SELECT FROM confide.place_member m WHERE m.agent = of_agent
            AND m.place = said ->> 'room' AND m.entity = who AND m.left_epoch IS NULL)
          AND NOT confide.has_left(of_agent, said ->> 'room', who)) THEN
        RETURN 'stale';
    END IF;
    IF NOT (said ->> 'is_to_agent')::boolean AND NOT known.is_listened_to THEN
        RETURN 'not addressed to the agent';
    END IF;
    IF EXISTS (SELECT FROM confide.message_gone g WHERE g.agent = of_agent
               AND g.platform = said ->> 'platform' AND g.message_id = said ->> 'message_id') THEN
        RETURN 'deleted';
    END IF;
    IF EXISTS (SELECT FROM confide.message m WHERE m.agent = of_agent
               AND m.platform = said ->> 'platform' AND m.message_id = said ->> 'message_id') THEN
        RETURN 'known';
    END IF;
    IF came_in IS NOT NULL THEN
        -- Held, so that whoever forgets the whole file finds this message too, or it is not kept.
        PERFORM FROM confide.batch b WHERE b.agent = of_agent AND b.id = came_in FOR KEY SHARE;
        IF NOT FOUND THEN
            RETURN 'its file was forgotten meanwhile';
        END IF;
    END IF;
    IF NOT is_agents THEN
        sitting := confide.sitting(
            of_agent, said ->> 'place', said ->> 'speaker', within, moment, quiet);
    END IF;
    INSERT INTO confide.message (agent, id, platform, message_id, session_id, place, epoch,
        present, speaker, scope, text, said_at, observed_at, is_from_agent, clauses, label_id,
        batch_id, room, is_confidential, only_for, namespace)
    VALUES (of_agent, gen_random_uuid(), said ->> 'platform', said ->> 'message_id',
        sitting.id, said ->> 'place', (said ->> 'epoch')::integer,
        CASE WHEN is_late THEN ARRAY(SELECT jsonb_array_elements_text(said -> 'late')) ELSE ARRAY(
            SELECT m.entity FROM confide.place_member m WHERE m.agent = of_agent
            AND m.place = said ->> 'room' AND m.left_epoch IS NULL
            UNION SELECT jsonb_array_elements_text(said -> 'there') ORDER BY 1) END,
        said ->> 'speaker', said ->> 'scope', words, (said ->> 'said_at')::timestamptz, moment,
        is_agents, said -> 'clauses', (said ->> 'label_id')::integer, came_in, said ->> 'room',
        (said ->> 'is_confidential')::boolean,
        ARRAY(SELECT jsonb_array_elements_text(said -> 'only_for')), within)
    ON CONFLICT (agent, platform, message_id) DO NOTHING
    RETURNING seq INTO this_seq;
    IF this_seq IS NULL THEN
        RETURN 'known';
    END IF;
    IF NOT is_late AND known.last_said < spoken AND known.room_kind IN ('group', 'context', 'connection') THEN
        UPDATE confide.place p SET last_said = GREATEST(p.last_said, spoken)
        WHERE p.agent = of_agent AND p.id = said ->> 'room';
    END IF;
    IF NOT is_agents THEN
        UPDATE confide.session s
        SET last_activity_at = moment, message_count = s.message_count + 1,
            unlearned = s.unlearned + 1, first_unlearned = COALESCE(s.first_unlearned, this_seq),
            due_at = CASE WHEN wants_now OR s.unlearned + 1 >= (said ->> 'after')::integer
                THEN COALESCE(s.due_at, moment) ELSE s.due_at END,
            due_because = COALESCE(s.due_because, CASE WHEN wants_now THEN 'asked'
                WHEN s.unlearned + 1 >= (said ->> 'after')::integer THEN 'messages' END)
        WHERE s.agent = of_agent AND s.id = sitting.id
        RETURNING s.* INTO sitting;
    END IF;
    IF confide.before_trimming(of_agent, said ->> 'place', (said ->> 'history')::integer, moment)
       OR sitting.due_at IS NOT NULL THEN
        RETURN 'due';
    END IF;
    RETURN 'kept';
END $$;

CREATE OR REPLACE FUNCTION confide.sitting(
    of_agent text, at_place text, who text, within text[], moment timestamptz, quiet interval)
RETURNS confide.session
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog AS $$
-- The session that a message of this person belongs to; after silence a new one begins.
DECLARE
    latest confide.session;
BEGIN
    FOR attempt IN 1..3 LOOP
        SELECT * INTO latest FROM confide.session s
        WHERE s.agent = of_agent AND s.place = at_place AND s.speaker = who AND s.is_open
          AND s.namespace IS NOT DISTINCT FROM within
        FOR UPDATE;
        IF FOUND AND moment < latest.last_activity_at + quiet THEN
            RETURN latest;
        END IF;
        IF FOUND THEN
            UPDATE confide.session s SET is_open = false,
                due_at = CASE WHEN s.unlearned > 0 THEN COALESCE(s.due_at, moment) END,
                due_because = CASE WHEN s.unlearned > 0
                    THEN COALESCE(s.due_because, 'silence') END
            WHERE s.agent = of_agent AND s.id = latest.id;
        END IF;
        INSERT INTO confide.session (
            agent, id, place, speaker, namespace, started_at, last_activity_at)
        VALUES (of_agent, gen_random_uuid(), at_place, who, within, moment, moment)
        ON CONFLICT DO NOTHING RETURNING * INTO latest;
        IF latest.id IS NOT NULL THEN
            RETURN latest;
        END IF;
    END LOOP;
    RAISE EXCEPTION 'no session could be opened' USING ERRCODE = 'serialization_failure';
END $$;

CREATE OR REPLACE FUNCTION confide.before_trimming(
    of_agent text, at_place text, history integer, moment timestamptz)
RETURNS boolean
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog AS $$
-- Sessions whose oldest unlearned message is about to leave the history become due.
DECLARE
    oldest bigint;
BEGIN
    SELECT m.seq INTO oldest FROM confide.message m
    WHERE m.agent = of_agent AND m.place = at_place
    ORDER BY m.seq DESC OFFSET history - 1 LIMIT 1;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    UPDATE confide.session s SET due_at = moment, due_because = 'history'
    WHERE s.agent = of_agent AND s.place = at_place AND s.unlearned > 0 AND s.due_at IS NULL
      AND s.first_unlearned <= oldest;
    RETURN FOUND;
END $$;

CREATE OR REPLACE FUNCTION confide.batch_shrinks() RETURNS trigger
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog AS $$
-- Erased words leave the file they came in as well: its lines are fewer, its name goes with the last
-- words of anybody in it, for it may be theirs, and all of it goes with the last words.
DECLARE
    emptied uuid[];
    strangers text[];
BEGIN
    IF NOT EXISTS (SELECT FROM old_rows o WHERE o.batch_id IS NOT NULL) THEN
        RETURN NULL;
    END IF;
    UPDATE confide.batch b SET lines = GREATEST(0, b.lines - gone.count),
        file_name = CASE WHEN gone.is_last_of_somebody THEN '' ELSE b.file_name END
    FROM (
        SELECT one.agent, one.batch_id, sum(one.count)::integer AS count,
            bool_or(NOT one.is_from_agent AND NOT EXISTS (
                SELECT FROM confide.message m WHERE m.agent = one.agent
                AND m.batch_id = one.batch_id AND m.speaker = one.speaker)) AS is_last_of_somebody
        FROM (SELECT o.agent, o.batch_id, o.speaker, o.is_from_agent, count(*) AS count
              FROM old_rows o WHERE o.batch_id IS NOT NULL
              GROUP BY o.agent, o.batch_id, o.speaker, o.is_from_agent) AS one
        GROUP BY one.agent, one.batch_id) AS gone
    WHERE b.agent = gone.agent AND b.id = gone.batch_id;
    -- One that is still being read has words to come. Held first: none comes between the two.
    emptied := ARRAY(
        SELECT b.id FROM confide.batch b
        WHERE (b.agent, b.id) IN (SELECT o.agent, o.batch_id FROM old_rows o)
          AND b.finished_at IS NOT NULL
        FOR UPDATE SKIP LOCKED);
    WITH gone AS (
        DELETE FROM confide.batch b
        WHERE b.agent = confide.this_agent() AND b.id = ANY (emptied) AND NOT EXISTS (
            SELECT FROM confide.message m WHERE m.agent = b.agent AND m.batch_id = b.id)
        RETURNING b.id)
    SELECT array_agg(id) INTO emptied FROM gone;
    IF emptied IS NULL THEN
        RETURN NULL;
    END IF;
    -- With the file go its rooms, and who was in them and nowhere else.
    strangers := ARRAY(
        SELECT DISTINCT m.entity FROM confide.place_member m, unnest(emptied) AS b
        WHERE m.agent = confide.this_agent() AND m.entity LIKE 'someone:%'
          AND starts_with(m.place, 'import:' || b || '/'));
    DELETE FROM confide.place p USING unnest(emptied) AS b
    WHERE p.agent = confide.this_agent() AND starts_with(p.id, 'import:' || b || '/');
    DELETE FROM confide.person p WHERE p.agent = confide.this_agent() AND p.entity = ANY (strangers)
      AND confide.is_nowhere(p.agent, p.entity);
    DELETE FROM confide.someone s
    WHERE s.agent = confide.this_agent() AND s.entity = ANY (strangers) AND s.means IS NULL
      AND confide.is_nowhere(s.agent, s.entity);
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION confide.is_nowhere(of_agent text, who text) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog AS $$
-- Whether somebody whom one speaker alone knows is in no room, no message and no memory.
    SELECT NOT EXISTS (SELECT FROM confide.place_member m WHERE m.agent = of_agent AND m.entity = who)
       AND NOT EXISTS (SELECT FROM confide.message m WHERE m.agent = of_agent AND m.author = who)
       AND NOT EXISTS (SELECT FROM confide.memory m WHERE m.agent = of_agent AND m.speaker = who)
       AND NOT EXISTS (SELECT FROM confide.memory m
           WHERE m.agent = of_agent AND m.subjects @> ARRAY[who]);
$$;

CREATE OR REPLACE TRIGGER batch_shrinks AFTER DELETE ON confide.message
    REFERENCING OLD TABLE AS old_rows
    FOR EACH STATEMENT EXECUTE FUNCTION confide.batch_shrinks();
