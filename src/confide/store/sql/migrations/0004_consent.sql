-- Consent beyond one memory, who confirms for whom, and what was asked of whom.

ALTER TABLE confide.consent ALTER COLUMN memory_id DROP NOT NULL;
ALTER TABLE confide.consent
    ADD COLUMN subject text,       -- only what is about them
    ADD COLUMN origin text,        -- only what was said in this place
    ADD COLUMN given_by text,      -- the guardian, where that is not the grantor
    ADD CONSTRAINT consent_says_what_for CHECK (
        memory_id IS NOT NULL OR subject IS NOT NULL OR origin IS NOT NULL);
CREATE INDEX consent_standing ON confide.consent (agent, grantor)
    WHERE memory_id IS NULL AND revoked_at IS NULL;

CREATE TABLE confide.guardian (
    agent text NOT NULL,
    child text NOT NULL,
    guardian text NOT NULL,
    since timestamptz NOT NULL,
    registered_by text NOT NULL,
    PRIMARY KEY (agent, child, guardian),
    CONSTRAINT nobody_guards_themselves CHECK (child <> guardian)
);

CREATE TABLE confide.consent_request (
    agent text NOT NULL,
    id uuid NOT NULL,
    memory_id uuid,
    subject text,
    origin text,
    grantor text NOT NULL,         -- whose yes is needed
    grantee text NOT NULL,
    place text,
    purpose text,
    reason text,
    asked_by text NOT NULL,
    asked_at timestamptz NOT NULL,
    answered_at timestamptz,
    is_granted boolean,
    PRIMARY KEY (agent, id),
    FOREIGN KEY (agent, memory_id) REFERENCES confide.memory (agent, id) ON DELETE CASCADE
);
CREATE INDEX consent_request_open ON confide.consent_request (agent, grantor)
    WHERE answered_at IS NULL;
