"""Spaces as whoever runs them sees them: their places, their people, and what their owner decided."""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, NamedTuple

from confide.model import Entity, Place, PlaceKind
from confide.privacy.leaves import FLAT
from confide.store.connection import Connection
from confide.store.encoding import read_entity
from confide.store.queries import query


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownPlace:
    """A place as the operator sees it: what it is and how many are in it."""

    place: Annotated[Place, FLAT]
    members: int
    needs_review: bool  # it opened, and somebody should look at what was said before


class Peopled(NamedTuple):
    """A place with who is in it."""

    place: Place
    members: frozenset[Entity]


async def places(connection: Connection, agent: str) -> list[KnownPlace]:
    rows = await connection.fetch(query("places", "list"), agent)
    return [
        KnownPlace(
            place=Place(
                id=row["platform_id"],
                kind=PlaceKind(row["kind"]),
                space=row["space"],
                parent=row["parent"],
            ),
            members=row["members"],
            needs_review=row["needs_review"],
        )
        for row in rows
    ]


async def rooms(connection: Connection, agent: str, space: str) -> list[Peopled]:
    """The current places of a space, without threads."""
    rows = await connection.fetch(query("places", "of_space"), agent, space)
    return [
        Peopled(
            Place(id=row["platform_id"], kind=PlaceKind(row["kind"]), space=space),
            frozenset(map(read_entity, row["members"])),
        )
        for row in rows
        if row["parent"] is None
    ]


async def rooms_of(connection: Connection, agent: str, who: Entity) -> list[str]:
    rows = await connection.fetch(query("places", "rooms_of"), agent, str(who))
    return [row["platform_id"] for row in rows]


async def people(connection: Connection, agent: str, space: str) -> list[Entity]:
    rows = await connection.fetch(query("places", "in_space"), agent, space)
    return [read_entity(row["entity"]) for row in rows]


async def reviewed(connection: Connection, agent: str, place: str) -> bool:
    """Whether a place of that id waited for it."""
    done = await connection.execute(query("places", "reviewed"), agent, place)
    return done != "UPDATE 0"


async def rules(connection: Connection, agent: str, space: str) -> dict[str, Any]:
    found = await connection.fetchval(query("rules", "of_space"), agent, space)
    return {} if found is None else json.loads(found)


async def decide(connection: Connection, agent: str, space: str, rules: dict[str, Any]) -> None:
    await connection.execute(query("rules", "decide"), agent, space, json.dumps(rules))


async def leave(connection: Connection, agent: str, space: str, at: datetime | None) -> None:
    """The agent was removed at that time; None: it is back."""
    await connection.execute(query("rules", "leave"), agent, space, at)


async def known(connection: Connection, agent: str, platform: str) -> list[str]:
    rows = await connection.fetch(query("rules", "known"), agent, platform)
    return [row["space"] for row in rows]


async def departed(
    connection: Connection, agent: str, before: datetime
) -> list[tuple[str, list[str]]]:
    """Spaces that the agent left before then, each with its places."""
    rows = await connection.fetch(query("rules", "departed"), agent, before)
    return [(row["space"], row["places"]) for row in rows]


async def forget(connection: Connection, agent: str, space: str) -> None:
    await connection.execute(query("rules", "forget"), agent, space)


async def said_by(
    connection: Connection, agent: str, who: Entity, space: str
) -> list[tuple[str, str]]:
    """Messages of somebody in a space: id and platform."""
    rows = await connection.fetch(query("rules", "said_by"), agent, str(who), space)
    return [(row["message_id"], row["platform"]) for row in rows]


async def kept_of(connection: Connection, agent: str, who: Entity, space: str) -> list[uuid.UUID]:
    rows = await connection.fetch(query("rules", "kept_of"), agent, str(who), space)
    return [row["id"] for row in rows]
