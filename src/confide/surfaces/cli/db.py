"""`confide db`: look after the database."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, cast

import typer

from confide.surfaces.cli.db_upkeep import MOVE_EXAMPLE, SCRUB_EXAMPLE, move, scrub
from confide.surfaces.cli.given import Given, with_given
from confide.surfaces.cli.opened import run
from confide.surfaces.cli.output import facts, say, say_json, size_in_words

if TYPE_CHECKING:
    from confide.config import Settings

STATUS_EXAMPLE = """\b
Example:
    confide db status --json

\b
JSON: kind, running, postgres, size_bytes; embedded: home, pid, data_version; a server: pgvector,
      migrations, missing [migrations that `db migrate` would apply], is_current
"""
MIGRATE_EXAMPLE = """\b
Examples:
    CONFIDE_DATABASE_URL=postgresql://… confide db migrate
    confide db migrate --check                          exit code 1 if something is missing

\b
JSON: migrations, applied; --check: is_current, missing
"""
UPGRADE_EXAMPLE = """\b
Examples:
    confide db upgrade
    confide db upgrade --old-bin /usr/lib/postgresql/16/bin

\b
JSON: upgraded, backup
"""
STOP_EXAMPLE = """\b
Example:
    confide db stop

\b
JSON: stopped
"""
PROVISION_EXAMPLE = """\b
Example:
    confide db provision-sql --user confide_app | psql -d confide

\b
JSON: sql
"""
GRANTS: Final = """
-- The user that CONFIDE_DATABASE_URL names. It may take the roles and has no rights of its own.
-- A new user has no password yet: psql's \\password sets one without writing it into a log.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '{user}') THEN
        CREATE ROLE "{user}" LOGIN NOINHERIT NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE;
    END IF;
END $$;
GRANT confide_migrate, confide_keep, confide_tell TO "{user}" WITH INHERIT FALSE, SET TRUE;
"""
USER: Final = r"[A-Za-z_][A-Za-z0-9_.-]{0,62}"


def register(app: typer.Typer) -> None:
    db = typer.Typer(help="Look after the database.", no_args_is_help=True)
    db.command("status", epilog=STATUS_EXAMPLE)(with_given(status))
    db.command("migrate", epilog=MIGRATE_EXAMPLE)(with_given(migrate))
    db.command("upgrade", epilog=UPGRADE_EXAMPLE)(with_given(upgrade))
    db.command("stop", epilog=STOP_EXAMPLE)(with_given(stop))
    db.command("provision-sql", epilog=PROVISION_EXAMPLE)(with_given(provision_sql))
    db.command("scrub", epilog=SCRUB_EXAMPLE)(with_given(scrub))
    db.command("move", epilog=MOVE_EXAMPLE)(with_given(move))
    app.add_typer(db, name="db")


def status(given: Given) -> None:
    """Show whether the database runs, its versions and its size. Starts nothing."""
    settings = given.settings()
    found = _embedded(settings) if settings.database_url is None else _server(given, settings)
    if given.as_json:
        say_json(found)
    else:
        shown = {name.replace("_", " "): value for name, value in found.items()}
        shown["size"] = size_in_words(shown.pop("size bytes"))
        facts({name: _in_words(value) for name, value in shown.items() if value is not None})


def _in_words(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(cast("list[str]", value)) if isinstance(value, list) else str(value)


def _embedded(settings: Settings) -> dict[str, Any]:
    from confide.store import embedded

    found = embedded.status(settings.home)
    return {
        "kind": "embedded",
        "home": str(settings.home),
        "running": found.is_running,
        "pid": found.pid,
        "postgres": found.version,
        "data_version": found.data_major,
        "size_bytes": found.size_bytes,
    }


def _server(given: Given, settings: Settings) -> dict[str, Any]:
    """Looks only: a database that is empty or of another version is not changed by it."""
    from confide.store.standing import look

    assert settings.database_url is not None
    found = run(look(settings.database_url.get_secret_value()))
    return {
        "kind": "server",
        "running": True,
        "postgres": found.postgres,
        "pgvector": found.pgvector,
        "migrations": list(found.applied),
        "missing": list(found.missing),
        "is_current": found.is_current,
        "size_bytes": found.size_bytes,
    }


def migrate(
    given: Given,
    check: Annotated[
        bool, typer.Option("--check", help="Change nothing; exit with 1 if something is missing.")
    ] = False,
) -> None:
    """Bring the schema of the database to this program's version. Back up first.

    The embedded database does this by itself. A server's database is changed by this command only,
    or by every start with CONFIDE_AUTO_MIGRATE=true.
    """
    from confide.store.standing import bring_up_to_date, pending

    settings = given.settings()
    if check:
        lacking = run(pending(settings))
        if given.as_json:
            say_json({"is_current": lacking is None, "missing": lacking or []})
        elif lacking is None:
            say("The schema is up to date.")
        else:
            say(f"Missing: {', '.join(lacking) or 'only functions, which are stated anew'}.")
        if lacking is not None:
            raise typer.Exit(1)
        return
    done = run(bring_up_to_date(settings))
    if given.as_json:
        say_json({"migrations": list(done.migrations), "applied": list(done.applied)})
    else:
        if done.applied:
            say(f"Applied {len(done.applied)} migrations.")
        say(f"The schema is up to date; its last migration is {done.migrations[-1]}.")


def upgrade(
    given: Given,
    old_bin: Annotated[
        Path | None,
        typer.Option("--old-bin", help="Folder of the old version's `postgres`, if it is needed."),
    ] = None,
) -> None:
    """Move the embedded database to the PostgreSQL of this program; the old one is kept."""
    settings = require_embedded(given)
    from confide.store.upgrade import upgrade as move

    backup = move(settings.home, old_bin=old_bin)
    if given.as_json:
        say_json({"upgraded": backup is not None, "backup": str(backup) if backup else None})
    elif backup is None:
        say("Nothing to do: the database is of this program's version.")
    else:
        say(f"Done. The old database is kept in {backup}; remove it when all is well.")


def stop(given: Given) -> None:
    """Stop the embedded database, whoever uses it. The next command starts it again."""
    settings = require_embedded(given)
    from confide.store import embedded

    stopped = embedded.stop(settings.home)
    if given.as_json:
        say_json({"stopped": stopped})
    else:
        say("Stopped." if stopped else "It was not running.")


def provision_sql(
    given: Given,
    user: Annotated[
        str,
        typer.Option("--user", metavar="NAME", help="The user that CONFIDE_DATABASE_URL names."),
    ] = "confide_login",
) -> None:
    """Print what an administrator runs once in an empty database: the extension, roles and rights.

    The user is created if it does not exist, without a password.
    """
    from confide.errors import InvalidInput
    from confide.store.queries import sql_file

    if not re.fullmatch(USER, user):
        raise InvalidInput("user", "is made of letters, digits, `_`, `.` and `-`, at most 63")
    sql = f"CREATE EXTENSION IF NOT EXISTS vector;\n\n{sql_file('provision.sql')}"
    sql += GRANTS.format(user=user)
    if given.as_json:
        say_json({"sql": sql})
    else:
        say(sql.rstrip())


def require_embedded(given: Given) -> Settings:
    from confide.errors import InvalidInput

    settings = given.settings()
    if settings.database_url is not None:
        raise InvalidInput(
            "CONFIDE_DATABASE_URL", "names a server of yours; this is for the embedded one only"
        )
    return settings
