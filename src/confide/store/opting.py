"""Who opted out."""

from __future__ import annotations

from collections.abc import Iterable

from confide.model import Entity
from confide.store.connection import Connection
from confide.store.encoding import read_entity
from confide.store.queries import query


async def opted_out(
    connection: Connection, agent: str, among: Iterable[Entity | None]
) -> set[Entity]:
    """Those of `among` who want nothing of theirs kept."""
    names = [str(who) for who in among]
    rows = await connection.fetch(query("opting", "opted_out"), agent, names)
    return {read_entity(row["entity"]) for row in rows}


async def opted_out_of_global(connection: Connection, agent: str, who: Entity | None) -> bool:
    """Whether `who` wants nothing of theirs told everywhere."""
    return who is not None and await connection.fetchval(
        query("opting", "is_out_of_global"), agent, str(who)
    )
