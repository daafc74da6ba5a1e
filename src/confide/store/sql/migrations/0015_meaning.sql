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
-- The names of its people are words of another kind, so they lie among them, under other numbers.
UPDATE confide.words SET terms = (
    SELECT ('{' || string_agg(trim(both '{}' FROM split_part(part, '/', 1)), ',') || '}/'
        || split_part(terms::text, '/', 2))::public.sparsevec
    FROM unnest(ARRAY[terms::text, people::text]) AS part WHERE part NOT LIKE '{}/%')
WHERE is_own AND part = 0 AND people::text NOT LIKE '{}/%';
ALTER TABLE confide.words DROP COLUMN people;
ALTER TABLE confide.words ADD CONSTRAINT a_memory_has_one_meaning
    CHECK ((is_own AND part = 0) = (vector IS NOT NULL));
-- One row of each memory, and as little in it as can be: every question reads all that may be told.
CREATE INDEX meaning_by_label ON confide.words (agent, label_id)
    INCLUDE (memory_id, expires_at, author, length, terms, vector)
    WHERE is_live AND is_own AND part = 0;
CREATE INDEX further_words_by_label ON confide.words (agent, label_id)
    INCLUDE (memory_id, part, is_own, before_label_id, earlier_label_id, expires_at, author, length,
        terms)
    WHERE is_live AND NOT (is_own AND part = 0);

-- What a search carries on of a row: bits for what it shares with the question.
CREATE TYPE confide.fit AS (
    memory_id uuid, author integer, length integer, shared bigint, similarity float8);
