-- holes
-- Known ways in which row-level security does nothing; each row names one that is open here.
-- Asked with a bare search_path, so that every name that is read back has its schema.
WITH RECURSIVE shown (oid) AS (
    -- The tables with all that anybody said, and whatever reads from them, in any schema.
    SELECT c.oid FROM pg_class c
    WHERE c.relnamespace = 'confide'::regnamespace AND c.relkind IN ('r', 'p')
      AND c.relname NOT IN ('migration', 'policy_version')
    UNION
    SELECT w.ev_class
    FROM shown s
    JOIN pg_depend d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = s.oid
        AND d.classid = 'pg_rewrite'::regclass
    JOIN pg_rewrite w ON w.oid = d.objid
), policy AS (
    SELECT p.polname AS name, p.polrelid, c.relname AS about, p.polcmd, p.polpermissive,
        p.polroles, p.polqual, p.polqual::text AS shows, p.polwithcheck::text AS takes
    FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid
    WHERE c.relnamespace = 'confide'::regnamespace
)
SELECT format('role %s is superuser or bypasses row-level security', rolname) AS hole
FROM pg_roles
WHERE rolname IN ('confide_tell', 'confide_keep', 'confide_migrate', 'confide_owner')
  AND (rolsuper OR rolbypassrls)
UNION ALL
SELECT format('table %s has no forced row-level security', c.relname)
FROM pg_class c
WHERE c.relnamespace = 'confide'::regnamespace AND c.relkind IN ('r', 'p')
  AND c.relname NOT IN ('migration', 'policy_version')
  AND NOT (c.relrowsecurity AND c.relforcerowsecurity)
UNION ALL
SELECT format('table %s is owned by %s', c.relname, r.rolname)
FROM pg_class c JOIN pg_roles r ON r.oid = c.relowner
WHERE c.relnamespace = 'confide'::regnamespace AND c.relkind IN ('r', 'p')
  AND r.rolname <> 'confide_owner'
UNION ALL
SELECT format('function %s runs with its owner''s rights', p.oid::regprocedure)
FROM pg_proc p
-- What a body reads is known only if it was parsed; of others, the text has to do.
WHERE p.prosecdef AND (
    p.pronamespace = 'confide'::regnamespace
    OR p.prosrc ~* '\mconfide\M' OR p.proconfig::text ~* '\mconfide\M'
    OR EXISTS (
        SELECT FROM pg_depend d JOIN shown s ON s.oid = d.refobjid
        WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid
          AND d.refclassid = 'pg_class'::regclass))
UNION ALL
SELECT format('function %s is marked immutable', p.proname)
FROM pg_proc p
WHERE p.pronamespace = 'confide'::regnamespace AND p.provolatile = 'i'
UNION ALL
SELECT format('function %s does not take the role %s', p.proname, takes.role)
FROM pg_proc p
JOIN (VALUES ('read_at', 'confide_tell'),
    ('log_tellings', 'confide_keep'), ('renew_lease', 'confide_keep')) AS takes (name, role)
    ON takes.name = p.proname
WHERE p.pronamespace = 'confide'::regnamespace
  AND format('role=%s', takes.role) <> ALL (COALESCE(p.proconfig, '{}'))
UNION ALL
SELECT format('view %s shows rows with its owner''s rights', c.oid::regclass)
FROM pg_class c
WHERE c.relkind IN ('v', 'm') AND c.oid IN (SELECT oid FROM shown)
  AND NOT EXISTS (
      SELECT FROM unnest(c.reloptions) o WHERE o ~* '^security_invoker=(true|on|yes|1)$')
