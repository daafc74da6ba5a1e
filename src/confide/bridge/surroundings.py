"""What a platform attests about places and people, passed on to the memory once per change."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from confide.bridge.contract import Authority, Presence, Sighting, Speaker
from confide.keep.relations import office_of
from confide.model import Entity, Place
from confide.privacy.places import MEANING, THREADS

if TYPE_CHECKING:
    from confide.memories import Confide

K = TypeVar("K")
V = TypeVar("V")
MOST_KNOWN: Final = 50_000


@dataclass(frozen=True, slots=True)
class Dated(Generic[V]):
    said: V
    at: datetime


class Attestations:
    """Tells the memory what is new. What it was told before is remembered in this process only, as
    a way to save a write: forgetting it costs time and nothing else."""

    def __init__(self, memory: Confide) -> None:
        self._world, self._people = memory.world, memory.people
        self._places: OrderedDict[str, Dated[Place]] = OrderedDict()
        self._inside: OrderedDict[tuple[Entity, str], Dated[bool]] = OrderedDict()
        self._called: OrderedDict[Entity, str] = OrderedDict()

    async def saw(self, sighting: Sighting) -> None:
        place = sighting.place
        if place.parent_place is not None:
            await self.saw(Sighting(place=place.parent_place, at=sighting.at))
        known = self._places.get(place.id)
        if not _is_room(place) or (known is not None and known.said == place):
            return
        if known is not None:  # another generation of it may have other people
            self._drop(lambda who, room: room == place.id)
        await self._world.attest(place, at=sighting.at)
        _keep_newest(self._places, place.id, Dated(place, sighting.at))

    async def moved(self, presence: Presence) -> None:
        who, where, is_there = presence.who, presence.where, presence.is_there
        if isinstance(where, str):
            await self._world.leave_space(where, who, at=presence.at)
            self.forget(who)
            return
        # Whoever is in a thread is in its room: one entry for both, or a leave of the room would
        # be taken for known after somebody came back by the thread.
        key = who, _room_id(where)
        known = self._inside.get(key)
        if not _is_room(where) or (known is not None and known.said is is_there):
            return
        if is_there:
            await self.saw(Sighting(place=where, at=presence.at))
            await self._world.join(where, who, at=presence.at)
        else:
            await self._world.leave(where, who, at=presence.at)
        _keep_newest(self._inside, key, Dated(is_there, presence.at))

    async def is_in(self, who: Entity, place: Place, at: datetime) -> None:
        """Somebody was seen to have access to a place."""
        await self.saw(Sighting(place=place, at=at))
        await self.moved(Presence(who=who, where=place, is_there=True, at=at))

    async def runs(self, authority: Authority) -> None:
        """Who runs a space reviews what waits in it, as far as they would hear it."""
        say = self._world.assign if authority.is_held else self._world.unassign
        await say(office_of(authority.space), authority.who, at=authority.at)

    async def called(self, speaker: Speaker) -> None:
        """What somebody is called now; told memories name their owner by it."""
        who, name = speaker.entity, speaker.name
        if name and self._called.get(who) != name:
            await self._people.name(who, name)
            _keep(self._called, who, name)

    def forget(self, who: Entity) -> None:
        """What was said about somebody's rooms may not be current, for instance because it is old."""
        self._drop(lambda one, room: one == who)

    def forget_space(self, space: str) -> None:
        """The agent left a space: what it knew of the places there is no longer current."""
        for id in [one for one in self._places if one.rpartition("@")[2] == space]:
            del self._places[id]
        self._drop(lambda who, room: room.rpartition("@")[2] == space)

    def _drop(self, is_meant: Callable[[Entity, str], bool]) -> None:
        for key in [one for one in self._inside if is_meant(*one)]:
            del self._inside[key]


def _room_id(place: Place) -> str:
    return place.parent if place.kind in THREADS and place.parent is not None else place.id


def _is_room(place: Place) -> bool:
    """Somewhere that people come to and leave; direct chats and guest places are not."""
    return MEANING[place.kind].has_space or MEANING[place.kind].needs_parent


def _keep(known: OrderedDict[K, V], key: K, value: V) -> None:
    known[key] = value
    if len(known) > MOST_KNOWN:
        known.popitem(last=False)


def _keep_newest(known: OrderedDict[K, Dated[V]], key: K, said: Dated[V]) -> None:
    """As the store does: of two statements that were under way at once, the newer one counts.
    Which of two at one time counts is the store's affair: neither is kept."""
    before = known.get(key)
    if before is None or before.at < said.at:
        _keep(known, key, said)
    elif before.at == said.at and before != said:
        del known[key]
