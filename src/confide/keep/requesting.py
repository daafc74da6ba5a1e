"""Requests: what somebody would like to share, and what a key may only ask for. Each waits until
the person whose it is, or their guardian, answers by an act of their own."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from confide.actor import Actor, refused, ruling
from confide.errors import InvalidInput, NotFound, OnlyAsked
from confide.model import Entity
from confide.privacy.acting import Act, Relation, Verdict
from confide.privacy.atoms import Atom
from confide.store import memories
from confide.store.connection import Connection
from confide.store.consents import About, read_about
from confide.store.encoding import read_entity
from confide.store.queries import query

if TYPE_CHECKING:
    from confide.store.database import Database
    from confide.store.memory import Memory

NO_SUCH_REQUEST: Final = "there is no such request"
#: A model that asks without end must not bury what its person should see.
MOST_OPEN: Final = 200
NOTHING: Final = About()


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What somebody would like to share: with whom, only where, what for, and why."""

    grantee: Atom
    where: Atom | None = None
    purpose: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What waits for a yes: a consent, or another act, about a memory or a named thing."""

    grantor: Entity  # whose yes is needed
    about: About = NOTHING
    wish: Wish | None = None  # of a consent
    target: str | None = None  # what else the act is about
    words: str | None = None  # what a memory should say instead


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """An act that waits for one person's yes. It carries no content of a memory."""

    id: uuid.UUID
    act: Act
    asked: Asked
    asked_by: str
    asked_at: datetime

    @property
    def grantor(self) -> Entity:
        return self.asked.grantor

    @property
    def about(self) -> About:
        return self.asked.about

    @property
    def thing(self) -> uuid.UUID:
        """The memory, merge or erasure that it is about."""
        return self.asked.about.memory_id or uuid.UUID(self.asked.target or "")

    @property
    def wish(self) -> Wish | None:
        return self.asked.wish


async def allow(
    database: Database, act: Act, actor: Actor, relation: Relation, asked: Asked, now: datetime
) -> None:
    """Return if the actor may. Whoever may only ask has asked, when this raises."""
    verdict, reason = ruling(act, actor, relation)
    if verdict is Verdict.YES:
        return
    if verdict is Verdict.NO:
        raise refused(act, actor, reason)
    async with database.keep(by=actor, doing="ask", at=now) as connection:
        left = await leave(connection, database, act, asked, actor, now)
    raise OnlyAsked(f"{reason}. Request {left.id} waits for {asked.grantor}", left.id)


async def ask(
    database: Database,
    memory_id: uuid.UUID,
    wish: Wish,
    of: frozenset[Entity],
    actor: Actor,
    now: datetime,
) -> list[Request]:
    """Leave a request with each of `of`; with nobody named, with everyone else who has a say."""
    async with database.keep(by=actor, doing="ask for consent", at=now) as connection:
        memory = await memories.kept(connection, database.agent, memory_id, database.agent_entity)
        if memory is None or not _may_ask(memory, actor):
            raise NotFound("there is no such memory")
        owners = {clause.owner for clause in memory.label.clauses}
        strangers = sorted(str(who) for who in of - owners)
        if strangers:
            raise InvalidInput("of", f"{', '.join(strangers)} has no say in this memory")
        grantors = of or owners - {actor.entity}
        if not grantors:
            raise InvalidInput("of", "nobody else has a say in this memory; share it yourself")
        about = About(memory_id=memory_id)
        return [
            await leave(
                connection, database, Act.CONSENT,
                Asked(grantor=who, about=about, wish=wish), actor, now,
            )
            for who in sorted(grantors)
        ]  # fmt: skip


async def waiting(database: Database, who: Entity) -> list[Request]:
    """What waits for an answer of `who`, for themselves or for a child of theirs."""
    async with database.keep() as connection:
        rows = await connection.fetch(query("consents", "asked"), database.agent, str(who))
    return [_read(row) for row in rows]


async def open_one(connection: Connection, database: Database, request_id: uuid.UUID) -> Request:
    """A request that nobody answered yet, held while it is."""
    row = await connection.fetchrow(query("consents", "asked_one"), database.agent, request_id)
    if row is None:
        raise NotFound(NO_SUCH_REQUEST)
    return _read(row)


async def close(
    connection: Connection,
    database: Database,
    request_id: uuid.UUID,
    now: datetime,
    *,
    agrees: bool,
) -> None:
    await connection.execute(query("consents", "answer"), database.agent, request_id, now, agrees)


def _may_ask(memory: Memory, actor: Actor) -> bool:
    """Its owner and its speaker: to anyone else, whom it is about too, a list of who has a say
    would give its source away."""
    return actor.entity is not None and actor.entity in (memory.owner, memory.speaker)


async def leave(
    connection: Connection,
    database: Database,
    act: Act,
    asked: Asked,
    actor: Actor,
    now: datetime,
) -> Request:
    """The same request twice is one."""
    about, wish, by = asked.about, asked.wish, str(actor.entity)
    where = str(wish.where) if wish and wish.where else None
    grantee, purpose = (str(wish.grantee), wish.purpose) if wish else (None, None)
    agent, grantor = database.agent, str(asked.grantor)
    named = (about.memory_id, str(about.subject) if about.subject else None, about.origin)
    id = await connection.fetchval(
        query("consents", "same_asked"),
        agent, grantor, _written(act), *named, grantee, where, purpose, asked.target, asked.words,
        by,
    )  # fmt: skip
    if id is None:
        if await connection.fetchval(query("consents", "asked_open"), agent, grantor) >= MOST_OPEN:
            raise InvalidInput("actor", f"{MOST_OPEN} requests wait already; answer those first")
        id = uuid.uuid4()
        await connection.execute(
            query("consents", "ask"),
            agent, id, *named, grantor, grantee, where, purpose, wish.reason if wish else None,
            by, now, _written(act), asked.target, asked.words,
        )  # fmt: skip
    return Request(id=id, act=act, asked=asked, asked_by=by, asked_at=now)


def _written(act: Act) -> str:
    return act.name.lower()


def _read(row: Mapping[str, Any]) -> Request:
    wish = None
    if row["grantee"] is not None:
        wish = Wish(
            grantee=Atom.read(row["grantee"]),
            where=Atom.read(row["place"]) if row["place"] else None,
            purpose=row["purpose"],
            reason=row["reason"],
        )
    asked = Asked(
        grantor=read_entity(row["grantor"]),
        about=read_about(row),
        wish=wish,
        target=row["target"],
        words=row["words"],
    )
    return Request(
        id=row["id"],
        act=Act[row["act"].upper()],
        asked=asked,
        asked_by=row["asked_by"],
        asked_at=row["asked_at"],
    )
