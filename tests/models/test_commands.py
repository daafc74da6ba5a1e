"""The commands about models, run as a person runs them."""

from __future__ import annotations

import asyncio
import functools
from typing import Any

import pytest
from tests.cli.conftest import Ask, Run, ask, run  # noqa: F401 - fixtures
from tests.conftest import Opened
from tests.models.loopback import Server

from benchmarks import model_cost
from confide import statement
from confide.errors import InvalidInput
from confide.model import Entity
from confide.providers.prices import dollars
from confide.providers.usage import Tokens


@pytest.fixture
def environment(voyage: Server) -> dict[str, str]:
    return {
        "CONFIDE_EMBEDDER": "voyage-3.5-lite",
        "VOYAGE_API_KEY": "pa-test",
        "CONFIDE_VOYAGE_URL": voyage.url,
        "CONFIDE_LEARN": "false",
    }


@pytest.mark.req("B9")
def test_vectors_are_added_and_a_model_is_measured_from_the_command_line(
    ask: Ask, environment: dict[str, str]  # noqa: F811
) -> None:  # fmt: skip
    ask("remember", "I keep bees", "--by", "human:alice", "--in", "dm")
    done = ask("reembed", "--to", "voyage-3.5", **environment)
    assert done == {"model": "voyage-3.5", "embedded": 1, "left": 0}
    scale = ask("calibrate", **environment)
    assert scale["model"] == "voyage-3.5-lite"
    assert scale["unrelated"] < scale["threshold"]


@pytest.mark.req("S29")
def test_a_missing_key_is_named(run: Run) -> None:  # noqa: F811
    done = run("reembed", "--to", "voyage-3.5")
    assert done.exit_code == 2
    assert "VOYAGE_API_KEY" in done.stderr


@pytest.mark.req("S29")
async def test_usage_shows_money_for_each_person_and_how_budgets_stand(
    open_confide: Opened, ask: Ask, run: Run  # noqa: F811
) -> None:  # fmt: skip
    assert "cost nothing" in (await asyncio.to_thread(run, "usage")).stdout
    from confide.memories import system_clock

    async with open_confide(learn=False) as confide:
        confide.spending.clock = system_clock
        alice = Entity("human", "alice")
        tokens = Tokens(10_000, 1_000)
        await confide.spending.spend(
            "extract", "claude-sonnet-4-6", tokens, person=alice, place="p"
        )
        await confide.spending.spend("recall", "voyage-3.5-lite", tokens, person=alice)
    shown: dict[str, Any] = await asyncio.to_thread(ask, "usage", CONFIDE_BUDGET_AGENT="0.05")
    assert [one["operation"] for one in shown["used"]] == ["extract", "recall"]
    assert shown["dollars"] == pytest.approx(0.03 + 0.015 + 0.0002)
    assert shown["budgets"][0]["most"] == 0.05
    words = (await asyncio.to_thread(run, "usage", CONFIDE_BUDGET_AGENT="0.05")).stdout
    assert "human:alice" in words
    assert "█" in words
    assert "nearly used up" in words


@pytest.mark.req("S29")
async def test_status_tells_the_owner_of_a_budget_at_80_percent(
    open_confide: Opened, ask: Ask, run: Run  # noqa: F811
) -> None:  # fmt: skip
    from confide.memories import system_clock

    ask_in_thread = functools.partial(asyncio.to_thread, ask, "status")
    async with open_confide(learn=False) as confide:
        confide.spending.clock = system_clock
        await confide.spending.spend(
            "extract", "claude-sonnet-4-6", Tokens(10_000, 1_000),
            person=Entity("human", "alice"), place="p", space="guild",
        )  # fmt: skip
    assert (await ask_in_thread())["notices"] == []
    told = await ask_in_thread(
        CONFIDE_BUDGET_AGENT="0.05", CONFIDE_BUDGET_PERSON="10", CONFIDE_BUDGET_SPACE="0.04"
    )
    assert told["notices"] == [
        "the agent spent $0.0450 of $0.0500 this month",
        "space guild spent $0.0450 of $0.0400 this month; the built-in parts take over",
    ]
    words = await asyncio.to_thread(run, "status", CONFIDE_BUDGET_AGENT="0.05")
    assert "the agent spent $0.0450 of $0.0500" in words.stdout


@pytest.mark.req("S29")
async def test_an_ordinary_month_is_estimated_below_the_figure_to_beat() -> None:
    """4 extractions, 10 stores, 40 recalls and 2 merges a week, from the requests really sent."""
    extract, both = await model_cost.extraction(), await model_cost.merge()
    haiku, sonnet = "claude-haiku-4-5", "claude-sonnet-4-6"
    cost = functools.partial(model_cost.month, extract, both, embeds="voyage-3.5-lite")
    assert cost(extracts=haiku, merges=haiku) < 0.10
    assert cost(extracts=sonnet, merges=haiku) < 0.20


def test_a_model_without_a_price_is_dear_and_a_dated_name_costs_the_same() -> None:
    assert dollars("somebodys-model", 1000, 0) == 0.015
    assert dollars("claude-sonnet-4-6-20260101", 1000, 0) == dollars("claude-sonnet-4-6", 1000, 0)
    assert dollars("anthropic:claude-sonnet-4-6", 1000, 0) == 0.003


async def test_remembering_does_not_wait_for_a_provider(
    open_confide: Opened, voyage: Server, with_voyage: dict[str, Any]
) -> None:
    async with open_confide(**with_voyage) as confide:
        await confide.remember(statement("I keep bees", by="human:alice", place="dm"))
    assert voyage.seen == []


@pytest.mark.req("S18")
async def test_a_package_that_is_not_there_is_named_when_the_memory_is_opened(
    open_confide: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("confide.providers.choosing.find_spec", lambda _: None)
    with pytest.raises(InvalidInput, match=r"confide\[anthropic\]"):
        async with open_confide(model="openai:gpt-5"):
            pass
    async with open_confide(anthropic_key="sk-test", external_models="none"):
        pass


@pytest.mark.req("S17")
async def test_a_key_meant_for_another_program_stops_nothing(
    open_confide: Opened, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("confide.providers.choosing.find_spec", lambda _: None)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-another")
    async with open_confide(learn=True) as confide:
        assert confide.settings.anthropic_key is not None
    assert "confide[anthropic]" in caplog.text
    assert "sk-another" not in caplog.text
