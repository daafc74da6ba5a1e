"""The play as values: read from `story.toml`, decided by nobody yet."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib.resources import files
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Somebody says something that is to be remembered."""

    key: str
    by: str
    place: str
    text: str
    fields: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Somebody asks somewhere; `told` are the memories the story expects to be told."""

    asker: str
    place: str
    present: tuple[str, ...]
    told: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """`who` agrees, for themselves or for `of`, that `to` hears what is said in a place."""

    who: str
    of: str
    to: str
    place: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    title: str
    question: str
    leaves: tuple[tuple[str, str], ...]  # who, and which place
    forgets: tuple[tuple[str, str], ...]  # which memory, and who wants it
    guards: tuple[tuple[str, str], ...]  # who confirms, and for whom
    agrees: tuple[Agreement, ...]
    withdraws: tuple[str, ...]  # who takes back all they agreed to
    lines: tuple[Line, ...]
    about: tuple[str, ...]  # the memories the questions are about
    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    cast: dict[str, str]
    places: dict[str, str]
    scenes: tuple[Scene, ...]

    def named(self, entity: str) -> str:
        return self.cast.get(entity, entity)

    def place_named(self, place: str) -> str:
        return self.places.get(place, place)


def read_story(text: str | None = None) -> Story:
    if text is None:
        text = (files("confide.demo") / "story.toml").read_text(encoding="utf-8")
    written = tomllib.loads(text)
    return Story(
        cast=written["cast"],
        places=written["places"],
        scenes=tuple(_scene(scene) for scene in written["scene"]),
    )


def _scene(written: dict[str, Any]) -> Scene:
    lines = tuple(_line(line) for line in written.get("say", ()))
    return Scene(
        title=written["title"],
        question=written["question"],
        leaves=tuple((one["who"], one["in"]) for one in written.get("leave", ())),
        forgets=tuple((one["key"], one["as"]) for one in written.get("forget", ())),
        guards=tuple((one["who"], one["of"]) for one in written.get("guard", ())),
        agrees=tuple(_agreement(one) for one in written.get("agree", ())),
        withdraws=tuple(written.get("withdraw", ())),
        lines=lines,
        about=tuple(written.get("about", [line.key for line in lines])),
        questions=tuple(_question(one) for one in written["ask"]),
    )


def _line(written: dict[str, Any]) -> Line:
    fields = dict(written)
    given = {name: fields.pop(name) for name in ("key", "by", "text")}
    place, present = fields.pop("in"), fields.pop("with", ())
    return Line(place=place, fields=fields | {"present": present}, **given)


def _agreement(written: dict[str, Any]) -> Agreement:
    who = written["who"]
    return Agreement(who=who, of=written.get("of", who), to=written["to"], place=written["in"])


def _question(written: dict[str, Any]) -> Question:
    return Question(
        asker=written["as"],
        place=written["in"],
        present=tuple(written.get("with", ())),
        told=frozenset(written.get("told", ())),
    )
