-- Keys: who is at the door. Neither a key nor anybody's words are here, only hashes.
CREATE TABLE confide.api_key (
    agent text NOT NULL,
    id uuid NOT NULL,
    kind text NOT NULL CHECK (kind IN ('platform', 'personal', 'auditor', 'admin')),
    name text NOT NULL CHECK (name ~ '^[A-Za-z0-9._-]{1,64}$'),
    platform text CHECK (platform ~ '^[a-z][a-z0-9-]{0,31}$'),
    entity text,
    hash bytea NOT NULL CHECK (length(hash) = 32),
    former_hash bytea CHECK (length(former_hash) = 32),  -- still accepted while a rotation lasts
    former_until timestamptz,
    per_minute integer NOT NULL CHECK (per_minute > 0),
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    last_used_at timestamptz,
    revoked_at timestamptz,
    PRIMARY KEY (agent, id),
    CONSTRAINT key_says_for_whom CHECK (
        (kind = 'platform') = (platform IS NOT NULL) AND (kind = 'personal') = (entity IS NOT NULL)),
    CONSTRAINT former_ends CHECK ((former_hash IS NULL) = (former_until IS NULL))
);
CREATE UNIQUE INDEX api_key_by_hash ON confide.api_key (agent, hash);
CREATE INDEX api_key_by_former ON confide.api_key (agent, former_hash)
    WHERE former_hash IS NOT NULL;

-- What audience tokens are signed with. Each serves a day and is deleted soon after, so that an
-- old backup forges nothing.
CREATE TABLE confide.signing_key (
    agent text NOT NULL,
    id uuid NOT NULL,
    secret bytea NOT NULL CHECK (length(secret) = 32),
    created_at timestamptz NOT NULL,
    signs_until timestamptz NOT NULL,
    checks_until timestamptz NOT NULL,
    PRIMARY KEY (agent, id)
);

-- Whose personal connections may also tell what was learned elsewhere (S24).
CREATE TABLE confide.connection_opened (
    agent text NOT NULL,
    entity text NOT NULL,
    opened_by text NOT NULL,
    since timestamptz NOT NULL,
    PRIMARY KEY (agent, entity)
);

-- Writes that were asked for with a key of their own, so that asking twice does it once.
-- What was asked is a hash that nobody can check without the key; answers carry no text.
CREATE TABLE confide.asked_once (
    agent text NOT NULL,
    caller text NOT NULL,
    key_hash bytea NOT NULL CHECK (length(key_hash) = 32),
    body_hash bytea NOT NULL CHECK (length(body_hash) = 32),
    claimed_at timestamptz NOT NULL,
    status integer,                -- null: not answered yet
    answer jsonb,
    PRIMARY KEY (agent, caller, key_hash)
);
CREATE INDEX asked_once_by_time ON confide.asked_once (agent, claimed_at);
