-- What was merged from something that is gone goes too, and what else it was made of holds again.
-- Whoever erases a merged memory erases its parts: forgotten is forgotten. It is stated here, so that
-- no way of erasing can miss it.

CREATE FUNCTION confide.take_apart(of_agent text, merged uuid) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, confide AS $$
DECLARE above uuid;
BEGIN
    FOR above IN SELECT p.merged_id FROM confide.merged_part p
        WHERE p.agent = of_agent AND p.part_id = merged
    LOOP
        PERFORM confide.take_apart(of_agent, above);
    END LOOP;
    -- The words of a merged memory may be those of a part, and no two may be the same.
    UPDATE confide.memory m SET hash = sha256(m.id::text::bytea)
    WHERE m.agent = of_agent AND m.id = merged;
    UPDATE confide.memory m
    SET status = w.status, superseded_by = w.superseded_by, deleted_at = w.deleted_at,
        waits_because = w.waits_because
    FROM confide.memory w, confide.merged_part p
    WHERE w.agent = of_agent AND w.id = merged AND p.agent = of_agent AND p.merged_id = merged
      AND m.agent = of_agent AND m.id = p.part_id AND m.superseded_by = merged
      AND NOT EXISTS (
          SELECT FROM confide.memory o WHERE o.agent = of_agent AND o.hash = m.hash
          AND o.id <> m.id AND o.status IN ('approved', 'pending'));
    DELETE FROM confide.merged_part p WHERE p.agent = of_agent AND p.merged_id = merged;
    -- Insights made from words that are gone go with them.
    DELETE FROM confide.memory m WHERE m.agent = of_agent AND m.id IN (
        WITH RECURSIVE made AS (
            SELECT merged AS id
            UNION
            SELECT l.memory_id FROM confide.lineage l JOIN made ON l.source_id = made.id
            WHERE l.agent = of_agent)
        SELECT made.id FROM made);
END $$;

CREATE FUNCTION confide.after_erasing() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, confide AS $$
DECLARE
    broken record;
    parts uuid[];
    of_agent text;
BEGIN
    FOR broken IN SELECT DISTINCT p.agent, p.merged_id FROM gone g
        JOIN confide.merged_part p ON p.agent = g.agent AND p.part_id = g.id
        JOIN confide.memory m ON m.agent = p.agent AND m.id = p.merged_id
    LOOP
        PERFORM confide.take_apart(broken.agent, broken.merged_id);
    END LOOP;
    FOR of_agent IN SELECT DISTINCT g.agent FROM gone g LOOP
        WITH orphaned AS (
            DELETE FROM confide.merged_part p USING gone g
            WHERE p.agent = of_agent AND g.agent = of_agent AND p.merged_id = g.id
            RETURNING p.part_id)
        SELECT array_agg(o.part_id) INTO parts FROM orphaned o;
        IF parts IS NOT NULL THEN
            DELETE FROM confide.memory m WHERE m.agent = of_agent AND m.id = ANY (parts);
        END IF;
    END LOOP;
    RETURN NULL;
END $$;

CREATE FUNCTION confide.after_erasing_evidence() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, confide AS $$
DECLARE broken record;
BEGIN
    FOR broken IN SELECT DISTINCT p.agent, p.merged_id FROM gone g
        JOIN confide.merged_part p ON p.agent = g.agent AND p.part_id = g.memory_id
    LOOP
        PERFORM confide.take_apart(broken.agent, broken.merged_id);
    END LOOP;
    RETURN NULL;
END $$;

CREATE TRIGGER after_erasing AFTER DELETE ON confide.memory
    REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION confide.after_erasing();
CREATE TRIGGER after_erasing AFTER DELETE ON confide.evidence
    REFERENCING OLD TABLE AS gone FOR EACH STATEMENT
    EXECUTE FUNCTION confide.after_erasing_evidence();

-- The telling role has no business here.
DO $$
DECLARE t text;
BEGIN
    FOREACH t IN ARRAY ARRAY['merged_part', 'merging', 'merge_seen']
    LOOP
        EXECUTE format('ALTER TABLE confide.%I ENABLE ROW LEVEL SECURITY', t);
        EXECUTE format('ALTER TABLE confide.%I FORCE ROW LEVEL SECURITY', t);
        EXECUTE format('DROP POLICY IF EXISTS keep ON confide.%I', t);
        EXECUTE format('CREATE POLICY keep ON confide.%I TO confide_keep '
            'USING (agent = (SELECT confide.this_agent())) '
            'WITH CHECK (agent = (SELECT confide.this_agent()))', t);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON confide.%I TO confide_keep', t);
    END LOOP;
END $$;
