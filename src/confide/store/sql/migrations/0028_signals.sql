-- What a recall looks for lies in one row of each memory: beside its words also its kind, and the words of
-- what its author is called now. So nobody's name has to be looked up, and those who bear the same name
-- where nothing of them may be heard cost nothing.

ALTER TABLE confide.words NO FORCE ROW LEVEL SECURITY;
ALTER TABLE confide.memory NO FORCE ROW LEVEL SECURITY;
ALTER TABLE confide.person NO FORCE ROW LEVEL SECURITY;
ALTER TABLE confide.name_term NO FORCE ROW LEVEL SECURITY;
-- Nobody did anything, so the trail has nothing to say.
ALTER TABLE confide.person DISABLE TRIGGER USER;
ALTER TABLE confide.words DISABLE TRIGGER USER;

-- The words of the name as the numbers that words have; null where none were made.
ALTER TABLE confide.person ADD COLUMN called integer[];
ALTER TABLE confide.person ALTER COLUMN called SET STATISTICS 0;
UPDATE confide.person p SET called = ARRAY(
    SELECT t.term % 1000000000 + 1 FROM confide.name_term t
    WHERE t.agent = p.agent AND t.entity = p.entity ORDER BY t.term)
WHERE p.terms_version IS NOT NULL;

UPDATE confide.words w SET terms = (
    SELECT ('{' || string_agg(k.key || ':1', ',' ORDER BY k.key) || '}/1000000000')::public.sparsevec
    FROM (
        SELECT split_part(one, ':', 1)::integer AS key
        FROM regexp_split_to_table(trim(both '{}' FROM split_part(w.terms::text, '/', 1)), ',') AS one
        WHERE one <> ''
        UNION
        SELECT CASE m.kind WHEN 'preference' THEN 772982162
        WHEN 'identity' THEN 219596539
        WHEN 'relationship' THEN 753171805
        WHEN 'knowledge' THEN 322369828
        WHEN 'context' THEN 403503691
        WHEN 'event' THEN 972103077
        WHEN 'task' THEN 564744797
        WHEN 'observation' THEN 966247896 END
        UNION
        SELECT unnest(p.called)) AS k)
FROM confide.memory m
LEFT JOIN confide.person p ON p.agent = m.agent AND p.entity = COALESCE(m.speaker, m.owner)
WHERE w.agent = m.agent AND w.memory_id = m.id AND w.is_own AND w.part = 0;

ALTER TABLE confide.person ENABLE TRIGGER USER;
ALTER TABLE confide.words ENABLE TRIGGER USER;
DROP INDEX confide.name_term_of_person;
DROP TABLE confide.name_term;
-- With the functions that carried them from one step of a search to the next.
DROP TYPE confide.fit CASCADE;
DROP TYPE confide.found CASCADE;
