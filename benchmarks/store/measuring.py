"""What is measured: one audience's labels and answers, growth, and remembering."""

from __future__ import annotations

import shutil
import tempfile
import time
import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from copy import copy
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.store import bare, filling
from benchmarks.store.clock import by_turns
from benchmarks.store.community import AGENT, NOW, Community
from confide import Confide, statement
from confide.privacy.policy import Audience
from confide.recall.audience import audience_in, tell_to
from confide.store import embedded
from confide.store import memories as stored
from confide.store.encoding import write_audience, write_vector

TOP = 10
QUESTION = filling.vectors(1, seed=5)[0]
#: Two of the invented words, each in about one memory of a hundred: this finds something.
ASKED = f"What about {filling.VOCABULARY[100]} and {filling.VOCABULARY[150]}?"


@dataclass(frozen=True, slots=True)
class Store:
    """A filled store: through the front door, and as its superuser."""

    confide: Confide
    direct: Any
    community: Community
    labels: int


@dataclass(frozen=True, slots=True)
class Heard:
    """How long it took to find and search what one audience may hear, in milliseconds."""

    rows: int
    labels: int
    stored_labels: int
    recall_of_permitted: float
    times: dict[str, float]


@asynccontextmanager
async def filled(community: Community, times: int = 1) -> AsyncIterator[Store]:
    """In a throw-away folder, with what others hear `times` over."""
    home = Path(tempfile.mkdtemp(prefix="confide-benchmark-"))
    try:
        settings = {"agent": AGENT.id, "idle_minutes": 60}
        async with Confide.open(home, clock=lambda: NOW, **settings) as confide:
            direct = await filling.connect(_server(home))
            labels = await filling.fill(direct, AGENT.id, community, times)
            await bare.create(direct)
            yield Store(confide, direct, community, labels)
            await direct.close()
    finally:
        embedded.stop(home)
        shutil.rmtree(home, ignore_errors=True)


def _server(home: Path) -> embedded.Server:
    with embedded.start(home) as lease:
        return lease.server


def in_public_room(store: Store, space_number: int) -> Audience:
    space = store.community.spaces[space_number]
    return audience_in(store.community.room(space, 0), store.community.members[space][0])


async def hear(store: Store, audience: Audience, rounds: int, *, with_naive: bool) -> Heard:
    confide, direct = store.confide, store.direct
    question, unlogged = QUESTION, without_log(confide)
    async with tell_to(confide.database, audience, NOW) as telling:
        known = write_audience(telling.audience, confide.database.agent_entity)
        find = "SELECT confide.visible_labels($1, $2::jsonb)"
        labels = sorted(await telling.connection.fetchval(find, AGENT.id, known))
        if with_naive:
            assert labels == await telling.connection.fetchval(bare.NAIVE, AGENT.id, known)
        ways = {"labels": lambda: telling.connection.fetchval(find, AGENT.id, known)}
        times = await by_turns(ways, rounds)
        if with_naive:
            ways = {"naive": lambda: telling.connection.fetchval(bare.NAIVE, AGENT.id, known)}
            times |= await by_turns(ways, 3)

    told = [row["memory_id"] for row in await by_meaning(store, audience)]

    async def logging() -> None:
        await stored.log_tellings(confide.database, told[:5], audience, NOW, prompted=told[:5])

    times |= await by_turns(
        {
            "bare": lambda: bare.nearest(direct, "plain_vector", labels, question, TOP),
            "covered": lambda: bare.nearest(direct, "covered_vector", labels, question, TOP),
            "enter": lambda: by_meaning(store, audience, most=0),
            "meaning": lambda: by_meaning(store, audience),
            "recall": lambda: unlogged.recall(ASKED, audience),
            "log": logging,
        },
        rounds,
    )
    rows = await bare.permitted(direct, labels)
    return Heard(len(rows), len(labels), store.labels, _recall(rows, told, question), times)


def without_log(confide: Confide) -> Confide:
    """The same, but what was told is not logged; that is measured apart."""

    async def nothing(*_what: object, **_how: object) -> bool:
        return True

    unlogged, unlogged_to = copy(confide), copy(confide.database)
    unlogged_to.keep_at_once = nothing  # type: ignore[method-assign]
    unlogged.database = unlogged_to
    return unlogged


async def by_meaning(store: Store, audience: Audience, most: int = TOP) -> Sequence[Any]:
    """The nearest of what may be heard, from deciding what that is."""
    async with store.confide.database.tell(audience, NOW) as telling:
        return await telling.connection.fetch(
            bare.BY_MEANING, write_vector(QUESTION.tolist()), most
        )


async def grown(stores: list[Store], rounds: int) -> list[float]:
    """The same question to stores of different sizes, by turns."""
    ways = {
        str(n): partial(by_meaning, store, in_public_room(store, 1))
        for n, store in enumerate(stores)
    }
    return list((await by_turns(ways, rounds)).values())


def _recall(rows: list[Any], told: list[Any], question: filling.Vectors) -> float:
    """The part of the true nearest that was found; rows as near as the last of them count too."""
    wide = np.array([row["vector"] for row in rows], dtype=np.float64)
    q = question.astype(np.float64)
    near = wide @ q / (np.linalg.norm(wide, axis=1) * np.linalg.norm(q))
    wanted = min(TOP, len(rows))
    last = np.sort(near)[-wanted]
    true = {row["memory_id"] for row, n in zip(rows, near, strict=True) if n >= last - 1e-6}
    return len(true.intersection(told)) / wanted


async def remembering(store: Store, rounds: int) -> dict[str, float]:
    """One memory at a time, with all its checks, beside the same row in a plain table."""
    texts = (f"The {n}th thing I like is walking by the river" for n in count())

    async def remember() -> uuid.UUID:
        said = statement(next(texts), by="human:p1", place="dm")
        return (await store.confide.remember(said)).id

    one = await remember()
    await bare.create_memories(store.direct)
    row = dict(await store.direct.fetchrow(f"{bare.MEMORIES} WHERE m.id = $1", one))
    written = bare.insert(row)

    async def insert() -> None:
        new = row | {"id": uuid.uuid4(), "text": next(texts)}
        await store.direct.execute(written, *new.values())

    return await by_turns({"insert": insert, "remember": remember}, rounds)


async def bulk(store: Store, count: int) -> float:
    """How many memories a second `remember_all` stores, searchable when it returns."""
    said = [
        statement(f"{filling.text(n)} {n}", by=f"human:b{n % 50}", place="public:import@elsewhere")
        for n in range(count)
    ]
    start = time.perf_counter()
    await store.confide.remember_all(said)
    return count / (time.perf_counter() - start)
