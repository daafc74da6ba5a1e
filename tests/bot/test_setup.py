"""`confide bot setup` and the command line of the bot."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime
from typing import Any

import discord
import pytest
import simcord
from examples.discord_bot import Bot
from tests.bot.conftest import Running
from tests.bot.town import Town
from typer.testing import CliRunner

from confide import Confide
from confide.surfaces.cli.app import build
from confide.surfaces.discord.intents import intents
from confide.surfaces.discord.preparing import PERMISSIONS, Seen, describe


def test_help_works_without_the_extra() -> None:
    code = (
        "import sys; sys.modules['discord'] = None\n"
        "from confide.surfaces.cli import main\n"
        "sys.argv = ['confide', 'bot', '--help']\n"
        "main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "DISCORD_TOKEN" in done.stdout


def test_a_missing_token_says_where_to_get_one(tmp_path: Any) -> None:
    for command in (["bot"], ["bot", "setup"]):
        done = CliRunner().invoke(build(), [*command, "--home", str(tmp_path)])
        assert done.exit_code != 0
        assert "DISCORD_TOKEN" in str(done.exception) or "DISCORD_TOKEN" in done.output


def test_no_privileged_intent_unless_asked_for() -> None:
    plain = intents()
    assert (plain.message_content, plain.members, plain.presences) == (False, False, False)
    assert intents(message_content=True).message_content
    assert intents(members=True).members


async def test_who_could_hear_what_is_shown_before_anything_is_stored(
    town: Town, running: Running
) -> None:
    await town.env.settle()
    town.bot.guilds[0].features = ["DISCOVERABLE"]
    info = await town.bot.application_info()
    seen = [Seen(one, town.bot.user.id, frozenset()) for one in town.bot.guilds]
    found = describe(town.confide.settings, info, seen)
    (guild,) = found.guilds
    places = {one.name: one.place for one in guild.channels}
    assert places["#general"] == "public"
    assert places["#staff"] == "restricted"
    assert f"permissions={PERMISSIONS.value}" in found.invite
    assert not PERMISSIONS.administrator
    assert discord.Permissions(PERMISSIONS.value) <= discord.Permissions(
        view_channel=True, send_messages=True, send_messages_in_threads=True,
        read_message_history=True,
    )  # fmt: skip
    assert "/privacy opt-out" in found.notice
    assert any("without joining" in one for one in found.warnings)
    assert set(found.as_dict()) == {"bot", "invite", "intents", "guilds", "warnings", "notice"}


@pytest.mark.req("B19")
async def test_rules_survive_a_restart_and_hold_only_what_differs(town: Town) -> None:
    from confide.errors import InvalidInput
    from confide.verbs.spaces import SpaceRules, read_rules, write_rules

    space = f"discord.{town.guild.id}"
    await town.owner().slash(town.general, "confide setup", learn=False, budget=3.5, raw_days=2)
    kept = await town.confide.rules.of(space)
    assert kept == SpaceRules(learns=False, budget=3.5, raw_days=2)
    assert write_rules(kept) == {"learns": False, "budget": 3.5, "raw_days": 2}
    (budget,) = await town.confide.spending.budgets(None, space)
    assert budget.most == 3.5
    for wrong in ({"learn": True}, {"learns": "no"}, {"raw_days": -1}, {"within": "mods"}):
        with pytest.raises(InvalidInput, match="rules"):
            read_rules(wrong)


@pytest.mark.req("B19")
async def test_words_stay_as_long_as_the_owner_said(town: Town) -> None:
    await town.owner().slash(town.general, "confide setup", raw_days=2)
    await town.ask(town.alice, town.general, "the meetup is in the old library")
    await town.dm(town.alice, "I am looking for a new flat")
    await town.later(seconds=3 * 24 * 3600)
    await town.confide.learning.worker().sweep()
    async with town.confide.database.keep() as connection:
        rows = await connection.fetch(
            "SELECT place, text FROM confide.message WHERE agent = $1 AND NOT is_from_agent",
            town.confide.database.agent,
        )
    words = {row["place"].startswith("dm:"): row["text"] is not None for row in rows}
    assert words == {True: True, False: False}


@pytest.mark.req("B19")
async def test_what_was_said_in_a_space_that_the_bot_left_is_erased_later(town: Town) -> None:
    await town.ask(town.alice, town.general, "remember that my boat is called Minnow")
    town.env.backend.remove_guild(town.guild.id)
    await town.env.settle()
    assert await town.confide.rules.erase_departed() == 0
    assert await town.confide.memories(town.person(town.alice))
    await town.later(seconds=31 * 24 * 3600)
    assert await town.confide.rules.erase_departed() == 1
    assert not await town.confide.memories(town.person(town.alice))
    assert await town.confide.rules.erase_departed() == 0


async def test_roles_that_anyone_can_take_are_named_with_what_is_behind_them(town: Town) -> None:
    guild = town.guild
    roles = {name: guild.create_role(name) for name in ("bought", "chosen", "clicked", "given")}
    rooms = {name: town.hidden(f"{name}-room", role) for name, role in roles.items()}
    other = guild.create_role("RoleBot", permissions=discord.Permissions(manage_roles=True))
    await town.env.settle()
    seen = town.bot.get_guild(guild.id)
    seen.get_role(roles["bought"].id).tags = discord.RoleTags({"available_for_purchase": None})
    another = seen.get_role(other.id)
    another.tags = discord.RoleTags({"bot_id": "42"})
    for name, role in roles.items():
        seen.get_role(role.id).position = 9 if name == "given" else 1
    another.position = 5
    chosen = frozenset({roles["chosen"].id})
    found = describe(
        town.confide.settings,
        await town.bot.application_info(),
        [Seen(seen, town.bot.user.id, frozenset(), chosen)],
    )
    told = {
        name: [w for w in found.warnings if f"#{room.name}" in w] for name, room in rooms.items()
    }
    assert "buy or link" in told["bought"][0]
    assert "choose @chosen themselves" in told["chosen"][0]
    assert "reaction" in told["clicked"][0]
    assert "RoleBot" in told["clicked"][0]
    assert told["given"] == [], "nobody but people gives it"


async def test_setup_says_where_the_bot_cannot_answer_and_what_it_may_without_need(
    town: Town,
) -> None:
    quiet = discord.PermissionOverwrite(send_messages=False)
    town.guild.create_text_channel("rules", overwrites={town.guild.default_role: quiet})
    boss = town.guild.create_role("boss", permissions=discord.Permissions(administrator=True))
    await town.env.settle()
    guild, info = town.bot.get_guild(town.guild.id), await town.bot.application_info()
    plain = describe(town.confide.settings, info, [Seen(guild, town.bot.user.id, frozenset())])
    assert any("cannot answer in #rules" in one for one in plain.warnings)
    mine = frozenset({boss.id})
    mighty = describe(town.confide.settings, info, [Seen(guild, town.bot.user.id, mine)])
    assert any("administrator" in one for one in mighty.warnings)


@pytest.mark.req("S20")
async def test_every_channel_is_compared_once_a_day_without_an_event(town: Town) -> None:
    await town.env.settle()
    gone = f"public:discord.5@discord.{town.guild.id}"
    await town.confide.world.attest(gone)
    await town.later(seconds=24 * 3600 + 60)
    kinds = {one.place.id: one.place.kind.value for one in await town.confide.world.places()}
    assert kinds[f"discord.5@discord.{town.guild.id}"] == "restricted"
    assert kinds[f"discord.{town.general.id}@discord.{town.guild.id}"] == "public"


@pytest.mark.req("B7", "S20")
async def test_the_example_answers_where_it_may(home: Any, agent: str) -> None:
    async with Confide.open(home, agent=agent, learn=False) as confide:
        env = simcord.Env(Bot(confide), settle_timeout=30)
        env.backend.clock._epoch = datetime.now(UTC)
        await env.start()
        town = Town(env, confide)
        asked, secret = "what is my boat called?", "who are we watching for toxicity?"
        await town.dm(town.alice, "My boat is called Minnow")
        await town.ask(town.alice, town.staff, "We are watching Xavier for toxicity")
        await town.learn()
        assert "Minnow" in await town.dm(town.alice, asked)
        assert "Minnow" not in await town.ask(town.alice, town.general, asked)
        assert "Xavier" in await town.dm(town.alice, secret)
        assert "Xavier" not in await town.ask(town.alice, town.general, secret)
        env.backend.remove_member_role(town.guild.id, town.alice.id, town.mods.id)
        assert "Xavier" not in await town.dm(town.alice, secret)
        env.raise_errors()
        await env.shutdown()
