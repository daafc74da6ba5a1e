"""Indexes, looked after as the schema's owner: counted against their tables, and built anew."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from confide.store.connection import Connection
from confide.store.queries import query

if TYPE_CHECKING:
    from confide.store.database import Database


async def counted_by(
    connection: Connection, counting: str, given: Sequence[Any], *, is_by_index: bool
) -> int:
    """The answer to one of the doctor's counts, read by an index or by the table alone."""
    table, index = ("off", "on") if is_by_index else ("on", "off")
    await connection.execute(
        f"SET LOCAL enable_seqscan = {table}; SET LOCAL enable_indexscan = {index};"
        f" SET LOCAL enable_indexonlyscan = {index}; SET LOCAL enable_bitmapscan = {index}"
    )
    return await connection.fetchval(query("doctor", counting), *given)


async def rebuild(database: Database, indexes: Sequence[str]) -> None:
    """Each in a transaction of its own; meanwhile its table cannot be written."""
    for name in indexes:
        async with database.tend() as connection:
            quoted = name.replace('"', '""')
            await connection.execute(f'REINDEX INDEX confide."{quoted}"')
