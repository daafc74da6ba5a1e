"""What is in a file that somebody brings, and what became of it: in numbers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from confide.imports import LeftOut, Person, Read, Room, Said, Wrong
from confide.model import Scope

if TYPE_CHECKING:
    from confide.store.sources import Begun

SAMPLED: Final = 500  # messages that a preview looks at closely
WRONG_SHOWN: Final = 1000
LISTED: Final = 1000  # people and rooms


@dataclass(slots=True)
class Tally:
    """What a file holds, in numbers; the first things that are wrong in words."""

    messages: int = 0
    left_out: Counter[str] = field(default_factory=Counter[str])
    wrong: list[Wrong] = field(default_factory=list[Wrong])
    wrong_count: int = 0
    people: dict[str, Person] = field(default_factory=dict[str, Person])
    said_by: Counter[str] = field(default_factory=Counter[str])
    rooms: Counter[str] = field(default_factory=Counter[str])
    levels: Counter[str] = field(default_factory=Counter[str])
    listed: set[str] = field(default_factory=set[str])  # rooms that list who is in them
    letters: int = 0
    first: datetime | None = None
    last: datetime | None = None
    has_rooms: bool = True  # else everything is the importer's alone, whatever the file lists

    def note(self, one: Read) -> None:
        match one:
            case Room():
                if self.has_rooms:
                    self.listed.add(one.id)
                for stay in one.stays:
                    self.people.setdefault(stay.who.key, stay.who)
            case LeftOut(because):
                self.left_out[because] += 1
            case Wrong():
                self.wrong_count += 1
                if len(self.wrong) < WRONG_SHOWN:
                    self.wrong.append(one)
            case Said():
                self.messages += 1
                self.people.setdefault(one.by.key, one.by)
                self.said_by[one.by.key] += 1
                self.rooms[one.room] += 1
                self.levels[(Scope.GROUP if one.room in self.listed else Scope.DM).value] += 1
                self.letters += len(one.text)
                self.first = min(self.first or one.at, one.at)
                self.last = max(self.last or one.at, one.at)

    def as_dict(self) -> dict[str, Any]:
        spoke = [(self.people[key], count) for key, count in self.said_by.most_common(LISTED)]
        return {
            "messages": self.messages,
            "people": [
                {"name": one.name, "messages": n, "is_you": one.is_importer} for one, n in spoke
            ],
            "rooms": len(self.rooms),
            "in_rooms": [{"room": one, "messages": n} for one, n in self.rooms.most_common(LISTED)],
            "levels": dict(self.levels),
            "first": self.first.isoformat() if self.first else None,
            "last": self.last.isoformat() if self.last else None,
            "left_out": dict(self.left_out),
            "wrong": list(map(str, self.wrong)),
            "wrong_count": self.wrong_count,
        }


@dataclass(slots=True)
class Sample:
    """Messages at even distances over a file of unknown length: a chat changes over the years."""

    kept: list[Said] = field(default_factory=list[Said])
    seen: int = 0
    distance: int = 1

    def offer(self, one: Said) -> None:
        if self.seen % self.distance == 0:
            self.kept.append(one)
        self.seen += 1
        if len(self.kept) > SAMPLED:
            self.kept = self.kept[::2]
            self.distance *= 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What would come in, and what would be remembered of some of it."""

    tally: Tally
    sampled: int
    kinds: Counter[str]
    sensitivity: Counter[str]
    refused: int  # of the sample: credentials
    waiting: int  # of the sample: what somebody has to look at first
    seconds: int  # that storing it takes, about
    dollars: float | None  # that a language model costs for it, about; none: there is no model

    def as_dict(self) -> dict[str, Any]:
        sample = {
            "messages": self.sampled,
            "kinds": dict(self.kinds),
            "sensitivity": dict(self.sensitivity),
            "refused": self.refused,
            "waiting": self.waiting,
        }
        after = {"sample": sample, "seconds": self.seconds, "dollars": self.dollars}
        return self.tally.as_dict() | after


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What became of a file."""

    batch: Begun
    new: int
    known: int
    tally: Tally

    def as_dict(self) -> dict[str, Any]:
        batch = {
            "id": str(self.batch.id),
            "known": self.batch.is_known,
            "resumed": self.batch.is_resumed,
        }
        return self.tally.as_dict() | {"new": self.new, "known": self.known, "batch": batch}
