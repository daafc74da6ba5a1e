"""An import on its way into the store: its people, its rooms, and the label of each message.

A file proves nothing about a live place. Its rooms are places of its batch, with the members that it
lists for that time. Where it lists nobody, everything is the importer's own. Its people are known to
its importer alone, and whoever brings a file has read it: the importer was there for all of it.
"""

from __future__ import annotations

import hashlib
import uuid
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Final

from confide.actor import Actor, ruling
from confide.errors import InvalidInput
from confide.imports import Person, Room, Said
from confide.model import Entity, Namespace, Place, PlaceKind, Scope, Sensitivity
from confide.privacy.acting import Act, Relation, Verdict
from confide.privacy.labels import Origin, label
from confide.store import claims, imports, memories, people
from confide.store.claims import Claim
from confide.store.colliding import tried_again
from confide.store.encoding import write_clauses
from confide.store.imports import SEPARATOR, Incoming, Opened, WasIn
from confide.store.people import Author, one_spelling
from confide.store.queries import query

if TYPE_CHECKING:
    from confide.means import Part
    from confide.store.connection import Connection

OPTED_OUT: Final = "its importer opted out, or the file was forgotten meanwhile"
#: A room in which people came and went more often than this counts as one that lists nobody.
MOST_EPOCHS: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Coming:
    """What is brought: whose it is, who does it, and who is who."""

    importer: Entity
    actor: Actor
    batch: uuid.UUID
    platform: str
    names: dict[str, Entity]  # in one spelling
    namespace: Namespace | None

    @property
    def is_in_person(self) -> bool:
        return _is_in_person(self.actor)

    def place(self, *parts: str) -> str:
        name = hashlib.sha256("\x1f".join(parts).encode("utf-8", "replace")).hexdigest()[:20]
        return f"import:{self.batch}/{name}"

    def meant(self, one: Person) -> Entity | None:
        return self.names.get(one_spelling(one.name)) or self.names.get(one_spelling(one.key))


def _is_in_person(actor: Actor) -> bool:
    return ruling(Act.GRANT, actor, Relation.OWNER).verdict is Verdict.YES


def has_rooms(actor: Actor, namespace: Namespace | None) -> bool:
    """Whether anybody but the importer counts as there: a workspace is its owner's, and a model may
    hold a key, so what it brings lists nobody: it would say who may hear it."""
    return namespace is None and _is_in_person(actor)


@dataclass(frozen=True, slots=True)
class _Room:
    """A room that the file lists, from membership to membership."""

    place: Place
    changes: tuple[datetime, ...]
    accounts: tuple[WasIn, ...]  # of those who confirmed who they are

    def epoch(self, at: datetime) -> int:
        return bisect_right(self.changes, at)


@dataclass(slots=True)
class _Known:
    """What of the file is in the store."""

    people: dict[str, Author] = field(default_factory=dict[str, Author])
    rooms: dict[str, _Room] = field(default_factory=dict[str, _Room])
    sessions: dict[str, uuid.UUID] = field(default_factory=dict[str, uuid.UUID])
    labels: dict[tuple[Entity, str, int], tuple[str, int]] = field(
        default_factory=dict[tuple[Entity, str, int], tuple[str, int]]
    )

    def copy(self) -> _Known:
        return _Known(dict(self.people), dict(self.rooms), dict(self.sessions), dict(self.labels))


class Arriving:
    """Takes what was read, some at a time; what failed half-way is tried again as a whole."""

    def __init__(self, part: Part, coming: Coming) -> None:
        self.database, self._clock = part.database, part.clock
        self.coming = coming
        self._known = _Known()

    @tried_again
    async def take(self, read: Sequence[Said | Room]) -> int:
        """How many messages were new."""
        coming, known, now = self.coming, self._known.copy(), self._clock()
        agent = self.database.agent
        async with self.database.keep(by=coming.actor, doing="import", at=now) as connection:
            if not await imports.may_come_in(connection, agent, coming.batch, coming.importer):
                raise InvalidInput("file", OPTED_OUT)
            step = _Step(connection, self, known, now)
            for one in read:
                if isinstance(one, Room):
                    await step.open(one)
            said = [one for one in read if isinstance(one, Said)]
            new = await step.say(said) if said else 0
        self._known = known
        return new

    async def finish(self) -> None:
        known, now = self._known, self._clock()
        rooms = [room.place.id for room in known.rooms.values()]
        async with self.database.keep(doing="import", at=now) as connection:
            await imports.drop_empty(
                connection, self.database.agent, known.sessions.values(), rooms
            )


