"""The ways to run it: on a PostgreSQL of one's own, with the Members intent, and switched off."""

from __future__ import annotations

import asyncio
import uuid
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from tests.bot.conftest import Running
from tests.bot.loopback import Loopback
from tests.bot.process import Town, bot_on, environment
from tests.models.conftest import claude, with_claude

from confide import Confide
from confide.store import embedded
from confide.store.provision import provision_embedded
from confide.surfaces.discord import ids

__all__ = ["claude", "with_claude"]
NOTHING = "I don't know anything about that."


async def url_of(home: Path) -> str:
    """The test's own server, as somebody with a PostgreSQL would write it."""
    with embedded.start(home) as lease:
        told = await provision_embedded(lease.server, home)
    where = urlencode({"host": told["host"], "port": told["port"]})
    return f"postgresql://{told['user']}:{quote(told['password'])}@/{told['database']}?{where}"


@pytest.mark.req("S16", "S20")
async def test_on_a_database_of_ones_own_and_a_lost_role_counts_at_once(home: Path) -> None:
    agent = f"t{uuid.uuid4().hex[:12]}"
    async with Loopback() as discord, Confide.open(home, agent=agent, learn=False) as confide:
        town = Town(discord)
        env = environment(
            discord, Path("/nonexistent"), agent,
            CONFIDE_DATABASE_URL=await url_of(home), CONFIDE_DISCORD_MEMBERS="true",
        )  # fmt: skip

        async def members(room: int, count: int) -> None:
            """Until the memory knows so many people in a room."""
            for _ in range(400):
                if dict(await _members(confide)).get(room) == count:
                    return
                await asyncio.sleep(0.05)
            pytest.fail(f"{room} has others")

        async with bot_on(discord, env):
            await discord.dm(town.alice, "remember that my boat is called Minnow")
            assert "Minnow" in await discord.dm(town.alice, "what is my boat called?")
            asked = "what is my boat called?"
            assert await discord.mention(town.alice, town.general, asked) == NOTHING
            for who in (town.alice, town.bob):
                await discord.mention(who, town.general, "hello there")
            await discord.mention(town.alice, town.staff, "hello there")
            await members(town.staff, 1)
            town.backend.remove_member_role(town.guild.id, town.alice, town.mods)
            await members(town.staff, 0)
            await members(town.general, 2)
            town.backend.remove_member(town.guild.id, town.bob)
            await members(town.general, 1)


async def _members(confide: Confide) -> list[tuple[int, int]]:
    return [
        (ids.number_of(one.place.id), one.members)
        for one in await confide.world.places()
        if one.place.space is not None
    ]


@pytest.mark.req("S17", "S16")
async def test_switched_off_it_answers_with_the_model_and_without_memory(
    running: Running, claude: Any, with_claude: dict[str, Any]
) -> None:
    async with running(**with_claude) as town:
        kept = await town.alice.slash(town.general, "remember", text="My boat is called Minnow")
        assert "for you alone" in kept.response.content
        alice = town.person(town.alice)
    claude.otherwise = lambda body: _echo(body)
    async with running(enabled=False, **with_claude) as town:
        assert town.person(town.alice) == alice
        before = len(claude.seen)
        told = await town.dm(town.alice, "what is my boat called?")
        assert told.startswith("ANSWER")
        assert "Minnow" not in told
        assert await town.dm(town.alice, "remember that my cat is called Coco")
        assert len(claude.seen) == before + 2, "each was answered by the model"
        refused = await town.alice.slash(town.general, "remember", text="My cat is called Coco")
        assert "for you alone" not in refused.response.content
        assert "keep" in await town.command(town.alice, "privacy status")
        sent = await town.alice.slash(town.general, "privacy export")
        assert "direct message" in sent.response.content
        listed = await town.alice.slash(town.general, "memories list")
        assert "Coco" not in listed.response.content
        asked = await town.alice.slash(town.general, "privacy delete")
        await town.alice.click(asked.response, label="Yes")
        assert not await town.confide.memories(alice)


def _echo(body: dict[str, Any]) -> Any:
    from tests.models import loopback

    return loopback.text("ANSWER " + str(body["messages"]))
