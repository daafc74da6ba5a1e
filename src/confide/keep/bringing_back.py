"""An export of one person, back in as it was. Only the operator: a file's scope, trust, speakers,
consents and portability are claims everywhere else."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from confide.actor import require
from confide.errors import InvalidInput
from confide.means import Part
from confide.model import (
    Entity,
    Kind,
    MemoryType,
    Place,
    PlaceKind,
    Scope,
    Sensitivity,
    Status,
    Trust,
    clean_text,
)
from confide.privacy import atoms
from confide.privacy.acting import Act, Relation
from confide.privacy.consent import Consent
from confide.privacy.labels import Origin, label
from confide.store import consents, people, places
from confide.store.adding import New, add_all
from confide.store.attesting import attest_place
from confide.store.consents import About, Given
from confide.store.memory import Memory
from confide.store.opting import opted_out
from confide.store.queries import query
from confide.store.relabel import relabel_by_consent
from confide.wire.forms import read_entity, read_grantee, read_namespace, read_time

if TYPE_CHECKING:
    from confide.actor import Actor
    from confide.store.connection import Connection

Line = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class BroughtBack:
    new: int
    known: int


class BringingBack(Part):
    """Puts the lines of `confide export --format jsonl` into a store, with every field."""

    async def bring(self, lines: Iterable[Line], whose: Entity, *, actor: Actor) -> BroughtBack:
        """All of them, or none: a line that cannot be read is an error that names it."""
        require(Act.RUN, actor, Relation.NONE)
        read = list(lines)
        texts = [_text(line, number) for number, line in enumerate(read, 1)]
        for number, seen in enumerate(self.screen.look_all(texts) if texts else (), 1):
            if seen.secret is not None:
                raise InvalidInput("file", f"line {number}: holds a credential; take it out")
        vectors = await self.embedder.embed_documents(texts)
        now, new = self.clock(), 0
        async with self.database.keep(by=actor, doing="import", at=now) as connection:
            for number, (line, vector) in enumerate(zip(read, vectors, strict=True), 1):
                memory = await self._memory(connection, line, whose, number, now)
                if await self._is_back(connection, memory):
                    continue
                (stored,) = await add_all(
                    connection, self.database.agent, [New(memory, vector, [])]
                )
                new += stored.is_new
                if stored.is_new:
                    await self._as_it_was(connection, memory)
                    if line.get("consents"):
                        await self._agree(connection, stored.id, line, now)
        return BroughtBack(new, len(read) - new)

    async def _memory(
        self, connection: Connection, line: Line, whose: Entity, number: int, now: datetime
    ) -> Memory:
        try:
            origin = await self._origin(connection, line, whose, now)
            if origin.owner != whose:
                raise InvalidInput("owner", f"is not {whose}; each person's export goes by itself")
            return Memory(
                id=await self._id(connection, line),
                text=clean_text(line["text"]),
                owner=whose,
                origin=origin,
                label=label(origin),
                type=MemoryType(line["type"]),
                trust=Trust(line["trust"]),
                status=Status.APPROVED,
                confidence=float(line["confidence"]),
                said_at=read_time(line["said_at"]),
                created_at=now,
                updated_at=read_time(line["updated_at"]),
                reinforced_at=read_time(line["updated_at"]),
                expires_at=read_time(line["expires_at"]) if line.get("expires_at") else None,
                is_protected=bool(line.get("is_protected")),
            )
        except (KeyError, ValueError, TypeError) as problem:
            raise InvalidInput("file", f"line {number}: {problem} is missing or wrong") from None

    async def _id(self, connection: Connection, line: Line) -> uuid.UUID:
        """Its own, unless another memory has it here."""
        wanted = uuid.UUID(line["id"]) if line.get("id") else uuid.uuid4()
        is_free = await connection.fetchval(
            query("imports", "is_free"), self.database.agent, wanted
        )
        return wanted if is_free else uuid.uuid4()

    async def _as_it_was(self, connection: Connection, memory: Memory) -> None:
        """It is not younger for having been away."""
        await connection.execute(
            query("imports", "as_it_was"),
            self.database.agent, memory.id, memory.updated_at, memory.reinforced_at,
        )  # fmt: skip

    async def _is_back(self, connection: Connection, memory: Memory) -> bool:
        return await connection.fetchval(
            query("imports", "is_back"), self.database.agent, str(memory.owner), memory.text,
            memory.said_at, memory.scope.value, memory.kind.value,
        )  # fmt: skip

    async def _origin(
        self, connection: Connection, line: Line, whose: Entity, now: datetime
    ) -> Origin:
        speaker = await self._who(connection, whose, line.get("speaker"), now)
        about = [await self._who(connection, whose, one, now) for one in line.get("about", ())]
        place, epoch = await self._place(connection, line, whose, now)
        made = Origin(
            agent=self.database.agent_entity,
            scope=Scope(line["level"]),
            owner=read_entity(line["owner"], "owner"),
            speaker=speaker,
            place=place[0] if place else None,
            epoch=epoch,
            subjects=frozenset(one for one in about if one is not None),
            present=frozenset({whose} | ({speaker} if speaker else set())),
            sensitivity=Sensitivity(line["sensitivity"]),
            kind=Kind(line["kind"]),
            namespace=read_namespace(line["namespace"]) if line.get("namespace") else None,
            is_portable=bool(line.get("is_portable")),
            is_confidential=bool(line.get("is_confidential")),
            only_for=frozenset(atoms.entity(read_entity(one)) for one in line.get("only_for", ())),
        )
        made = await self._minding(connection, made)
        if place and place[1] is not None:
            # Here the place is something else: the clauses of both hold.
            other = label(replace(made, place=place[1])).clauses
            made = replace(made, inherited=made.inherited | other)
        return made

    async def _minding(self, connection: Connection, made: Origin) -> Origin:
        """Those whom it is about may have come since it was said, or want nothing kept of them."""
        agent, room = self.database.agent, made.place.id if made.place else ""
        inside = await places.members(connection, agent, room)
        return replace(
            made,
            joined_later=made.subjects & inside - made.present,
            objectors=frozenset(await opted_out(connection, agent, made.subjects)),
        )

    async def _place(
        self, connection: Connection, line: Line, whose: Entity, now: datetime
    ) -> tuple[tuple[Place, Place | None] | None, int]:
        """Where it was said, and an epoch of its own: who else was there then the file does not say."""
        if not line.get("origin") or not line.get("place_kind"):
            return None, 0
        said = Place(
            id=line["origin"], kind=PlaceKind(line["place_kind"]), space=line.get("space") or None
        )
        attested = await attest_place(connection, self.database, said, now)
        if attested.room.kind not in places.WITNESSED:
            return (attested.room, attested.as_said), 0
        agent, room = self.database.agent, attested.room.id
        epoch = await connection.fetchval(query("places", "late_epoch"), agent, room)
        await connection.execute(
            query("places", "were_there"), agent, room, [str(whose)], epoch, now
        )
        return (attested.room, attested.as_said), epoch

    async def _who(
        self, connection: Connection, whose: Entity, written: str | None, now: datetime
    ) -> Entity | None:
        """An entity, or somebody whom only the exporter knows, by the name they use."""
        if written is None:
            return None
        try:
            return read_entity(written)
        except InvalidInput:
            return await people.someone(connection, self.database.agent, whose, written, now)

    async def _agree(
        self, connection: Connection, memory: uuid.UUID, line: Line, now: datetime
    ) -> None:
        for one in line["consents"]:
            consent = Consent(
                grantor=read_entity(one["grantor"], "grantor"),
                grantee=read_grantee(one["grantee"]),
                where=read_grantee(one["where"], "where") if one.get("where") else None,
                until=read_time(one["expires_at"]) if one.get("expires_at") else None,
                purpose=one.get("purpose"),
            )
            given = Given(
                id=uuid.uuid4(),
                about=About(memory_id=memory),
                consent=consent,
                reason=one.get("reason"),
                given_by=None,
                granted_at=read_time(one["granted_at"]),
            )
            await consents.add(connection, self.database.agent, given)
        await relabel_by_consent(connection, self.database, [memory], now)


def _text(line: Line, number: int) -> str:
    if not isinstance(line.get("text"), str):
        raise InvalidInput("file", f"line {number}: text is missing; give a confide export")
    return clean_text(line["text"])
