"""Guardians: who confirms for a child, and what changes once somebody does."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from confide.actor import Actor, in_person, require
from confide.errors import InvalidInput
from confide.keep.consenting import apply_consent
from confide.model import Entity, Scope
from confide.privacy.acting import Act
from confide.store.connection import Connection
from confide.store.memory import read_memory
from confide.store.queries import query
from confide.store.relabel import relabel

if TYPE_CHECKING:
    from confide.store.database import Database


async def register_guardian(
    database: Database, child: Entity, guardian: Entity, actor: Actor, now: datetime
) -> None:
    """An authority says who confirms for a child. Nobody can make themselves one."""
    if child == guardian:
        raise InvalidInput("guardian", "nobody is their own guardian")
    require(Act.APPOINT_GUARDIAN, actor, in_person(actor))
    async with database.keep(by=actor, doing="register guardian", at=now) as connection:
        await connection.execute(
            query("consents", "register_guardian"),
            database.agent, str(child), str(guardian), now, str(actor),
        )  # fmt: skip
        await _keep_small(connection, database, child, now)


async def end_guardian(database: Database, child: Entity, guardian: Entity, actor: Actor) -> None:
    """They confirm no longer. What they confirmed stays until somebody withdraws it or it ends."""
    if actor.entity != guardian:
        require(Act.APPOINT_GUARDIAN, actor, in_person(actor))
    async with database.keep(by=actor, doing="end guardian") as connection:
        await connection.execute(
            query("consents", "end_guardian"), database.agent, str(child), str(guardian)
        )


async def _keep_small(
    connection: Connection, database: Database, child: Entity, now: datetime
) -> None:
    """Nothing of a child is told everywhere or travels, and its own yes no longer counts."""
    agent = database.agent
    for row in await connection.fetch(query("consents", "childs_own"), agent, str(child)):
        await connection.execute(query("consents", "revoke"), agent, row["id"], now)
        await apply_consent(connection, database, row["id"], now)
    rows = await connection.fetch(query("consents", "concerning"), agent, str(child))
    ids = [row["id"] for row in rows]
    await connection.execute(query("consents", "stay"), agent, ids)
    kept = await connection.fetch(query("memories", "kept_many"), agent, ids)
    changed = [(one, one.origin) for one in (read_memory(r, database.agent_entity) for r in kept)]
    smaller = [
        (one, replace(o, scope=Scope.DM) if o.scope is Scope.GLOBAL else o) for one, o in changed
    ]
    if smaller:
        await relabel(connection, database, smaller, now)
