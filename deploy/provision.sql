-- Written by `confide db provision-sql --user confide_app`; a test compares them.
CREATE EXTENSION IF NOT EXISTS vector;

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

-- The user that CONFIDE_DATABASE_URL names. It may take the roles and has no rights of its own.
-- A new user has no password yet: psql's \password sets one without writing it into a log.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'confide_app') THEN
        CREATE ROLE "confide_app" LOGIN NOINHERIT NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE;
    END IF;
END $$;
GRANT confide_migrate, confide_keep, confide_tell TO "confide_app" WITH INHERIT FALSE, SET TRUE;
