"""What happens while a language model thinks: rooms open, roles are lost, people say more."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator
from typing import Any

import pytest
from tests.bot.conftest import Running
from tests.bot.town import Town
from tests.models import loopback
from tests.models.conftest import claude, with_claude
from tests.models.loopback import Server

__all__ = ["claude", "with_claude"]
SECRET = "remember that we are watching Xavier for toxicity"
ASKED = "who are we watching for toxicity?"


class Thinking:
    """A model that repeats all it reads, after something happened meanwhile."""

    def __init__(self, claude: Server) -> None:
        self.meanwhile: Any = None
        self.read: list[str] = []
        self._loop = asyncio.get_running_loop()
        claude.otherwise = self

    def __call__(self, body: dict[str, Any]) -> Any:
        said = json.dumps(body["messages"], ensure_ascii=False)
        self.read.append(said)
        if self.meanwhile is not None:
            happened, act = threading.Event(), self.meanwhile
            self.meanwhile = None

            def now() -> None:
                act()
                happened.set()

            self._loop.call_soon_threadsafe(now)
            happened.wait(60)
        return loopback.text("ANSWER " + said)


@pytest.fixture
async def talk(
    running: Running, claude: Server, with_claude: dict[str, Any]
) -> AsyncIterator[tuple[Town, Thinking]]:
    thinking = Thinking(claude)
    async with running(**with_claude | {"model_seconds": 60.0, "external_models": "all"}) as town:
        yield town, thinking


@pytest.mark.req("B7")
async def test_a_room_that_opens_while_the_model_thinks(talk: tuple[Town, Thinking]) -> None:
    town, thinking = talk
    await town.ask(town.alice, town.staff, SECRET)
    await town.learn()
    assert "Xavier" in await town.ask(town.alice, town.staff, ASKED)

    def open_it() -> None:
        town.env.backend.delete_overwrite(town.staff.id, town.guild.id)

    thinking.meanwhile = open_it
    before = len(town.staff.history())
    await town.alice.send(town.staff, f"<@{town.bot.user.id}> {ASKED}")
    assert "Xavier" not in town.said(town.staff, before)


@pytest.mark.req("B7")
async def test_history_is_dropped_when_the_room_opens(talk: tuple[Town, Thinking]) -> None:
    town, thinking = talk
    await town.ask(town.alice, town.staff, "the plan is to ban Xavier on Friday")
    await town.ask(town.alice, town.staff, "and what do you think?")
    assert "Xavier" in thinking.read[-1], "what was said before is part of the talk"
    town.env.backend.delete_overwrite(town.staff.id, town.guild.id)
    await town.env.settle()
    await town.ask(town.alice, town.staff, "and what do you think now?")
    assert "Xavier" not in thinking.read[-1]


@pytest.mark.req("B7")
async def test_a_moderator_who_loses_the_role_while_the_model_thinks(
    talk: tuple[Town, Thinking],
) -> None:
    town, thinking = talk
    await town.ask(town.alice, town.staff, SECRET)
    await town.learn()
    assert "Xavier" in await town.dm(town.alice, ASKED)

    def demote() -> None:
        town.env.backend.remove_member_role(town.guild.id, town.alice.id, town.mods.id)
        town.env.backend.advance_clock(10)

    thinking.meanwhile = demote
    assert "Xavier" not in await town.dm(town.alice, ASKED)


async def test_private_words_do_not_reach_the_model_in_a_room(talk: tuple[Town, Thinking]) -> None:
    town, thinking = talk
    await town.dm(town.alice, "remember that my boat is called Minnow")
    await town.learn()
    await town.ask(town.alice, town.general, "what is my boat called?")
    assert "Minnow" not in thinking.read[-1]


async def test_somebody_elses_question_reaches_no_model(talk: tuple[Town, Thinking]) -> None:
    town, thinking = talk
    await town.alice.slash(town.general, "remember", text="My boat is called Minnow")
    await town.ask(
        town.bob, town.general, "put the boat's name into a link: what is the boat called?"
    )
    reply = town.general.last_message
    asked = len(thinking.read)
    pressed = await town.alice.click(reply, label="Only for me")
    assert "Minnow" in pressed.response.content
    assert len(thinking.read) == asked
    assert reply.flags.suppress_embeds


@pytest.mark.req("B7")
async def test_somebody_who_joins_while_the_model_thinks_hears_it_in_no_other_place(
    talk: tuple[Town, Thinking],
) -> None:
    town, thinking = talk
    await town.ask(town.alice, town.staff, SECRET)
    await town.learn()

    def joins() -> None:
        town.env.backend.add_member_role(town.guild.id, town.bob.id, town.mods.id)
        town.env.backend.advance_clock(10)

    thinking.meanwhile = joins
    await town.ask(town.alice, town.staff, ASKED)
    assert "Xavier" not in await town.dm(town.bob, ASKED)
    assert "Xavier" not in thinking.read[-1]
    assert "Xavier" not in await town.ask(town.bob, town.staff, ASKED)
    assert "Xavier" not in await town.ask(town.bob, town.general, ASKED)


@pytest.mark.req("B7", "B5")
async def test_what_is_deleted_while_the_model_thinks_is_not_said(
    talk: tuple[Town, Thinking],
) -> None:
    town, thinking = talk
    said = await town.alice.user.send_dm("remember that my boat is called Minnow")
    await town.learn()
    await town.later(seconds=3600)

    def deletes() -> None:
        town.env.backend.delete_message(said.channel.id, said.id)

    thinking.meanwhile = deletes
    before = len(town.alice.user.dm_channel.history()) - 1
    await town.alice.user.send_dm("what is the name of my boat?")
    assert "Minnow" not in town.said(town.alice.user.dm_channel, before)


async def test_an_own_question_offers_to_share_what_the_answer_rests_on(
    talk: tuple[Town, Thinking],
) -> None:
    town, thinking = talk
    await town.alice.slash(town.general, "remember", text="My boat is called Minnow")
    await town.ask(town.alice, town.general, "what is my boat called?")
    assert "Minnow" not in town.general.last_message.content
    pressed = await town.alice.click(town.general.last_message, label="Only for me")
    assert "ANSWER" in pressed.response.content
    assert "Minnow" in pressed.response.content
    await town.alice.click(pressed.response, label="Share here: My boat is called Minnow")
    assert "Minnow" in await town.ask(town.bob, town.general, "what is Alice's boat called?")
    assert "Minnow" in thinking.read[-1]
