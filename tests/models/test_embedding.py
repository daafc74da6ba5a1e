"""Voyage through its real SDK: vectors that are checked, a provider that is away, models that change."""

from __future__ import annotations

from typing import Any

import pytest
from tests.conftest import Clock, Opened
from tests.models.loopback import Answer, Server, embeddings

from confide import Confide, audience, statement
from confide.errors import ConfideError, InvalidInput, ModelUnavailable, UnusableAnswer
from confide.providers.calibrating import Scale
from confide.providers.voyage import VoyageEmbedder

CELLO = "I practise the cello every evening"


def embedder(voyage: Server, patience: float = 30) -> VoyageEmbedder:
    return VoyageEmbedder("voyage-3.5-lite", key="pa-test", url=voyage.url, timeout=patience)


async def remember(confide: Confide, *texts: str) -> None:
    for text in texts:
        await confide.remember(statement(text, by="human:alice", place="dm"))


async def told(confide: Confide, question: str) -> list[str]:
    context = await confide.recall(question, audience("human:alice", "dm"))
    return [one.memory.text for one in context.memories]


async def vectors(confide: Confide) -> dict[str, int]:
    async with confide.database.keep() as connection:
        rows = await connection.fetch(
            "SELECT model, count(*) FROM confide.embedding WHERE agent = $1 GROUP BY model",
            confide.database.agent,
        )
    return {row[0]: row[1] for row in rows}


@pytest.mark.req("S18")
async def test_questions_and_memories_are_embedded_as_what_they_are(voyage: Server) -> None:
    one = embedder(voyage)
    assert len(await one.embed_query("who plays?")) == 1024
    assert len(await one.embed_documents(["a", "b"])) == 2
    assert [body["input_type"] for body in voyage.seen] == ["query", "document"]
    assert {body["model"] for body in voyage.seen} == {"voyage-3.5-lite"}


def _broken(change: Any) -> Any:
    def answer(body: dict[str, Any]) -> Answer:
        good = embeddings(body)
        change(good.body["data"])
        return good

    return answer


UNSOUND = {
    "wrong dimensions": lambda body: embeddings(body, 256),
    "NaN": _broken(lambda data: data[0]["embedding"].__setitem__(3, float("nan"))),
    "infinite": _broken(lambda data: data[0]["embedding"].__setitem__(3, float("inf"))),
    "zero": _broken(lambda data: data[0].update(embedding=[0.0] * 1024)),
    "too few": _broken(lambda data: data.clear()),
    "words": _broken(lambda data: data[0].update(embedding=["a"] * 1024)),
    "null": _broken(lambda data: data[0].update(embedding=None)),
    "another shape": lambda _: Answer(body={"vectors": []}),
}


@pytest.mark.req("S18")
@pytest.mark.parametrize("answer", UNSOUND.values(), ids=UNSOUND)
async def test_a_vector_that_is_none_is_refused(voyage: Server, answer: Any) -> None:
    voyage.otherwise = answer
    with pytest.raises((UnusableAnswer, ModelUnavailable)):
        await embedder(voyage).embed_documents(["I keep bees"])


AWAY = {
    "rate limit": Answer(429, {"detail": "CANARY"}, {"retry-after": "1"}),
    "server error": Answer(500, {"detail": "CANARY"}),
    "unavailable": Answer(503, {"detail": "CANARY"}),
    "bad key": Answer(401, {"detail": "CANARY"}),
    "no JSON": Answer(200, b"<html>CANARY"),
    "silence": Answer(200, {}, {}, 0.8),
}


@pytest.mark.req("S18")
@pytest.mark.parametrize("answer", AWAY.values(), ids=AWAY)
async def test_a_provider_that_is_away_is_an_error_without_its_words(
    voyage: Server, answer: Answer
) -> None:
    voyage.otherwise = lambda _: answer
    with pytest.raises(ConfideError) as raised:
        await embedder(voyage, 0.5 if answer.after else 30).embed_documents(["I keep bees"])
    assert isinstance(raised.value, ModelUnavailable | UnusableAnswer)
    assert "CANARY" not in str(raised.value)


@pytest.mark.req("S18", "B9")
async def test_while_the_provider_is_away_words_are_found_and_the_backlog_drains_later(
    open_confide: Opened, voyage: Server, with_voyage: dict[str, Any]
) -> None:
    voyage.otherwise = lambda _: Answer(503, {"detail": "no"})
    async with open_confide(**with_voyage) as confide:
        await remember(confide, CELLO, "We bought a small electric van")
        assert await told(confide, "who practises the cello?") == [CELLO]
        assert await confide.vectors.drain_backlog() == 0
        assert await confide.vectors.left() == 2
        voyage.otherwise = embeddings
        assert await confide.vectors.drain_backlog() == 2
        assert await confide.vectors.left() == 0
        assert await told(confide, "who practises the cello?") == [CELLO]
        assert (await vectors(confide))["voyage-3.5-lite"] == 2


