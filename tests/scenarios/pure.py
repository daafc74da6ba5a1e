"""The rule without a database: places, people and memories as plain values, judged by `judge`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.scenarios.runner import Fields, Refused, Scenario, people, where, who

from confide.errors import ConfideError
from confide.model import Entity, Kind, Place, PlaceKind, Scope, Sensitivity, Status, Trust
from confide.privacy import atoms
from confide.privacy.atoms import Atom
from confide.privacy.disclosure import judge
from confide.privacy.labels import Origin, label
from confide.privacy.places import MEANING, Readers, spaces_around
from confide.privacy.policy import Anyone, Audience, EveryoneIn, Label, World
from confide.reading import audience, read_entity, read_place, statement
from confide.remember.labelling import (
    consents_in,
    label_with_consents,
    origin_of,
    require_consents,
)
from confide.remember.screening import Screened
from confide.remember.statement import Statement

AGENT = Entity("si", "bot")
WITNESSED = (PlaceKind.GROUP, PlaceKind.CONTEXT, PlaceKind.CONNECTION)
LIFETIMES = {Kind.CONTEXT: 7, Kind.EVENT: 30, Kind.TASK: 14, Kind.OBSERVATION: 3}


@dataclass
class Kept:
    origin: Origin
    label: Label
    expires_at: datetime | None
    consents: list[Any]
    status: Status = Status.APPROVED
    is_opted_out: bool = False


@dataclass
class Room:
    place: Place
    epoch: int = 0
    is_used: bool = False
    inside: dict[Entity, int] = field(default_factory=dict[Entity, int])  # since which epoch
    left: set[Entity] = field(default_factory=set[Entity])


class Pure:
    """Plays platform and store for the rule."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, 12, tzinfo=UTC)
        self.rooms: dict[str, Room] = {}  # by the platform's id, as it is now
        self.former: list[Room] = []
        self.spaces: dict[str, set[Entity]] = {}
        self.collectives: dict[Entity, set[Entity]] = {}
        self.kept: list[Kept] = []

    @classmethod
    def can(cls, scenario: Scenario) -> bool:
        if any("ago" in step or "opt_out_of" in step for step in scenario.steps):
            return False  # the newest statement and people's wishes are the store's to keep
        return scenario.refused not in ("scope", "text")  # what the screen refuses

    async def do(self, step: Fields) -> None:
        (verb,) = set(step) - {"memory", "who", "role"}
        everyone = [read_entity(one) for one in people(step, "who", str(AGENT))]
        match verb:
            case "join":
                room = self._room_of(self._attest(self._place(step["join"])))
                room.left -= set(everyone)
                self._join(room, everyone)
            case "leave":
                room = self._attest(self._place(step["leave"]))
                for one in everyone:
                    self._start_epoch(room)
                    room.inside.pop(one, None)
                    room.left.add(one)
            case "leave_space":
                self.spaces[step["leave_space"]] -= set(everyone)
                for room in self.rooms.values():
                    if room.place.space == step["leave_space"]:
                        for one in everyone:
                            room.inside.pop(one, None)
                            room.left.add(one)
            case "attest":
                self._attest(self._place(step["attest"]), is_statement=True)
            case "assign":
                self.collectives.setdefault(read_entity(step["assign"]), set()).update(everyone)
            case "unassign":
                self.collectives[read_entity(step["unassign"])] -= set(everyone)
            case "forget":
                step["memory"].status = Status.DELETED
            case "wait":
                self.now += timedelta(**step["wait"])
            case _:
                raise ValueError(verb)

    async def remember(self, given: Fields) -> Kept:
        said = read_statement(given, AGENT)
        at = self._attest(said.place)
        room = self._room_of(at)
        there = said.present | ({said.by} if room.place.kind is not PlaceKind.UNKNOWN else set())
        self._join(room, there - {AGENT} - room.left)
        room.is_used = True
        kind = said.kind or Kind.KNOWLEDGE
        screened = Screened(
            text=said.text,
            kind=kind,
            sensitivity=said.sensitivity or Sensitivity.PUBLIC,
            trust=Trust.SAID,
            status=Status.APPROVED,
            waits_because=None,
            attribute=None,
        )
        agreed = consents_in(said, self.now, timedelta(days=90))
        try:
            origin = origin_of(
                said,
                screened,
                agent=AGENT,
                place=room.place,
                epoch=room.epoch,
                present=frozenset(room.inside),
                thread=at.place.id if at is not room else None,
                only_for=self._may_know(said, set(room.inside) | {said.by}),
            )
            if said.place.kind is not at.place.kind and at.place.kind is not PlaceKind.UNKNOWN:
                other = origin_of(
                    said,
                    screened,
                    agent=AGENT,
                    place=replace(said.place, id=room.place.id),
                    epoch=room.epoch,
                    present=frozenset(room.inside),
                )
                origin = replace(origin, inherited=label(other).clauses)
            require_consents(origin, said.by, agreed, (), {})
        except ConfideError as refusal:
            raise Refused(str(refusal)) from refusal
        lasts = said.lifetime or (timedelta(days=LIFETIMES[kind]) if kind in LIFETIMES else None)
        kept = Kept(
            origin=origin,
            label=label_with_consents(origin, agreed, {}),
            expires_at=self.now + lasts if lasts else None,
            consents=agreed,
        )
        self.kept.append(kept)
        return kept

    def _may_know(self, said: Statement, there: set[Entity]) -> frozenset[Atom]:
        if not said.only_for:
            return frozenset()
        held = {role for role, holders in self.collectives.items() if holders & there}
        return frozenset(map(atoms.entity, {said.by} | said.only_for & (there | held)))

    async def is_told(self, memory: Kept, asked: Fields) -> bool:
        return judge(memory, *self.listening(asked)).told

    def listening(self, asked: Fields) -> tuple[Audience, World]:
        """Asking in a room shows that one is there."""
        said = read_audience(asked, AGENT)
        meaning = MEANING[said.place.kind]
        if meaning.readers in (Readers.EVERYONE, Readers.LISTED) or meaning.has_space:
            at = self._attest(said.place)
            room = self._room_of(at)
            there = {v for v in said.viewers if isinstance(v, Entity)} - {AGENT}
            kind = MEANING[at.place.kind].readers
            if kind is Readers.NOBODY:
                said = replace(said, place=at.place, viewers=frozenset())
            else:
                self._join(room, there - room.left)
                everyone = frozenset({EveryoneIn(atoms.place(at.place.id)), *(there & room.left)})
                listed = said.viewers | frozenset(room.inside)
                viewers = listed if kind is Readers.LISTED else everyone
                if self._is_read_by_anyone(at):
                    viewers |= {Anyone()}
                is_open = said.place.kind in (PlaceKind.PUBLIC, PlaceKind.ANNOUNCEMENT)
                id = f"{at.place.id}#as-said" if is_open else at.place.id
                told_to = {v for v in said.viewers if not isinstance(v, EveryoneIn)}
                named = replace(
                    said,
                    place=replace(said.place, id=id),
                    viewers=frozenset({*told_to, EveryoneIn(atoms.place(id))}),
                )
                is_disputed = said.place.kind is not at.place.kind
                said = replace(
                    said,
                    place=at.place,
                    viewers=viewers,
                    as_said=named if is_disputed else None,
                )
        return said, self._world()

    def _is_read_by_anyone(self, room: Room | None) -> bool:
        if room is None:
            return False
        return room.place.kind is PlaceKind.ANNOUNCEMENT or self._is_read_by_anyone(
            self._parent(room.place)
        )

    def _world(self) -> World:
        belongs: dict[Entity, set[Atom]] = {}
        for room in [*self.rooms.values(), *self.former]:
            for one, since in room.inside.items():
                belongs.setdefault(one, set()).add(atoms.place(room.place.id))
                if room.place.kind in WITNESSED:
                    for n in range(since, room.epoch + 1):
                        belongs[one].add(atoms.present(room.place.id, n))
        for atom, everyone in self._groups():
            for one in everyone:
                belongs.setdefault(one, set()).add(atom)
        return World(
            agent=AGENT,
            now=self.now,
            places={r.place.id: r.place for r in [*self.rooms.values(), *self.former]},
            belongs={one: frozenset(found) for one, found in belongs.items()},
        )

    def _groups(self) -> Iterator[tuple[Atom, set[Entity]]]:
        yield from ((atoms.space(s), everyone) for s, everyone in self.spaces.items())
        yield from ((atoms.entity(g), everyone) for g, everyone in self.collectives.items())

    def _place(self, name: str) -> Place:
        return read_place(where(name), AGENT)

    def _parent(self, place: Place) -> Room | None:
        return next((r for r in self.rooms.values() if r.place.id == place.parent), None)

    def _room_of(self, at: Room) -> Room:
        """A thread is part of its room."""
        parent = self._parent(at.place)
        if at.place.kind in (PlaceKind.THREAD, PlaceKind.FORUM_POST) and parent is not None:
            return self._room_of(parent)
        return at

    def _attest(self, said: Place, *, is_statement: bool = False) -> Room:
        """A place that opens starts anew; one that closes takes its memories along."""
        if said.parent is not None:
            if said.parent_place is not None:
                self._attest(said.parent_place)
            parent = self.rooms.get(said.parent)
            said = replace(
                said,
                kind=said.kind if parent else PlaceKind.UNKNOWN,
                parent=parent.place.id if parent else None,
                space=parent.place.space if parent else None,
                parent_place=None,
            )
        known = self.rooms.get(said.id)
        if known is None:
            self.rooms[said.id] = known = Room(said)
        elif known.place.kind is not said.kind and (
            is_statement or known.place.kind is PlaceKind.UNKNOWN
        ):
            if known.place.kind is PlaceKind.THREAD and said.kind is PlaceKind.PRIVATE_THREAD:
                known.place = replace(known.place, kind=said.kind)
                self._close_thread(known.place)
            elif known.place.kind is PlaceKind.PUBLIC:
                known.place = replace(known.place, kind=said.kind, space=said.space)
                self._narrow(known.place.id)
            else:
                self.former.append(known)
                self.rooms[said.id] = known = Room(replace(said, id=f"{said.id}#2"))
        return known

    def _close_thread(self, thread: Place) -> None:
        for memory in self.kept:
            if memory.origin.thread == thread.id:
                inside = replace(memory.origin, place=thread, thread=None)
                self._relabel(memory, replace(inside, scope=Scope.CHANNEL_RESTRICTED))

    def _narrow(self, place_id: str) -> None:
        for memory in self.kept:
            o = memory.origin
            if o.scope is Scope.GUILD_PUBLIC and o.place and o.place.id == place_id:
                self._relabel(memory, replace(o, scope=Scope.CHANNEL_RESTRICTED))

    def _join(self, room: Room, everyone: Any) -> None:
        if room.place.space is not None:
            for space in spaces_around(room.place.space):
                self.spaces.setdefault(space, set()).update(everyone)
        new = frozenset(everyone) - set(room.inside)
        if not new:
            return
        self._start_epoch(room)
        room.inside |= dict.fromkeys(new, room.epoch)
        for memory in self.kept:
            o = memory.origin
            late = (o.subjects & new) - o.present
            if o.scope is Scope.GROUP and late and o.place and o.place.id == room.place.id:
                self._relabel(memory, replace(o, joined_later=o.joined_later | late))

    def _relabel(self, memory: Kept, origin: Origin) -> None:
        memory.origin = origin
        memory.label = label_with_consents(origin, memory.consents, {})

    def _start_epoch(self, room: Room) -> None:
        if room.place.kind in WITNESSED and room.is_used:
            room.epoch, room.is_used = room.epoch + 1, False


def read_statement(given: Fields, agent: Entity) -> Statement:
    """A row's `given` in the words of the library."""
    rest = {
        k: v for k, v in given.items() if k not in ("learned_in", "by", "text", "about", "with")
    }
    for name in ("access", "consent", "only_for"):
        if name in rest:
            rest[name] = [v if v == "*" or ":" in v else f"human:{v}" for v in rest[name]]
    if "source" in rest:
        rest["source"] = who(rest["source"], str(agent))
    try:
        return statement(
            given["text"],
            by=who(given["by"], str(agent)),
            place=where(given["learned_in"]),
            about=people(given, "about", str(agent)),
            present=people(given, "with", str(agent)),
            **rest,
        )
    except ConfideError as refusal:
        raise Refused(str(refusal)) from refusal


def read_audience(asked: Fields, agent: Entity) -> Audience:
    return audience(
        who(asked["asker"], str(agent)),
        where(asked["place"]),
        present=people(asked, "with", str(agent)),
        namespace=asked.get("namespace"),
        purpose=asked.get("purpose"),
    )
