"""The real `confide bot` process on a Discord that listens on loopback: a real websocket, rate
limits, commands that people bring along, and channels of kinds that nobody knows."""

from __future__ import annotations

import json
import signal
import time
import uuid
from asyncio.subprocess import PIPE, create_subprocess_exec
from collections.abc import AsyncIterator
from pathlib import Path
from sys import executable
from typing import Any

import pytest
import pytest_asyncio
from simcord.backend import serializers
from tests.bot.loopback import PRIVILEGED, Loopback
from tests.bot.process import Bot, Town, bot_on, environment, start

from confide import Confide

NOTHING = "I don't know anything about that."
DIRECT_ONLY = "Others may be reading along here. Ask me in a direct message."


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def ran(home: Path) -> AsyncIterator[tuple[Town, Bot, str]]:
    """One process for the tests of this file that leave it running."""
    agent = f"t{uuid.uuid4().hex[:12]}"
    async with Loopback() as discord:
        town = Town(discord)
        async with bot_on(discord, environment(discord, home, agent)) as bot:
            await discord.dm(town.alice, "remember that my boat is called Minnow")
            yield town, bot, agent


@pytest.mark.req("S16")
async def test_a_direct_message_is_remembered_and_shows_in_no_room(ran: Any) -> None:
    town, _, _ = ran
    discord = town.discord
    assert "Minnow" in await discord.dm(town.alice, "what is my boat called?")
    for room in (town.general, town.staff):
        assert await discord.mention(town.alice, room, "what is my boat called?") == NOTHING
    dm = town.backend.get_dm_channel(town.alice).id
    assert ("POST", f"/channels/{dm}/typing", 204) in discord.requests


def elsewhere(town: Town) -> dict[str, dict[str, Any]]:
    """Where a command that Alice installed for herself may be given."""
    stranger = dict(serializers.user_payload(town.backend.get_user(town.bob)))
    chat = {"id": "900", "type": 1, "recipients": [stranger], "flags": 0}
    by_alice = {"authorizing_integration_owners": {"1": str(town.alice)}}
    own = {"id": str(town.alice), "username": "alice", "discriminator": "0", "avatar": None}
    member = {"user": own, "roles": [], "joined_at": "2026-01-01T00:00:00+00:00", "deaf": False,
              "mute": False, "flags": 0, "permissions": "8"}  # fmt: skip
    room = {"id": "901", "type": 0, "name": "x", "guild_id": "777", "position": 0, "flags": 0,
            "permission_overwrites": [], "parent_id": None, "nsfw": False}  # fmt: skip
    guild = {"guild_id": "777", "member": member, "channel": room, "channel_id": "901",
             "context": 0, "guild": {"id": "777", "locale": "en-US", "features": []}}  # fmt: skip
    here = {"guild_id": str(town.guild.id), "member": member, "context": 0,
            "channel": room | {"id": str(town.general), "guild_id": str(town.guild.id)},
            "channel_id": str(town.general)}  # fmt: skip
    return {
        "two others": {"channel": chat, "channel_id": "900", "context": 2} | by_alice,
        "group": {"channel": chat | {"type": 3, "name": None, "icon": None, "owner_id": "9"},
                  "channel_id": "900", "context": 2} | by_alice,
        "guild without the bot": guild | by_alice,
        "guild where she brought it along": here | by_alice,
        "no context": {"channel": chat, "channel_id": "900", "context": None} | by_alice,
    }  # fmt: skip


ALONE = (
    "memories list", "memories stats", "memories mentions", "privacy export", "privacy status",
    "privacy delete", "consents", "why", "privacy off-the-record",
)  # fmt: skip


