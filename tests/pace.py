"""How fast this machine is right now, so that a bound on processor time holds on a slow or busy one."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

_SENTENCE = "We moved from Lyon to Porto on 3 May, and my sister's number is 030 901820. " * 40
_WORDS = re.compile(r"\b(?P<word>[a-z']+|\d+)\b(?=\s|[.,])", re.IGNORECASE)


def processor_seconds(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def _some_work() -> None:
    for _ in range(40):
        found = {match["word"].casefold() for match in _WORDS.finditer(_SENTENCE)}
        assert sorted(found)


def seconds_of_an_idle_core(work: Callable[[], object]) -> float:
    """What `work` would take on one idle core of the kind the bounds were written on, where the
    work above takes 10 ms. Measured before and after, since others come and go."""
    before = min(processor_seconds(_some_work) for _ in range(3))
    taken = processor_seconds(work)
    after = min(processor_seconds(_some_work) for _ in range(3))
    return taken * 0.010 / max(before, after, 0.010)
