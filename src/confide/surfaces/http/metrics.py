"""Numbers for Prometheus: how many requests, how they ended, how long they took. Nothing else."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from typing import Final

BUCKETS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Metrics:
    """Of this process. Routes are written as templates, so no id or name is ever a label."""

    def __init__(self) -> None:
        self._answered: Counter[tuple[str, str, int]] = Counter()
        self._took: dict[str, list[int]] = {}
        self._seconds: Counter[str] = Counter()
        self._in_flight = 0

    def begin(self) -> None:
        self._in_flight += 1

    def end(self, method: str, route: str, status: int, seconds: float) -> None:
        self._in_flight -= 1
        self._answered[method, route, status] += 1
        counts = self._took.setdefault(route, [0] * (len(BUCKETS) + 1))
        counts[bisect_left(BUCKETS, seconds)] += 1
        self._seconds[route] += seconds  # type: ignore[assignment]

    def written(self) -> str:
        return "\n".join(self._lines()) + "\n"

    def _lines(self) -> Iterator[str]:
        yield "# HELP confide_requests_total Requests answered."
        yield "# TYPE confide_requests_total counter"
        for (method, route, status), count in sorted(self._answered.items()):
            labels = f'method="{method}",route="{route}",status="{status}"'
            yield f"confide_requests_total{{{labels}}} {count}"
        yield "# HELP confide_requests_in_flight Requests that are being answered."
        yield "# TYPE confide_requests_in_flight gauge"
        yield f"confide_requests_in_flight {self._in_flight}"
        yield "# HELP confide_request_seconds How long answers took."
        yield "# TYPE confide_request_seconds histogram"
        for route, counts in sorted(self._took.items()):
            yield from self._histogram(route, counts)

    def _histogram(self, route: str, counts: list[int]) -> Iterator[str]:
        so_far = 0
        for bound, count in zip((*map(str, BUCKETS), "+Inf"), counts, strict=True):
            so_far += count
            yield f'confide_request_seconds_bucket{{route="{route}",le="{bound}"}} {so_far}'
        yield f'confide_request_seconds_sum{{route="{route}"}} {self._seconds[route]:.6f}'
        yield f'confide_request_seconds_count{{route="{route}"}} {so_far}'
