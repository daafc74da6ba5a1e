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
