-- Who asked last, and where: so that "why?" is answered about the last question also if nothing was
-- told. The question itself is not here.
ALTER TABLE confide.asked
    ADD COLUMN seq bigint GENERATED ALWAYS AS IDENTITY,
    ADD COLUMN asker text,  -- null: of who is off the record or was erased, and from before
    ADD COLUMN place text,
    ADD CONSTRAINT asked_by_somebody_somewhere CHECK ((asker IS NULL) = (place IS NULL));
CREATE INDEX asked_by ON confide.asked (agent, asker, place, seq DESC) WHERE asker IS NOT NULL;
ALTER TABLE confide.telling ADD COLUMN asked_id uuid;  -- which question it answered

DROP FUNCTION IF EXISTS confide.log_tellings(text, uuid[], timestamptz, text, text, text);
