-- Places and who is in them, labels, memories with their evidence and vectors, and what was told.
-- Every key starts with the agent, so that an agent's rows can live together on one node.

CREATE TABLE confide.place (
    agent text NOT NULL,
    id text NOT NULL,              -- platform id; `#n` is added each time a closed place opens
    platform_id text NOT NULL,
    kind text NOT NULL,
    space text,
    parent text,
    epoch integer NOT NULL DEFAULT 0,
    is_epoch_used boolean NOT NULL DEFAULT false,  -- something was said since the last join or leave
    is_current boolean NOT NULL DEFAULT true,
    needs_review boolean NOT NULL DEFAULT false,
    PRIMARY KEY (agent, id),
    CONSTRAINT place_kind_known CHECK (kind IN (
        'direct', 'ephemeral', 'group', 'public', 'restricted', 'age_gated', 'announcement',
        'thread', 'forum_post', 'private_thread', 'voice', 'stage', 'context', 'connection',
        'thought', 'unknown')),
    CONSTRAINT public_place_has_space CHECK (
        kind NOT IN ('public', 'announcement') OR space IS NOT NULL)
);
CREATE UNIQUE INDEX place_current ON confide.place (agent, platform_id) WHERE is_current;
CREATE INDEX place_witnessed ON confide.place (agent, id) INCLUDE (epoch)
    WHERE kind IN ('group', 'context', 'connection');

CREATE TABLE confide.place_member (
    agent text NOT NULL,
    place text NOT NULL,
    entity text NOT NULL,
    joined_epoch integer NOT NULL,
    left_epoch integer,            -- null: is there now
    PRIMARY KEY (agent, entity, place, joined_epoch),
    FOREIGN KEY (agent, place) REFERENCES confide.place (agent, id) ON DELETE CASCADE,
    CONSTRAINT leaves_after_joining CHECK (left_epoch IS NULL OR left_epoch >= joined_epoch)
);
CREATE UNIQUE INDEX place_member_once
    ON confide.place_member (agent, place, entity) WHERE left_epoch IS NULL;

CREATE TABLE confide.space_member (
    agent text NOT NULL,
    entity text NOT NULL,
    space text NOT NULL,
    PRIMARY KEY (agent, entity, space)
);

CREATE TABLE confide.collective_member (
    agent text NOT NULL,
    entity text NOT NULL,
    collective text NOT NULL,      -- role:…, group:… or org:…
    PRIMARY KEY (agent, entity, collective)
);

CREATE TABLE confide.clause (
    agent text NOT NULL,
    id integer GENERATED ALWAYS AS IDENTITY,
    kind text NOT NULL CHECK (kind IN ('hear', 'ask')),
    key bytea NOT NULL,
    PRIMARY KEY (agent, id),
    UNIQUE (agent, key)
);

CREATE TABLE confide.clause_term (
    agent text NOT NULL,
    clause_id integer NOT NULL,
    position integer NOT NULL,
    kind text NOT NULL,
    atom text NOT NULL CHECK (atom <> ''),
    until timestamptz NOT NULL DEFAULT 'infinity',
    purpose text NOT NULL DEFAULT '',
    PRIMARY KEY (agent, clause_id, position),
    FOREIGN KEY (agent, clause_id) REFERENCES confide.clause (agent, id) ON DELETE CASCADE
);

CREATE TABLE confide.label (
    agent text NOT NULL,
    id integer GENERATED ALWAYS AS IDENTITY,
    key bytea NOT NULL,
    clauses integer[] NOT NULL CHECK (cardinality(clauses) > 0),  -- narrowest first
    PRIMARY KEY (agent, id),
    UNIQUE (agent, key)
);

