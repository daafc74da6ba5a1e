"""Kill real workers and PostgreSQL at every step of learning, and count what is lost or doubled.

    python tests/learn/crash_matrix.py --repeat 20

Each trial observes messages, forks a worker that kills itself at one named step, then two more at
once of which one dies at the same step, and lets whoever lives finish. Prints one JSON object.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import shutil
import signal
import sys
import tempfile
import time
import traceback
import uuid
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.learn.speaking import Verbatim, message

from confide import Confide
from confide.providers.wordllama import load
from confide.store import embedded, messages, sessions
from confide.store.layout import Layout

STEPS = [
    "before taking", "taken", "read", "extracted", "journal written", "journaled", "screened",
    "embedded", "fence checked", "memory added", "messages marked", "journal closed", "settled",
    "applied", "released", "finished",
]  # fmt: skip
LEASE = 0.4
PATIENCE = 5  # a busy machine may leave an honest transaction alone for a while
PEOPLE, EACH = 2, 4
SAID = PEOPLE * (EACH + 1)  # each says one thing twice
Work = Callable[[Confide], Coroutine[Any, Any, None]]


def opened(home: Path, agent: str) -> Any:
    fast = {"learn": False, "lease_seconds": LEASE, "retry_seconds": 0.01, "pool_size": 2}
    return Confide.open(home, agent=agent, **fast)


def fork(home: Path, agent: str, work: Work) -> int:
    """A process of its own, without the price of starting Python."""
    child = os.fork()
    if child:
        return child
    os.environ["TOKENIZERS_PARALLELISM"] = "false"

    async def run() -> None:
        async with opened(home, agent) as confide:
            confide.database.patience = PATIENCE
            await work(confide)

    try:
        asyncio.run(run())
        os._exit(0)
    except BaseException:  # noqa: BLE001 - a child must never return into its parent's code
        traceback.print_exc()
        os._exit(1)


def stop_at(step: str, with_signal: int, occurrence: int = 1) -> Callable[[str], None]:
    seen = 0

    def watch(name: str) -> None:
        nonlocal seen
        seen += name == step
        if name == step and seen == occurrence:
            os.kill(os.getpid(), with_signal)

    return watch


def worker(step: Callable[[str], None] | None = None) -> Work:
    """Learns until nothing is left, whatever happens to the database meanwhile."""

    async def work(confide: Confide) -> None:
        watch = {"step": step} if step else {}
        one = confide.learning.worker(extractor=Verbatim(), **watch)
        while True:
            try:
                await one.drain()
                if not await confide.learning.left():
                    return
            except sessions.DATABASE_TROUBLE:
                await asyncio.sleep(0.1)
            await asyncio.sleep(0.05)

    return work


def naive(step: Callable[[str], None] | None = None) -> Work:
    """The control: no lease, no fence, no journal, one transaction a memory."""

    async def work(confide: Confide) -> None:
        agent, watch = confide.database.agent, step or (lambda _name: None)
        from confide import statement

        while await confide.learning.left():
            async with confide.database.keep() as connection:
                due = await sessions.jobs(connection, agent, 10)
            for job in due:
                async with confide.database.keep() as connection:
                    heard = await messages.unlearned(connection, agent, job.id, limit=50)
                for one in heard:
                    await confide.remember(
                        statement(one.message.text, by=str(job.speaker), place="group:crash")
                    )
                    watch("memory added")
                async with confide.database.keep() as connection:
                    taken = sessions.Taken(job.id, "", job.speaker, 0, 0)
                    now = datetime.now(UTC)
                    await messages.mark_learned(connection, agent, job.id, 0, 2**62, now)
                    await sessions.settle(connection, agent, taken, now)

    return work


async def observe_all(home: Path, agent: str) -> None:
    async with opened(home, agent) as confide:
        for person in range(PEOPLE):
            for n in [*range(EACH), 0]:
                said = f"Person {person} owns map number {n}"
                await confide.observe(
                    message(said, by=f"human:p{person}", place="group:crash", at=datetime.now(UTC))
                )
        await confide.learning.make_due()


async def count(home: Path, agent: str) -> dict[str, int]:
    sql = """SELECT (SELECT count(*) FROM confide.memory WHERE status = 'approved') AS memories,
        (SELECT COALESCE(sum(source_count), 0) FROM confide.memory) AS sources,
        (SELECT count(*) FROM confide.message WHERE learned_at IS NULL) AS unlearned,
        (SELECT COALESCE(sum(unlearned), 0) FROM confide.session) AS counted,
        (SELECT count(*) FROM confide.journal WHERE applied_at IS NULL) AS open"""
    async with opened(home, agent) as confide, confide.database.keep() as connection:
        row = await connection.fetchrow(sql)
    return {name: int(value) for name, value in row.items()}


def judged(counted: dict[str, int]) -> dict[str, int]:
    """Every memory is there once, and was counted as often as it was said."""
    lost = max(0, PEOPLE * EACH - counted["memories"]) + counted["unlearned"] + counted["counted"]
    lost += max(0, SAID - counted["sources"]) + counted["open"]
    return {"lost": lost, "doubled": max(0, counted["sources"] - SAID)}


def wait(*children: int) -> list[int]:
    return [os.waitpid(child, 0)[1] for child in children]


def killed_trial(home: Path, step: str, make: Callable[..., Work] = worker) -> dict[str, int]:
    agent = f"k{uuid.uuid4().hex[:10]}"
    asyncio.run(observe_all(home, agent))
    (ended,) = wait(
        fork(home, agent, make(stop_at(step, signal.SIGKILL, 2 if step == "memory added" else 1)))
    )
    hit = os.WIFSIGNALED(ended) and os.WTERMSIG(ended) == signal.SIGKILL
    again = fork(home, agent, make(stop_at(step, signal.SIGKILL)))
    last = fork(home, agent, make())
    wait(again, last)
    return judged(asyncio.run(count(home, agent))) | {"kills": int(hit)}


def stopped_trial(home: Path, step: str, make: Callable[..., Work] = worker) -> dict[str, int]:
    """A worker sleeps for longer than its lease, another finishes, then the sleeper goes on."""
    agent = f"z{uuid.uuid4().hex[:10]}"
    asyncio.run(observe_all(home, agent))
    sleeper = fork(home, agent, make(stop_at(step, signal.SIGSTOP)))
    _, state = os.waitpid(sleeper, os.WUNTRACED)
    time.sleep(LEASE * 1.5)
    wait(fork(home, agent, make()))
    os.kill(sleeper, signal.SIGCONT)
    wait(sleeper)
    return judged(asyncio.run(count(home, agent))) | {"stops": int(os.WIFSTOPPED(state))}


def database_trial(home: Path, step: str) -> dict[str, int]:
    """PostgreSQL is killed while a worker is in the middle of a step."""
    agent = f"d{uuid.uuid4().hex[:10]}"
    asyncio.run(observe_all(home, agent))
    waiting = fork(home, agent, worker(stop_at(step, signal.SIGSTOP)))
    _, state = os.waitpid(waiting, os.WUNTRACED)
    data = Layout(home).data()
    assert data is not None
    beside = fork(home, agent, worker())
    postmaster = int((data / "postmaster.pid").read_text().split()[0])
    os.kill(postmaster, signal.SIGKILL)
    os.kill(waiting, signal.SIGCONT)
    lease = embedded.start(home, idle_seconds=60)
    wait(waiting, beside, fork(home, agent, worker()))
    found = judged(asyncio.run(count(home, agent)))
    lease.release()
    return found | {"database_kills": int(os.WIFSTOPPED(state))}


def total(trials: list[dict[str, int]]) -> dict[str, int]:
    return {name: sum(one[name] for one in trials) for name in trials[0]} | {"trials": len(trials)}


Trial = Callable[[], dict[str, int]]


def side_by_side(trials: list[tuple[str, Trial]], at_once: int = 6) -> dict[str, dict[str, int]]:
    """Most of a trial is waiting for leases to end, so several run at once, each in a process and
    for an agent of its own."""
    found: dict[str, list[dict[str, int]]] = {name: [] for name, _ in trials}
    running: dict[int, tuple[str, int]] = {}
    left = list(trials)
    while left or running:
        while left and len(running) < at_once:
            name, trial = left.pop(0)
            reading, writing = os.pipe()
            child = os.fork()
            if child == 0:
                os.close(reading)
                os.write(writing, json.dumps(trial()).encode())
                os._exit(0)
            os.close(writing)
            running[child] = name, reading
        child, _ = os.wait()
        name, reading = running.pop(child)
        found[name].append(json.loads(os.read(reading, 65536)))
        os.close(reading)
        print(".", end="" if left else "\n", file=sys.stderr, flush=True)
    return {name: total(each) for name, each in found.items()}


def run(home: Path, repeat: int, only_database: bool = False) -> dict[str, Any]:
    lease = embedded.start(home, idle_seconds=60)
    asyncio.run(count(home, "first"))  # whoever comes first makes the schema
    try:
        beside: list[tuple[str, Trial]] = []
        for step in STEPS:
            beside += repeat * [(f"killed at: {step}", partial(killed_trial, home, step))]
        for step in ("extracted", "embedded"):
            beside += repeat * [(f"stopped at: {step}", partial(stopped_trial, home, step))]
        control = {"step": "memory added", "make": naive}
        beside += repeat * [("control, killed", partial(killed_trial, home, **control))]
        beside += repeat * [("control, stopped", partial(stopped_trial, home, **control))]
        found = side_by_side(beside) if not only_database else {}
        for step in ("embedded", "memory added"):
            trials = [database_trial(home, step) for _ in range(repeat)]
            found[f"database killed at: {step}"] = total(trials)
        return found
    finally:
        lease.release()


def table(found: dict[str, Any]) -> str:
    """The rows of docs/learning.md."""
    lines = ["| | trials | killed or stopped | lost | doubled |", "|---|---|---|---|---|"]
    for name, one in found.items():
        hits = sum(one.get(kind, 0) for kind in ("kills", "stops", "database_kills"))
        lines.append(f"| {name} | {one['trials']} | {hits} | {one['lost']} | {one['doubled']} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--only-database", action="store_true")
    parser.add_argument("--table", action="store_true", help="print it as Markdown too")
    asked = parser.parse_args()
    home = Path(tempfile.mkdtemp(prefix="confide-crash-"))
    load()  # once, before anybody forks
    logging.getLogger("asyncpg").setLevel(logging.CRITICAL)
    started = time.monotonic()
    try:
        found = run(home, asked.repeat, asked.only_database)
    finally:
        embedded.stop(home)
        shutil.rmtree(home, ignore_errors=True)
    if asked.table:
        print(table(found))
    print(json.dumps(found | {"seconds": round(time.monotonic() - started, 1)}))


if __name__ == "__main__":
    main()
