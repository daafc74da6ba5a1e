"""Asking for consent: a request waits until whoever has a say, or their guardian, answers it."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from confide.actor import Actor
from confide.errors import InvalidInput, NotFound
from confide.keep.consenting import Effect, give_within, require_voice
from confide.model import Entity
from confide.privacy.atoms import Atom
from confide.privacy.consent import Consent
from confide.store import memories
from confide.store.connection import Connection
from confide.store.consents import About, read_about
from confide.store.encoding import read_entity
from confide.store.queries import query

if TYPE_CHECKING:
    from confide.store.database import Database
    from confide.store.memory import Memory

NO_SUCH_REQUEST = "there is no such request"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What somebody would like to share: with whom, only where, what for, and why."""

    grantee: Atom
    where: Atom | None = None
    purpose: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A wish that waits for one person's yes. It carries no content."""

    id: uuid.UUID
    about: About
    grantor: Entity
    wish: Wish
    asked_by: str
    asked_at: datetime


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
        return [
            await _leave(connection, database, memory_id, who, wish, actor, now)
            for who in sorted(grantors)
        ]


async def waiting(database: Database, who: Entity) -> list[Request]:
    """What waits for an answer of `who`, for themselves or for a child of theirs."""
    async with database.keep() as connection:
        rows = await connection.fetch(query("consents", "asked"), database.agent, str(who))
    return [_read(row) for row in rows]


async def answer(
    database: Database,
    request_id: uuid.UUID,
    actor: Actor,
    now: datetime,
    *,
    agrees: bool,
    lasts: timedelta,
) -> Effect | None:
    """Yes becomes a consent in the same moment; no leaves everything as it was."""
    async with database.keep(by=actor, doing="answer a request", at=now) as connection:
        row = await connection.fetchrow(
            query("consents", "answer"), database.agent, request_id, now, agrees
        )
        if row is None:
            raise NotFound(NO_SUCH_REQUEST)
        grantor = read_entity(row["grantor"])
        try:
            await require_voice(connection, database, actor, grantor)
        except InvalidInput:
            # Rolled back: somebody else's request is answered like one that does not exist.
            raise NotFound(NO_SUCH_REQUEST) from None
        if not agrees:
            return None
        wish = _read_wish(row)
        given = Consent(
            grantor=grantor,
            grantee=wish.grantee,
            where=wish.where,
            until=now + lasts,
            purpose=wish.purpose,
        )
        return await give_within(
            connection, database, given, read_about(row), actor, now, wish.reason
        )


def _may_ask(memory: Memory, actor: Actor) -> bool:
    """Its owner and its speaker: to anyone else, whom it is about too, a list of who has a say
    would give its source away."""
    return actor.entity is not None and actor.entity in (memory.owner, memory.speaker)


async def _leave(
    connection: Connection,
    database: Database,
    memory_id: uuid.UUID,
    grantor: Entity,
    wish: Wish,
    actor: Actor,
    now: datetime,
) -> Request:
    request = Request(
        id=uuid.uuid4(),
        about=About(memory_id=memory_id),
        grantor=grantor,
        wish=wish,
        asked_by=str(actor.entity),
        asked_at=now,
    )
    where = str(wish.where) if wish.where else None
    await connection.execute(
        query("consents", "ask"),
        database.agent, request.id, memory_id, None, None, str(grantor), str(wish.grantee), where,
        wish.purpose, wish.reason, request.asked_by, now,
    )  # fmt: skip
    return request


def _read(row: Mapping[str, Any]) -> Request:
    return Request(
        id=row["id"],
        about=read_about(row),
        grantor=read_entity(row["grantor"]),
        wish=_read_wish(row),
        asked_by=row["asked_by"],
        asked_at=row["asked_at"],
    )


def _read_wish(row: Mapping[str, Any]) -> Wish:
    return Wish(
        grantee=Atom.read(row["grantee"]),
        where=Atom.read(row["place"]) if row["place"] else None,
        purpose=row["purpose"],
        reason=row["reason"],
    )
