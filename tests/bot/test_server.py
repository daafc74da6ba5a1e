"""`confide bot` as a client of `confide serve`: the same answers, from a memory elsewhere."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
import pytest_asyncio
from tests.bot.loopback import Loopback
from tests.bot.process import Town, bot_on, environment
from tests.bot.test_process import ALONE, DIRECT_ONLY, NOTHING, elsewhere, leaves
from tests.http.processes import serving

from confide import Confide, operator_as
from confide.keep.keys import KeyKind, Wanted


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def ran(home: Path) -> AsyncIterator[Town]:
    agent = f"t{uuid.uuid4().hex[:12]}"
    async with Confide.open(home, agent=agent, learn=False) as confide:
        made = await confide.keys.create(
            Wanted(kind=KeyKind.PLATFORM, name="bot", platform="discord"), actor=operator_as()
        )
    async with Loopback() as discord, serving(home, agent) as server:
        town = Town(discord)
        env = environment(
            discord, Path("/nonexistent"), agent, CONFIDE_URL=server.url, CONFIDE_KEY=made.secret
        )
        async with bot_on(discord, env):
            yield town


@pytest.mark.req("S16")
async def test_it_answers_from_a_servers_memory(ran: Town) -> None:
    discord = ran.discord
    assert "remember" in await discord.dm(ran.alice, "remember that my boat is called Minnow")
    asked = "what is my boat called?"
    await told(lambda: discord.dm(ran.alice, asked), "Minnow")
    for room in (ran.general, ran.staff):
        assert await discord.mention(ran.alice, room, asked) == NOTHING
    assert await discord.dm(ran.bob, "what is Alice's boat called?") == NOTHING


async def told(ask: Callable[[], Awaitable[str]], wanted: str) -> None:
    """A server learns in its own time."""
    said = ""
    for _ in range(60):
        said = await ask()
        if wanted in said:
            return
        await asyncio.sleep(0.2)
    pytest.fail(f"{wanted!r} is not in {said!r}")


@pytest.mark.req("S3", "S20")
async def test_rooms_roles_and_closing_count_there_too(ran: Town) -> None:
    discord, backend = ran.discord, ran.backend
    dora = ran.member("dora", ran.mods)
    secret = "remember that we are watching Xavier for toxicity"
    await discord.mention(dora, ran.staff, secret)
    asked = "who are we watching for toxicity?"
    await told(lambda: discord.mention(dora, ran.staff, asked), "Xavier")
    assert "Xavier" in await discord.dm(dora, asked)
    assert await discord.mention(dora, ran.general, asked) == NOTHING
    backend.remove_member_role(ran.guild.id, dora, ran.mods)
    assert await discord.dm(dora, asked) == NOTHING
    backend.delete_overwrite(ran.staff, ran.guild.id)
    assert await discord.mention(dora, ran.staff, asked) == NOTHING


async def test_deleted_and_edited_words(ran: Town) -> None:
    discord, backend = ran.discord, ran.backend
    eve = ran.member("eve")
    chat = backend.get_dm_channel(eve).id
    said = backend.create_message(chat, eve, "remember that my cat is called Coco")
    asked = "what is my cat called?"
    await told(lambda: discord.dm(eve, asked), "Coco")
    backend.delete_message(chat, said.id)
    await told(lambda: discord.dm(eve, asked), NOTHING)


@pytest.mark.req("S22", "B17")
async def test_every_command_works_through_a_server(ran: Town) -> None:
    discord, owner = ran.discord, ran.guild.owner_id
    filled = {3: "12345678", 5: True, 4: 1}
    for path, options in leaves(ran):
        required = [one for one in options if one.get("required")]
        if any(one["type"] == 7 for one in required):
            continue
        given = {one["name"]: filled[one["type"]] for one in required}
        done = await discord.slash(owner, ran.general, path, given)
        assert done.ephemeral, path
        said = discord.text_of(done)
        assert said, path
        assert "not possible" not in said, (path, said)
        assert "just now" not in said, (path, said)
    there = elsewhere(ran)["two others"]
    sink = ran.backend.get_dm_channel(ran.alice).id
    for command in ALONE:
        done = await discord.slash(ran.alice, sink, command, {}, **there)
        assert discord.text_of(done) == DIRECT_ONLY, command
