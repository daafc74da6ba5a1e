"""What every command may be given: --json, --home, --agent and --env-file."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from confide.actor import Actor
    from confide.config import Settings

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Home = Annotated[
    str | None,
    typer.Option(
        "--home", metavar="FOLDER", help="Folder of the embedded database (CONFIDE_HOME)."
    ),
]
Agent = Annotated[
    str | None, typer.Option("--agent", metavar="NAME", help="Whose memory it is (CONFIDE_AGENT).")
]
EnvFile = Annotated[
    str | None,
    typer.Option("--env-file", metavar="FILE", help="Settings, as in .env.example."),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """Said on the command line; what is left out comes from the settings."""

    home: str | None = None
    agent: str | None = None
    env_file: str | None = None
    as_json: bool = False

    def fields(self) -> dict[str, Any]:
        if self.home is not None and (not self.home or "\0" in self.home):
            from confide.errors import InvalidInput

            raise InvalidInput("home", "names no folder; for example --home ~/memory")
        given = {"home": self.home, "agent": self.agent, "env_file": self.env_file}
        return {name: value for name, value in given.items() if value is not None}

    def settings(self) -> Settings:
        """All settings, with the namespaces they add made known before anything is read."""
        from confide.config import read_settings
        from confide.model import register_namespaces

        settings = read_settings(**self.fields())
        register_namespaces(settings.namespaces)
        return settings

    def actor(self, written: str | None = None, field: str = "as") -> Actor:
        """The operator, in somebody's name if one is written; settings may add namespaces."""
        from confide.actor import operator_as
        from confide.reading import read_entity

        self.settings()
        return operator_as(read_entity(written, field) if written else None)

    def server(self, settings: Settings | None = None) -> str | None:
        """Whose memory the settings name instead of one here; a folder named outright is here."""
        if self.home is not None:
            return None
        return (settings or self.settings()).url


def with_given(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command take the options that all have; they arrive as its first argument."""
    own = inspect.signature(command, eval_str=True)
    _, *rest = own.parameters.values()

    @functools.wraps(command)
    def run(**fields: Any) -> None:
        context: typer.Context = fields.pop("context")
        before = context.find_object(Given) or Given()
        found = Given(
            home=_first(fields.pop("home"), before.home),
            agent=_first(fields.pop("agent"), before.agent),
            env_file=_first(fields.pop("env_file"), before.env_file),
            as_json=fields.pop("as_json"),
        )
        _require_offered(context, found, fields)
        command(found, **fields)

    everywhere = [
        _keyword("context", typer.Context),
        _keyword("as_json", Json, False),
        _keyword("home", Home, None),
        _keyword("agent", Agent, None),
        _keyword("env_file", EnvFile, None),
    ]
    parameters = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in rest] + everywhere
    run.__signature__ = own.replace(parameters=parameters)  # pyright: ignore[reportAttributeAccessIssue]
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    return run


def _require_offered(context: typer.Context, given: Given, fields: dict[str, Any]) -> None:
    """What no key may do on a server is refused before anything is asked or read."""
    from confide.surfaces.cli.remote import refuse, refused

    command = " ".join(context.command_path.split()[1:])
    found = refused(command, {name for name, value in fields.items() if value})
    if found is not None and given.server() is not None:
        refuse(found)


def _first(later: str | None, before: str | None) -> str | None:
    return before if later is None else later


def _keyword(
    name: str, annotation: Any, default: Any = inspect.Parameter.empty
) -> inspect.Parameter:
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
    )
