-- Rooms of an import, and who somebody in a file is said to be.

-- Opens nothing until that person, or the operator in their name, confirms it.
CREATE TABLE confide.claim (
    agent text NOT NULL,
    id uuid NOT NULL,
    someone text NOT NULL,         -- in the file
    account text NOT NULL,         -- whose account that is said to be
    importer text NOT NULL,
    platform text NOT NULL,
    is_in_person boolean NOT NULL, -- the importer's own act; the word of a key opens nothing, ever
    claimed_at timestamptz NOT NULL,
    confirmed_at timestamptz,
    refused_at timestamptz,
    PRIMARY KEY (agent, id),
    UNIQUE (agent, someone),
    FOREIGN KEY (agent, someone) REFERENCES confide.someone (agent, entity) ON DELETE CASCADE
);
CREATE INDEX claim_on ON confide.claim (agent, account);
CREATE INDEX message_author ON confide.message (agent, author) WHERE author IS NOT NULL;
