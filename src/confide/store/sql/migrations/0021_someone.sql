-- People whom only one speaker knows. Their ids are random, so that nobody finds a name by guessing,
-- and no key speaks for them. Ids made the old way are replaced when the store is opened or restored.

CREATE TABLE confide.someone (
    agent text NOT NULL,
    speaker text NOT NULL,         -- who calls them so
    name text NOT NULL CHECK (name <> '' AND length(name) <= 128),  -- in one spelling
    entity text NOT NULL CHECK (entity ~ '^someone:[0-9a-f]{32}$'),
    called text NOT NULL CHECK (called <> '' AND length(called) <= 128),  -- as it was said
    relation text CHECK (relation <> '' AND length(relation) <= 64),  -- to the speaker
    created_at timestamptz NOT NULL,
    PRIMARY KEY (agent, speaker, name),
    UNIQUE (agent, entity)
);
ALTER TABLE confide.someone ALTER COLUMN name SET STATISTICS 0;
ALTER TABLE confide.someone ALTER COLUMN called SET STATISTICS 0;

-- Whether somebody still has words in an import.
CREATE INDEX message_of_someone ON confide.message (agent, speaker) WHERE speaker LIKE 'someone:%';

-- Empty once every id is random.
CREATE INDEX person_of_old_id ON confide.person (agent, entity) WHERE entity LIKE '%:local.%';
