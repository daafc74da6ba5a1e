"""`confide status`: what there is, in numbers; never content."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from confide.surfaces.cli.given import Given, with_given
from confide.surfaces.cli.opened import call, with_memory
from confide.surfaces.cli.output import facts, harmless, say, say_json, size_in_words

if TYPE_CHECKING:
    from confide.config import Settings
    from confide.keep.status import StoreStatus

EXAMPLES = """\b
Examples:
    confide status
    confide --agent tutor status --json

\b
JSON: version, agent, enabled, database [kind, home, postgres, pgvector, size_bytes,
      migrations], memories [a count for each status], embedder, notices [budgets at 80 % and more]
"""


def register(app: typer.Typer) -> None:
    app.command("status", epilog=EXAMPLES)(with_given(status))


def status(given: Given) -> None:
    """Show whose memory this is, where it lives and how much is in it."""
    settings = given.settings()
    found = read_store(given, settings)
    if found is not None:
        settings = settings.model_copy(update={"agent": found.agent, "enabled": found.is_enabled})
    answer = _as_json(settings, found) | {"notices": _notices(given, settings) if found else []}
    if given.as_json:
        say_json(answer)
        return
    facts(_in_words(answer))
    for notice in answer["notices"]:
        say(harmless(notice))
    if found is None:
        say("There is no database yet; the first `confide remember` makes one.")


def read_store(given: Given, settings: Settings) -> StoreStatus | None:
    """None: the embedded database does not exist yet, and looking must not make one."""
    from confide.store import embedded

    is_here = given.server() is None and settings.database_url is None
    if is_here and embedded.status(settings.home).data_major is None:
        return None
    return call(given, "reports.status")


def _notices(given: Given, settings: Settings) -> list[str]:
    """S29: at 80 % of a budget the owner is told, and when it is used up."""
    limits = settings.budget_agent, settings.budget_person, settings.budget_space
    if given.server() is not None or all(one is None for one in limits):
        return []
    return with_memory(given, lambda confide: confide.spending.notices())


def _as_json(settings: Settings, found: StoreStatus | None) -> dict[str, Any]:
    from confide import __version__
    from confide.providers.wordllama import MODEL

    is_embedded = settings.database_url is None and settings.url is None
    return {
        "version": __version__,
        "agent": settings.agent,
        "enabled": settings.enabled,
        "database": {
            "kind": "embedded" if is_embedded else "server",
            "home": str(settings.home) if is_embedded else None,
            "postgres": found.postgres if found else None,
            "pgvector": found.pgvector if found else None,
            "size_bytes": found.size_bytes if found else 0,
            "migrations": list(found.migrations) if found else [],
        },
        "memories": {s.value: n for s, n in found.memories.items()} if found else {},
        "embedder": MODEL,
    }


def _in_words(answer: dict[str, Any]) -> dict[str, str]:
    database = answer["database"]
    versions = f"PostgreSQL {database['postgres']}, pgvector {database['pgvector']}"
    counted = [f"{count} {status}" for status, count in answer["memories"].items() if count]
    told = {
        "agent": answer["agent"],
        "enabled": "yes" if answer["enabled"] else "no (CONFIDE_ENABLED=false)",
        "database": f"{database['kind']}, {versions}" if database["postgres"] else "embedded",
        "folder": database["home"],
        "size": size_in_words(database["size_bytes"]) if database["postgres"] else None,
        "memories": ", ".join(counted) or "none",
        "embedder": answer["embedder"],
        "confide": answer["version"],
    }
    return {name: value for name, value in told.items() if value is not None}