-- The terms of each label's narrowest clause: whoever none of them covers need not ask further.
CREATE TABLE confide.label_door (
    agent text NOT NULL,
    label_id integer NOT NULL,
    position integer NOT NULL,
    kind text NOT NULL CHECK (kind IN ('hear', 'ask')),
    atom text NOT NULL CHECK (atom <> ''),
    until timestamptz NOT NULL,
    purpose text NOT NULL,
    rest integer[] NOT NULL,       -- what is still to be judged: all clauses but an ask door
    PRIMARY KEY (agent, label_id, position),
    FOREIGN KEY (agent, label_id) REFERENCES confide.label (agent, id) ON DELETE CASCADE
);
CREATE INDEX label_door_by_atom ON confide.label_door (agent, atom, kind);

CREATE TABLE confide.memory (
    agent text NOT NULL,
    id uuid NOT NULL,
    owner text NOT NULL,
    speaker text,                  -- null: the agent saw it itself
    subjects text[] NOT NULL,
    text text NOT NULL,
    kind text NOT NULL,
    type text NOT NULL CHECK (type IN ('episodic', 'semantic', 'procedural')),
    scope text NOT NULL CHECK (scope IN (
        'self_only', 'dm', 'channel_restricted', 'group', 'guild_public', 'global', 'public',
        'granted')),
    sensitivity text NOT NULL CHECK (sensitivity IN ('public', 'personal', 'sensitive')),
    trust text NOT NULL CHECK (trust IN ('said', 'observed', 'inferred', 'hearsay', 'untrusted')),
    status text NOT NULL CHECK (status IN (
        'pending', 'approved', 'rejected', 'superseded', 'archived', 'deleted')),
    waits_because text,
    superseded_by uuid,
    deleted_at timestamptz,
    confidence real NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    place text,
    space text,
    epoch integer NOT NULL DEFAULT 0,
    present text[] NOT NULL,
    workspace text,
    namespace_scope text,
    grants text[] NOT NULL,
    joined_later text[] NOT NULL DEFAULT '{}',
    objectors text[] NOT NULL DEFAULT '{}',
    inherited jsonb NOT NULL DEFAULT '[]',
    is_namespaced boolean NOT NULL DEFAULT false,
    is_portable boolean NOT NULL DEFAULT false,
    is_portable_confirmed boolean NOT NULL DEFAULT false,
    is_protected boolean NOT NULL DEFAULT false,
    is_opted_out boolean NOT NULL DEFAULT false,
    is_live boolean NOT NULL GENERATED ALWAYS AS (status = 'approved' AND NOT is_opted_out) STORED,
    clauses jsonb NOT NULL,        -- the full label with its owners, for consent and audit
    label_id integer NOT NULL,
    hash bytea NOT NULL,           -- P3: covers the whole label
    attribute text,
    source_count integer NOT NULL DEFAULT 1 CHECK (source_count > 0),
    said_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    last_accessed_at timestamptz,
    reinforced_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL DEFAULT 'infinity',
    PRIMARY KEY (agent, id),
    UNIQUE (agent, id, label_id, is_live, expires_at),
    FOREIGN KEY (agent, label_id) REFERENCES confide.label (agent, id),
    CONSTRAINT kind_known CHECK (kind IN (
        'preference', 'identity', 'relationship', 'knowledge', 'context', 'event', 'task',
        'observation')),
    CONSTRAINT clauses_not_empty CHECK (
        jsonb_typeof(clauses) = 'array' AND jsonb_array_length(clauses) > 0),
    CONSTRAINT room_scope_has_place CHECK (
        scope NOT IN ('channel_restricted', 'group') OR place IS NOT NULL),
    CONSTRAINT guild_scope_has_space CHECK (scope <> 'guild_public' OR space IS NOT NULL),
    CONSTRAINT global_is_a_public_fact CHECK (
        scope <> 'global' OR (type <> 'episodic' AND sensitivity = 'public')),
    CONSTRAINT self_only_is_the_agents CHECK (scope <> 'self_only' OR cardinality(grants) = 0),
    CONSTRAINT namespaced_is_dm CHECK (NOT is_namespaced OR scope IN ('dm', 'self_only')),
    CONSTRAINT pending_says_why CHECK (status <> 'pending' OR waits_because IS NOT NULL)
);
CREATE UNIQUE INDEX memory_once ON confide.memory (agent, hash)
    WHERE status IN ('approved', 'pending');