@pytest.mark.req("B17", "S3")
@pytest.mark.parametrize(
    "where",
    ["two others", "group", "guild without the bot", "guild where she brought it along",
     "no context"],
)  # fmt: skip
async def test_in_a_conversation_of_others_nothing_private_is_told(ran: Any, where: str) -> None:
    town, _, _ = ran
    discord, there = town.discord, elsewhere(town)[where]
    sink = town.backend.get_dm_channel(town.alice).id
    asked = await discord.slash(
        town.alice, sink, "ask", {"question": "what is my boat called?"}, **there
    )
    assert asked.ephemeral
    assert discord.text_of(asked) == NOTHING
    for command in ALONE:
        told = await discord.slash(town.alice, sink, command, {}, **there)
        assert told.ephemeral, command
        assert discord.text_of(told) == DIRECT_ONLY, command
    for command in ("memories search", "memories view", "forget"):
        option = "words" if command == "memories search" else "id"
        told = await discord.slash(town.alice, sink, command, {option: "Minnow"}, **there)
        assert discord.text_of(told) == DIRECT_ONLY, command


@pytest.mark.req("B17")
async def test_remembering_among_others_is_for_oneself_and_nothing_else_is_kept(
    ran: Any, home: Path
) -> None:
    town, _, agent = ran
    discord, there = town.discord, elsewhere(town)["two others"]
    sink = town.backend.get_dm_channel(town.bob).id
    by_bob = there | {"authorizing_integration_owners": {"1": str(town.bob)}}
    asked = {"question": "I have a kite named Zephyr. What is it called?"}
    await discord.slash(town.bob, sink, "ask", asked, **by_bob)
    kept = await discord.slash(
        town.bob, sink, "remember", {"text": "My cat is called Coco"}, **by_bob
    )
    assert "for you alone" in discord.text_of(kept)
    assert "Coco" in await discord.dm(town.bob, "what is my cat called?")
    assert "Zephyr" not in await discord.dm(town.bob, "what is my kite called?")
    async with Confide.open(home, agent=agent, learn=False) as confide:
        places = {one.place.id for one in await confide.world.places()}
    assert not any("900" in one.partition("@")[0] or "guest" in one for one in places)


@pytest.mark.req("S3")
async def test_a_thread_of_an_announcement_channel_is_read_by_anyone(ran: Any) -> None:
    town, _, _ = ran
    discord, backend = town.discord, town.backend
    news = town.channel("news", type=5)
    made = backend.create_thread(news, "talk", town.alice, broadcast=False)
    discord.is_really(made.id, 10)
    backend.announce_thread_create(made)
    thread = made.id
    said = "remember that the meetup is in the old library"
    assert "remember" in await discord.mention(town.bob, town.general, said)
    asked = "where is the meetup?"
    assert "library" in await discord.mention(town.alice, town.general, asked)
    for room in (news, thread):
        assert await discord.mention(town.alice, room, asked) == NOTHING
    own = "remember that the winners get a golden lamp"
    assert "remember" in await discord.mention(town.alice, thread, own)
    assert "lamp" in await discord.mention(town.bob, town.general, "what do the winners get?")


@pytest.mark.req("S3")
async def test_nothing_is_told_in_a_directory_or_a_channel_of_an_unknown_kind(ran: Any) -> None:
    town, _, _ = ran
    discord, backend = town.discord, town.backend
    said = "remember that the picnic is on the green hill"
    await discord.mention(town.bob, town.general, said)
    asked = f"<@{backend.bot_user.id}> where is the picnic?"
    for kind in (14, 99):
        made = backend.create_channel(town.guild.id, f"kind-{kind}", announce=False)
        room = made.id
        discord.is_really(room, kind)
        backend.emit("CHANNEL_CREATE", serializers.channel_payload(backend, made))
        backend.create_message(room, town.alice, asked)
        assert "hill" in await discord.mention(town.alice, town.general, "where is the picnic?")
        told = [m.content for m in backend.messages[room].values()]
        assert not any("hill" in one for one in told)


