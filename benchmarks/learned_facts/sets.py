"""Reads the sets of `benchmarks/learning_sets`, those for development apart from the held-out ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import yaml

FOLDER: Final = Path(__file__).parents[1] / "learning_sets"
AGENT: Final = "agent"


@dataclass(frozen=True)
class Turn:
    number: int
    by: str
    at: datetime
    text: str


@dataclass(frozen=True)
class Expected:
    """A fact that should be known, or an error that must not be."""

    words: tuple[str, ...]
    text: str
    who: str | None
    about: tuple[str, ...] | None  # None: anybody
    kind: str | None = None
    until: date | None = None

    def is_said_in(self, text: str) -> bool:
        return all(word in text.casefold() for word in self.words)


@dataclass(frozen=True)
class Talk:
    name: str
    place: str
    people: tuple[str, ...]
    turns: tuple[Turn, ...]
    facts: tuple[Expected, ...]
    wrong: tuple[Expected, ...]
    nothing: frozenset[int]


def talks(*, held_out: bool) -> list[Talk]:
    files = sorted((_folder(held_out=held_out) / "conversations").glob("*.yaml"))
    return [_talk(one) for one in files]


def lines(name: str, *, held_out: bool) -> Iterator[list[str]]:
    file = _folder(held_out=held_out) / f"promotion_{name}.tsv"
    yield from (row.split("\t") for row in file.read_text(encoding="utf-8").splitlines() if row)


def _folder(*, held_out: bool) -> Path:
    return FOLDER / "held_out" if held_out else FOLDER


def _talk(file: Path) -> Talk:
    read: dict[str, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))
    turns = tuple(
        # A second apart, so that the time of evidence says which turn it was.
        Turn(
            number,
            turn["by"],
            datetime.fromisoformat(turn["at"]).replace(tzinfo=UTC) + timedelta(seconds=number),
            turn["text"],
        )
        for number, turn in enumerate(read["turns"], 1)
    )
    return Talk(
        name=file.stem,
        place=read["place"],
        people=tuple(read["people"]),
        turns=turns,
        facts=tuple(map(_expected, read["facts"])),
        wrong=tuple(map(_expected, read.get("wrong") or ())),
        nothing=frozenset(read["nothing"]),
    )


def _expected(row: dict[str, Any]) -> Expected:
    about, until = row.get("about"), row.get("until")
    return Expected(
        words=tuple(str(word).casefold() for word in row["words"]),
        text=row["text"],
        who=row.get("who"),
        about=(about,) if isinstance(about, str) else tuple(about) if about is not None else None,
        kind=row.get("kind"),
        until=date.fromisoformat(str(until)) if until else None,
    )
