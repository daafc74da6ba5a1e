"""What an answer may depend on beside what it tells (B11): what its readers hear, and what they made.

Counts, ids, times, lists and errors are made of memories that `known` returns, and of nothing else.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Final

from confide.errors import NotFound
from confide.model import Entity, Namespace, Place, PlaceKind
from confide.privacy.disclosure import disclose
from confide.privacy.labels import Origin
from confide.privacy.places import MEANING, Readers
from confide.privacy.policy import Audience
from confide.store import memories
from confide.store.database import PlaceUnattested
from confide.store.queries import query

if TYPE_CHECKING:
    from confide.actor import Actor
    from confide.store.database import Database

NO_SUCH_MEMORY: Final = "there is no such memory"


async def known(
    database: Database, actor: Actor, ids: Iterable[uuid.UUID], now: datetime
) -> frozenset[uuid.UUID]:
    """Of these memories, those that the actor made or may hear.

    Where others read the answer too, only what was said there and what everyone there may hear.
    """
    wanted = set(ids)
    if not wanted:
        return frozenset()
    found = await _made(database, actor, wanted)
    for audience in await _hearings(database, actor):
        if not (left := wanted - found):
            break
        found |= await _heard(database, audience, left, now)
    return frozenset(found)


async def require_known(
    database: Database, actor: Actor, ids: Iterable[uuid.UUID], now: datetime
) -> None:
    """What is hidden is answered like what does not exist."""
    wanted = frozenset(ids)
    if await known(database, actor, wanted, now) != wanted:
        raise NotFound(NO_SUCH_MEMORY)


def origin_for(origin: Origin, audience: Audience) -> str | None:
    """The id of the place where it was said, for those who were there or can look there.

    What is told everywhere must not name the room that it came from.
    """
    place, asker = origin.place, audience.asker
    if place is None:
        return None
    reader = MEANING[audience.place.kind].readers
    was_there = asker in (origin.owner, origin.speaker) or asker in origin.present
    is_here = audience.place.id == place.id
    is_open = place.kind is PlaceKind.PUBLIC and place.space == audience.place.space
    shown = is_here or is_open or (reader is Readers.ASKER and was_there)
    return place.id if shown else None


async def _made(database: Database, actor: Actor, ids: set[uuid.UUID]) -> set[uuid.UUID]:
    place = actor.audience.place.id if actor.audience else None
    async with database.keep() as connection:
        rows = await connection.fetch(
            query("memories", "made_by"), database.agent, list(ids), str(actor.entity), place
        )
    return {row["id"] for row in rows}


async def _hearings(database: Database, actor: Actor) -> list[Audience]:
    """The ways in which what is told reaches the readers of the answer."""
    if actor.audience is not None or actor.entity is None:
        return [actor.audience] if actor.audience else []
    who = actor.entity
    async with database.keep() as connection:
        agent, name = database.agent, str(who)
        levels = await connection.fetch(query("rights", "namespaces"), agent, name)
        spaces = await connection.fetch(query("rights", "spaces"), agent, name)
    return [
        _reply(who),
        *(_reply(who, Namespace(row["workspace"], row["namespace_scope"])) for row in levels),
        *(_reply(who, space=row["space"]) for row in spaces),
    ]


async def _heard(
    database: Database, audience: Audience, ids: set[uuid.UUID], now: datetime
) -> set[uuid.UUID]:
    try:
        async with database.tell(audience, now) as telling:
            found = await memories.told(telling, ids)
            told = disclose(found, telling.audience, telling.world).told
    except PlaceUnattested:  # nothing was said there yet
        return set()
    return {one.id for one in told}


def _reply(who: Entity, namespace: Namespace | None = None, space: str | None = None) -> Audience:
    place = Place(id=f"reply:{who}", kind=PlaceKind.EPHEMERAL, space=space)
    return Audience(
        asker=who, place=place, viewers=frozenset({who}), namespace=namespace or Namespace()
    )
