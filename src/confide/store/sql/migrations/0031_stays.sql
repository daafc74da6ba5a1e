-- A leaving counts also after somebody came back: a join that is older than it brings nobody into
-- another room of the same space. And a place that opened knows since when it is open.
ALTER TABLE confide.departed ADD COLUMN back_at timestamptz;  -- null: still away
ALTER TABLE confide.place
    ADD COLUMN opened_at timestamptz NOT NULL DEFAULT '1970-01-01 00:00:00+00';

ALTER TABLE confide.place NO FORCE ROW LEVEL SECURITY;
ALTER TABLE confide.place DISABLE TRIGGER USER;
-- When those opened that are open again is not known: what arrives late was said before.
UPDATE confide.place SET opened_at = now() WHERE id <> platform_id;
ALTER TABLE confide.place ENABLE TRIGGER USER;
