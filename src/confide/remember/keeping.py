"""Step 3 of remembering: what is known of places, consents and labels while statements are kept.

Each thing is asked of the database once a transaction, so that many statements need few questions.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from confide.errors import InvalidInput, SwitchedOff
from confide.model import Entity, Place, PlaceKind, Scope, Status, type_of
from confide.privacy import labels
from confide.privacy.places import MEANING, Readers
from confide.remember.labelling import (
    consents_in,
    label_with_consents,
    origin_of,
    require_consents,
)
from confide.store import consents, memories, places
from confide.store.attesting import attest_place, join_place, known_there, present_at
from confide.store.memory import Memory
from confide.store.opting import opted_out_of_global
from confide.store.surroundings import Surroundings, look_around

if TYPE_CHECKING:
    from confide.config import Settings
    from confide.privacy.consent import Consent, Guardians
    from confide.privacy.labels import Origin
    from confide.privacy.policy import Label
    from confide.remember.screening import Screened
    from confide.remember.statement import Statement
    from confide.store.attesting import Attested
    from confide.store.connection import Connection
    from confide.store.database import Database
    from confide.store.ledger import Marks

Late = tuple[frozenset[Entity], int]  # who was there for words that arrived late, and their epoch
Heard = tuple[frozenset[Entity], str | None]


@dataclass(slots=True)
class _Room:
    """A place as it is now, and who is in it."""

    attested: Attested
    epoch: int
    members: frozenset[Entity]
    used_at: datetime | None = None  # when the newest words were said


class Made(NamedTuple):
    """A memory ready to be stored, once its label is."""

    memory: Memory
    agreed: list[Consent]


class SaidBefore(NamedTuple):
    """A message before a memory, under the label of where it was said."""

    speaker: str | None
    text: str
    said_at: datetime
    label_id: int


@dataclass(slots=True)
class Keeping:
    """One transaction's knowledge."""

    connection: Connection
    database: Database
    settings: Settings
    now: datetime
    _around: Surroundings = field(default_factory=Surroundings)
    _rooms: dict[Place, _Room] = field(default_factory=dict)
    _labels: dict[Origin, tuple[Origin, Label]] = field(default_factory=dict)
    _interned: dict[Label, tuple[int, bytes]] = field(default_factory=dict)
    _newcomers: dict[tuple[str, datetime], tuple[Attested, set[Entity]]] = field(
        default_factory=dict
    )
    _standing: dict[Heard, list[Consent]] = field(default_factory=dict)
    _guardians: Guardians | None = None
    _said: dict[int, Origin] = field(default_factory=dict)  # of a statement, by its identity

    async def make(self, statement: Statement, screened: Screened, id: uuid.UUID) -> Made:
        me = self.database.agent_entity
        self._require_on_record(statement)
        room, late = await self._enter(statement)
        origin = await self._heeding(await self._origin(statement, screened, room, late))
        agreed = consents_in(statement, self.now, timedelta(days=self.settings.consent_days))
        origin, label = await self._label(origin, agreed, statement.by)
        self._said[_identity(statement)] = origin
        if late is None:
            spoken = self._said_at(statement)
            room.used_at = max(room.used_at or spoken, spoken)
        ends = statement.lifetime or self.settings.lifetime(screened.kind)
        memory = Memory(
            id=id,
            text=screened.text,
            owner=origin.owner or me,
            origin=origin,
            label=label,
            type=type_of(screened.kind, is_about_answering=screened.is_procedural),
            trust=screened.trust,
            status=screened.status,
            confidence=statement.confidence,
            said_at=statement.said_at or self.now,
            created_at=self.now,
            updated_at=self.now,
            reinforced_at=self.now,
            expires_at=self.now + ends if ends else None,
            waits_because=screened.waits_because,
            attribute=screened.attribute,
        )
        return Made(memory, agreed)

    def would_change(self, statement: Statement) -> bool:
        """Whether this statement brings somebody into a place that something was just said in."""
        room = self._rooms.get(statement.place)
        if room is None:
            return any(known.id == statement.place.id for known in self._rooms)
        is_new = not self._there(statement, room.attested.room) <= room.members
        return is_new and room.attested.room.kind in places.WITNESSED

    async def ask_about(self, statements: Iterable[Statement]) -> None:
        """What has to be known of those concerned and of where they spoke, for all of them."""
        every = [one for s in statements for one in (s, *s.before)]
        people = {who for s in every for who in (s.by, s.source, *s.about) if who is not None}
        self._around = await look_around(
            self.connection,
            self.database.agent,
            people | {self.database.agent_entity},
            {(s.by, s.place.id) for s in every},
        )

    @property
    def forgotten_with(self) -> Sequence[Marks]:
        """The keys that something of anybody's was suppressed with."""
        return self._around.forgotten_with

    async def intern(self, labels: Iterable[Label]) -> list[tuple[int, bytes]]:
        """Their numbers and keys; those not seen before are asked for together."""
        wanted = list(labels)
        unknown = list(dict.fromkeys(one for one in wanted if one not in self._interned))
        if unknown:
            numbers = await memories.intern_all(self.connection, self.database.agent, unknown)
            self._interned |= zip(unknown, numbers, strict=True)
        return [self._interned[label] for label in wanted]

    async def write_joins(self) -> None:
        """Who spoke in a place for the first time."""
        waiting, self._newcomers = self._newcomers, {}
        for (_, spoken), (attested, who) in waiting.items():
            await join_place(
                self.connection, self.database, attested, who, self.now, spoke_at=spoken
            )

    async def before(self, heard: Iterable[tuple[Statement, Screened]]) -> list[SaidBefore]:
        """What was said before, where it may be kept: neither secrets nor what waits for review."""
        found: list[SaidBefore] = []
        for statement, screened in heard:
            if screened.status is not Status.APPROVED or screened.attribute:
                continue
            origin = self._said.get(_identity(statement))
            if origin is None:
                room = await self._room(statement.place)
                try:
                    self._require_on_record(statement)
                    origin = await self._heeding(await self._origin(statement, screened, room))
                except (InvalidInput, SwitchedOff):
                    continue  # whoever said it wants nothing of theirs kept, here either
            # Without what consent lent: that ends when it is withdrawn, and a quote would not know.
            ((label_id, _),) = await self.intern([labels.label(origin)])
            speaker = statement.source or statement.by
            said_at = statement.said_at or self.now
            found.append(SaidBefore(str(speaker), screened.text, said_at, label_id))
        return found

    async def record_consents(self, made: Made) -> None:
        for consent in made.agreed:
            given = consents.Given(
                id=uuid.uuid4(),
                about=consents.About(memory_id=made.memory.id),
                consent=consent,
                reason=None,
                given_by=None,
                granted_at=self.now,
            )
            await consents.add(self.connection, self.database.agent, given)

    async def use_epochs(self) -> None:
        for room in self._rooms.values():
            if room.used_at is not None:
                await places.use_epoch(
                    self.connection, self.database.agent, room.attested.room, room.used_at
                )
                room.used_at = None

    async def _enter(self, statement: Statement) -> tuple[_Room, Late | None]:
        """Speaking in a place makes one known to be in it, where nothing is known of that yet."""
        room = await self._room(statement.place)
        inside = room.attested.room
        there, spoken = self._there(statement, inside), self._said_at(statement)
        is_dated = statement.said_at is not None
        if not there <= room.members:
            if inside.kind in places.WITNESSED or inside.kind is PlaceKind.DIRECT:
                new, room.epoch = await join_place(
                    self.connection, self.database, room.attested, there, self.now, spoke_at=spoken
                )
                room.members |= new
            else:
                # Nobody's coming changes what was said there before, so all may be written at once.
                known = self._newcomers.setdefault((inside.id, spoken), (room.attested, set()))
                known[1].update(there - room.members)
                room.members |= there
        if not is_dated and room.attested.members_at <= spoken and there <= room.members:
            return room, None
        await self.write_joins()
        return room, await present_at(
            self.connection, self.database, room.attested, there, room.members, spoken
        )

    def _said_at(self, statement: Statement) -> datetime:
        return min(statement.said_at or self.now, self.now)

    async def _room(self, place: Place) -> _Room:
        if place not in self._rooms:
            if any(known.id == place.id for known in self._rooms):
                await self.write_joins()
            # What was asked at the beginning holds until the place is said differently.
            held = self._around.places.pop(place.id, None)
            attested = await attest_place(
                self.connection, self.database, place, self.now, held.row if held else None
            )
            if held and held.id == attested.room.id:
                members = held.members
            else:
                members = await places.members(
                    self.connection, self.database.agent, attested.room.id
                )
            # The same place said differently is another place from now on.
            self._rooms = {p: r for p, r in self._rooms.items() if p.id != place.id}
            self._rooms[place] = _Room(attested, attested.epoch, members)
        return self._rooms[place]

    def _there(self, statement: Statement, place: Place) -> frozenset[Entity]:
        speaks = MEANING[place.kind].readers is not Readers.NOBODY
        speaking = {statement.by} if speaks else set[Entity]()
        return (statement.present | speaking) - {self.database.agent_entity}

    async def _origin(
        self, statement: Statement, screened: Screened, room: _Room, late: Late | None = None
    ) -> Origin:
        """Where it was said to be another place than it is, it carries the clauses of both."""
        attested = room.attested
        there = self._there(statement, attested.room)
        present, epoch = late or (room.members | there, room.epoch)
        is_part = attested.place != attested.room
        known = await known_there(
            self.connection, self.database.agent, statement.only_for, statement.by, present
        )
        made = origin_of(
            statement,
            screened,
            agent=self.database.agent_entity,
            place=attested.room,
            epoch=epoch,
            present=present,
            thread=attested.place.id if is_part else None,
            only_for=known,
        )
        # The surprise party stays one, also if the words about it arrive after its guest.
        made = replace(made, joined_later=statement.about & room.members - present)
        for other in (attested.as_said, await self._before_it_opened(attested, statement)):
            if other is not None:
                narrower = origin_of(
                    statement,
                    screened,
                    agent=self.database.agent_entity,
                    place=other,
                    epoch=epoch,
                    present=present,
                    only_for=known,
                )
                clauses = labels.label(narrower).clauses
                made = replace(made, inherited=made.inherited | clauses)
        return made

    async def _before_it_opened(self, attested: Attested, statement: Statement) -> Place | None:
        """Words that arrive late were said in the room as it was."""
        spoken = self._said_at(statement)
        if spoken >= attested.opened_at:
            return None
        return await places.before_it_opened(
            self.connection, self.database.agent, attested.room, spoken
        )

    def _require_on_record(self, statement: Statement) -> None:
        if (statement.by, statement.place.id) in self._around.off_record:
            raise SwitchedOff(f"{statement.by} is off the record here; nothing is read or written")

    async def _heeding(self, origin: Origin) -> Origin:
        """Nothing of somebody who opted out is kept; about them only for whoever said it."""
        opted_out = self._around.opted_out
        for field_name, who in (("by", origin.owner), ("source", origin.speaker)):
            if who in opted_out:
                raise InvalidInput(field_name, f"{who} opted out; nothing of theirs is kept")
        if origin.scope is Scope.GLOBAL and await opted_out_of_global(
            self.connection, self.database.agent, origin.owner
        ):
            raise InvalidInput("scope", f"{origin.owner} wants nothing told everywhere")
        if origin.scope is Scope.GLOBAL or origin.is_portable:
            origin = await self._minding_children(origin)
        objectors = origin.subjects & opted_out
        return replace(origin, objectors=frozenset(objectors)) if objectors else origin

    async def _minding_children(self, origin: Origin) -> Origin:
        """What concerns a child stays where it was said (A5)."""
        if not await consents.concerns_child(self.connection, self.database.agent, origin):
            return origin
        if origin.scope is Scope.GLOBAL:
            raise InvalidInput("scope", "what concerns a child is never told everywhere")
        return replace(origin, is_portable=False, is_portable_confirmed=False)

    async def _label(
        self, origin: Origin, agreed: list[Consent], by: Entity
    ) -> tuple[Origin, Label]:
        """With what was agreed now and what was agreed before about such memories."""
        known = self._labels.get(origin)
        if known is not None and not agreed:
            return known
        before = await self._agreed_before(origin)
        in_force = [*agreed, *before]
        guardians: Guardians = {}
        if in_force:
            if self._guardians is None:
                self._guardians = await consents.guardians(self.connection, self.database.agent)
            guardians = self._guardians
        require_consents(origin, by, agreed, before, guardians)
        label = label_with_consents(origin, in_force, guardians)
        if not agreed and not origin.grants:
            self._labels[origin] = origin, label
        return origin, label

    async def _agreed_before(self, origin: Origin) -> list[Consent]:
        concerned = origin.subjects | ({origin.speaker} if origin.speaker else set[Entity]())
        if not self._around.has_standing:
            return []
        heard = concerned, origin.place.id if origin.place else None
        if heard not in self._standing:
            self._standing[heard] = await consents.standing(
                self.connection, self.database.agent, *heard
            )
        return self._standing[heard]


def _identity(statement: Statement) -> int:
    """The very same statement, not one that says the same elsewhere or later."""
    return id(statement)
