"""One failover under load, and what became of everything that was acknowledged."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import asyncpg
from tests.replicas.servers import SUPERUSER

from benchmarks.failover.leaktest import leaktest
from benchmarks.failover.load import Load, kept_of, longest_silence
from benchmarks.failover.parts import TTL, Node, Parts, parts
from confide import Confide
from confide.store.database import Telling
from confide.store.provision import DATABASE, LOGIN, ROLES
from confide.store.queries import sql_file
from confide.store.replicas import Standby

#: Whatever of a report must be 0. Times are for reading: they depend on the machine.
BAD: Final = ("lost memories", "lost messages", "doubled memories", "doubled messages",
              "forgotten words kept", "leaks")  # fmt: skip


async def run(people: int, before: float, after: float, seed: int) -> dict[str, Any]:
    with parts() as made:
        leader = await asyncio.to_thread(made.wait, 2)
        await _provision(leader)
        answered = _count_standbys()
        with tempfile.TemporaryDirectory() as home:
            async with Confide.open(
                home, database_url=made.url, replica_urls=made.standbys_url, agent="failover",
                auto_migrate=True, auto_gc=False, learn=False,
            ) as confide:  # fmt: skip
                load = Load(confide, people)
                running = asyncio.create_task(load.run())
                tested = asyncio.create_task(
                    leaktest(
                        seed, lambda: None, home=home, database_url=made.url,
                        replica_urls=made.standbys_url, auto_gc=False, learn=False,
                    )
                )  # fmt: skip
                killed_at, writing, taken_over = await _fail(
                    made, leader, load, running, before, after
                )
                report = await tested
        new = await asyncio.to_thread(made.wait, 1)
        kept = await kept_of(lambda statement: _ask(new, statement), "failover", load.promises)
        return _report(load, kept, killed_at, writing, taken_over, len(answered)) | {
            "leak test": {
                "canaries": report.canaries,
                "questions": sum(report.questions.values()),
                "decisions": sum(report.decisions.values()),
                "leaks": sum(one.is_leak for one in report.failures),
                "not told though it might have been": sum(
                    not one.is_leak for one in report.failures
                ),
                "seconds": round(report.seconds, 1),
            }
        }


async def _fail(
    made: Parts, leader: Node, load: Load, running: asyncio.Task[None], before: float, after: float
) -> tuple[float, float, float]:
    """When the leader was killed, and the seconds until somebody wrote and another one led."""
    await asyncio.sleep(before)
    killed_at = time.monotonic()
    await asyncio.to_thread(leader.kill)
    made.nodes.remove(leader)
    written = len(load.promises.writes)
    taken_over = float("inf")
    while time.monotonic() < killed_at + 4 * TTL:
        if running.done():
            running.result()
        if taken_over == float("inf") and await asyncio.to_thread(made.leader):
            taken_over = time.monotonic() - killed_at
        # What was already on its way when it was killed does not count.
        if len([one for one in load.promises.writes[written:] if one > killed_at + 2]) > 3:
            break
        await asyncio.sleep(0.1)
    writing = longest_silence(load.promises.writes, killed_at)
    await asyncio.sleep(after)
    load.ends.set()
    await running
    return killed_at, writing, taken_over


def _report(
    load: Load,
    kept: dict[str, int],
    killed_at: float,
    writing: float,
    taken_over: float,
    answered: int,
) -> dict[str, Any]:
    promises = load.promises
    return {
        "acknowledged": {
            "memories": len(promises.remembered),
            "messages": len(promises.observed),
            "forgotten": len(promises.forgotten),
            "of them after the leader was killed": sum(one > killed_at for one in promises.writes),
        },
        "recalls": promises.asked,
        "recalls read on a standby": answered,
        "attempts refused and made again": promises.refused,
        "refusals": promises.errors,
        "seconds until another one led": round(taken_over, 1),
        "seconds without an acknowledged write": round(writing, 1),
        **kept,
        "leaks": len(promises.leaks),
        "examples": promises.leaks[:5],
    }


def _count_standbys() -> list[int]:
    answered: list[int] = []
    tell = Standby.tell

    @asynccontextmanager
    async def counting(self: Standby, *args: Any) -> AsyncIterator[Telling]:
        async with tell(self, *args) as telling:
            yield telling
        answered.append(1)

    Standby.tell = counting  # type: ignore[method-assign]
    return answered


async def _ask(node: Node, *statements: str, database: str = DATABASE) -> Any:
    connection = await asyncpg.connect(
        host="127.0.0.1", port=node.port, user=SUPERUSER, database=database, timeout=10
    )
    try:
        for statement in statements[:-1]:
            await connection.execute(statement)
        return await connection.fetchval(statements[-1])
    finally:
        await connection.close()


async def _provision(leader: Node) -> None:
    await _ask(leader, f"CREATE DATABASE {DATABASE}", database="postgres")
    grants = [f"GRANT {role} TO {LOGIN} WITH INHERIT FALSE, SET TRUE" for role in ROLES]
    await _ask(
        leader, "CREATE EXTENSION vector", sql_file("provision.sql"),
        f"CREATE ROLE {LOGIN} LOGIN NOINHERIT", *grants, "SELECT 1",
    )  # fmt: skip


def wrong_in(report: dict[str, Any]) -> dict[str, int]:
    """What was lost, doubled or leaked; empty if nothing was."""
    found = {name: report[name] for name in BAD} | {
        "leaks of the leak test": report["leak test"]["leaks"]
    }
    return {name: count for name, count in found.items() if count}
