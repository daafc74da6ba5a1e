"""Learning with Claude from end to end: what leaves, what is kept, and what happens when it is away."""

from __future__ import annotations

import functools
from typing import Any

import pytest
from tests.conftest import Clock, Opened
from tests.learn.speaking import say
from tests.models import loopback
from tests.models.loopback import Answer, Server, is_new, lines, memory, typed

from confide import Confide, Entity, audience
from confide.model import Scope, Sensitivity
from confide.store.memory import Memory

ALICE, BOB = Entity("human", "alice"), Entity("human", "bob")
HARMLESS = "I love building small bases in Valheim"
PRIVATE = "I was diagnosed with diabetes last spring"
SECRET = "my aws key is AKIAIOSFODNN7EXAMPLA"


async def learned(confide: Confide, *texts: str, **fields: Any) -> list[Memory]:
    for text in texts:
        await say(confide, text, **fields)
    await confide.learning.learn(is_everything=True)
    return list(await confide.memories(ALICE))


@pytest.mark.req("S13", "S18")
async def test_what_claude_finds_is_remembered(
    open_confide: Opened, claude: Server, with_claude: dict[str, Any]
) -> None:
    entry = memory(1, "I enjoy small bases in Valheim.", "small bases in Valheim")
    claude.script = [typed({"memories": [entry]})]
    async with open_confide(**with_claude) as confide:
        (found,) = await learned(confide, HARMLESS)
        assert found.text == "I enjoy small bases in Valheim."
        assert found.scope is Scope.DM
        context = await confide.recall("what does she build in Valheim?", audience(ALICE, "dm"))
        assert [told.memory.id for told in context.memories] == [found.id]


@pytest.mark.req("S18")
async def test_by_default_nothing_sensitive_leaves_and_it_is_learned_here(
    open_confide: Opened, claude: Server, with_claude: dict[str, Any]
) -> None:
    async with open_confide(**with_claude) as confide:
        found = await learned(confide, HARMLESS, PRIVATE, SECRET, "I have a cat named Miso")
    sent = claude.text()
    assert "Valheim" in sent
    assert "Miso" in sent
    for hidden in ("diabetes", "diagnosed", "AKIA"):
        assert hidden not in sent
    texts = " ".join(one.text for one in found)
    assert "diabetes" in texts
    assert "AKIA" not in texts
    (kept,) = (one for one in found if "diabetes" in one.text)
    assert kept.sensitivity is Sensitivity.SENSITIVE


@pytest.mark.req("S18")
async def test_with_all_everything_but_secrets_leaves(
    open_confide: Opened, claude: Server, with_claude: dict[str, Any]
) -> None:
    async with open_confide(**with_claude, external_models="all") as confide:
        await learned(confide, PRIVATE, SECRET)
    assert "diabetes" in claude.text()
    assert "AKIA" not in claude.text()


@pytest.mark.req("S18")
async def test_with_none_nothing_leaves(
    open_confide: Opened, claude: Server, voyage: Server, with_claude: dict[str, Any],
    with_voyage: dict[str, Any],
) -> None:  # fmt: skip
    settings = with_claude | with_voyage | {"external_models": "none"}
    async with open_confide(**settings) as confide:
        found = await learned(confide, HARMLESS, PRIVATE)
        assert len(found) == 2
        await confide.recall("what does she build?", audience(ALICE, "dm"))
    assert claude.raw == voyage.raw == []


@pytest.mark.req("S18")
async def test_without_a_key_nothing_leaves(open_confide: Opened, claude: Server) -> None:
    async with open_confide(anthropic_url=claude.url, learn=False) as confide:
        assert await learned(confide, HARMLESS)
    assert claude.raw == []


async def test_only_new_messages_are_asked_about(
    open_confide: Opened, claude: Server, with_claude: dict[str, Any], clock: Clock
) -> None:
    async with open_confide(**with_claude) as confide:
        await learned(confide, HARMLESS)
        clock.advance(minutes=1)
        await learned(confide, "I have a cat named Miso")
    assert [is_new(one) for one in lines(claude.seen[1])] == [False, True]


@pytest.mark.req("S13")
async def test_an_outage_loses_nothing_and_keeps_the_order(
    open_confide: Opened, claude: Server, with_claude: dict[str, Any], clock: Clock
) -> None:
    async with open_confide(**with_claude) as confide:
        claude.otherwise = lambda _: loopback.error(503)
        for n in range(12):  # more often than a session that fails by itself is tried
            clock.advance(minutes=5)
            await say(confide, f"I finished chapter {n + 1} of my book")
            await confide.learning.make_due()
            await confide.learning.learn()
        assert not await confide.memories(ALICE)
        assert all(job.failed_because is None for job in await confide.learning.jobs())
        claude.otherwise = loopback.repeats
        await confide.learning.learn(is_everything=True)
        found = sorted(await confide.memories(ALICE), key=lambda one: one.said_at)
    assert [one.text for one in found] == [
        f"I finished chapter {n + 1} of my book" for n in range(12)
    ]


