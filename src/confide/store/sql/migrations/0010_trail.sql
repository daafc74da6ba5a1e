-- The trail: what was changed or told, when and by whom, without content and without names.
-- Nobody can change or remove an entry; seals link them, so that doing it anyway is found.

-- The only place that says who is behind a pseudonym. Erasing the row makes every entry about
-- them point to nobody, and the hashes that were made with its key comparable with nothing.
CREATE TABLE confide.trail_name (
    agent text NOT NULL,
    name text NOT NULL,            -- an entity, or `place:` and the id of a place
    pseudonym uuid NOT NULL,
    key bytea NOT NULL CHECK (length(key) = 32),
    PRIMARY KEY (agent, name),
    UNIQUE (agent, pseudonym)
);

CREATE TABLE confide.trail (
    agent text NOT NULL,
    seq bigint GENERATED ALWAYS AS IDENTITY,
    at timestamptz NOT NULL,
    proof text NOT NULL,           -- operator, platform, key; agent: the program by itself
    actor uuid,                    -- pseudonym
    doing text,                    -- the verb
    what text NOT NULL,            -- memory, telling, consent, …
    action text NOT NULL,          -- what became of it
    memory_id uuid,
    owner uuid,                    -- pseudonym of whose it is
    place uuid,                    -- pseudonym
    workspace bytea,               -- made with the owner's key
    before bytea,                  -- made with the keys of all it concerns
    after bytea,
    PRIMARY KEY (agent, seq)
);
CREATE INDEX trail_of_memory ON confide.trail (agent, memory_id, seq) WHERE memory_id IS NOT NULL;
CREATE INDEX trail_of_owner ON confide.trail (agent, owner, seq);
CREATE INDEX trail_of_actor ON confide.trail (agent, actor, seq) WHERE actor IS NOT NULL;

-- Each seal covers the entries up to `last_seq` that the one before did not, and names that one.
CREATE TABLE confide.trail_seal (
    agent text NOT NULL,
    number bigint NOT NULL CHECK (number > 0),
    last_seq bigint NOT NULL,
    entries bigint NOT NULL CHECK (entries > 0),
    digest bytea NOT NULL,
    previous bytea NOT NULL,
    hash bytea NOT NULL,
    sealed_at timestamptz NOT NULL,
    PRIMARY KEY (agent, number)
);
