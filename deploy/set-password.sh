#!/usr/bin/env bash
# The PostgreSQL image of compose.yaml runs this once, after provision.sql: the password of confide's user.
set -euo pipefail
psql -v ON_ERROR_STOP=1 --no-psqlrc --quiet --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" \
    -v password="$(cat "${APP_PASSWORD_FILE:?name the file with the password}")" \
    <<< "SET log_statement = 'none'; ALTER ROLE confide_app PASSWORD :'password';"
