-- open
-- An answer that was written down and not applied yet.
SELECT j.id, j.first_seq, j.last_seq, j.extractor, j.answer FROM confide.journal j
WHERE j.agent = $1 AND j.session_id = $2 AND j.applied_at IS NULL;

-- write
-- What an extractor found in a range of messages, before any of it counts.
INSERT INTO confide.journal (
    agent, id, session_id, first_seq, last_seq, extractor, answer, answered_at)
VALUES ($1, $2, $3, $4, $5, $6, $7::jsonb, $8);

-- close
-- The answer was applied. Its words are not needed any more.
UPDATE confide.journal SET answer = NULL, applied_at = $3
WHERE agent = $1 AND id = $2 AND applied_at IS NULL;

-- discard
-- An answer about words that have changed since.
DELETE FROM confide.journal WHERE agent = $1 AND session_id = $2 AND applied_at IS NULL;

-- discard_in_place
-- Answers that may hold words of a message that changed.
DELETE FROM confide.journal j USING confide.session s
WHERE j.agent = $1 AND j.applied_at IS NULL AND s.agent = j.agent AND s.id = j.session_id
  AND s.place = $2;

-- purge
-- Answers nobody came back for leave with the words they are about; old keys with their evidence.
DELETE FROM confide.journal j WHERE j.agent = $1 AND j.answered_at < $2;
