-- every
-- The tables that hold agents' rows: columns that can be written, the primary key, and the tables
-- that must have their rows first.
SELECT c.relname AS name,
    ARRAY(SELECT a.attname::text FROM pg_attribute a
          WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
          ORDER BY a.attnum) AS columns,
    ARRAY(SELECT a.attname::text FROM pg_index i, unnest(i.indkey) WITH ORDINALITY AS k (n, at)
          JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.n
          WHERE i.indrelid = c.oid AND i.indisprimary ORDER BY k.at) AS key,
    ARRAY(SELECT DISTINCT r.relname::text FROM pg_constraint f JOIN pg_class r ON r.oid = f.confrelid
          WHERE f.conrelid = c.oid AND f.contype = 'f') AS needs
FROM pg_class c
WHERE c.relnamespace = 'confide'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
  AND EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'agent')
ORDER BY c.relname;

-- counters
-- Columns that number their rows, and the sequences they take the numbers from.
SELECT c.relname AS name, a.attname AS column,
    pg_get_serial_sequence(format('confide.%I', c.relname), a.attname) AS sequence
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attidentity <> ''
WHERE c.relnamespace = 'confide'::regnamespace AND c.relkind IN ('r', 'p')
ORDER BY c.relname;

-- agents
-- Every agent that something is kept of.
SELECT agent FROM confide.label
UNION SELECT agent FROM confide.opt_out
UNION SELECT agent FROM confide.erasure
ORDER BY agent;
