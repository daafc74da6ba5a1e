"""Embedders that pydantic-ai knows, through the real SDK of one of them, and what Retry-After does."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Any

import pytest
from tests.conftest import Clock, Opened
from tests.models.loopback import Answer, Server, embeddings

from confide import Confide, audience, statement
from confide.errors import InvalidInput, ModelUnavailable, UnusableAnswer
from confide.providers.any_embedder import AnyEmbedder
from confide.providers.vectors import seconds_to_wait

NAME = "openai:text-embedding-3-small"


def openai(body: dict[str, Any]) -> Answer:
    good = embeddings(body)
    return Answer(body=good.body | {"usage": {"prompt_tokens": 10, "total_tokens": 10}})


def spoiled(spoil: Any) -> Any:
    def answer(body: dict[str, Any]) -> Answer:
        good = openai(body)
        for one in good.body["data"]:
            one["embedding"] = spoil(one["embedding"])
        return good

    return answer


@pytest.fixture
def provider(voyage: Server, monkeypatch: pytest.MonkeyPatch) -> Server:
    """A server with OpenAI's wire format; its SDK reads address and key itself."""
    voyage.otherwise = openai
    monkeypatch.setenv("OPENAI_BASE_URL", voyage.url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.01)
    monkeypatch.setattr("openai._base_client.MAX_RETRY_DELAY", 0.02)
    return voyage


async def told(confide: Confide, question: str) -> list[str]:
    context = await confide.recall(question, audience("human:alice", "dm"))
    return [one.memory.text for one in context.memories]


@pytest.mark.req("S18", "B9", "S29")
async def test_an_embedder_of_another_provider_stands_beside_the_built_in_one(
    open_confide: Opened, provider: Server
) -> None:
    async with open_confide(embedder=NAME, learn=False) as confide:
        await confide.remember(
            statement("I practise the cello every evening", by="human:alice", place="dm")
        )
        assert (await confide.vectors.reembed()).embedded == 1
        assert await confide.vectors.left() == 0
        assert await told(confide, "cello every evening") == ["I practise the cello every evening"]
        used = {one.operation: one for one in await confide.spending.used()}
    assert {body["dimensions"] for body in provider.seen} == {1024}
    assert used["embed"].model == NAME
    assert used["embed"].tokens_read == 10
    assert used["recall"].person == "human:alice"


@pytest.mark.parametrize(
    "answer",
    [
        lambda body: Answer(body=embeddings(body, 256).body),
        spoiled(lambda vector: [math.nan, *vector[1:]]),
        spoiled(lambda vector: [0.0] * len(vector)),
        lambda _: Answer(body={"object": "list", "data": [], "model": "x"}),
        lambda _: Answer(body=b"<html>busy</html>"),
        lambda _: Answer(body={"data": "none"}),
    ],
)
@pytest.mark.req("S18")
async def test_vectors_that_are_unsound_are_refused(provider: Server, answer: Any) -> None:
    provider.otherwise = answer
    with pytest.raises((UnusableAnswer, ModelUnavailable)) as refused:
        await AnyEmbedder(NAME).embed_documents(["a"])
    assert "busy" not in str(refused.value)


@pytest.mark.req("S18")
async def test_a_provider_that_is_silent_is_not_waited_for(provider: Server) -> None:
    provider.otherwise = lambda body: openai(body)._replace(after=2.0)
    with pytest.raises(ModelUnavailable, match="does not answer"):
        await AnyEmbedder(NAME, timeout=0.2).embed_query("who plays?")


@pytest.mark.req("S18")
async def test_an_unknown_provider_is_named_with_the_fix(open_confide: Opened) -> None:
    async with open_confide(learn=False) as confide:
        with pytest.raises(InvalidInput, match="CONFIDE_EMBEDDER"):
            await confide.vectors.calibrate("nobody:model")
        with pytest.raises(InvalidInput, match="PROVIDER:MODEL"):
            await confide.vectors.reembed("model")


@pytest.mark.req("S18")
async def test_voyage_is_not_asked_before_the_time_it_names(
    open_confide: Opened, voyage: Server, with_voyage: dict[str, Any], clock: Clock
) -> None:
    """Other SDKs wait by themselves."""
    async with open_confide(**with_voyage) as confide:
        await confide.remember(statement("I keep bees", by="human:alice", place="dm"))
        voyage.otherwise = lambda _: Answer(429, {"detail": "slow down"}, {"retry-after": "120"})
        assert await confide.vectors.drain_backlog() == 0
        asked = len(voyage.seen)
        assert asked
        clock.advance(seconds=100)
        assert await confide.vectors.drain_backlog() == 0
        assert await told(confide, "bees") == ["I keep bees"]
        assert len(voyage.seen) == asked
        voyage.otherwise = embeddings
        clock.advance(seconds=30)
        assert await confide.vectors.drain_backlog() == 1


def test_retry_after_is_read_as_seconds_or_as_a_date() -> None:
    now = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
    for written, seconds in (
        ("7", 7), ("0.5", 0.5), ("Sun, 01 Mar 2026 12:02:00 GMT", 120), ("-4", 0), ("nan", 0),
        ("inf", 0), ("soon", 0), ("99999999", 3600), ("Sun, 01 Mar 2020 12:02:00 GMT", 0),
        (None, 0), ("", 0),
    ):  # fmt: skip
        assert seconds_to_wait(written, lambda: now) == seconds


@pytest.mark.req("S18", "B10")
async def test_a_wrong_model_in_the_settings_is_named_and_stops_no_learning(
    open_confide: Opened, caplog: pytest.LogCaptureFixture, claude: Server
) -> None:
    wrong = {"embedder": "nobody:model", "merge_model": "nobody:model"}
    key = {"anthropic_key": "sk-test", "anthropic_url": claude.url}
    async with open_confide(**wrong, **key, learn=False) as confide:
        for text in ("I keep many bees on the roof", "I keep many bees up on the roof"):
            await confide.remember(statement(text, by="human:alice", place="dm"))
        assert await confide.learning.learn() == 0
    assert "CONFIDE_EMBEDDER" in caplog.text
    assert "roof" not in caplog.text
