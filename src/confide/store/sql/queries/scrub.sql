-- tables
-- Every table of the schema.
SELECT c.relname AS name FROM pg_class c
WHERE c.relnamespace = 'confide'::regnamespace AND c.relkind IN ('r', 'm') ORDER BY c.relname;

-- unused_labels
-- Labels of nothing: they name people whom nothing is kept of any more.
SELECT l.agent, l.id FROM confide.label l
WHERE NOT EXISTS (SELECT FROM confide.memory m WHERE m.agent = l.agent AND m.label_id = l.id)
  AND NOT EXISTS (SELECT FROM confide.evidence e WHERE e.agent = l.agent AND e.label_id = l.id)
  AND NOT EXISTS (SELECT FROM confide.message m WHERE m.agent = l.agent AND m.label_id = l.id)
  AND NOT EXISTS (SELECT FROM confide.words w WHERE w.agent = l.agent
      AND w.before_label_id = l.id)
  AND NOT EXISTS (SELECT FROM confide.words w WHERE w.agent = l.agent
      AND w.earlier_label_id = l.id);

-- drop_doors
-- The doors of labels that go.
DELETE FROM confide.label_door d USING unnest($1::text[], $2::integer[]) AS g (agent, id)
WHERE d.agent = g.agent AND d.label_id = g.id;

-- drop_labels
-- Labels of nothing.
DELETE FROM confide.label l USING unnest($1::text[], $2::integer[]) AS g (agent, id)
WHERE l.agent = g.agent AND l.id = g.id;

-- drop_terms
-- What clauses say that are in no label.
DELETE FROM confide.clause_term t
WHERE NOT EXISTS (
    SELECT FROM (SELECT l.agent, unnest(l.clauses) AS id FROM confide.label l) AS used
    WHERE used.agent = t.agent AND used.id = t.clause_id);

-- drop_clauses
-- Clauses that are in no label.
DELETE FROM confide.clause c
WHERE NOT EXISTS (
    SELECT FROM (SELECT l.agent, unnest(l.clauses) AS id FROM confide.label l) AS used
    WHERE used.agent = c.agent AND used.id = c.id);

-- old_snapshots
-- Others who may still see what was erased, so that rewriting keeps it.
SELECT count(*) FROM pg_stat_activity
WHERE backend_xmin IS NOT NULL AND pid <> pg_backend_pid() AND datname = current_database();
