"""`confide config show`: each setting, its value, where it comes from and what it is for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

import typer

from confide.surfaces.cli.given import Given, with_given
from confide.surfaces.cli.output import console, say_json

if TYPE_CHECKING:
    from confide.config import Settings

HIDDEN: Final = "********"
EXAMPLES = """\b
Examples:
    confide config show
    CONFIDE_TOP_K=10 confide config show --json

\b
JSON: settings [name, variable, value, source, help], file
"""


def register(app: typer.Typer) -> None:
    config = typer.Typer(help="The settings and where they come from.", no_args_is_help=True)
    config.command("show", epilog=EXAMPLES)(with_given(show))
    app.add_typer(config, name="config")


def show(given: Given) -> None:
    """Print each setting, its value (secrets hidden), its source and what it is for.

    The first that names a setting wins: the command line, the environment, the file of --env-file,
    .env in the home folder, the config file. A .env in the current folder is never read.
    """
    from confide.config import config_file

    settings = described(given.settings())
    if given.as_json:
        say_json({"settings": settings, "file": str(config_file())})
        return
    _table(settings)


def described(settings: Settings) -> list[dict[str, Any]]:
    from confide.config import variable

    return [
        {
            "name": name,
            "variable": variable(name),
            "value": _shown(getattr(settings, name)),
            "source": settings.source(name),
            "help": field.description,
        }
        for name, field in type(settings).model_fields.items()
    ]


def _shown(value: Any) -> Any:
    from pydantic import SecretStr

    match value:
        case SecretStr():
            return HIDDEN
        case frozenset():
            return sorted(cast("frozenset[str]", value))
        case bool() | int() | float() | None:
            return value
        case _:
            return str(value)


def _in_words(name: str, value: Any) -> str:
    match value:
        case None:
            return "never" if name.startswith("days_") else "not set"
        case bool():
            return "true" if value else "false"
        case list():
            return ",".join(cast("list[str]", value)) or "none"
        case _:
            return str(value)


def _table(settings: list[dict[str, Any]]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("setting", no_wrap=True)
    table.add_column("value", overflow="fold", max_width=32)
    table.add_column("source", overflow="fold", max_width=24)
    table.add_column("what it is for", overflow="fold")
    for one in settings:
        value = _in_words(one["name"], one["value"])
        is_default = one["source"] == "default"
        table.add_row(
            one["variable"], value, one["source"], one["help"], style="dim" if is_default else ""
        )
    console().print(table)
