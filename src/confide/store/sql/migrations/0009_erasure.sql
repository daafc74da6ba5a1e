-- Erasure: who forgot what can still be undone, a ledger that is replayed after a restore, and what
-- is not to be learned again. Nobody's words are here, and people only as keyed hashes.

-- While a soft delete can be undone: which act it was, and what the memory was before.
ALTER TABLE confide.memory
    ADD COLUMN erasure_id uuid,
    ADD COLUMN status_before text;
CREATE INDEX memory_being_erased ON confide.memory (agent, erasure_id)
    WHERE erasure_id IS NOT NULL;
CREATE INDEX memory_told_by ON confide.memory (agent, speaker)
    WHERE speaker IS DISTINCT FROM owner;

-- What the hashes below are made with. A restored ledger may bring the key it was made with.
CREATE TABLE confide.erasure_key (
    agent text NOT NULL,
    id uuid NOT NULL,
    key bytea NOT NULL CHECK (length(key) = 32),
    made_at timestamptz NOT NULL,
    PRIMARY KEY (agent, id)
);

CREATE TABLE confide.erasure (
    agent text NOT NULL,
    id uuid NOT NULL,
    kind text NOT NULL CHECK (kind IN ('memory', 'person', 'place', 'source', 'all')),
    memory_ids uuid[] NOT NULL,    -- which memory; of a person: which others told about them
    key_id uuid NOT NULL,
    target bytea,                  -- which person, place or source
    whose bytea,                   -- only what is theirs; null: everybody's
    is_about_too boolean NOT NULL,  -- also all that others told about the person
    actor bytea NOT NULL,
    erased_at timestamptz NOT NULL,
    final_at timestamptz,          -- null: can still be undone
    memories integer NOT NULL CHECK (memories >= 0),
    PRIMARY KEY (agent, id),
    FOREIGN KEY (agent, key_id) REFERENCES confide.erasure_key (agent, id),
    CONSTRAINT says_what CHECK ((kind IN ('memory', 'all')) = (target IS NULL))
);
CREATE INDEX erasure_open ON confide.erasure (agent, erased_at) WHERE final_at IS NULL;

CREATE TABLE confide.suppression (
    agent text NOT NULL,
    who bytea NOT NULL,            -- whose fact it was, or whom it was about
    what bytea NOT NULL,           -- the fact, however it is put
    key_id uuid NOT NULL,
    erasure_id uuid NOT NULL,
    PRIMARY KEY (agent, who, what),
    FOREIGN KEY (agent, key_id) REFERENCES confide.erasure_key (agent, id)
);
CREATE INDEX suppression_by_erasure ON confide.suppression (agent, erasure_id);

-- What hangs on a memory is found without reading everything.
CREATE INDEX consent_of_any_memory ON confide.consent (agent, memory_id);
CREATE INDEX consent_request_of_memory ON confide.consent_request (agent, memory_id);
CREATE INDEX evidence_by_speaker ON confide.evidence (agent, speaker);

-- Statistics keep samples of what is in a column, for years. Of words there are none.
ALTER TABLE confide.memory ALTER COLUMN attribute SET STATISTICS 0;
ALTER TABLE confide.memory ALTER COLUMN hash SET STATISTICS 0;
ALTER TABLE confide.evidence ALTER COLUMN stated SET STATISTICS 0;
ALTER TABLE confide.journal ALTER COLUMN answer SET STATISTICS 0;
ALTER TABLE confide.consent ALTER COLUMN reason SET STATISTICS 0;
ALTER TABLE confide.consent ALTER COLUMN purpose SET STATISTICS 0;
ALTER TABLE confide.consent_request ALTER COLUMN reason SET STATISTICS 0;
ALTER TABLE confide.consent_request ALTER COLUMN purpose SET STATISTICS 0;
ALTER TABLE confide.generalization ALTER COLUMN note SET STATISTICS 0;
ALTER TABLE confide.account ALTER COLUMN account SET STATISTICS 0;
ALTER TABLE confide.message ALTER COLUMN message_id SET STATISTICS 0;
