"""The outermost layer: every problem becomes a sentence and an exit code, never a traceback."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import typer
from typer._click.shell_completion import CompletionItem
from typer.core import TyperGroup

from confide.errors import ConfideError, InvalidInput, StoreError
from confide.surfaces.cli.commands import SECTIONS, Commands

COULD_NOT: Final = 1
WRONG_INPUT: Final = 2

#: How a field of the library is written on the command line.
WRITTEN_AS: Final = {
    "access": "--access",
    "about": "--about",
    "actor": "--actor",
    "asker": "--as",
    "by": "--by",
    "consent": "--consent",
    "kind": "--kind",
    "lifetime": "--for",
    "namespace": "--namespace",
    "page": "--page",
    "place": "--in",
    "present": "--with",
    "purpose": "--purpose",
    "question": "QUESTION",
    "scope": "--scope",
    "sensitivity": "--sensitivity",
    "source": "--source",
    "text": "TEXT",
}


class Problem(NamedTuple):
    type: str
    field: str | None
    message: str
    exit_code: int
    hint: str = ""

    def as_json(self) -> str:
        about = {"type": self.type, "field": self.field, "message": self.message}
        return json.dumps({"error": about}, ensure_ascii=False)


class Program(TyperGroup):
    """The group of all commands. It alone decides what a user sees of a problem."""

    def __init__(self, **fields: Any) -> None:
        super().__init__(**fields)
        self.commands = Commands()

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """By subject, and from the list alone: no command is loaded for it."""
        for title, section in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(one.name, one.about) for one in section])

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """From the list, too: a shell asks at each press of the tab key."""
        listed = (one for section in SECTIONS.values() for one in section)
        found = [one for one in listed if one.name.startswith(incomplete)]
        options = super(TyperGroup, self).shell_complete(ctx, incomplete)
        return [CompletionItem(one.name, help=one.about) for one in found] + options

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        words = list(sys.argv[1:] if args is None else args)
        _survive_any_terminal()
        try:
            code = super().main(words, "confide", complete_var, standalone_mode=False, **extra)
            if sys.stdout is not None:  # it is None where the shell closed it
                sys.stdout.flush()
        except (typer.Abort, KeyboardInterrupt):
            code = COULD_NOT
            typer.echo("Nothing was done.", err=True)
        except BrokenPipeError:
            _forget_output()
            code = COULD_NOT
        except Exception as problem:  # noqa: BLE001 - the one place where nothing may get through
            code = _report(problem, as_json=_wants_json(words))
        sys.exit(code if isinstance(code, int) else 0)


def _report(problem: Exception, *, as_json: bool) -> int:
    seen = understood(problem)
    if as_json:
        typer.echo(seen.as_json(), err=True)
    else:
        typer.echo(f"{_sentence(seen)}{seen.hint}", err=True)
    return seen.exit_code


def understood(problem: Exception) -> Problem:
    """What went wrong, in words for whoever typed the command."""
    kind = type(problem).__name__
    if isinstance(problem, InvalidInput):
        return Problem(kind, problem.field, str(problem), WRONG_INPUT)
    if isinstance(problem, ConfideError):
        field = problem.field if isinstance(problem, StoreError) else None
        return Problem(kind, field, str(problem), COULD_NOT)
    if isinstance(problem, typer.TyperException):
        return _usage(problem)
    return _unexpected(problem)


def _usage(problem: typer.TyperException) -> Problem:
    context, parameter = getattr(problem, "ctx", None), getattr(problem, "param", None)
    field = getattr(parameter, "name", None)
    hint = f"\nTry '{context.command_path} --help'." if context else ""
    message = problem.format_message()
    if type(problem).__name__ == "NoArgsIsHelpError":
        return Problem("InvalidInput", None, message, WRONG_INPUT)
    return Problem("InvalidInput", field, message, problem.exit_code, hint)


def _unexpected(problem: Exception) -> Problem:
    """Its own text is not shown: it may quote what is stored."""
    kind, hint = type(problem).__name__, "; for details set CONFIDE_DEBUG=1"
    if _is_debugging():
        import traceback

        traceback.print_exception(problem)
        hint = ""
    return Problem(kind, None, f"something unexpected went wrong ({kind})", COULD_NOT, hint)


def _is_debugging() -> bool:
    from confide.config import read_settings

    try:
        return read_settings().debug
    except InvalidInput:
        return False


def _sentence(seen: Problem) -> str:
    """The library's field, as it is written on the command line."""
    flag = WRITTEN_AS.get(seen.field or "")
    prefix = f"{seen.field}: "
    if flag and seen.message.startswith(prefix):
        return f"{flag}: {seen.message.removeprefix(prefix)}"
    return seen.message


def _wants_json(words: Sequence[str]) -> bool:
    options = words[: words.index("--")] if "--" in words else words
    return "--json" in options


def _survive_any_terminal() -> None:
    """A terminal that lacks a letter shows another one instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _forget_output() -> None:
    """Whoever read the output has left; Python must not complain about it when it ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