FAULTS = (
    loopback.error(503),
    loopback.error(429, "rate_limit_error", retry_after="0"),
    loopback.error(529, "overloaded_error"),
    loopback.Answer(200, b""),
    loopback.Answer(200, b"<html>gateway</html>"),
    loopback.text("Sure! Here is what I found."),
)


def _always(answer: Answer, _: dict[str, Any]) -> Answer:
    return answer


@pytest.mark.req("S13", "S18")
async def test_an_hour_without_any_provider_loses_nothing_and_keeps_the_order(
    open_confide: Opened, claude: Server, voyage: Server, with_claude: dict[str, Any],
    with_voyage: dict[str, Any], clock: Clock,
) -> None:  # fmt: skip
    """An hour in twelve steps: two people, every kind of fault, and a process that starts anew."""
    settings = with_voyage | with_claude
    rooms = {"human:alice": "dm", "human:bob": "group:friends"}
    voyage.otherwise = lambda _: Answer(503, {"detail": "down"})
    for step in range(12):
        claude.otherwise = functools.partial(_always, FAULTS[step % len(FAULTS)])
        clock.advance(minutes=5)
        async with open_confide(**settings) as confide:
            for by, place in rooms.items():
                await say(confide, f"I finished chapter {step + 1} of my book", by=by, place=place)
            told = await confide.recall("which chapter?", audience(ALICE, "dm"))
            await confide.learning.learn(is_everything=True)
            assert told.memories == ()
    claude.otherwise = lambda body: (
        loopback.repeats(body) if not loopback.is_merge(body) else loopback.error(503)
    )
    voyage.otherwise = loopback.embeddings
    async with open_confide(**settings) as confide:
        await confide.learning.retry()
        await confide.learning.learn(is_everything=True)
        for who in (ALICE, BOB):
            found = sorted(await confide.memories(who), key=lambda one: one.said_at)
            assert [one.text for one in found] == [
                f"I finished chapter {n + 1} of my book" for n in range(12)
            ]
        assert await confide.vectors.left() == 0


@pytest.mark.req("S13", "B6")
async def test_a_model_that_widens_everything_widens_nothing(
    open_confide: Opened, claude: Server, with_claude: dict[str, Any]
) -> None:
    wide = {"global_safe": True, "portable": True, "sensitivity": "public", "kind": "identity",
            "attribute": {"name": "in_game_name", "value": "StoneFox"}}  # fmt: skip
    claude.otherwise = lambda body: typed(
        {
            "memories": [
                memory(one["n"], one["text"], one["text"], speaker=one["by"]) | wide
                for one in lines(body)
            ]
        }
    )
    async with open_confide(**with_claude, external_models="all") as confide:
        await say(confide, PRIVATE, by="human:alice")
        await say(confide, "I keep bees on the roof", by="human:alice")
        await say(confide, "My salary is 150k dollars", by="human:bob", place="group:friends",
                  present=["human:alice"])  # fmt: skip
        await confide.learning.learn(is_everything=True)
        for asker, place in (
            (BOB, "dm"),
            (ALICE, "public:general@guild"),
            (ALICE, "group:friends"),
        ):
            for question in ("diabetes diagnosis", "bees on the roof", "salary"):
                told = await confide.recall(question, audience(asker, place))
                assert not [
                    one for one in told.memories if one.memory.owner != asker or place != "dm"
                ]
        assert {one.scope for one in await confide.memories(ALICE)} == {Scope.DM}


@pytest.mark.req("S29")
async def test_what_was_spent_is_written_down_and_a_used_up_budget_ends_it(
    open_confide: Opened, claude: Server, with_claude: dict[str, Any], clock: Clock,
    caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    # 1,000 tokens read and 100 written at $3 and $15 a million
    once = (1000 * 3 + 100 * 15) / 1e6
    async with open_confide(**with_claude, budget_person=1.2 * once) as confide:
        await learned(confide, HARMLESS)
        (used,) = await confide.spending.used()
        assert (used.person, used.operation) == ("human:alice", "extract")
        assert (used.tokens_read, used.tokens_written) == (1000, 100)
        assert used.dollars == pytest.approx(once)
        await learned(confide, "I have a cat named Miso")
        assert "80" not in caplog.text
        assert "human:alice spent" in caplog.text
        assert "take over" not in caplog.text
        found = await learned(confide, "My brother plays the violin")
        assert "take over" in caplog.text
        assert len(claude.seen) == 2
        assert any("violin" in one.text for one in found)
        clock.advance(days=31)
        await learned(confide, "I moved to Lisbon in May")
        assert len(claude.seen) == 3


@pytest.mark.req("S29")
async def test_failed_attempts_cost_too(
    open_confide: Opened, claude: Server, with_claude: dict[str, Any]
) -> None:
    claude.script = [loopback.text("no idea"), loopback.text("none"), typed({"memories": []})]
    async with open_confide(**with_claude) as confide:
        await learned(confide, HARMLESS)
        (used,) = await confide.spending.used()
    assert used.tokens_read == 3000
