-- Run once by someone who may create roles: the four roles, none of which can log in.
-- confide_owner owns the tables, confide_migrate changes them, confide_keep writes by agent,
-- confide_tell reads what one audience may hear.
DO $$
DECLARE r text;
BEGIN
    FOREACH r IN ARRAY ARRAY['confide_owner', 'confide_migrate', 'confide_keep', 'confide_tell'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = r) THEN
            EXECUTE format('CREATE ROLE %I NOLOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE', r);
        END IF;
    END LOOP;
    GRANT confide_owner TO confide_migrate WITH INHERIT FALSE, SET TRUE;
    EXECUTE format('GRANT CREATE ON DATABASE %I TO confide_owner', current_database());
END $$;
