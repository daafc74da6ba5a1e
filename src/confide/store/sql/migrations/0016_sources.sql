-- Where words came from: every file that was taken in, and which messages it brought. How many those
-- are is counted when somebody asks, so that what is erased is in no number either.

CREATE TABLE confide.batch (
    agent text NOT NULL,
    id uuid NOT NULL,
    platforms text[] NOT NULL,     -- as its messages name them
    file_name text NOT NULL,       -- without its folder; -: standard input; empty: erased
    digest bytea NOT NULL CHECK (length(digest) = 32),  -- sha-256 of its bytes
    proof text NOT NULL,           -- how whoever gave it was known; empty: they were erased
    given_by text,                 -- null: whoever runs the agent
    first_given_at timestamptz NOT NULL,
    last_given_at timestamptz NOT NULL,
    times_given integer NOT NULL DEFAULT 1 CHECK (times_given > 0),
    finished_at timestamptz,       -- null: cut off; giving it again goes on with it
    lines integer NOT NULL CHECK (lines >= 0),
    refused integer NOT NULL DEFAULT 0 CHECK (refused >= 0),
    PRIMARY KEY (agent, id),
    CONSTRAINT no_folder CHECK (file_name !~ '[/\\]')
);
-- The same bytes from somebody else are another batch: nobody learns what others gave.
CREATE UNIQUE INDEX batch_once ON confide.batch (agent, digest, proof, given_by, platforms)
    NULLS NOT DISTINCT WHERE proof <> '';
ALTER TABLE confide.batch ALTER COLUMN file_name SET STATISTICS 0;
ALTER TABLE confide.batch ALTER COLUMN digest SET STATISTICS 0;

ALTER TABLE confide.message ADD COLUMN batch_id uuid;  -- null: said while the agent was there
ALTER TABLE confide.message ADD FOREIGN KEY (agent, batch_id) REFERENCES confide.batch (agent, id);
CREATE INDEX message_of_batch ON confide.message (agent, batch_id, speaker)
    WHERE batch_id IS NOT NULL;