@pytest.mark.req("S18")
async def test_by_default_neither_sensitive_memories_nor_sensitive_questions_leave(
    open_confide: Opened, voyage: Server, with_voyage: dict[str, Any]
) -> None:
    private = "I was diagnosed with diabetes last spring"
    async with open_confide(**with_voyage) as confide:
        await remember(confide, CELLO, private)
        await confide.vectors.drain_backlog()
        assert await told(confide, "when was she diagnosed with diabetes?") == [private]
        assert await told(confide, "who practises the cello?") == [CELLO]
    assert "cello" in voyage.text()
    assert "diabetes" not in voyage.text()


@pytest.mark.req("B9")
async def test_another_model_is_added_online_and_both_are_searched_meanwhile(
    open_confide: Opened, voyage: Server, with_voyage: dict[str, Any]
) -> None:
    async with open_confide(**with_voyage) as confide:
        await remember(confide, *(f"I own a book about {n} islands" for n in range(70)), CELLO)
        await confide.vectors.drain_backlog()
        voyage.script = [embeddings, Answer(503, {})]  # it goes away in the middle
        with pytest.raises(ModelUnavailable):
            await confide.vectors.reembed("voyage-3-large")
        assert (await vectors(confide))["voyage-3-large"] == 64
    for model in ("voyage-3.5-lite", "voyage-3-large"):
        async with open_confide(**with_voyage | {"embedder": model}) as confide:
            assert await told(confide, "who practises the cello?") == [CELLO]
            assert await told(confide, "a book about 7 islands")
    async with open_confide(**with_voyage) as confide:
        steps: list[tuple[int, int]] = []
        done = await confide.vectors.reembed("voyage-3-large", progress=lambda *n: steps.append(n))
        assert (done.embedded, done.left) == (7, 0)
        assert steps == [(7, 7)]
        assert (await confide.vectors.reembed("voyage-3-large")).embedded == 0
        found = await vectors(confide)
        assert found["voyage-3-large"] == found["voyage-3.5-lite"] == 71


@pytest.mark.req("S18")
async def test_a_model_is_calibrated_on_sentences_that_belong_to_nobody(
    open_confide: Opened, voyage: Server, with_voyage: dict[str, Any]
) -> None:
    async with open_confide(**with_voyage) as confide:
        await remember(confide, CELLO)
        scale = await confide.vectors.calibrate()
        assert -1 < scale.unrelated < scale.threshold < 1
        assert CELLO not in voyage.text()
        kept = Scale(unrelated=scale.unrelated, threshold=scale.threshold)
        assert await confide.vectors.scale("voyage-3.5-lite") == kept
    async with open_confide(**with_voyage) as confide:
        assert await confide.vectors.scale("voyage-3.5-lite") == kept


@pytest.mark.req("S29")
async def test_what_vectors_cost_is_written_down(
    open_confide: Opened, voyage: Server, with_voyage: dict[str, Any], clock: Clock
) -> None:
    async with open_confide(**with_voyage) as confide:
        await remember(confide, CELLO)
        await confide.vectors.drain_backlog()
        await told(confide, "who practises the cello?")
        used = {one.operation: one for one in await confide.spending.used()}
    assert used["embed"].tokens_read == used["recall"].tokens_read == 10
    assert used["recall"].person == "human:alice"
    assert used["recall"].dollars == pytest.approx(10 * 0.02 / 1e6)


async def test_what_is_not_known_is_named(open_confide: Opened) -> None:
    async with open_confide(learn=False) as confide:
        for wrong in ("nonsense-1", "voyage-3.5", "builtin"):
            with pytest.raises(InvalidInput):
                await confide.vectors.reembed(wrong)


@pytest.mark.req("S18", "S14")
async def test_the_providers_sense_of_meaning_finds_what_words_do_not(
    open_confide: Opened, voyage: Server, with_voyage: dict[str, Any]
) -> None:
    def understands(body: dict[str, Any]) -> Answer:
        if body["input_type"] == "query":
            body = body | {"input": [CELLO]}
        return embeddings(body)

    async with open_confide(**with_voyage) as confide:
        await remember(confide, CELLO, "We bought a small electric van")
        assert await told(confide, "zzz qqq") == []
        voyage.otherwise = understands
        assert await told(confide, "zzz qqq") == []
        await confide.vectors.drain_backlog()
        assert await told(confide, "zzz qqq") == [CELLO]
