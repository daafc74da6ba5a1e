-- Messages as they arrived, the sessions they make up, what an extractor answered, and who is off
-- the record. None of it is readable by the telling role, but for who is off the record.

ALTER TABLE confide.place ADD COLUMN is_listened_to boolean NOT NULL DEFAULT false;

CREATE TABLE confide.session (
    agent text NOT NULL,
    id uuid NOT NULL,
    place text NOT NULL,
    speaker text NOT NULL,
    started_at timestamptz NOT NULL,
    last_activity_at timestamptz NOT NULL,
    message_count integer NOT NULL DEFAULT 0,
    extracted_at timestamptz,
    is_open boolean NOT NULL DEFAULT true,   -- the person may still go on
    unlearned integer NOT NULL DEFAULT 0,    -- messages not learned from yet
    first_unlearned bigint,                  -- the oldest of them
    due_at timestamptz,                      -- null: not yet
    due_because text CHECK (due_because IN ('messages', 'history', 'silence', 'asked', 'told')),
    fence bigint NOT NULL DEFAULT 0,         -- whoever learns must hold the newest number
    leased_until timestamptz NOT NULL DEFAULT '-infinity',
    try_after timestamptz NOT NULL DEFAULT '-infinity',
    attempts integer NOT NULL DEFAULT 0,
    failed_because text,                     -- given up; the reason has no content
    PRIMARY KEY (agent, id),
    FOREIGN KEY (agent, place) REFERENCES confide.place (agent, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX session_open ON confide.session (agent, place, speaker) WHERE is_open;
CREATE INDEX session_due ON confide.session (agent, due_at)
    WHERE due_at IS NOT NULL AND failed_because IS NULL;
CREATE INDEX session_waiting ON confide.session (agent, place, first_unlearned)
    WHERE unlearned > 0 AND due_at IS NULL;
CREATE INDEX session_quiet ON confide.session (agent, last_activity_at) WHERE is_open;

CREATE TABLE confide.message (
    agent text NOT NULL,
    id uuid NOT NULL,
    seq bigint GENERATED ALWAYS AS IDENTITY,
    platform text NOT NULL,
    message_id text NOT NULL,
    session_id uuid,               -- null: the agent's own turn, kept to understand the others
    place text NOT NULL,
    epoch integer NOT NULL,
    present text[] NOT NULL,
    speaker text NOT NULL,
    scope text NOT NULL,
    text text,                     -- null: purged
    said_at timestamptz NOT NULL,
    observed_at timestamptz NOT NULL,
    is_from_agent boolean NOT NULL,
    clauses jsonb NOT NULL,        -- the label of its place at that moment, with owners
    label_id integer NOT NULL,
    learned_at timestamptz,
    PRIMARY KEY (agent, id),
    UNIQUE (agent, platform, message_id),
    FOREIGN KEY (agent, label_id) REFERENCES confide.label (agent, id),
    FOREIGN KEY (agent, session_id) REFERENCES confide.session (agent, id),
    CONSTRAINT message_clauses_not_empty CHECK (
        jsonb_typeof(clauses) = 'array' AND jsonb_array_length(clauses) > 0),
    CONSTRAINT people_have_sessions CHECK (is_from_agent = (session_id IS NULL))
);
CREATE INDEX message_in_place ON confide.message (agent, place, seq);
CREATE INDEX message_unlearned ON confide.message (agent, session_id, seq)
    WHERE learned_at IS NULL;
CREATE INDEX message_raw ON confide.message (agent, observed_at) WHERE text IS NOT NULL;
ALTER TABLE confide.message ALTER COLUMN text SET STATISTICS 0;

-- A deleted message stays deleted, also when it is delivered again.
CREATE TABLE confide.message_gone (
    agent text NOT NULL,
    platform text NOT NULL,
    message_id text NOT NULL,
    gone_at timestamptz NOT NULL,
    PRIMARY KEY (agent, platform, message_id)
);

CREATE TABLE confide.journal (
    agent text NOT NULL,
    id uuid NOT NULL,
    session_id uuid NOT NULL,
    first_seq bigint NOT NULL,
    last_seq bigint NOT NULL,
    extractor text NOT NULL,
    answer jsonb,                  -- null once applied: a memory needs its evidence, not this
    answered_at timestamptz NOT NULL,
    applied_at timestamptz,
    PRIMARY KEY (agent, id),
    FOREIGN KEY (agent, session_id) REFERENCES confide.session (agent, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX journal_open ON confide.journal (agent, session_id) WHERE applied_at IS NULL;

-- A memory's evidence knows its message, so that deleting the message undoes its contribution,
-- and the answer it came from, so that no answer is applied twice.
ALTER TABLE confide.evidence
    ADD COLUMN message_id uuid,
    ADD COLUMN stated text,        -- the fact as it was written from these words
    ADD COLUMN journal_id uuid,
    ADD COLUMN journal_position integer;
CREATE UNIQUE INDEX evidence_once
    ON confide.evidence (agent, journal_id, journal_position, message_id);
CREATE INDEX evidence_of_message ON confide.evidence (agent, message_id);

-- For finding out whether somebody repeats what was told where they speak.
CREATE INDEX telling_in_place ON confide.telling (agent, place, told_at);

CREATE TABLE confide.off_record (
    agent text NOT NULL,
    entity text NOT NULL,
    place text NOT NULL,           -- platform id
    since timestamptz NOT NULL,
    PRIMARY KEY (agent, place, entity)
);

CREATE FUNCTION confide.observe(of_agent text, said jsonb, words text, moment timestamptz)
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
    SELECT p.is_listened_to INTO known FROM confide.place p
    WHERE p.agent = of_agent AND p.id = said ->> 'place' AND p.is_current
      AND p.kind = said ->> 'kind' AND p.epoch = (said ->> 'epoch')::integer
      AND p.space IS NOT DISTINCT FROM said ->> 'space'
      AND p.parent IS NOT DISTINCT FROM said ->> 'parent'
      AND (p.parent IS NULL OR EXISTS (
          SELECT FROM confide.place above WHERE above.agent = of_agent AND above.id = p.parent
          AND above.is_current AND above.kind = said ->> 'parent_kind'))
      AND (p.is_epoch_used OR p.kind NOT IN ('group', 'context', 'connection'));
    IF NOT FOUND OR EXISTS (
        SELECT FROM jsonb_array_elements_text(said -> 'there') AS who
        WHERE NOT EXISTS (
            SELECT FROM confide.place_member m WHERE m.agent = of_agent
            AND m.place = said ->> 'place' AND m.entity = who AND m.left_epoch IS NULL)) THEN
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
    IF NOT is_agents THEN
        sitting := confide.sitting(of_agent, said ->> 'place', said ->> 'speaker', moment, quiet);
    END IF;
    INSERT INTO confide.message (agent, id, platform, message_id, session_id, place, epoch,
        present, speaker, scope, text, said_at, observed_at, is_from_agent, clauses, label_id)
    VALUES (of_agent, gen_random_uuid(), said ->> 'platform', said ->> 'message_id',
        sitting.id, said ->> 'place', (said ->> 'epoch')::integer,
        ARRAY(SELECT m.entity FROM confide.place_member m WHERE m.agent = of_agent
              AND m.place = said ->> 'place' AND m.left_epoch IS NULL ORDER BY m.entity),
        said ->> 'speaker', said ->> 'scope', words, (said ->> 'said_at')::timestamptz, moment,
        is_agents, said -> 'clauses', (said ->> 'label_id')::integer)
    ON CONFLICT (agent, platform, message_id) DO NOTHING
    RETURNING seq INTO this_seq;
    IF this_seq IS NULL THEN
        RETURN 'known';
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

CREATE FUNCTION confide.sitting(
    of_agent text, at_place text, who text, moment timestamptz, quiet interval)
RETURNS confide.session
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog AS $$
-- The session that a message of this person belongs to; after silence a new one begins.
DECLARE
    latest confide.session;
BEGIN
    FOR attempt IN 1..3 LOOP
        SELECT * INTO latest FROM confide.session s
        WHERE s.agent = of_agent AND s.place = at_place AND s.speaker = who AND s.is_open
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
        INSERT INTO confide.session (agent, id, place, speaker, started_at, last_activity_at)
        VALUES (of_agent, gen_random_uuid(), at_place, who, moment, moment)
        ON CONFLICT DO NOTHING RETURNING * INTO latest;
        IF latest.id IS NOT NULL THEN
            RETURN latest;
        END IF;
    END LOOP;
    RAISE EXCEPTION 'no session could be opened' USING ERRCODE = 'serialization_failure';
END $$;

CREATE FUNCTION confide.before_trimming(
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
