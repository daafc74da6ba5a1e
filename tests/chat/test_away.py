"""`confide chat` with a key: a model that answers, and one that is away."""

from __future__ import annotations

from typing import Any

import pytest
from tests.conftest import Opened
from tests.models import loopback
from tests.models.loopback import Server

from confide import Entity
from confide.chat import NO_ANSWER
from confide.surfaces.chat.play import Play

SISTER = "My sister Nora is visiting next week"
ALICE = Entity("human", "alice")
AWAY = "The language model is away: "
SILENT = "The language model gave no answer, so this is from memory alone."


@pytest.fixture
def away(claude: Server) -> Server:
    claude.otherwise = lambda _: loopback.error(500)
    return claude


@pytest.mark.req("S16", "B10")
async def test_while_the_model_is_away_what_is_built_in_learns_and_it_is_said(
    open_confide: Opened, away: Server, with_claude: dict[str, Any]
) -> None:
    async with open_confide(**with_claude) as confide:
        play = Play(confide)
        said = await play.type(SISTER)
        assert said.remembered[0].startswith(SISTER)
        assert said.notice.split("\n") == [SILENT, AWAY + "learned by what is built in."]
        asked = await play.type("who is visiting next week?")
        assert "Nora" in asked.answer
        assert asked.notice == SILENT


@pytest.mark.req("S16")
async def test_in_ones_own_memory_what_was_said_waits_for_the_model(
    open_confide: Opened, away: Server, with_claude: dict[str, Any]
) -> None:
    async with open_confide(**with_claude) as confide:
        play = Play(confide, is_own=True)
        said = await play.type(SISTER)
        assert said.remembered == ()
        assert AWAY + "kept, and learned from later." in said.notice
        assert (await play.type("who is visiting next week?")).answer == NO_ANSWER
        away.otherwise = loopback.repeats
        await confide.learning.learn(is_everything=True)
        assert any(SISTER in one.text for one in await confide.memories(ALICE))


@pytest.mark.req("S16")
async def test_a_model_that_answers_is_not_said_to_be_away(
    open_confide: Opened, claude: Server, with_claude: dict[str, Any]
) -> None:
    claude.script = [loopback.text("How nice!")]
    async with open_confide(**with_claude) as confide:
        said = await Play(confide).type(SISTER)
    assert (said.answer, said.is_by_model, said.notice) == ("How nice!", True, "")
    assert said.remembered


@pytest.mark.req("S18")
async def test_what_may_not_leave_is_said_to_be_answered_here(
    open_confide: Opened, claude: Server, with_claude: dict[str, Any]
) -> None:
    claude.otherwise = lambda _: loopback.text("fine")
    async with open_confide(**with_claude) as confide:
        shown = await Play(confide).type("what do I take for my diabetes?")
    assert shown.notice == "Answered here: this may not go to a language model."
    assert claude.seen == []
