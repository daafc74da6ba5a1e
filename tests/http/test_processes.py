"""Two real `confide serve` processes on one data folder, and on one address behind a pooler."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.http.conftest import Served
from tests.http.pooler import pooling
from tests.http.processes import Serving, two

from confide import Confide, Entity

pytestmark = pytest.mark.slow
Both = AbstractAsyncContextManager[tuple[Serving, Serving]]
TALKS, TURNS = 6, 10
CLAIMED = "SELECT count(*) FROM confide.asked_once"


@pytest.fixture
async def confide(home: Path, agent: str) -> AsyncIterator[Confide]:
    """With the time of the processes, which no test moves."""
    async with Confide.open(home, agent=agent, learn=False) as opened:
        yield opened


async def statuses(*asking: Any) -> list[int]:
    return [one.status_code for one in await asyncio.gather(*asking)]


@pytest.mark.req("K14")
async def test_what_one_process_says_counts_at_the_other_at_once(
    confide: Confide, home: Path, agent: str
) -> None:
    async with two(home, agent) as (one, other):
        served = Served(confide, "", None, [])
        admin = one.client(await served.key("admin"))
        secret = await served.key("platform", platform="local")
        here, there = one.client(secret), other.client(secret)

        # Tokens: minted here, valid there, also after the signing key changed; not after `urgent`.
        asking = {"asker": "human:alice", "place": "dm"}
        tokens = [(await here.post("/v1/tokens", json=asking)).json()["token"]]
        assert (await admin.post("/v1/tokens/rotate", json={})).status_code == 200
        tokens.append((await there.post("/v1/tokens", json=asking)).json()["token"])
        clients = [process.client(token) for process in (one, other) for token in tokens]
        assert await statuses(*(client.get("/v1/whoami") for client in clients)) == [200] * 4
        await admin.post("/v1/tokens/rotate", json={"is_urgent": True})
        assert await statuses(*(client.get("/v1/whoami") for client in clients)) == [401] * 4

        # One idempotency key at both at once, and later at the other.
        body = {"text": "I own a boat", "by": "human:alice", "place": "dm"}
        once: dict[str, Any] = {"json": body, "headers": {"Idempotency-Key": "k"}}
        answers = await asyncio.gather(
            *(client.post("/v1/memories", **once) for client in (here, there) * 4)
        )
        done = [answer.json()["id"] for answer in answers if answer.status_code == 201]
        assert {answer.status_code for answer in answers} <= {201, 409}
        assert len(set(done)) == 1
        later = await there.post("/v1/memories", **once)
        assert later.headers["idempotency-replayed"] == "true"
        assert later.json()["id"] == done[0]
        (memory,) = await confide.memories(Entity.parse("human:alice"))
        assert memory.source_count == 1

        # What was forgotten at one is at the other, and so is an ended key.
        heard = {"question": "what does alice own?", **asking}
        assert (await there.post("/v1/recall", json=heard)).json()["memories"]
        await here.delete(f"/v1/memories/{done[0]}", params={"as": "human:alice"})
        assert (await there.post("/v1/recall", json=heard)).json()["memories"] == []
        second = await served.key("platform", platform="local")
        minted = (await other.client(second).post("/v1/tokens", json=asking)).json()["token"]
        id = (await other.client(second).get("/v1/whoami")).json()["key"]
        await admin.delete(f"/v1/keys/{id}")
        ended = [process.client(one_of) for process in (one, other) for one_of in (second, minted)]
        assert await statuses(*(client.get("/v1/whoami") for client in ended)) == [401] * 4

        await _killed_while_it_answers(confide, one, here, there)


@pytest.mark.req("S11", "S12")
async def test_when_one_is_killed_nothing_is_lost_or_done_twice(
    confide: Confide, home: Path, agent: str
) -> None:
    """Everybody sends again, to the other one, what was not answered. Both and their workers share
    two connections."""
    settings = {"lease_seconds": "1", "sweep_seconds": "0.3", "retry_seconds": "0"}
    with pooling(home, size=2) as pooler:
        settings["database_url"] = pooler.url
        await _killed_among_many(confide, two(home, agent, **settings))


async def _killed_among_many(confide: Confide, starting: Both) -> None:
    async with starting as (one, other):
        secret = await Served(confide, "", None, []).key("platform", platform="local")
        living = [one.client(secret), other.client(secret)]
        gate, done = asyncio.Semaphore(6), 0

        async def heard(talk: int, turn: int) -> None:
            nonlocal done
            body = {
                "id": f"m{talk}-{turn}", "by": f"human:p{talk}", "in": f"group:g{talk}",
                "text": f"I own {turn + 2} maps of island{talk}x{turn}.",
            }  # fmt: skip
            async with gate:
                if done == TALKS * TURNS // 2 and len(living) == 2:
                    del living[0]
                    await one.kill()
                await _sent(living, (talk + turn) % 2, "/v1/messages", body)
                done += 1

        for turn in range(TURNS):  # each conversation in its order, all of them at once
            await asyncio.gather(*(heard(talk, turn) for talk in range(TALKS)))
        assert one.process.returncode not in (None, 0)
        await _learned(confide)
        for talk in range(TALKS):
            kept = await confide.memories(Entity.parse(f"human:p{talk}"))
            told = sorted(memory.text for memory in kept)
            for turn in range(TURNS):
                assert sum(f"island{talk}x{turn}." in text for text in told) == 1, (told, turn)
            assert {memory.source_count for memory in kept} == {1}
        question = {"question": "who owns maps?", "asker": "human:p1", "place": "group:g1"}
        answer = (await living[0].post("/v1/recall", json=question)).json()
        assert answer["memories"]
        assert all("island1x" in memory["text"] for memory in answer["memories"])


async def _killed_while_it_answers(
    confide: Confide, one: Serving, here: httpx.AsyncClient, there: httpx.AsyncClient
) -> None:
    """Its idempotency key stays taken for a minute, for it may still be at it; then it is free."""
    body = {"text": "I own a kite", "by": "human:alice", "place": "dm"}
    once: dict[str, Any] = {"json": body, "headers": {"Idempotency-Key": "kite"}}
    async with confide.database.keep() as connection:
        before = await connection.fetchval(CLAIMED)
        await connection.execute("LOCK TABLE confide.memory IN SHARE MODE")
        asking = asyncio.create_task(here.post("/v1/memories", **once))
        while await connection.fetchval(CLAIMED) == before:  # noqa: ASYNC110 - not of this process
            await asyncio.sleep(0.02)
        await one.kill()
    with pytest.raises(httpx.HTTPError):
        await asking
    assert (await there.post("/v1/memories", **once)).status_code == 409
    async with confide.database.keep() as connection:
        await connection.execute(
            "UPDATE confide.asked_once SET claimed_at = claimed_at - interval '1 minute'"
        )
    assert (await there.post("/v1/memories", **once)).status_code == 201
    assert len(await confide.memories(Entity.parse("human:alice"))) == 1


async def _sent(living: list[httpx.AsyncClient], first: int, path: str, body: Any) -> None:
    """As clients do: whoever does not answer is asked again, elsewhere."""
    for _ in range(5):
        client = living[first % len(living)]
        with contextlib.suppress(httpx.TransportError):
            answer = await client.post(path, json=body)
            if answer.status_code < 500:
                assert answer.is_success, answer.text
                return
    raise AssertionError("nobody answers")


async def _learned(confide: Confide) -> None:
    left = None
    for _ in range(2400):
        async with confide.database.keep() as connection:
            left = await connection.fetchval(
                "SELECT count(*) FROM confide.message WHERE learned_at IS NULL"
            )
        if not left:
            return
        await asyncio.sleep(0.05)
    raise AssertionError(f"{left} messages were not learned")
