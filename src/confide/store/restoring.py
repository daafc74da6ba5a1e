"""A backup becomes the store again, in one transaction. The ledger of what was there is kept."""

from __future__ import annotations

import uuid
import zipfile
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from confide.errors import InvalidInput, StoreError, StoreTooNew
from confide.store.backup import Step, no_step
from confide.store.backup_file import CHUNK, Manifest, Part
from confide.store.ledger import Erasure, read
from confide.store.queries import migration_files, query
from confide.store.tables import Table, read_tables

if TYPE_CHECKING:
    from confide.store.connection import Connection

#: People's wishes and what keeps erased things away: of these, none is lost by a restore.
JOINED: Final = frozenset(
    {"erasure_key", "erasure", "suppression", "message_gone", "opt_out", "off_record", "trail_name",
     "api_key", "data_request"}
)  # fmt: skip
#: Not even its owner may empty it: it stays, or there is none.
TRAIL: Final = frozenset({"trail", "trail_seal"})
#: Nobody writes into the past, and what was opened by then may have been closed since: a store that
#: has a trail keeps its own.
OWN: Final = frozenset(
    {*TRAIL, "merge", "same_person", "guardian", "connection_opened", "narrowing"}
)


@dataclass(slots=True)
class Later:
    """What happened in the store after the backup was made, and must not be undone by it."""

    erasures: list[Erasure] = field(default_factory=list[Erasure])
    withdrawn: dict[uuid.UUID, datetime] = field(default_factory=dict[uuid.UUID, datetime])
    opted_out: list[tuple[str, bool]] = field(default_factory=list[tuple[str, bool]])


def require_known(manifest: Manifest) -> None:
    known = {name for _, name, _ in migration_files()}
    if set(manifest.migrations) - known:
        raise StoreTooNew("file: it was made by a newer confide; update confide and try again")


class Restoring:
    """Loads one backup, inside one transaction of the tables' owner."""

    def __init__(
        self, connection: Connection, archive: zipfile.ZipFile, manifest: Manifest
    ) -> None:
        self._connection: Any = connection
        self._archive = archive
        self._manifest = manifest
        self._parts = {(part.agent, part.table): part for part in manifest.parts}
        self._tables: list[Table] = []

    async def load(self, *, replaces: bool, step: Step = no_step) -> dict[str, Later]:
        """Every agent of the file; what the store knows since then comes back for each."""
        self._tables = await read_tables(self._connection)
        self._require_shape()
        await self._open()
        later: dict[str, Later] = {}
        for agent in self._manifest.agents:
            if not replaces and await self._has_rows(agent):
                raise InvalidInput(
                    "replace", f"agent {agent} has memories here already; --replace drops them"
                )
            later[agent] = await self._read_later(agent)
            own = OWN if await self._has_lived(agent) else frozenset[str]()
            await self._clear(agent)
            for table in self._tables:
                part = self._parts.get((agent, table.name))
                if part is not None and table.name not in own:
                    step(table.name)
                    await self._fill(agent, table, part)
            await self._leave_known(agent, later[agent])
        await self._count_on()
        await self._close()
        return later

    def _require_shape(self) -> None:
        known = {table.name: set(table.columns) for table in self._tables}
        for part in self._manifest.parts:
            if not set(part.columns) <= known.get(part.table, set()):
                raise InvalidInput("file", f"table {part.table} does not fit; use another file")

    async def _open(self) -> None:
        """The owner may write past row-level security, and what is loaded is not news to the trail."""
        for table in self._tables:
            await self._connection.execute(
                f"ALTER TABLE confide.{table.name} NO FORCE ROW LEVEL SECURITY,"
                " DISABLE TRIGGER USER"
            )

    async def _close(self) -> None:
        for table in self._tables:
            await self._connection.execute(
                f"ALTER TABLE confide.{table.name} FORCE ROW LEVEL SECURITY, ENABLE TRIGGER USER"
            )

    async def _has_rows(self, agent: str) -> bool:
        for table in ("memory", "message", "consent", "place"):
            if await self._connection.fetchval(
                f"SELECT EXISTS (SELECT FROM confide.{table} WHERE agent = $1)", agent
            ):
                return True
        return False

    async def _read_later(self, agent: str) -> Later:
        rows = await self._connection.fetch(query("ledger", "every"), agent)
        withdrawn = await self._connection.fetch(query("restoring", "withdrawn"), agent)
        opted = await self._connection.fetch(query("restoring", "opted_out"), agent)
        return Later(
            erasures=[read(row) for row in rows],
            withdrawn={row["id"]: row["revoked_at"] for row in withdrawn},
            opted_out=[(row["entity"], row["is_global_only"]) for row in opted],
        )

    async def _leave_known(self, agent: str, later: Later) -> None:
        """What the backup knew was done before it was made."""
        if (agent, "erasure") not in self._parts:
            return
        known = await self._connection.fetch("SELECT id, final_at FROM staged_erasure")
        done = {row["id"] for row in known if row["final_at"] is not None}
        later.erasures = [one for one in later.erasures if one.id not in done]
        await self._connection.execute("DROP TABLE staged_erasure")

    async def _has_lived(self, agent: str) -> bool:
        return await self._connection.fetchval(query("restoring", "has_lived"), agent)

    async def _clear(self, agent: str) -> None:
        for table in reversed(self._tables):
            if table.name not in JOINED | OWN:
                await self._connection.execute(
                    f"DELETE FROM confide.{table.name} WHERE agent = $1", agent
                )

    async def _fill(self, agent: str, table: Table, part: Part) -> None:
        if table.name not in JOINED:
            done = await self._pour(f"confide.{table.name}", part)
            await self._demand(agent, table, part, done)
            return
        staged = f"staged_{table.name}"
        await self._connection.execute(
            f"CREATE TEMP TABLE {staged} (LIKE confide.{table.name}) ON COMMIT DROP"
        )
        await self._pour(f"pg_temp.{staged}", part)
        await self._connection.execute(
            f"INSERT INTO confide.{table.name} SELECT * FROM pg_temp.{staged} WHERE agent = $1"
            " ON CONFLICT DO NOTHING", agent,
        )  # fmt: skip
        if table.name != "erasure":
            await self._connection.execute(f"DROP TABLE pg_temp.{staged}")

    async def _pour(self, into: str, part: Part) -> int:
        schema, _, name = into.partition(".")
        if schema == "pg_temp":
            schema = None
        with self._archive.open(part.member) as file:

            async def chunks() -> Any:
                while chunk := file.read(CHUNK):
                    yield chunk

            done = await self._connection.copy_to_table(
                name, schema_name=schema, columns=part.columns, source=chunks()
            )
        return int(done.split()[-1])

    async def _demand(self, agent: str, table: Table, part: Part, done: int) -> None:
        others = await self._connection.fetchval(
            f"SELECT count(*) FROM confide.{table.name} WHERE agent = $1", agent
        )
        if done != part.rows or others != part.rows:
            raise StoreError(f"table {table.name} came out with other rows; nothing was restored")

    async def _count_on(self) -> None:
        """New rows take numbers after those that came with the backup."""
        for row in await self._connection.fetch(query("tables", "counters")):
            await self._connection.execute(
                f"SELECT setval('{row['sequence']}', GREATEST((SELECT last_value FROM"
                f' {row["sequence"]}), (SELECT COALESCE(max("{row["column"]}"), 1)'
                f" FROM confide.{row['name']})))"
            )
