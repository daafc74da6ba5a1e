-- The built-in model's vector lies beside the words, so that one look at one row says how well a
-- memory fits a question, by words and by meaning. Vectors of further models stay where they are.

ALTER TABLE confide.words NO FORCE ROW LEVEL SECURITY;
ALTER TABLE confide.embedding NO FORCE ROW LEVEL SECURITY;
ALTER TABLE confide.words ADD COLUMN vector public.halfvec;
ALTER TABLE confide.words ALTER COLUMN vector SET STORAGE PLAIN;
ALTER TABLE confide.words ALTER COLUMN vector SET STATISTICS 0;
DROP INDEX confide.words_by_label;
UPDATE confide.words w SET vector = e.vector FROM confide.embedding e
WHERE e.agent = w.agent AND e.memory_id = w.memory_id AND e.model = 'wordllama-l2-supercat-256'
  AND w.is_own AND w.part = 0;
DELETE FROM confide.embedding WHERE model = 'wordllama-l2-supercat-256';
-- What lacks one of the two is written anew by `confide doctor --fix`.
DELETE FROM confide.words WHERE is_own AND part = 0 AND vector IS NULL;
ALTER TABLE confide.words ADD CONSTRAINT a_memory_has_one_meaning
    CHECK ((is_own AND part = 0) = (vector IS NOT NULL));
CREATE INDEX meaning_by_label ON confide.words (agent, label_id)
    INCLUDE (memory_id, part, is_own, before_label_id, earlier_label_id, expires_at, author, length,
        terms, people, vector)
    WHERE is_live;
