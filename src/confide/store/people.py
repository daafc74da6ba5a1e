"""People's current display names, seen only through memories that the audience hears."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import NamedTuple

from confide.model import Entity
from confide.store.connection import Connection
from confide.store.database import Telling
from confide.store.encoding import read_entity
from confide.store.queries import query
from confide.store.search import entity_key, name_key
from confide.store.terms import TERMS_VERSION, name_terms


class Alias(NamedTuple):
    """What one speaker calls somebody."""

    speaker: Entity
    alias: str
    entity: Entity


class Relationship(NamedTuple):
    """How two belong together, and the memory that says so."""

    entity: Entity
    relation: str
    other: Entity
    memory_id: uuid.UUID
    said_by: Entity


class Known(NamedTuple):
    """Somebody an audience knows of."""

    entity: Entity
    display_name: str | None


async def name(connection: Connection, agent: str, who: Entity, called: str, now: datetime) -> None:
    """What somebody is called from now on: shown, and found by that name instead of an earlier one."""
    known = agent, str(who)
    terms = sorted(map(name_key, name_terms([called])))
    # The first one waits for whoever else renames them; the others see what that was.
    await connection.execute(query("people", "name"), *known, called, now, TERMS_VERSION)
    await connection.execute(query("people", "drop_name_terms"), *known, terms)
    await connection.execute(query("people", "add_name_terms"), *known, terms, entity_key(who))


async def roles(
    connection: Connection, agent: str, place_id: str
) -> list[tuple[Entity, str | None, datetime | None]]:
    """Who is in a context, as what, since when."""
    rows = await connection.fetch(query("people", "participants"), agent, place_id)
    return [(read_entity(row["entity"]), row["role"], row["entered_at"]) for row in rows]


async def aliases(
    connection: Connection,
    agent: str,
    *,
    speaker: Entity | None = None,
    entity: Entity | None = None,
) -> list[Alias]:
    asked = [str(who) if who else None for who in (speaker, entity)]
    rows = await connection.fetch(query("people", "aliases"), agent, *asked)
    return [
        Alias(read_entity(row["speaker"]), row["alias"], read_entity(row["entity"])) for row in rows
    ]


async def accounts(connection: Connection, agent: str, who: Entity) -> list[tuple[str, str]]:
    rows = await connection.fetch(query("people", "accounts"), agent, str(who))
    return [(row["platform"], row["account"]) for row in rows]


async def known_people(telling: Telling, who: Entity | None = None) -> list[Known]:
    """Those whom this audience knows of by the memories it hears."""
    rows = await telling.connection.fetch(query("people", "seen"), str(who) if who else None)
    return [Known(read_entity(row["entity"]), row["display_name"]) for row in rows]


async def relationships(telling: Telling, who: Entity) -> list[Relationship]:
    rows = await telling.connection.fetch(query("people", "relationships"), str(who))
    return [
        Relationship(
            read_entity(row["entity"]),
            row["relation"],
            read_entity(row["other"]),
            row["memory_id"],
            read_entity(row["said_by"]),
        )
        for row in rows
    ]