class _Step:
    """One transaction of an import."""

    def __init__(
        self, connection: Connection, arriving: Arriving, known: _Known, now: datetime
    ) -> None:
        self._connection, self._known, self._now = connection, known, now
        self._database, self._coming = arriving.database, arriving.coming
        self._agent = self._database.agent

    async def open(self, room: Room) -> None:
        """A room and who was in it when, by the file's own dates."""
        changes = sorted({at for one in room.stays for at in (one.since, one.until) if at})
        is_listed = has_rooms(self._coming.actor, self._coming.namespace)
        if not is_listed or len(changes) > MOST_EPOCHS:
            return
        id = self._coming.place(room.id)
        stays = [WasIn(id, self._coming.importer, 0, None, None, None)]
        accounts: list[WasIn] = []
        for one in room.stays:
            who = await self._who(one.who)
            joined = bisect_right(changes, one.since) if one.since else 0
            left = bisect_right(changes, one.until) if one.until else None
            if who.entity == self._coming.importer or (left is not None and left <= joined):
                continue
            stay = WasIn(id, who.entity, joined, left, one.since, one.until)
            stays.append(stay)
            if who.account is not None:
                accounts.append(WasIn(id, who.account, joined, left, one.since, one.until))
        place = Opened(id, PlaceKind.GROUP, epoch=len(changes))
        await imports.open_places(self._connection, self._agent, [place])
        await imports.were_in(self._connection, self._agent, [*stays, *accounts])
        group = Place(id=id, kind=PlaceKind.GROUP)
        self._known.rooms[room.id] = _Room(group, tuple(changes), tuple(accounts))

    async def say(self, said: Sequence[Said]) -> int:
        for one in said:
            await self._who(one.by)
        await self._begin({self._place(one): self._room(one) for one in said})
        rows = [await self._incoming(one) for one in said]
        coming = self._coming
        batch = coming.batch, coming.platform, coming.namespace
        return await imports.take_in(
            self._connection, self._agent, batch, coming.importer, rows, self._now
        )

    async def _who(self, one: Person) -> Author:
        """The importer, or somebody whom only the importer knows. Ids in a file prove nothing."""
        found = self._known.people.get(one.key)
        if found is None:
            found = self._known.people[one.key] = await self._found(one)
        return found

    async def _found(self, one: Person) -> Author:
        importer = self._coming.importer
        # An export of one's own, in again: the importer may say which words are theirs.
        if one.is_importer or one.key == str(importer):
            return Author(importer, importer, importer)
        meant = self._coming.meant(one)
        known = await people.author(
            self._connection, self._agent, importer, (one.key, one.name), meant, self._now
        )
        if known.means == importer:
            return Author(importer, importer, importer)
        await people.name(self._connection, self._agent, known.entity, one.name[:128], self._now)
        if meant is None:
            return known
        await claims.make(self._connection, self._database, self._claim(known.entity, meant))
        # What the importer calls somebody: words about them concern that account too.
        await self._connection.execute(
            query("people", "add_alias"),
            self._agent, str(importer), " ".join(one.name.casefold().split())[:128], str(meant),
            self._now,
        )  # fmt: skip
        return known if known.account in (None, meant) else known._replace(account=None)

    def _claim(self, someone: Entity, account: Entity) -> Claim:
        coming = self._coming
        return Claim(
            id=uuid.uuid4(),
            someone=someone,
            account=account,
            importer=coming.importer,
            platform=coming.platform,
            is_in_person=coming.is_in_person,
            claimed_at=self._now,
            confirmed_at=None,
            refused_at=None,
        )

    def _place(self, one: Said) -> str:
        return self._coming.place(one.room, one.by.key)

    def _room(self, one: Said) -> _Room | None:
        return self._known.rooms.get(one.room)

    async def _begin(self, wanted: dict[str, _Room | None]) -> None:
        new = {id: wanted[id] for id in sorted(set(wanted) - set(self._known.sessions))}
        if not new:
            return
        places = [
            Opened(id, PlaceKind.THREAD, room.place.id) if room else Opened(id, PlaceKind.DIRECT)
            for id, room in new.items()
        ]
        await imports.open_places(self._connection, self._agent, places)
        made = [(uuid.uuid4(), id) for id in new]
        self._known.sessions |= {id: session for session, id in made}
        coming = self._coming
        await imports.begin_sessions(
            self._connection, self._agent, coming.importer, made, self._now, coming.namespace
        )

    async def _incoming(self, one: Said) -> Incoming:
        who, room, place = self._known.people[one.by.key], self._room(one), self._place(one)
        epoch = room.epoch(one.at) if room else 0
        clauses, label_id = await self._label(who.entity, room, epoch)
        importer = self._coming.importer
        present = {importer}
        if room is not None:
            present |= {who.entity}
            present |= {stay.entity for stay in room.accounts if stay.covers(epoch)}
        # Under the importer's own mark, so that nobody learns by importing what others brought.
        parts = str(importer), self._coming.platform, one.id
        return Incoming(
            message_id=hashlib.sha256("\x1f".join(parts).encode("utf-8", "replace")).hexdigest(),
            session_id=self._known.sessions[place],
            place=place,
            room=room.place.id if room else place,
            epoch=epoch,
            present=SEPARATOR.join(sorted(map(str, present))),
            author=str(who.entity),
            scope=(Scope.GROUP if room else Scope.DM).value,
            text=one.text,
            said_at=one.at,
            clauses=clauses,
            label_id=label_id,
        )

    async def _label(self, who: Entity, room: _Room | None, epoch: int) -> tuple[str, int]:
        """As its clauses are written, and its number."""
        alone = f"import:{self._coming.batch}"
        key = who, room.place.id if room else alone, epoch
        if key not in self._known.labels:
            made = label(
                Origin(
                    agent=self._database.agent_entity,
                    scope=Scope.GROUP if room else Scope.DM,
                    owner=self._coming.importer,
                    speaker=who,
                    place=room.place if room else Place(id=alone, kind=PlaceKind.DIRECT),
                    epoch=epoch,
                    present=frozenset({self._coming.importer}),
                    sensitivity=Sensitivity.PUBLIC,
                    namespace=self._coming.namespace,
                )
            )
            number, _ = await memories.intern(self._connection, self._agent, made)
            self._known.labels[key] = write_clauses(made), number
        return self._known.labels[key]
