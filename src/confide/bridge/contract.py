"""The contract between a chat platform and the memory.

A platform's surface turns its events into these values; the conversation behind them knows no
platform. Each value says what the platform attests: where something appears, who spoke, who will
see an answer, and who came or went at what time.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from confide.model import Entity, Place
from confide.privacy.policy import Audience
from confide.recall.audience import audience_in, only_seen_by
from confide.recall.context import Told


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """Where something is said, with what its owner allows there. `place` has kind, id, space, parent."""

    place: Place
    is_guest: bool = False  # the agent was called into a talk it is not part of (B17)
    learns: bool = True  # what is said here may be kept
    tells: bool = True  # memories may be told here
    listens: bool = False  # all that is said here is heard, not only what is said to the agent

    @property
    def space(self) -> str | None:
        """The space that the place lies in, also by its parent."""
        inside = self.place.parent_place
        return self.place.space if inside is None else inside.space


@dataclass(frozen=True, slots=True, kw_only=True)
class Speaker:
    """An account of the platform. Identity is its id; the name is only how it is shown."""

    entity: Entity
    name: str
    is_person: bool = True  # bots and webhooks are not


@dataclass(frozen=True, slots=True, kw_only=True)
class Utterance:
    """Something said, as plain text, in the speaker's own words."""

    id: str
    platform: str
    spot: Spot
    speaker: Speaker
    text: str
    said_at: datetime
    is_addressed: bool  # said to the agent
    beside: str = ""  # what the speaker quoted or attached: read to answer, never learned


@dataclass(frozen=True, slots=True, kw_only=True)
class Listeners:
    """Who will see an answer, as the platform attests it at a time."""

    asker: Entity
    spot: Spot
    is_for_asker_only: bool  # the platform shows the answer to nobody else
    attested_by: str
    at: datetime

    def audience(self) -> Audience:
        place = self.spot.place
        if self.is_for_asker_only and not self.spot.is_guest:
            return only_seen_by(self.asker, space=self.spot.space)
        return audience_in(place, self.asker)

    @property
    def visibility(self) -> Visibility:
        alone = self.is_for_asker_only or self.spot.is_guest
        return Visibility.ASKER_ONLY if alone else Visibility.EVERYONE_THERE


#: Asked before remembering is read, and again right before an answer is sent. None: there is
#: nobody to answer any more, for instance because the room is gone.
Attest = Callable[[], Awaitable[Listeners | None]]


class Visibility(StrEnum):
    """Who the platform has to show an answer to."""

    EVERYONE_THERE = "everyone there"
    ASKER_ONLY = "asker only"


class Note(StrEnum):
    """What a response is, for surfaces that have words of their own for it."""

    ANSWER = "answer"
    NOTHING_KNOWN = "nothing known"
    NOTED = "noted"  # a statement was heard, and there is no model to answer it
    REMEMBERED = "remembered"  # as somebody asked outright
    REMEMBERED_LATER = "remembered later"
    NOT_KEPT = "not kept"


async def _always() -> bool:
    """What rests on no memory may be said whoever listens."""
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """What to say, and to whom. It was checked for `listeners` a moment ago."""

    note: Note
    text: str  # of an answer; why something was not kept, for the speaker alone
    visibility: Visibility
    listeners: Listeners
    told: tuple[Told, ...] = ()  # the memories that an answer rests on
    is_by_model: bool = False  # False: the text lists what was told, and nothing else
    #: Whether it may still be said. A platform that has to wait, for instance for its rate limit,
    #: asks before it tries again.
    recheck: Callable[[], Awaitable[bool]] = _always


#: Sends a response at once. Nothing may be awaited between being called and sending, except to ask
#: `recheck` again after a wait.
Send = Callable[[Response], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Presence:
    """Somebody came into a place or a space, or left it, at the platform's time."""

    who: Entity
    where: Place | str  # a place, or a space by its id
    is_there: bool
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Authority:
    """Somebody runs a space, or does so no longer, at the platform's time."""

    who: Entity
    space: str
    is_held: bool
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """What a place is, at the platform's time."""

    place: Place
    at: datetime
