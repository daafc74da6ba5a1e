-- A request can be for any act that a key may only ask for, not for a consent alone.

ALTER TABLE confide.consent_request ALTER COLUMN grantee DROP NOT NULL;
ALTER TABLE confide.consent_request
    ADD COLUMN act text NOT NULL DEFAULT 'consent',
    ADD COLUMN target text,        -- what the act is about, where that is no memory
    ADD COLUMN words text,         -- what a memory should say instead
    ADD CONSTRAINT consent_names_a_grantee CHECK (act <> 'consent' OR grantee IS NOT NULL);
ALTER TABLE confide.consent_request ALTER COLUMN words SET STATISTICS 0;
