"""At start: would this database really enforce the rule? If not, nothing is told."""

from __future__ import annotations

import logging

from confide.errors import UnsafeStore
from confide.store.connection import Connection
from confide.store.queries import query

log = logging.getLogger(__name__)


async def demand_safety(connection: Connection) -> None:
    """Refuse a database with one of the known holes in row-level security."""
    async with connection.transaction():
        await connection.execute("SET LOCAL search_path = pg_catalog")
        holes = [row["hole"] for row in await connection.fetch(query("checks", "holes"))]
        warnings = [row["warning"] for row in await connection.fetch(query("checks", "warnings"))]
    if holes:
        raise UnsafeStore(
            "the database would not enforce who may hear what: "
            + "; ".join(holes)
            + ". Have an administrator undo these; functions and policies are stated anew by the"
            " next command after DELETE FROM confide.policy_version"
        )
    for warning in warnings:
        log.warning("store.warning %s", warning)
