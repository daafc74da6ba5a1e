"""What a format reads: messages, what it leaves out on purpose, and what is wrong with the file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from confide.imports.source import Files


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody in a file. `key` tells two people of one name apart; it proves nothing."""

    key: str
    name: str
    is_importer: bool = False  # the file itself says that it is theirs


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One message. `id` is the same in every export of the chat, and no other message's: rooms and
    people may be called something else by then."""

    id: str
    room: str
    by: Person
    text: str
    at: datetime
    where: str  # in the file, for people: file, record


@dataclass(frozen=True, slots=True)
class Stay:
    """Somebody in a room, as the file lists it. None: since before its words, or still."""

    who: Person
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Room:
    """Who was in a room when. It comes before the room's words; most formats list nobody."""

    id: str
    stays: tuple[Stay, ...]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A message that is not meant to be remembered: a program's, a notice, or one its owner excluded."""

    because: str


@dataclass(frozen=True, slots=True)
class Wrong:
    """What cannot be read, and where. The rest of the file is read."""

    where: str
    field: str
    problem: str

    def __str__(self) -> str:
        return f"{self.where}: {self.field}: {self.problem}"


Read = Said | Room | LeftOut | Wrong
#: Whoever exported a chat with an assistant is the one person in it.
ME = Person("me", "me", is_importer=True)
ASSISTANT = LeftOut("said by an assistant")
NOTICE = LeftOut("a notice, not a message")
EMPTY = LeftOut("has no words")
BOT = LeftOut("said by a program")


class Format(Protocol):
    """One program's export. It is recognised by names and first bytes, then read as a stream."""

    @property
    def name(self) -> str: ...

    def recognises(self, files: Files) -> bool: ...

    def read(self, files: Files) -> Iterator[Read]: ...


def moment(value: object) -> datetime | None:
    """A time as exports write it: seconds since 1970, or ISO 8601. Without a zone it is taken as UTC."""
    try:
        if isinstance(value, bool) or value is None:
            return None
        if isinstance(value, str):
            text = value.strip()
            if text.replace(".", "", 1).isdigit():
                return datetime.fromtimestamp(float(text), UTC)
            found = datetime.fromisoformat(text)
            return found if found.tzinfo else found.replace(tzinfo=UTC)
        return datetime.fromtimestamp(float(value), UTC)  # pyright: ignore[reportArgumentType]
    except (ValueError, TypeError, OverflowError, OSError):
        return None
