-- What people ask for about what others said of them, and how often a question found something.

CREATE TABLE confide.data_request (
    agent text NOT NULL,
    id uuid NOT NULL,
    asker text NOT NULL,           -- whom it is about: people ask for themselves or for their child
    asked_by text NOT NULL,        -- the same, or their guardian
    what text NOT NULL CHECK (what IN ('access', 'object', 'correct', 'erase')),
    memory_id uuid,                -- null: all that others said about them
    wanted text,                   -- how a memory should read, or why they ask
    asked_at timestamptz NOT NULL,
    due_at timestamptz NOT NULL,
    answered_at timestamptz,
    answered_by text,
    is_granted boolean,
    reason text,
    PRIMARY KEY (agent, id),
    CONSTRAINT correcting_says_how CHECK (
        what <> 'correct' OR answered_at IS NOT NULL OR (memory_id IS NOT NULL AND wanted IS NOT NULL)),
    CONSTRAINT answered_with_a_reason CHECK (
        (answered_at IS NULL) = (is_granted IS NULL) AND (answered_at IS NULL) = (reason IS NULL))
);
CREATE INDEX data_request_of ON confide.data_request (agent, asker, asked_at);
CREATE INDEX data_request_open ON confide.data_request (agent, due_at) WHERE answered_at IS NULL;
ALTER TABLE confide.data_request ALTER COLUMN wanted SET STATISTICS 0;
ALTER TABLE confide.data_request ALTER COLUMN reason SET STATISTICS 0;

-- How many memories a question brought back. Neither the question nor whoever asked is here.
CREATE TABLE confide.asked (
    agent text NOT NULL,
    id uuid NOT NULL,
    asked_at timestamptz NOT NULL,
    told integer NOT NULL CHECK (told >= 0),
    PRIMARY KEY (agent, id)
);
CREATE INDEX asked_by_time ON confide.asked (agent, asked_at);

-- For the history of a memory, in both directions.
CREATE INDEX memory_superseded ON confide.memory (agent, superseded_by)
    WHERE superseded_by IS NOT NULL;