UNION ALL
SELECT format('index %s on %s says by refusing that something is kept', i.relname, t.relname)
FROM pg_index x
JOIN pg_class i ON i.oid = x.indexrelid
JOIN pg_class t ON t.oid = x.indrelid
WHERE t.relnamespace = 'confide'::regnamespace AND (x.indisunique OR x.indisexclusion)
  AND t.relname IN ('memory', 'evidence', 'embedding', 'words', 'message', 'journal')
  AND (t.relname, (
      SELECT string_agg(pg_get_indexdef(x.indexrelid, n, true), ', ' ORDER BY n)
      FROM generate_series(1, x.indnkeyatts::integer) n)) NOT IN (VALUES
      ('memory', 'agent, id'), ('memory', 'agent, id, label_id, is_live, expires_at'),
      ('memory', 'agent, hash'),  -- the hash is of the label, too
      ('evidence', 'agent, id'),
      ('evidence', 'agent, journal_id, journal_position, message_id'),
      ('embedding', 'agent, memory_id, model'), ('words', 'agent, memory_id, is_own, part'),
      ('message', 'agent, id'), ('message', 'agent, platform, message_id'),
      ('journal', 'agent, id'), ('journal', 'agent, session_id'))
UNION ALL
-- It would hold whenever a transaction forgets to enter, and come back when one ends.
SELECT format('%s is set for %s before anybody enters',
    split_part(one.setting, '=', 1), COALESCE(r.rolname, 'everyone'))
FROM pg_db_role_setting s
LEFT JOIN pg_roles r ON r.oid = s.setrole
CROSS JOIN unnest(s.setconfig) AS one (setting)
WHERE s.setdatabase IN (0, (SELECT d.oid FROM pg_database d WHERE d.datname = current_database()))
  AND (s.setrole = 0 OR r.rolname = session_user)
  AND (one.setting ~* '^confide\.'
      OR one.setting ~* '^(role|session_replication_role)=' AND one.setting !~* '=(none|origin)$')
UNION ALL
SELECT format('%s is set before anybody enters', name)
FROM unnest(ARRAY['confide.agent', 'confide.labels', 'confide.now']) AS name
WHERE current_setting(name, true) <> ''
UNION ALL
SELECT format('partition %s can be read directly', c.relname)
FROM pg_class c
WHERE c.relnamespace = 'confide'::regnamespace AND c.relispartition
  AND has_table_privilege('confide_tell', c.oid, 'SELECT')
