"""People's current display names, seen only through memories that the audience hears."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from confide.model import Entity
from confide.store.connection import Connection
from confide.store.database import Telling
from confide.store.encoding import read_entity
from confide.store.queries import query


async def name(connection: Connection, agent: str, who: Entity, called: str, now: datetime) -> None:
    await connection.execute(query("people", "name"), agent, str(who), called, now)


async def names(telling: Telling, who: Iterable[Entity]) -> Mapping[Entity, str]:
    rows = await telling.connection.fetch(query("people", "names"), sorted({str(e) for e in who}))
    return {read_entity(row["entity"]): row["display_name"] for row in rows}
