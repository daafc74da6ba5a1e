"""Few connections, many audiences, requests that fail or are cancelled: nobody sees another's words."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest
from tests.chance import chance

from confide import Confide, audience, statement
from confide.store import memories as stored

PEOPLE = 24
QUESTIONS = 3000


@pytest.mark.drawn
@pytest.mark.req("B1", "P11")
async def test_interleaved_audiences_never_see_each_others_canaries(open_confide) -> None:
    async with open_confide(pool_size=3, top_k=50, similarity=-1) as confide:
        canaries = await _plant(confide)
        drawn = chance(7)
        leaks: list[str] = []
        limit = asyncio.Semaphore(24)

        async def ask(number: int) -> None:
            who = f"human:p{number % PEOPLE}"
            async with limit:
                mood = drawn.random()
                if mood < 0.08:
                    await _ask_and_fail(confide, who)
                elif mood < 0.2:
                    ask = drawn.choice([_ask, _recall])
                    await _cancelled(ask(confide, who), drawn.random() * 0.004)
                else:
                    found = await drawn.choice([_ask, _recall])(confide, who)
                    leaks.extend(word for word in found if word != canaries[who])
                    assert canaries[who] in found

        await asyncio.gather(*(ask(number) for number in range(QUESTIONS)))
        assert leaks == []


async def _plant(confide: Confide) -> dict[str, str]:
    canaries = {f"human:p{n}": f"canary{n:02d}word" for n in range(PEOPLE)}
    for who, word in canaries.items():
        await confide.remember(statement(f"My word is {word}", by=who, place="dm"))
    return canaries


async def _ask(confide: Confide, who: str) -> set[str]:
    async with confide.database.tell(audience(who, "dm"), confide.means.clock()) as telling:
        rows = await telling.connection.fetch("SELECT text FROM confide.memory")
    return {row["text"].split()[-1] for row in rows}


async def _recall(confide: Confide, who: str) -> set[str]:
    """The same through the verb, which asks in one statement."""
    context = await confide.recall("What is my word?", audience(who, "dm"))
    return {told.memory.text.split()[-1] for told in context.memories}


async def _ask_and_fail(confide: Confide, who: str) -> None:
    with pytest.raises(ZeroDivisionError):
        async with confide.database.tell(audience(who, "dm"), confide.means.clock()) as telling:
            await stored.told(telling, [])
            raise ZeroDivisionError


async def _cancelled(asking: Coroutine[Any, Any, set[str]], after: float) -> None:
    task = asyncio.create_task(asking)
    await asyncio.sleep(after)
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        return
