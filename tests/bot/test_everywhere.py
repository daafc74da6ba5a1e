"""The same question in every kind of place, after something was said in every kind of place."""

from __future__ import annotations

from typing import Any

import pytest
from simcord.builders import ChannelHandle
from tests.bot.conftest import Running
from tests.bot.town import CONTEXT, Town

ASKED = "which lamp is where?"
#: What was said where, with a word that nobody else says.
SAID = {
    "dm": "Anemone", "public": "Begonia", "restricted": "Camellia", "community": "Dahlia",
    "thread": "Edelweiss", "private thread": "Foxglove", "voice": "Gardenia",
    "announcement": "Hibiscus", "another guild": "Jasmine",
}  # fmt: skip
#: Said for the whole guild: told in every room of it, but for what others may follow.
GUILD = {"public", "thread", "announcement"}
#: What is told to Alice, who said all of it, and to Bob, who reads everything but the moderators'
#: room and the private thread.
TOLD: dict[str, tuple[set[str], set[str]]] = {
    "dm": (set(SAID), set()),
    "guest": (set(), set()),
    "public": (GUILD, GUILD),
    "restricted": (GUILD | {"restricted"}, GUILD),
    "community": (GUILD | {"community"}, GUILD | {"community"}),
    "thread": (GUILD, GUILD),
    "private thread": (GUILD | {"private thread"}, GUILD),
    "voice": (GUILD | {"voice"}, GUILD),
    "announcement": (set(), set()),
    "another guild": ({"another guild"}, {"another guild"}),
}
NOT_BOBS = {"restricted", "private thread"}


async def rooms_of(town: Town) -> dict[str, Any]:
    guild, backend = town.guild, town.env.backend
    verified = guild.create_role("verified")
    for one in (town.alice, town.bob):
        backend.add_member_role(guild.id, one.id, verified.id)
    members = town.hidden("members", verified)
    await town.later(seconds=1)
    await town.owner().slash(town.general, "confide setup", community_role=verified)

    def thread(type: int) -> Any:
        made = backend.create_thread(town.general.id, f"talk {type}", town.alice.id, type=type)
        backend.add_thread_member(made.id, town.bot.user.id)
        return ChannelHandle(town.env, guild, made)

    far = town.env.create_guild("Far")
    rooms = {
        "public": town.general, "restricted": town.staff, "community": members,
        "thread": thread(11), "private thread": thread(12),
        "voice": guild.create_voice_channel("lounge"),
        "announcement": guild.create_news_channel("news"),
        "another guild": far.create_text_channel("lobby"),
    }  # fmt: skip
    await town.later(seconds=1)
    return rooms


@pytest.mark.req("S3", "S2", "B17")
async def test_the_same_question_everywhere(running: Running) -> None:
    async with running(top_k=20, context_tokens=4000) as town:
        rooms = await rooms_of(town)
        far = rooms["another guild"].guild
        there = {one: far.add_member(one.user) for one in (town.alice, town.bob)}

        async def said(who: Any, where: str, text: str) -> str:
            if where == "dm":
                return await town.dm(who, text)
            if where == "guest":
                return await from_elsewhere(who, text)
            who = there[who] if where == "another guild" else who
            return await town.ask(who, rooms[where], text)

        for where, word in SAID.items():
            told = await said(town.alice, where, f"remember that the lamp {word} is in room {word}")
            assert "remember" in told, where
        await town.later(seconds=10)
        for where, wanted in TOLD.items():
            for who, expected in zip((town.alice, town.bob), wanted, strict=True):
                if who is town.bob and where in NOT_BOBS:
                    continue  # Discord lets him neither read nor write there
                told = await said(who, where, ASKED)
                found = {origin for origin, word in SAID.items() if word in told}
                assert found == expected, (where, who.name, told)
    town.env.raise_errors()


async def from_elsewhere(who: Any, text: str) -> str:
    """A command that somebody brought along into a chat of two others."""
    CONTEXT.update(context=2, authorizing_integration_owners={"1": str(who.id)})
    try:
        told = await who.user.slash("ask", question=text)
    finally:
        CONTEXT.clear()
    assert told.ephemeral
    return told.response.content