@pytest.mark.req("S16", "B13")
async def test_a_dropped_connection_is_resumed_and_nothing_is_lost_or_doubled(ran: Any) -> None:
    town, _, _ = ran
    discord, backend = town.discord, town.backend
    identified, resumed = discord.identified, discord.resumed
    chat = backend.get_dm_channel(town.bob).id
    await discord.dm(town.bob, "hello there")
    said = []
    for n in range(3):
        await discord.drop()
        said.append(backend.create_message(chat, town.bob, f"remember that kite {n} is red"))
        await discord.until(lambda: discord.replies(chat, said[-1].id))
    assert discord.resumed == resumed + 3
    last = discord.sessions[-1].events[-1]
    repeated = [e for e in discord.sessions[-1].events if e["t"] == "MESSAGE_CREATE"][-3:]
    for event in repeated:
        discord.deliver("MESSAGE_CREATE", event["d"])
    assert last["s"] < discord.sessions[-1].events[-1]["s"]
    await discord.dm(town.bob, "hello again")
    assert discord.identified == identified
    assert [len(discord.replies(chat, one.id)) for one in said] == [1, 1, 1]


@pytest.mark.req("S20")
async def test_after_a_lost_session_what_closed_meanwhile_is_closed(ran: Any) -> None:
    from simcord.backend.models import Overwrite
    from simcord.enums import OverwriteType

    town, _, _ = ran
    discord, backend = town.discord, town.backend
    club = town.channel("club")
    said = "remember that the club meets at the harbour"
    await discord.mention(town.alice, club, said)
    asked = "where does the club meet?"
    assert "harbour" in await discord.mention(town.alice, town.general, asked)
    session, identified = discord.sessions[-1], discord.identified
    session.is_valid = False
    backend.subscribers.remove(session.gateway.feed)  # nobody hears of it
    await discord.drop()
    everyone = Overwrite(town.guild.id, OverwriteType.ROLE, deny=1024)
    backend.set_overwrite(club, everyone)
    await discord.until(lambda: discord.identified == identified + 1)
    assert await discord.mention(town.alice, town.general, asked) == NOTHING


async def test_a_rate_limit_is_waited_for_and_the_answer_sent_once(ran: Any) -> None:
    town, _, _ = ran
    discord = town.discord
    chat = town.backend.get_dm_channel(town.alice).id
    discord.limit("POST", f"/channels/{chat}/messages", seconds=0.7, times=2)
    begun = time.monotonic()
    assert "Minnow" in await discord.dm(town.alice, "what is my boat called?")
    assert time.monotonic() - begun >= 1.4
    path = f"/channels/{chat}/messages"
    assert [one[2] for one in discord.requests if one[1] == path][-3:] == [429, 429, 200]


@pytest.mark.req("B7", "S20")
async def test_what_waited_for_a_rate_limit_is_checked_again_before_it_is_sent(ran: Any) -> None:
    town, _, _ = ran
    discord, backend = town.discord, town.backend
    club = town.channel("council", seen_by=(town.mods,))
    secret = "remember that we are watching Xavier for toxicity"
    await discord.mention(town.alice, club, secret)
    asked = "who are we watching for toxicity?"
    assert "Xavier" in await discord.mention(town.alice, club, asked)

    def opens() -> None:
        backend.delete_overwrite(club, town.guild.id)

    sent = len(backend.messages[club])
    discord.limit("POST", f"/channels/{club}/messages", seconds=0.8, meanwhile=opens)
    assert "try again" in await discord.mention(town.alice, club, asked)
    new = list(backend.messages[club].values())[sent:]
    assert not any("Xavier" in one.content for one in new if one.author_id != town.alice)
    assert ("DELETE", f"/channels/{club}/messages/{new[-1].id}", 204) not in discord.requests


@pytest.mark.req("B7", "S20")
async def test_a_role_that_is_lost_during_a_rate_limit_ends_what_it_gave(ran: Any) -> None:
    town, _, _ = ran
    discord, backend = town.discord, town.backend
    carol = town.member("carol", town.mods)
    secret = "remember that we are watching Yorick for spam"
    await discord.mention(carol, town.staff, secret)
    asked = "who are we watching for spam?"
    assert "Yorick" in await discord.dm(carol, asked)

    def demoted() -> None:
        backend.remove_member_role(town.guild.id, carol, town.mods)

    chat = backend.get_dm_channel(carol).id
    discord.limit("POST", f"/channels/{chat}/messages", seconds=3.2, meanwhile=demoted)
    assert "try again" in await discord.dm(carol, asked)
    assert await discord.dm(carol, asked) == NOTHING


