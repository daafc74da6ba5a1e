"""What waits, what it costs and how busy the pool is, for Prometheus. The other half of /metrics."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from confide.errors import StoreError
from confide.store.sessions import DATABASE_TROUBLE

if TYPE_CHECKING:
    from confide.keep.operating import Operating
    from confide.memories import Confide

#: However often somebody asks, the database is asked no more often than this.
SECONDS: Final = 15.0
Samples = list[tuple[dict[str, str], float]]


@dataclass(frozen=True, slots=True)
class Gauge:
    name: str
    about: str
    samples: Callable[[Operating], Samples]


def _waiting(name: str, metric: str, about: str) -> Gauge:
    return Gauge(f"confide_{metric}", about, lambda seen: [({}, seen.waiting[name])])


GAUGES: Final = (
    _waiting("jobs_due", "jobs_due", "Conversations that wait to be learned from."),
    _waiting("jobs_due_age", "jobs_due_age_seconds", "How long the oldest of them has waited."),
    _waiting("learning_retries", "learning_retries", "Conversations whose learning is tried again."),
    _waiting("learning_failures", "learning_failures", "Conversations whose learning was given up."),
    _waiting("review_waiting", "review_waiting", "Memories that wait for a reviewer."),
    _waiting("review_age", "review_age_seconds", "How long the oldest of them has waited."),
    _waiting("erasures_pending", "erasures_pending", "Soft erasures that can still be undone."),
    _waiting("erasures_age", "erasures_age_seconds", "How long ago the oldest of them was asked for."),
    _waiting("requests_open", "data_requests_open", "Data requests that nobody has answered."),
    _waiting("requests_overdue", "data_requests_overdue", "Data requests past their due date."),
    Gauge(
        "confide_memories",
        "Memories by status.",
        lambda seen: [({"status": status}, count) for status, count in seen.memories.items()],
    ),
    Gauge("confide_pool_limit", "Most connections of this process.", lambda seen: [({}, seen.pool.most)]),
    Gauge("confide_pool_open", "Open connections of this process.", lambda seen: [({}, seen.pool.open)]),
    Gauge("confide_pool_in_use", "Connections that are busy.", lambda seen: [({}, seen.pool.in_use)]),
    Gauge(
        "confide_model_tokens",
        "Tokens of this month.",
        lambda seen: [
            ({"model": one.model, "direction": direction}, tokens)
            for one in seen.models
            for direction, tokens in (("read", one.tokens_read), ("written", one.tokens_written))
        ],
    ),
    Gauge(
        "confide_model_dollars",
        "Dollars of this month.",
        lambda seen: [({"model": one.model}, one.dollars) for one in seen.models],
    ),
    Gauge(
        "confide_budget_dollars",
        "Dollars a month for all models, if there is a budget.",
        lambda seen: [] if seen.budget is None else [({}, seen.budget)],
    ),
)  # fmt: skip
UP: Final = Gauge("confide_database_up", "1: the database answered.", lambda _: [({}, 1.0)])


class Gauges:
    """The last look at the database, for a while."""

    def __init__(self, confide: Confide) -> None:
        self._confide = confide
        self._looking = asyncio.Lock()
        self._looked_at = float("-inf")
        self._text = ""

    async def written(self) -> str:
        async with self._looking:
            if time.monotonic() - self._looked_at >= SECONDS:
                self._text = "\n".join(await self._lines()) + "\n"
                self._looked_at = time.monotonic()
        return self._text

    async def _lines(self) -> list[str]:
        try:
            seen = await self._confide.watch.look()
        except (StoreError, *DATABASE_TROUBLE):
            return [*_head(UP), f"{UP.name} 0"]
        return [line for gauge in (UP, *GAUGES) for line in (*_head(gauge), *_samples(gauge, seen))]


def _head(gauge: Gauge) -> Iterator[str]:
    yield f"# HELP {gauge.name} {gauge.about}"
    yield f"# TYPE {gauge.name} gauge"


def _samples(gauge: Gauge, seen: Operating) -> Iterator[str]:
    for labels, value in gauge.samples(seen):
        named = ",".join(f'{name}="{_quoted(label)}"' for name, label in labels.items())
        yield f"{gauge.name}{'{' + named + '}' if named else ''} {value:g}"


def _quoted(label: str) -> str:
    return str(label).replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
