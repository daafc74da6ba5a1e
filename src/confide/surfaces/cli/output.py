"""What is printed: JSON for programs, words for people; stored text can never steer a terminal."""

from __future__ import annotations

import json
import re
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from confide.surfaces.cli.given import Given

NOTHING: Final = "Nothing to tell here."
# Control characters move a cursor or rename a window; bidirectional marks reorder what is read.
_STEERING: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def say(text: str = "") -> None:
    typer.echo(text)


def say_json(answer: dict[str, Any]) -> None:
    typer.echo(harmless(json.dumps(answer, ensure_ascii=False, default=_plain)))


def say_answer(given: Given, verb: str, answer: Any, **more: object) -> bool:
    """With --json print the answer of a declared verb, as a server would send it, and say so."""
    if given.as_json:
        from confide.declare import answer_writer
        from confide.verbs import verb_called

        say_json(more | answer_writer(verb_called(verb))(answer))
    return given.as_json


def harmless(text: str) -> str:
    """Text from a memory as it may be shown: what could steer a terminal becomes visible."""
    return _STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def named(who: object, called: str | None) -> str:
    """Somebody by their current name. It proves nothing, so the id stands beside it."""
    name = " ".join((called or "").split())
    return harmless(f"{name} ({who})" if name and name != str(who) else str(who))


def faint(text: str) -> str:
    return typer.style(text, dim=True)


def console() -> Console:
    """For tables; markup stays off, because stored text is not ours."""
    from rich.console import Console

    return Console(markup=False, highlight=False, emoji=False)


def _plain(value: Any) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)


def facts(told: dict[str, str]) -> None:
    """Names and values, one a line."""
    width = max(map(len, told))
    for name, value in told.items():
        say(f"{faint(name.ljust(width))}  {harmless(value)}")


def size_in_words(size: int) -> str:
    return f"{size / 1_000_000:.1f} MB" if size < 1_000_000_000 else f"{size / 1e9:.1f} GB"
