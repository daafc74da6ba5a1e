-- What people are called now. A name gives no access to anything.
CREATE TABLE confide.person (
    agent text NOT NULL,
    entity text NOT NULL,
    display_name text NOT NULL CHECK (display_name <> '' AND length(display_name) <= 128),
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (agent, entity)
);
ALTER TABLE confide.person ALTER COLUMN display_name SET STATISTICS 0;
