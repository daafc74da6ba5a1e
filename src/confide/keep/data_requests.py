"""Requests about what others said of somebody: asked, due in 30 days, decided with a reason."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated, Any, Final

from confide.actor import Actor, in_person, require, ruling
from confide.declare import Door, Group, Note, Self, Text, verb
from confide.egress import require_known
from confide.errors import InvalidInput, NotAllowed, NotFound, SecretRefused
from confide.keep import opting
from confide.keep.consenting import require_voice
from confide.keep.correcting import Correcting, Wording
from confide.keep.erasing import Erasures
from confide.model import Entity, clean_text
from confide.privacy.acting import Act, CallerKind, Relation, Verdict
from confide.privacy.leaves import Called, Leaf
from confide.store import memories
from confide.store.colliding import tried_again
from confide.store.connection import Connection
from confide.store.encoding import read_entity
from confide.store.queries import query

DUE: Final = timedelta(days=30)
MOST_OPEN: Final = 20
#: An admin sees the queue without words.
ASKERS: Final = (CallerKind.PLATFORM, CallerKind.PERSONAL, CallerKind.ADMIN)
NO_SUCH_REQUEST: Final = "there is no such request"


class Wanted(StrEnum):
    """What can be asked about what others said."""

    ACCESS = "access"  # to be told what was said
    OBJECT = "object"  # that it is told to nobody but whoever said it
    CORRECT = "correct"  # that it says something else
    ERASE = "erase"  # that it is gone


@dataclass(frozen=True, slots=True, kw_only=True)
class DataRequest:
    """Answered by the operator. It carries what the asker wrote, and nothing of what is kept."""

    id: uuid.UUID
    asker: Entity
    what: Wanted
    memory_id: Annotated[uuid.UUID | None, Called("memory")]
    wanted: Annotated[str | None, Leaf.OWN]
    asked_at: datetime
    due_at: datetime
    answered_at: datetime | None = None
    is_granted: bool | None = None
    reason: Annotated[str | None, Leaf.OWN] = None

    def is_overdue(self, now: datetime) -> bool:
        return self.answered_at is None and self.due_at < now


class DataRequests(Group, called="data_requests", but=(CallerKind.TOKEN,)):
    """`confide.data_requests`: a queue between whom memories are about and who runs the agent."""

    def __init__(self, door: Door) -> None:
        super().__init__(door)
        self._erasures = Erasures(door)

    @property
    def _correcting(self) -> Correcting:
        return Correcting(self.door.means)

    @verb(Act.ASK_FOR_DATA, "POST /requests", status=201)
    async def ask(
        self,
        what: Wanted,
        who: Self,
        *,
        actor: Actor,
        memory_id: Annotated[uuid.UUID | None, Called("memory")] = None,
        wanted: Annotated[
            Text | None, Called("text"), Note("What is right, for a correction.")
        ] = None,
    ) -> DataRequest:
        """Ask about what others said of oneself, or of a child whose guardian one is; the operator
        answers within 30 days. The same request twice is one."""
        if memory_id is not None and actor.audience is not None:
            await require_known(self.database, actor, [memory_id], self.clock())
        said = await self._screened(wanted) if wanted is not None else None
        if what is Wanted.CORRECT and (memory_id is None or said is None):
            raise InvalidInput("memory", "say which memory is wrong, and with text what is right")
        database, now = self.database, self.clock()
        async with database.keep(by=actor, doing="request", at=now) as connection:
            agent = database.agent
            await require_voice(connection, database, actor, who)
            # Whether there is such a memory is for whoever answers; the request looks the same.
            same = await connection.fetchrow(
                query("rights", "same_request"), agent, str(who), what.value, memory_id, said
            )
            if same is not None:
                return read_request(same)
            await _require_room(connection, agent, who)
            asked = DataRequest(
                id=uuid.uuid4(),
                asker=who,
                what=what,
                memory_id=memory_id,
                wanted=said,
                asked_at=now,
                due_at=now + DUE,
            )
            await connection.execute(
                query("rights", "ask"),
                agent, asked.id, str(who), str(actor.entity), what.value, memory_id, said, now,
                asked.due_at,
            )  # fmt: skip
        return asked

    @verb(None, "GET /requests", only=ASKERS, answers="requests")
    async def list(
        self,
        who: Self | None = None,
        *,
        actor: Actor,
        with_answered: Annotated[
            bool, Called("answered"), Note("Also those that were answered.")
        ] = False,
    ) -> list[DataRequest]:
        """What somebody asked for, and what became of it; to who runs the agent the whole queue,
        and to an admin key without words."""
        async with self.database.keep() as connection:
            if who is None:
                _require_operator(actor)
            elif actor.entity is not None:
                await require_voice(connection, self.database, actor, who)
            rows = await connection.fetch(
                query("rights", "requests"),
                self.database.agent, str(who) if who else None, with_answered,
            )  # fmt: skip
        return [read_request(row) for row in rows]

    @verb(Act.DECIDE_REQUEST, "POST /requests/{request_id}/answer")
    async def answer(
        self,
        request_id: uuid.UUID,
        *,
        grants: Annotated[bool, Note("Yes takes effect at once; no changes nothing.")],
        reason: Annotated[Text, Note("Whoever asked reads it.")],
        actor: Actor,
    ) -> DataRequest:
        """Decide it. What is granted takes effect in the same moment; only `access` has no effect
        but the answer itself, because what others said is told by the rule and by nothing else."""
        _require_operator(actor)
        if grants and ruling(Act.ERASE_ANY, actor, Relation.NONE).verdict is not Verdict.YES:
            await self._require_wordless(request_id)
        said = await self._screened(reason, "reason")
        wording = await self._wording(request_id) if grants else None
        if grants:
            await self._erase(request_id, actor)
        return await self._decide(request_id, grants, said, actor, wording)

    @tried_again
    async def _decide(
        self,
        request_id: uuid.UUID,
        grants: bool,
        reason: str,
        actor: Actor,
        wording: Wording | None,
    ) -> DataRequest:
        database, now = self.database, self.clock()
        async with database.keep(by=actor, doing="answer a request", at=now) as connection:
            one = await self._open(connection, request_id)
            await connection.execute(
                query("rights", "answer"),
                database.agent, request_id, now, str(actor), grants, reason,
            )  # fmt: skip
            if grants and await self._is_theirs(connection, one):
                await self._grant(connection, one, wording)
            rows = await connection.fetch(
                query("rights", "requests"), database.agent, str(one.asker), True
            )
        return next(read_request(row) for row in rows if row["id"] == request_id)

    async def _grant(
        self, connection: Connection, one: DataRequest, wording: Wording | None
    ) -> None:
        match one.what:
            case Wanted.ACCESS | Wanted.ERASE:
                return  # nothing is done here: what is erased went before
            case Wanted.OBJECT:
                await opting.object_to(
                    connection, self.database, one.asker, self.clock(), one.memory_id
                )
            case Wanted.CORRECT:
                assert one.memory_id is not None  # the database demands it
                assert wording is not None
                await self._correcting.replace_within(connection, one.memory_id, wording, one.asker)

    async def _erase(self, request_id: uuid.UUID, actor: Actor) -> None:
        """Before the answer: killed in between, the request is still open and can be granted again."""
        async with self.database.keep() as connection:
            one = await self._open(connection, request_id)
            if one.what is not Wanted.ERASE:
                return
            if not await self._is_theirs(connection, one):
                return
            rows = await connection.fetch(
                query("opting", "about"), self.database.agent, str(one.asker)
            )
        for id in [one.memory_id] if one.memory_id is not None else [row["id"] for row in rows]:
            with suppress(NotFound):  # it went with another one
                await self._erasures.granted(id, actor=actor)

    async def _wording(self, request_id: uuid.UUID) -> Wording | None:
        """Screened and embedded before anything is locked."""
        database = self.database
        async with database.keep() as connection:
            one = await self._open(connection, request_id)
            if one.what is not Wanted.CORRECT or one.memory_id is None or one.wanted is None:
                return None
            memory = await memories.kept(
                connection, database.agent, one.memory_id, database.agent_entity
            )
            if memory is None or not await self._is_theirs(connection, one):
                return None
        return await self._correcting.word(memory, one.wanted)

    async def _require_wordless(self, request_id: uuid.UUID) -> None:
        """Whoever reads no words cannot put others in their place."""
        async with self.database.keep() as connection:
            one = await self._open(connection, request_id)
        if one.what is Wanted.CORRECT:
            raise NotAllowed(
                "this key reads no words, and a correction is words; grant it where the database is"
            )

    async def _is_theirs(self, connection: Connection, one: DataRequest) -> bool:
        """Whether it names nothing in particular, or a memory of others that is about them."""
        return one.memory_id is None or await connection.fetchval(
            query("rights", "is_about"), self.database.agent, one.memory_id, str(one.asker)
        )

    async def _open(self, connection: Connection, request_id: uuid.UUID) -> DataRequest:
        row = await connection.fetchrow(query("rights", "request"), self.database.agent, request_id)
        if row is None:
            raise NotFound(NO_SUCH_REQUEST)
        return read_request(row)

    async def _screened(self, text: str, field: str = "text") -> str:
        said = clean_text(text, field)
        if (secret := (await self.screen.look_aside(said)).secret) is not None:
            raise SecretRefused(field, f"{secret.reason}; credentials are never stored")
        return said


async def _require_room(connection: Connection, agent: str, who: Entity) -> None:
    waiting = await connection.fetchval(query("rights", "open_requests"), agent, str(who))
    if waiting >= MOST_OPEN:
        raise InvalidInput("asker", f"{waiting} requests wait already; wait for their answers")


def _require_operator(actor: Actor) -> None:
    require(Act.DECIDE_REQUEST, actor, in_person(actor))


def read_request(row: Mapping[str, Any]) -> DataRequest:
    return DataRequest(
        id=row["id"],
        asker=read_entity(row["asker"]),
        what=Wanted(row["what"]),
        memory_id=row["memory_id"],
        wanted=row["wanted"],
        asked_at=row["asked_at"],
        due_at=row["due_at"],
        answered_at=row["answered_at"],
        is_granted=row["is_granted"],
        reason=row["reason"],
    )
