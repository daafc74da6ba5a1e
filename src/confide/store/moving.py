"""Moving a store to another server: a snapshot, loaded in one transaction, compared row by row.

The snapshot is spooled to a file first. Whoever is killed runs it again: a spool that is still true
is used as it is, a load that was cut off has left nothing, and a store that has arrived is found so.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from confide.errors import InvalidInput, StoreError
from confide.store.backup import LEFT_OUT, Step, agents_of, back_up, digests, ensure_keys, no_step
from confide.store.backup_file import Manifest, opened
from confide.store.restoring import Restoring, require_known
from confide.store.tables import read_tables

if TYPE_CHECKING:
    from datetime import datetime

    from confide.store.database import Database

SPOOL: Final = "move.spool"
Digests = dict[str, dict[str, tuple[int, str]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """What is on the other server now, compared by counts and hashes."""

    agents: list[str]
    tables: int
    rows: int
    was_there: bool  # an earlier run had moved it all


async def move(
    source: Database,
    target: Database,
    home: Path,
    program: str,
    now: datetime,
    step: Step = no_step,
) -> Moved:
    """Copy every agent; the source is not changed. Refused while somebody writes to it."""
    await ensure_keys(source, now)
    before = await read_digests(source)
    if not before:
        raise InvalidInput("home", "nothing is kept here, so there is nothing to move")
    there = await read_digests(target)
    if {agent: there.get(agent) for agent in before} == before:
        _forget_spool(home / SPOOL)
        return _moved(before, was_there=True)
    _require_room(before, there)
    spool = home / SPOOL
    manifest = await _spooled(source, spool, before, program, now, step)
    with opened(spool) as (archive, _):
        require_known(manifest)
        async with target.tend() as connection:
            await Restoring(connection, archive, manifest).load(replaces=False, step=step)
            # Before it counts: neither side may have changed.
            if await read_digests(source) != before:
                raise StoreError(
                    "something was written meanwhile; stop what writes and run it again"
                )
    step("comparing")
    arrived = await read_digests(target)
    different = [agent for agent in before if arrived.get(agent) != before[agent]]
    if different:
        raise StoreError(f"what arrived differs for {', '.join(different)}; do not use the target")
    _forget_spool(spool)
    return _moved(before, was_there=False)


async def read_digests(database: Database) -> Digests:
    """For every agent and table, how many rows there are and what they come to."""
    agents = await agents_of(database)
    async with database.snapshot() as connection:
        tables = [one for one in await read_tables(connection) if one.name not in LEFT_OUT]
        return {agent: await digests(connection, agent, tables) for agent in agents}


async def _spooled(
    source: Database, spool: Path, before: Digests, program: str, now: datetime, step: Step
) -> Manifest:
    """The spool of an earlier run, if the store has not changed since; else a new one."""
    manifest = _still_true(spool, before)
    if manifest is None:
        _forget_spool(spool)
        manifest = await back_up(source, spool, program, now, step)
        _note(spool, before)
    return manifest


def _still_true(spool: Path, before: Digests) -> Manifest | None:
    state = spool.with_suffix(".state")
    if state.exists() and state.read_text() == _written(before):
        with suppress(InvalidInput), opened(spool) as (_, manifest):
            return manifest
    return None


def _note(spool: Path, before: Digests) -> None:
    state = spool.with_suffix(".state")
    state.touch(mode=0o600)
    state.write_text(_written(before))


def _forget_spool(spool: Path) -> None:
    for path in (spool, spool.with_suffix(".state")):
        path.unlink(missing_ok=True)


def _written(digests: Digests) -> str:
    return repr(sorted((agent, sorted(tables.items())) for agent, tables in digests.items()))


def _require_room(before: Digests, there: Digests) -> None:
    taken = [agent for agent in before if any(rows for rows, _ in there.get(agent, {}).values())]
    if taken:
        raise InvalidInput(
            "to", f"the server keeps something of {', '.join(taken)} already; use an empty one"
        )


def _moved(digests: Digests, *, was_there: bool) -> Moved:
    return Moved(
        agents=sorted(digests),
        tables=max(len(tables) for tables in digests.values()),
        rows=sum(rows for tables in digests.values() for rows, _ in tables.values()),
        was_there=was_there,
    )
