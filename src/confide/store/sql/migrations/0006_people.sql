-- Who is who, what contexts are entered as, what was generalized from what, and stacks of memories
-- that agents give each other.

-- What one speaker calls somebody. It helps to understand them and gives access to nothing.
CREATE TABLE confide.alias (
    agent text NOT NULL,
    speaker text NOT NULL,
    alias text NOT NULL CHECK (alias <> '' AND length(alias) <= 128),
    entity text NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (agent, speaker, alias)
);
CREATE INDEX alias_of_entity ON confide.alias (agent, entity);
ALTER TABLE confide.alias ALTER COLUMN alias SET STATISTICS 0;

-- How two belong together, as a memory says it: seen by whoever hears that memory.
CREATE TABLE confide.relationship (
    agent text NOT NULL,
    entity text NOT NULL,
    relation text NOT NULL CHECK (relation <> '' AND length(relation) <= 64),
    other text NOT NULL,
    memory_id uuid NOT NULL,
    said_by text NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (agent, entity, relation, other, memory_id),
    FOREIGN KEY (agent, memory_id) REFERENCES confide.memory (agent, id) ON DELETE CASCADE
);
CREATE INDEX relationship_of_other ON confide.relationship (agent, other);
CREATE INDEX relationship_from ON confide.relationship (agent, memory_id);
ALTER TABLE confide.relationship ALTER COLUMN relation SET STATISTICS 0;

-- The platform account that proves who somebody is.
CREATE TABLE confide.account (
    agent text NOT NULL,
    platform text NOT NULL,
    account text NOT NULL,
    entity text NOT NULL,
    attested_by text NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (agent, platform, account)
);
CREATE INDEX account_of_entity ON confide.account (agent, entity);

-- Two identities that may be one person: proposed by somebody, confirmed by both, ended by either.
CREATE TABLE confide.merge (
    agent text NOT NULL,
    id uuid NOT NULL,
    one text NOT NULL,
    other text NOT NULL,
    evidence text NOT NULL CHECK (length(evidence) <= 1024),
    proposed_by text NOT NULL,
    proposed_at timestamptz NOT NULL,
    one_confirmed_at timestamptz,
    other_confirmed_at timestamptz,
    ended_at timestamptz,
    ended_by text,
    PRIMARY KEY (agent, id),
    CONSTRAINT two_identities CHECK (one <> other)
);
CREATE UNIQUE INDEX merge_open ON confide.merge (agent, LEAST(one, other), GREATEST(one, other))
    WHERE ended_at IS NULL;
ALTER TABLE confide.merge ALTER COLUMN evidence SET STATISTICS 0;

-- The confirmed ones, in both directions: what the rule reads.
CREATE TABLE confide.same_person (
    agent text NOT NULL,
    entity text NOT NULL,
    other text NOT NULL,
    merge_id uuid NOT NULL,
    PRIMARY KEY (agent, entity, other),
    FOREIGN KEY (agent, merge_id) REFERENCES confide.merge (agent, id) ON DELETE CASCADE
);

-- As what somebody takes part in a context. It describes, and gives access to nothing.
CREATE TABLE confide.participant (
    agent text NOT NULL,
    place text NOT NULL,
    entity text NOT NULL,
    role text,
    entered_at timestamptz NOT NULL,
    PRIMARY KEY (agent, place, entity),
    FOREIGN KEY (agent, place) REFERENCES confide.place (agent, id) ON DELETE CASCADE
);

-- An insight made from private memories, and what a reviewer said about it.
CREATE TABLE confide.generalization (
    agent text NOT NULL,
    memory_id uuid NOT NULL,
    grants text[] NOT NULL CHECK (cardinality(grants) > 0),  -- whom it is meant for, once approved
    note text NOT NULL,
    proposed_by text NOT NULL,
    proposed_at timestamptz NOT NULL,
    reviewed_by text,
    reviewed_at timestamptz,
    is_approved boolean NOT NULL,
    PRIMARY KEY (agent, memory_id),
    FOREIGN KEY (agent, memory_id) REFERENCES confide.memory (agent, id) ON DELETE CASCADE
);

CREATE TABLE confide.lineage (
    agent text NOT NULL,
    memory_id uuid NOT NULL,
    source_id uuid NOT NULL,
    PRIMARY KEY (agent, memory_id, source_id),
    FOREIGN KEY (agent, memory_id) REFERENCES confide.memory (agent, id) ON DELETE CASCADE,
    FOREIGN KEY (agent, source_id) REFERENCES confide.memory (agent, id) ON DELETE CASCADE
);
CREATE INDEX lineage_of_source ON confide.lineage (agent, source_id);

-- How often a stack was made for, or taken from, another agent: an old one is not taken again.
CREATE TABLE confide.stack_serial (
    agent text NOT NULL,
    direction text NOT NULL CHECK (direction IN ('to', 'from')),
    peer text NOT NULL,
    serial bigint NOT NULL,
    moved_at timestamptz NOT NULL,
    PRIMARY KEY (agent, direction, peer)
);

CREATE TABLE confide.stacked (
    agent text NOT NULL,
    memory_id uuid NOT NULL,
    peer text NOT NULL,
    PRIMARY KEY (agent, memory_id),
    FOREIGN KEY (agent, memory_id) REFERENCES confide.memory (agent, id) ON DELETE CASCADE
);
CREATE INDEX stacked_from ON confide.stacked (agent, peer);
