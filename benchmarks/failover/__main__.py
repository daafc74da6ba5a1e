"""Kill the leader under load: `python -m benchmarks.failover`.

Patroni in synchronous mode with three PostgreSQL servers, etcd, haproxy and PgBouncer, all on loopback.
Recalls are answered by the standbys. The leader's Patroni and PostgreSQL are killed with SIGKILL in the
middle. Fails unless nothing acknowledged was lost or doubled and nothing leaked.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import tempfile
import time
from pathlib import Path
from typing import Any, Final

import asyncpg
from tests.replicas.servers import SUPERUSER

from benchmarks.failover.leaktest import leaktest
from benchmarks.failover.load import Load, kept_of, longest_silence
from benchmarks.failover.parts import TTL, Node, Parts, parts, versions
from confide import Confide
from confide.store.provision import DATABASE, LOGIN, ROLES
from confide.store.queries import sql_file
from confide.store.replicas import Standby

RAW: Final = Path(__file__).parents[2] / "docs" / "measurements" / "failover.json"


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
    ask = Standby.tell_at_once

    async def counting(self: Standby, *args: Any) -> Any:
        answer = await ask(self, *args)
        answered.append(1)
        return answer

    Standby.tell_at_once = counting  # type: ignore[method-assign]
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


BAD: Final = ("lost memories", "lost messages", "doubled memories", "doubled messages",
              "forgotten words kept", "leaks")  # fmt: skip


def main() -> None:
    parse = argparse.ArgumentParser(prog="python -m benchmarks.failover", description=__doc__)
    parse.add_argument("--runs", type=int, default=3)
    parse.add_argument("--people", type=int, default=6)
    parse.add_argument("--before", type=float, default=8, help="seconds of load before the kill")
    parse.add_argument(
        "--after", type=float, default=8, help="seconds of load after it writes again"
    )
    parse.add_argument("--raw", type=Path, default=RAW)
    given = parse.parse_args()
    runs: list[dict[str, Any]] = []
    for seed in range(given.runs):
        done = asyncio.run(run(given.people, given.before, given.after, seed))
        runs.append(done | {"load": [round(one, 1) for one in os.getloadavg()]})
        print(json.dumps(runs[-1], indent=1), flush=True)
    given.raw.parent.mkdir(exist_ok=True)
    given.raw.write_text(
        json.dumps({"versions": versions(), "ttl": TTL, "runs": runs}, indent=1) + "\n"
    )
    wrong = {name: sum(one[name] for one in runs) for name in BAD}
    wrong["leaks of the leak test"] = sum(one["leak test"]["leaks"] for one in runs)
    print(wrong)
    raise SystemExit(any(wrong.values()))


if __name__ == "__main__":
    main()
