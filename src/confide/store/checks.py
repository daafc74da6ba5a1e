"""At start: would this database really enforce the rule? If not, nothing is told."""

from __future__ import annotations

import logging

from confide.errors import UnsafeStore
from confide.store.connection import Connection
from confide.store.queries import query

log = logging.getLogger(__name__)


async def demand_safety(connection: Connection) -> None:
    """Refuse a database with one of the known holes in row-level security."""
    holes = [row["hole"] for row in await connection.fetch(query("checks", "holes"))]
    if holes:
        raise UnsafeStore(
            "the database would not enforce who may hear what: "
            + "; ".join(holes)
            + ". Run `confide db migrate`, or ask an administrator to mend these rights"
        )
    for row in await connection.fetch(query("checks", "warnings")):
        log.warning("store.warning %s", row["warning"])
