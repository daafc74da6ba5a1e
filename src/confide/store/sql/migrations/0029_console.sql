-- The console: how people sign in with a browser, scenarios that they save, and each time that the
-- operator read somebody's words. Links and cookies are kept as hashes.

CREATE TABLE confide.sign_in_link (
    agent text NOT NULL,
    id uuid NOT NULL,
    hash bytea NOT NULL CHECK (length(hash) = 32),
    entity text,                   -- null: the operator's
    made_by text NOT NULL,         -- how whoever made it was known
    made_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    used_at timestamptz,
    PRIMARY KEY (agent, id)
);
CREATE UNIQUE INDEX sign_in_link_by_hash ON confide.sign_in_link (agent, hash);
CREATE INDEX sign_in_link_of ON confide.sign_in_link (agent, entity, made_at);

CREATE TABLE confide.browser_session (
    agent text NOT NULL,
    id uuid NOT NULL,
    hash bytea NOT NULL CHECK (length(hash) = 32),
    former_hash bytea CHECK (length(former_hash) = 32),  -- for requests that were under way
    former_until timestamptz,
    kind text NOT NULL CHECK (kind IN ('signed-in', 'console', 'personal', 'auditor', 'admin')),
    entity text,
    key_id uuid,
    started_at timestamptz NOT NULL,
    seen_at timestamptz NOT NULL,
    rotated_at timestamptz NOT NULL,
    ends_at timestamptz NOT NULL,
    PRIMARY KEY (agent, id),
    CONSTRAINT session_is_somebodys CHECK (
        (kind IN ('signed-in', 'personal')) = (entity IS NOT NULL)
        AND (kind IN ('personal', 'auditor', 'admin')) = (key_id IS NOT NULL)),
    CONSTRAINT former_cookie_ends CHECK ((former_hash IS NULL) = (former_until IS NULL))
);
CREATE UNIQUE INDEX browser_session_by_hash ON confide.browser_session (agent, hash);
CREATE INDEX browser_session_by_former ON confide.browser_session (agent, former_hash)
    WHERE former_hash IS NOT NULL;

-- Who asks where, and of each memory whether it is told. No words: neither of a memory nor a question.
CREATE TABLE confide.scenario (
    agent text NOT NULL,
    id uuid NOT NULL,
    made_by text,                  -- null: the operator
    asker text NOT NULL,
    place text NOT NULL,           -- as it is written: public:general@guild
    present text[] NOT NULL,
    made_at timestamptz NOT NULL,
    PRIMARY KEY (agent, id)
);

CREATE TABLE confide.scenario_memory (
    agent text NOT NULL,
    scenario_id uuid NOT NULL,
    memory_id uuid NOT NULL,
    is_told boolean NOT NULL,
    PRIMARY KEY (agent, scenario_id, memory_id),
    FOREIGN KEY (agent, scenario_id) REFERENCES confide.scenario (agent, id) ON DELETE CASCADE,
    FOREIGN KEY (agent, memory_id) REFERENCES confide.memory (agent, id) ON DELETE CASCADE
);
CREATE INDEX scenario_memory_of ON confide.scenario_memory (agent, memory_id);

-- The operator read the words of a memory. Its owner is told when, and the reason.
CREATE TABLE confide.break_glass (
    agent text NOT NULL,
    id uuid NOT NULL,
    memory_id uuid NOT NULL,
    owner text NOT NULL,
    reason text NOT NULL CHECK (reason <> ''),
    at timestamptz NOT NULL,
    PRIMARY KEY (agent, id),
    FOREIGN KEY (agent, memory_id) REFERENCES confide.memory (agent, id) ON DELETE CASCADE
);
CREATE INDEX break_glass_of ON confide.break_glass (agent, owner, at);
CREATE INDEX break_glass_memory ON confide.break_glass (agent, memory_id);