CREATE INDEX memory_by_owner ON confide.memory (agent, owner, updated_at DESC, id);
CREATE INDEX memory_by_label ON confide.memory (agent, label_id) WHERE is_live;
CREATE INDEX memory_by_place ON confide.memory (agent, place);
CREATE INDEX memory_by_subject ON confide.memory USING gin (subjects);
ALTER TABLE confide.memory ALTER COLUMN text SET STATISTICS 0;

CREATE TABLE confide.evidence (
    agent text NOT NULL,
    id uuid NOT NULL,
    memory_id uuid NOT NULL,
    speaker text,
    text text NOT NULL,
    said_at timestamptz NOT NULL,
    position integer NOT NULL DEFAULT 0,
    label_id integer NOT NULL,     -- of its origin, for ever
    is_live boolean NOT NULL,
    expires_at timestamptz NOT NULL,
    memory_label_id integer NOT NULL,
    PRIMARY KEY (agent, id),
    FOREIGN KEY (agent, label_id) REFERENCES confide.label (agent, id),
    FOREIGN KEY (agent, memory_id, memory_label_id, is_live, expires_at)
        REFERENCES confide.memory (agent, id, label_id, is_live, expires_at)
        ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX evidence_of_memory ON confide.evidence (agent, memory_id, position);
ALTER TABLE confide.evidence ALTER COLUMN text SET STATISTICS 0;

CREATE TABLE confide.embedding (
    agent text NOT NULL,
    model text NOT NULL,
    memory_id uuid NOT NULL,
    label_id integer NOT NULL,
    is_live boolean NOT NULL,
    expires_at timestamptz NOT NULL,
    vector public.halfvec NOT NULL,
    PRIMARY KEY (agent, memory_id, model),
    -- The copies of label and life can never differ from the memory's own.
    FOREIGN KEY (agent, memory_id, label_id, is_live, expires_at)
        REFERENCES confide.memory (agent, id, label_id, is_live, expires_at)
        ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX embedding_by_label ON confide.embedding (agent, model, label_id)
    INCLUDE (memory_id, expires_at, vector) WHERE is_live;
ALTER TABLE confide.embedding ALTER COLUMN vector SET STATISTICS 0;
ALTER TABLE confide.embedding ALTER COLUMN vector SET STORAGE PLAIN;

CREATE TABLE confide.consent (
    agent text NOT NULL,
    id uuid NOT NULL,
    memory_id uuid NOT NULL,
    grantor text NOT NULL,
    grantee text NOT NULL,         -- an atom
    place text,                    -- an atom: only there
    purpose text,
    reason text,
    granted_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    revoked_at timestamptz,
    PRIMARY KEY (agent, id),
    FOREIGN KEY (agent, memory_id) REFERENCES confide.memory (agent, id) ON DELETE CASCADE
);
CREATE INDEX consent_of_memory ON confide.consent (agent, memory_id) WHERE revoked_at IS NULL;

CREATE TABLE confide.telling (
    agent text NOT NULL,
    id uuid NOT NULL,
    memory_id uuid NOT NULL,
    told_at timestamptz NOT NULL,
    asker text NOT NULL,
    place_kind text NOT NULL,
    place text NOT NULL,
    was_in_prompt boolean NOT NULL,
    PRIMARY KEY (agent, id),
    FOREIGN KEY (agent, memory_id) REFERENCES confide.memory (agent, id) ON DELETE CASCADE
);
CREATE INDEX telling_of_memory ON confide.telling (agent, memory_id, told_at DESC);

CREATE TABLE confide.opt_out (
    agent text NOT NULL,
    entity text NOT NULL,
    since timestamptz NOT NULL,
    is_global_only boolean NOT NULL DEFAULT false,
    PRIMARY KEY (agent, entity)
);
