"""Permission changes (S20): what a platform says about its places, compared with what is stored.

A place that closed narrows what was said in it at once. One that opened starts anew and is flagged:
what was said behind closed doors never follows it into the open.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Final

from confide.model import Entity, Place, PlaceKind
from confide.privacy.leaves import FLAT
from confide.store import places, spaces
from confide.store.attesting import attest_place, join_place, leave_place, moment
from confide.store.colliding import tried_again
from confide.store.connection import Connection
from confide.store.places import Moment, is_open
from confide.wire.forms import CROWD, ROOM

if TYPE_CHECKING:
    from confide.store.database import Database

#: What a place in a space becomes when the platform knows it no longer.
GONE_AS: Final = PlaceKind.RESTRICTED


class Became(StrEnum):
    """What a look at a place found."""

    NEW = "new"
    SAME = "same"
    NARROWED = "narrowed"  # it closed; what was public in it is for those in it
    OPENED = "opened"  # it starts anew; somebody should look at what was said before
    CHANGED = "changed"  # another kind with the same readers, or another parent
    GONE = "gone"  # the platform knows it no longer; nobody is in it


@dataclass(frozen=True, slots=True)
class Sight:
    """A place as its platform sees it now, and who is in it; None: that was not looked at."""

    place: Annotated[Place, ROOM]
    members: Annotated[frozenset[Entity], CROWD] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What became of a place, how many memories that concerns, and who came and went."""

    place: Annotated[Place, FLAT]
    was: PlaceKind | None
    became: Became
    memories: int = 0
    joined: int = 0
    left: int = 0

    @property
    def is_any(self) -> bool:
        return self.became is not Became.SAME or bool(self.joined or self.left)


class _OnlyLooking(Exception):
    """Rolls a preview back."""


@tried_again
async def sync(
    database: Database,
    seen: Sequence[Sight],
    now: datetime,
    *,
    all_of: str | None = None,
    is_preview: bool = False,
    at: datetime | None = None,
) -> list[Change]:
    """Take over all of it or, when anything fails, nothing. A preview does the same and undoes it.

    `all_of` names a space of which every place was seen: those that were not are gone.
    """
    changes: list[Change] = []
    seen_at = moment(at, now)
    try:
        async with database.keep(by="platform", doing="sync", at=now) as connection:
            for one in _parents_first(seen):
                changes.append(await _look(connection, database, one, now, seen_at))
            if all_of is not None:
                changes += await _gone(connection, database, all_of, seen, now, seen_at)
            if is_preview:
                raise _OnlyLooking
    except _OnlyLooking:
        pass
    return changes


async def _look(
    connection: Connection, database: Database, sight: Sight, now: datetime, at: Moment
) -> Change:
    agent = database.agent
    before = await places.current(connection, agent, sight.place.id)
    was = before.kind if before else None
    concerned = await places.said_in(connection, agent, before.id) if before else 0
    known = await attest_place(connection, database, sight.place, now, at=at)
    joined, left = 0, 0
    if sight.members is not None and known.room == known.place:
        inside = await places.members(connection, agent, known.place.id)
        new, _ = await join_place(connection, database, known, sight.members, now, at=at)
        joined = len(new)
        for who in sorted(inside - sight.members - {database.agent_entity}):
            left += await leave_place(connection, database, known.place, who, at, now)
    became = _became(was, known.place, is_same=before is not None and known.was is None)
    if became is Became.SAME and before and before.id != known.place.id:
        became = Became.CHANGED
    counts = became in (Became.NARROWED, Became.OPENED)
    return Change(
        place=replace(known.place, id=sight.place.id),
        was=was,
        became=became,
        memories=concerned if counts else 0,
        joined=joined,
        left=left,
    )


def _became(was: PlaceKind | None, place: Place, *, is_same: bool) -> Became:
    if was is None:
        return Became.NEW
    if is_same:
        return Became.SAME
    if is_open(was) and not is_open(place.kind):
        return Became.NARROWED
    if is_open(place.kind) and not is_open(was):
        return Became.OPENED
    return Became.CHANGED


async def _gone(
    connection: Connection,
    database: Database,
    space: str,
    seen: Iterable[Sight],
    now: datetime,
    at: Moment,
) -> list[Change]:
    known = {sight.place.id for sight in seen}
    changes: list[Change] = []
    for room, inside in await spaces.rooms(connection, database.agent, space):
        if room.id in known or (not inside and room.kind is GONE_AS):
            continue
        place = replace(room, kind=GONE_AS)
        change = await _look(connection, database, Sight(place, frozenset()), now, at)
        changes.append(replace(change, became=Became.GONE))
    return changes


def _parents_first(seen: Sequence[Sight]) -> list[Sight]:
    """A thread is known only inside a place that is."""
    return sorted(seen, key=lambda one: one.place.parent is not None)
