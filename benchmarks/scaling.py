"""Where growth stops being flat: `python -m benchmarks.scaling`.

Stores of several sizes are open at once and asked by turns, so that a busy machine slows all of them
alike. One audience may hear the same 2,000 memories in each. Every figure is written as soon as it is
known to docs/measurements/scaling.json; `python -m benchmarks.plot` draws it.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import platform
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from benchmarks.store.clock import by_turns
from benchmarks.store.community import Community
from benchmarks.store.measuring import ASKED, Store, filled, in_public_room
from confide import operator_as, statement
from confide.model import Entity, Message
from confide.privacy.places import parse_place

RAW: Final = Path(__file__).parents[1] / "docs" / "measurements" / "scaling.json"
SIZES: Final = (10_000, 100_000, 1_000_000)
MOST_DIFFERENT: Final = 100_000  # beyond that, what others hear is copied
HEARD: Final = 2000
LINES: Final = (
    "I love hiking in the Alps every summer.", "ok thanks!", "My sister Sarah moved to Lisbon.",
    "I work at a small bakery near the river.", "haha yes", "My favourite band is Blur.",
    "What do you think about that?", "I finished the report yesterday.", "I play the cello.",
    "see you",
)  # fmt: skip
_numbers = itertools.count()


@dataclass
class Record:
    """What is known so far, kept in a file."""

    path: Path
    figures: dict[str, Any] = field(default_factory=dict)

    def note(self, what: str, size: int, value: float) -> None:
        self.figures.setdefault(what, {})[str(size)] = round(value, 3)
        self.figures["load"] = [round(one, 1) for one in os.getloadavg()]
        self.path.parent.mkdir(exist_ok=True)
        self.path.write_text(json.dumps(self.figures, indent=1) + "\n")
        print(f"{what} at {size:,}: {value:.3f}", flush=True)


async def measure(sizes: list[int], rounds: int, record: Record) -> None:
    record.figures |= {
        "machine": f"{os.cpu_count()} cores, {platform.machine()}",
        "heard": HEARD,
        "rounds": rounds,
        "load before": [round(one, 1) for one in os.getloadavg()],
    }
    async with AsyncExitStack() as stack:
        stores: dict[int, Store] = {}
        for size in sizes:
            began = time.perf_counter()
            stores[size] = await stack.enter_async_context(_of_size(size, min(sizes)))
            record.note("filling, seconds", size, time.perf_counter() - began)
        await _by_turns(stores, rounds, record)
        for size, store in stores.items():
            await _once(size, store, record)


def _of_size(size: int, least: int) -> Any:
    different = min(size, MOST_DIFFERENT)
    people, spaces = max(20, different // 100), max(3, different // 2000)
    community = Community(different, people, spaces, (different // 2, min(HEARD, least // 4)))
    return filled(community, size // different)


async def _by_turns(stores: dict[int, Store], rounds: int, record: Record) -> None:
    """What people wait for, in milliseconds: the median."""
    for what, way, times in (
        ("recall, ms", _recall, rounds),
        ("remember, ms", _remember, rounds),
        ("observe, ms", _observe, rounds),
        ("learn from ten messages, ms", _learn, rounds // 10),
    ):
        seen = await by_turns({str(size): way(one) for size, one in stores.items()}, times)
        for size in stores:
            record.note(what, size, seen[str(size)])


def _recall(store: Store) -> Callable[[], Awaitable[object]]:
    who = in_public_room(store, 1)
    return lambda: store.confide.recall(ASKED, who)


def _remember(store: Store) -> Callable[[], Awaitable[object]]:
    async def remember() -> None:
        text = f"The {next(_numbers)}th thing I like is walking by the river"
        await store.confide.remember(statement(text, by="human:p1", place="dm"))

    return remember


def _observe(store: Store) -> Callable[[], Awaitable[object]]:
    return lambda: store.confide.observe(_message("p2", "ok thanks!"))


def _learn(store: Store) -> Callable[[], Awaitable[object]]:
    async def learn() -> None:
        who = f"learner{next(_numbers)}"
        for line in LINES:
            await store.confide.observe(_message(who, line))
        await store.confide.learning.learn(is_everything=True)

    return learn


def _message(who: str, text: str) -> Message:
    speaker = Entity("human", who)
    return Message(
        id=f"s{next(_numbers)}", place=parse_place("dm", speaker), speaker=speaker, text=text,
        said_at=_now(),
    )  # fmt: skip


def _now() -> Any:
    from benchmarks.store.community import NOW

    return NOW


async def _once(size: int, store: Store, record: Record) -> None:
    """What somebody runs in the background, in seconds, and what lies on the disk."""
    confide, direct = store.confide, store.direct
    await direct.execute("DROP TABLE IF EXISTS plain_vector, covered_vector")
    bytes_used = await direct.fetchval(
        "SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c"
        " WHERE c.relnamespace = 'confide'::regnamespace AND c.relkind = 'r'"
    )
    record.note("disk, megabytes", size, float(bytes_used) / 1e6)
    backup = Path(f"/tmp/confide-scaling-{os.getpid()}-{size}.backup")
    try:
        await _timed(
            "backup, seconds",
            size,
            record,
            lambda: confide.backups.make(backup, actor=operator_as()),
        )
        record.note(
            "backup, megabytes", size, (await asyncio.to_thread(os.path.getsize, backup)) / 1e6
        )
    finally:
        os.unlink(backup)
    await _timed("gc, seconds", size, record, confide.upkeep.gc)
    await _timed("gc again, seconds", size, record, confide.upkeep.gc)
    await _timed("doctor, seconds", size, record, confide.doctor.examine)


async def _timed(
    what: str, size: int, record: Record, work: Callable[[], Awaitable[object]]
) -> None:
    began = time.perf_counter()
    await work()
    record.note(what, size, time.perf_counter() - began)


def main() -> None:
    parse = argparse.ArgumentParser(prog="python -m benchmarks.scaling", description=__doc__)
    parse.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    parse.add_argument("--rounds", type=int, default=100)
    parse.add_argument("--raw", type=Path, default=RAW)
    given = parse.parse_args()
    asyncio.run(measure(given.sizes, given.rounds, Record(given.raw)))


if __name__ == "__main__":
    main()
