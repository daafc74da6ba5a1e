"""Two who write the same things in another order: one of them is undone, and tries again."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Final, ParamSpec, TypeVar

import asyncpg

COLLISION: Final = (asyncpg.DeadlockDetectedError, asyncpg.SerializationError)
TRIES: Final = 5
PAUSE: Final = 0.02

P = ParamSpec("P")
T = TypeVar("T")


def tried_again(work: Callable[P, Awaitable[T]]) -> Callable[P, Awaitable[T]]:
    """For work that is one whole transaction: whatever collided has left nothing behind."""

    @wraps(work)
    async def run(*args: P.args, **kwargs: P.kwargs) -> T:
        for attempt in range(1, TRIES):
            try:
                return await work(*args, **kwargs)
            except COLLISION:
                await asyncio.sleep(PAUSE * attempt)
        return await work(*args, **kwargs)

    return run