@pytest.mark.req("S22")
async def test_every_command_is_answered_for_the_asker_alone(ran: Any) -> None:
    town, _, _ = ran
    discord = town.discord
    owner = town.guild.owner_id
    filled = {3: "12345678", 5: True, 7: str(town.general), 4: 1}
    for path, leaf in leaves(town):
        given = {one["name"]: filled[one["type"]] for one in leaf if one.get("required")}
        if any(one["type"] == 7 and one.get("required") for one in leaf):
            continue  # a resolved channel: acted out on the simulator
        told = await discord.slash(owner, town.general, path, given)
        assert told.ephemeral, path
        assert discord.text_of(told), path


def leaves(town: Town) -> list[tuple[str, list[dict[str, Any]]]]:
    from simcord.interactions import command_leaves

    found = []
    for command in town.backend.commands[None].values():
        for path, node in command_leaves(command):
            options = [o for o in node.get("options", ()) if o["type"] > 2]
            found.append((" ".join(path), options))
    assert len(found) > 20
    return found


@pytest.mark.req("B7", "S20")
async def test_a_killed_bot_remembers_and_sees_what_it_missed(home: Path) -> None:
    """Killed without a goodbye; meanwhile it is removed from a guild and a moderator demoted."""
    agent = f"t{uuid.uuid4().hex[:12]}"
    async with Loopback() as discord:
        town = Town(discord)
        env = environment(discord, home, agent)
        async with bot_on(discord, env) as bot:
            await discord.dm(town.alice, "remember that my boat is called Minnow")
            secret = "remember that we are watching Xavier for toxicity"
            await discord.mention(town.alice, town.staff, secret)
            asked = "who are we watching for toxicity?"
            assert "Xavier" in await discord.dm(town.alice, asked)
            assert await bot.stop(signal.SIGKILL) == -signal.SIGKILL
        town.backend.remove_guild(town.guild.id)
        async with bot_on(discord, env) as bot:
            assert "Minnow" in await discord.dm(town.alice, "what is my boat called?")
            assert await discord.dm(town.alice, asked) == NOTHING
            await discord.until(lambda: any("removed from" in line for line in bot.log))
        async with Confide.open(home, agent=agent, learn=False) as confide:
            assert await confide.rules.known("discord") == []
            rooms = [one for one in await confide.world.places() if one.place.space is not None]
            assert rooms
            assert all(one.members == 0 for one in rooms)


async def test_a_refused_token_and_a_refused_intent_end_it_with_what_to_do(home: Path) -> None:
    async with Loopback() as discord:
        env = environment(discord, home, "t0")
        wrong = await start(env=env | {"DISCORD_TOKEN": "nobody"})
        assert await wrong.ends() != 0
        assert "DISCORD_TOKEN" in "".join(wrong.log)
        discord.refused_intents = PRIVILEGED
        refused = await start(env=env | {"CONFIDE_DISCORD_MEMBERS": "true"})
        assert await refused.ends() != 0
        assert "CONFIDE_DISCORD_MEMBERS" in "".join(refused.log)


async def test_setup_says_who_could_hear_what_and_stores_nothing(home: Path, agent: str) -> None:
    async with Loopback() as discord:
        town = Town(discord)
        done = await create_subprocess_exec(
            executable, "-m", "confide", "bot", "setup", "--json", stdout=PIPE, stderr=PIPE,
            env=environment(discord, home, agent),
        )  # fmt: skip
        out, err = await done.communicate()
        assert done.returncode == 0, err.decode()
        told = json.loads(out)
        (guild,) = told["guilds"]
        places = {one["name"]: one["place"] for one in guild["channels"]}
        assert places == {"#general": "public", "#staff": "restricted"}
        assert discord.identified == 0, "nothing is listened to"
        assert not any(one[0] != "GET" for one in discord.requests), "nothing is sent"
        assert town.backend.commands == {}
    async with Confide.open(home, agent=agent, learn=False) as confide:
        assert await confide.world.places() == []