UNION ALL
SELECT format('the telling role may change %s', c.relname)
FROM pg_class c
WHERE c.relnamespace = 'confide'::regnamespace AND c.relkind IN ('r', 'p')
  AND has_table_privilege('confide_tell', c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')
UNION ALL
SELECT format('%s may change the trail', r.rolname)
FROM pg_roles r
WHERE r.rolname IN ('confide_tell', 'confide_keep', 'confide_migrate', 'confide_owner')
  AND (has_table_privilege(r.oid, 'confide.trail', 'UPDATE, DELETE, TRUNCATE')
    OR has_table_privilege(r.oid, 'confide.trail_seal', 'UPDATE, DELETE, TRUNCATE'))
UNION ALL
SELECT format('what changes in %s leaves no trail', c.relname)
FROM pg_class c
WHERE c.relnamespace = 'confide'::regnamespace
  AND c.relname IN ('memory', 'telling', 'consent', 'guardian', 'opt_out', 'merge', 'place_member')
  AND NOT EXISTS (
      SELECT FROM pg_trigger t
      WHERE t.tgrelid = c.oid AND t.tgname LIKE 'trail%' AND t.tgenabled = 'O')
  OR c.relnamespace = 'confide'::regnamespace AND EXISTS (
      SELECT FROM pg_trigger t
      WHERE t.tgrelid = c.oid AND t.tgname LIKE 'trail%' AND t.tgenabled <> 'O')
UNION ALL
SELECT format('everyone may read %s', c.relname)
FROM pg_class c, aclexplode(c.relacl) a
WHERE c.relnamespace = 'confide'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm')
  AND c.relname NOT IN ('migration', 'policy_version') AND a.grantee = 0
UNION ALL
SELECT format('policy %s on %s is open to the telling role', p.name, p.about)
FROM policy p
WHERE p.polpermissive AND (0 = ANY (p.polroles) OR p.name <> 'tell' AND EXISTS (
    SELECT FROM unnest(p.polroles) r WHERE pg_has_role('confide_tell', r, 'USAGE')))
UNION ALL
-- As PostgreSQL keeps them: one equation, or several of which all must hold, about this_agent().
-- (To have all of them written out would take longer than everything else here.)
SELECT DISTINCT format('policy %s on %s is not held to one agent', p.name, p.about)
FROM policy p
CROSS JOIN LATERAL (VALUES (p.shows), (CASE p.name WHEN 'keep' THEN p.takes ELSE p.shows END))
    AS rule (tree)
WHERE p.name IN ('keep', 'tell') AND (
    rule.tree IS NULL
    OR rule.tree NOT LIKE '{OPEXPR %' AND rule.tree NOT LIKE '{BOOLEXPR :boolop and %'
    OR position(format(':funcid %s ', to_regprocedure('confide.this_agent()')::oid) IN rule.tree) = 0)
UNION ALL
-- Of what anybody said, the telling role sees what policy.sql states, to the letter.
SELECT format('policy %s on %s does not say who may hear it', wanted.name, wanted.about)
FROM (
    SELECT about, 'tell' AS name, true AS widens,
        '((agent = ( SELECT confide.this_agent() AS this_agent)) AND is_live'
        ' AND (expires_at > ( SELECT confide.this_moment() AS this_moment))'
        ' AND (label_id = ANY (( SELECT confide.told_labels() AS told_labels)::integer[])))' AS shows
    FROM unnest(ARRAY['memory', 'evidence', 'embedding', 'words']) AS about
    UNION ALL
    VALUES ('evidence', 'of_told_memory', false,
        '(memory_label_id = ANY (( SELECT confide.told_labels() AS told_labels)::integer[]))'),
      ('words', 'of_told_messages', false,
        '(is_own OR ((before_label_id IN ( SELECT unnest(confide.told_labels()) AS unnest))'
        ' AND (earlier_label_id IN ( SELECT unnest(confide.told_labels()) AS unnest))))'),
      ('person', 'tell', true,
        '((agent = ( SELECT confide.this_agent() AS this_agent)) AND (( SELECT true'
        ' FROM confide.memory m WHERE ((m.agent = person.agent) AND (m.owner = person.entity))'
        ' LIMIT 1) OR ( SELECT true'
        ' FROM confide.memory m WHERE ((m.agent = person.agent) AND (m.speaker = person.entity))'
        ' LIMIT 1)))'),
      ('relationship', 'tell', true,
        '((agent = ( SELECT confide.this_agent() AS this_agent)) AND (EXISTS ( SELECT'
        ' FROM confide.memory m'
        ' WHERE ((m.agent = relationship.agent) AND (m.id = relationship.memory_id)))))')
) AS wanted
LEFT JOIN policy p ON p.about = wanted.about AND p.name = wanted.name
WHERE regexp_replace(pg_get_expr(p.polqual, p.polrelid), '\s+', ' ', 'g')
    IS DISTINCT FROM wanted.shows OR p.polpermissive <> wanted.widens
  OR p.polcmd <> 'r' OR p.polroles <> ARRAY['confide_tell'::regrole::oid];

-- warnings
-- What is not a hole in the rule but should be mended.
SELECT 'you connect as a superuser; give confide a login of its own' AS warning
FROM pg_roles WHERE rolname = session_user AND rolsuper
UNION ALL
SELECT 'you connect as a role that bypasses row-level security; give confide a login of its own'
FROM pg_roles WHERE rolname = session_user AND rolbypassrls AND NOT rolsuper
UNION ALL
SELECT format('pgvector %s has a known hole in parallel index builds; update to 0.8.2 or newer', extversion)
FROM pg_extension
WHERE extname = 'vector' AND string_to_array(extversion, '.')::integer[] < ARRAY[0, 8, 2];

-- shown
-- Which tables with people's words show anything at all to this transaction.
SELECT array_remove(ARRAY[
    CASE WHEN EXISTS (SELECT FROM confide.memory) THEN 'memory' END,
    CASE WHEN EXISTS (SELECT FROM confide.evidence) THEN 'evidence' END,
    CASE WHEN EXISTS (SELECT FROM confide.words) THEN 'words' END,
    CASE WHEN EXISTS (SELECT FROM confide.embedding) THEN 'embedding' END], NULL);

-- enter
SELECT confide.enter($1, $2::jsonb, now());

-- hear_everything
-- As if a thousand labels were visible, whosever they are.
SELECT set_config('confide.labels', ARRAY(SELECT generate_series(1, 1000))::text, true);
