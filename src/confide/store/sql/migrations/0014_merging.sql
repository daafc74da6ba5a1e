-- Memories merged by a language model: what each was made of, and what the model answered before any
-- of it counts. And the space that a model's work was for, so that a space can have a budget.

-- The parts stay, superseded by the merged memory. If one goes the others hold again (merging.sql).
CREATE TABLE confide.merged_part (
    agent text NOT NULL,
    merged_id uuid NOT NULL,
    part_id uuid NOT NULL,
    PRIMARY KEY (agent, merged_id, part_id),
    CONSTRAINT no_part_of_itself CHECK (merged_id <> part_id)
);
CREATE INDEX merged_part_of ON confide.merged_part (agent, part_id);

-- Two memories that a model was asked about. The hashes cover text, label, kind and namespace.
CREATE TABLE confide.merging (
    agent text NOT NULL,
    newer uuid NOT NULL,
    older uuid NOT NULL,
    newer_hash bytea NOT NULL,
    older_hash bytea NOT NULL,
    asked_at timestamptz NOT NULL,
    answer jsonb,                  -- null until it came, and again once it was applied
    decided_at timestamptz,
    outcome text,                  -- what became of it, without content
    PRIMARY KEY (agent, newer, older),
    FOREIGN KEY (agent, newer) REFERENCES confide.memory (agent, id) ON DELETE CASCADE,
    FOREIGN KEY (agent, older) REFERENCES confide.memory (agent, id) ON DELETE CASCADE,
    CONSTRAINT decided_says_what CHECK ((decided_at IS NULL) = (outcome IS NULL)),
    CONSTRAINT decided_keeps_no_words CHECK (decided_at IS NULL OR answer IS NULL)
);
CREATE INDEX merging_of_older ON confide.merging (agent, older);
CREATE INDEX merging_open ON confide.merging (agent, asked_at) WHERE decided_at IS NULL;

-- What is new is looked at once for something alike. Rows come in the order of time, so this is small.
CREATE INDEX memory_by_creation ON confide.memory USING brin (created_at)
    WITH (pages_per_range = 32, autosummarize = on);
CREATE TABLE confide.merge_seen (
    agent text NOT NULL,
    memory_id uuid NOT NULL,
    PRIMARY KEY (agent, memory_id),
    FOREIGN KEY (agent, memory_id) REFERENCES confide.memory (agent, id) ON DELETE CASCADE
);

ALTER TABLE confide.usage ADD COLUMN space text;
