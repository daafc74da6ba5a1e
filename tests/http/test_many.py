"""A thousand audiences at once, each with a canary that nobody else may hear."""

from __future__ import annotations

import asyncio

import pytest
from tests.conftest import Opened
from tests.http.conftest import serving

from confide import statement

AUDIENCES, AT_ONCE = 1000, 32


@pytest.mark.slow
async def test_a_thousand_audiences_each_hear_their_own_canary(open_confide: Opened) -> None:
    async with open_confide(top_k=50, similarity=-1, learn=False) as confide:
        kept = await confide.remember_all(
            [
                statement(f"My locker number is {n} and my bird is called canary{n}x", by=f"human:p{n}",
                          place="dm")
                for n in range(AUDIENCES)
            ]
        )  # fmt: skip
        ids = [str(one.id) for one in kept]  # type: ignore[union-attr]
        async with serving(confide) as served:
            local = await served.platform()
            gate = asyncio.Semaphore(AT_ONCE)

            async def ask(n: int) -> None:
                body = {
                    "question": "what is my bird called?",
                    "asker": f"human:p{n}",
                    "place": "dm",
                }
                async with gate:
                    answer = await local.post("/v1/recall", json=body)
                assert answer.status_code == 200
                assert [one["id"] for one in answer.json()["memories"]] == [ids[n]]
                assert f"canary{n}x" in answer.text

            await asyncio.gather(*(ask(n) for n in range(AUDIENCES)))
