"""At start: would this database really enforce the rule? If not, nothing is told."""

from __future__ import annotations

import logging
import uuid

from confide.errors import UnsafeStore
from confide.model import Entity, Place, PlaceKind
from confide.privacy.policy import Audience
from confide.store.connection import Connection
from confide.store.encoding import write_audience
from confide.store.queries import query

log = logging.getLogger(__name__)


async def demand_safety(connection: Connection) -> None:
    """Refuse a database with one of the known holes in row-level security, or that shows any row."""
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
    await demand_silence(connection)
    for warning in warnings:
        log.warning("store.warning %s", warning)


async def demand_silence(connection: Connection) -> None:
    """Try it out, whatever an engine says of itself: nobody entered, and as nobody's agent.

    Also with labels that somebody may hear, for an agent that does not exist has no memory under any.
    """
    agent = Entity("si", f"nobody-{uuid.uuid4().hex}")
    place = Place(id="thought", kind=PlaceKind.THOUGHT)
    alone = write_audience(Audience(asker=agent, place=place, viewers=frozenset({agent})), agent)
    entering = connection.transaction()
    await entering.start()
    try:
        await connection.execute("SET LOCAL ROLE confide_tell; SET LOCAL enable_seqscan = off")
        shown = set(await connection.fetchval(query("checks", "shown")))
        await connection.execute(query("checks", "enter"), agent.id, alone)
        shown |= set(await connection.fetchval(query("checks", "shown")))
        await connection.execute(query("checks", "hear_everything"))
        shown |= set(await connection.fetchval(query("checks", "shown")))
    finally:
        await entering.rollback()  # nothing of it is left for whoever asks next
    if shown:
        raise UnsafeStore(
            "the database shows rows to whom it should show none: "
            + ", ".join(sorted(shown))
            + ". It does not enforce row-level security as PostgreSQL does; use another server"
        )
