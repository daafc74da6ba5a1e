"""From a message to a reply, on the real discord.py: told where it may be, nowhere else."""

from __future__ import annotations

import pytest
from tests.bot.town import Town

NOTHING = "I don't know anything about that."


@pytest.mark.req("S16")
async def test_what_was_said_in_private_helps_there_and_shows_nowhere_else(town: Town) -> None:
    assert await town.dm(town.alice, "I am looking for a new job") == "Noted."
    assert "new job" in await town.dm(town.alice, "what am I looking for?")
    for where in (town.general, town.staff):
        assert await town.ask(town.alice, where, "what am I looking for?") == NOTHING
    assert await town.dm(town.bob, "what is Alice looking for?") == NOTHING


async def test_public_words_are_told_in_the_guild_and_not_in_another(town: Town) -> None:
    assert await town.ask(town.bob, town.general, "the meetup is in the old library") == "Noted."
    await town.learn()
    asked = "where is the meetup?"
    assert "old library" in await town.ask(town.alice, town.general, asked)
    assert "old library" in await town.ask(town.alice, town.staff, asked)
    elsewhere = town.env.create_guild("Other")
    room = elsewhere.create_text_channel("lobby")
    stranger = elsewhere.add_member(town.env.create_user("stranger"))
    assert await town.ask(stranger, room, asked) == NOTHING
    assert await town.dm(stranger, asked) == NOTHING


@pytest.mark.req("S3", "S20")
async def test_an_ex_moderators_direct_chat_forgets_the_moderators_room(town: Town) -> None:
    await town.ask(town.alice, town.staff, "remember that we are watching Xavier for toxicity")
    asked = "who are we watching for toxicity?"
    assert "Xavier" in await town.ask(town.alice, town.staff, asked)
    assert "Xavier" in await town.dm(town.alice, asked)
    assert await town.ask(town.alice, town.general, asked) == NOTHING
    town.env.backend.remove_member_role(town.guild.id, town.alice.id, town.mods.id)
    await town.later(seconds=10)
    assert await town.dm(town.alice, asked) == NOTHING
    town.env.backend.add_member_role(town.guild.id, town.alice.id, town.mods.id)
    await town.later(seconds=10)
    assert "Xavier" in await town.dm(town.alice, asked)


async def test_when_discord_does_not_say_who_is_a_member_nothing_of_its_rooms_is_told(
    town: Town,
) -> None:
    await town.ask(town.alice, town.staff, "remember that we are watching Xavier for toxicity")
    await town.later(seconds=10)
    town.env.inject_error("GET", "/guilds/*/members/*", status=500)
    assert await town.dm(town.alice, "who are we watching?") == NOTHING


@pytest.mark.req("S20", "B7")
async def test_a_room_that_opens_tells_nothing_of_before(town: Town) -> None:
    await town.ask(town.alice, town.staff, "remember that we are watching Xavier for toxicity")
    town.env.backend.delete_overwrite(town.staff.id, town.guild.id)
    await town.env.settle()
    asked = "who are we watching for toxicity?"
    assert await town.ask(town.alice, town.staff, asked) == NOTHING
    assert await town.ask(town.bob, town.staff, asked) == NOTHING


@pytest.mark.req("S20")
async def test_a_room_that_closes_takes_its_words_along(town: Town) -> None:
    await town.ask(town.alice, town.general, "remember that the meetup is in the old library")
    asked = "where is the meetup?"
    assert "library" in await town.ask(town.alice, town.staff, asked)
    town.close(town.general, town.mods)
    await town.env.settle()
    assert await town.ask(town.alice, town.staff, asked) == NOTHING
    assert "library" in await town.ask(town.alice, town.general, asked)


async def test_deleted_words_are_forgotten_and_edited_ones_learned_anew(town: Town) -> None:
    first = await town.alice.user.send_dm("remember that my cat is called Coco")
    asked = "what is my cat called?"
    assert "Coco" in await town.dm(town.alice, asked)
    await town.alice.user.edit(first, "remember that my cat is called Minka")
    await town.learn()
    answer = await town.dm(town.alice, asked)
    assert "Minka" in answer
    assert "Coco" not in answer
    await town.alice.user.delete(first)
    assert await town.dm(town.alice, asked) == NOTHING


async def test_the_same_message_twice_is_answered_once(town: Town) -> None:
    sent = await town.alice.user.send_dm("what is my cat called?")
    replies = len(town.alice.user.dm_channel.history())
    town.again(sent)
    await town.env.settle()
    assert len(town.alice.user.dm_channel.history()) == replies


async def test_a_message_of_hours_ago_is_kept_and_not_answered(town: Town) -> None:
    old = await town.alice.user.send_dm("hello there")
    await town.later(seconds=7200)
    before = len(town.alice.user.dm_channel.history())
    town.again(old, id=old.id + 1, content="I have a boat named Minnow")
    await town.env.settle()
    assert len(town.alice.user.dm_channel.history()) == before
    await town.learn()
    assert "Minnow" in await town.dm(town.alice, "what is my boat called?")


async def test_bots_webhooks_and_replies_for_one_person_are_not_heard(town: Town) -> None:
    other = town.guild.add_member(town.env.create_user("robot", bot=True))
    hook = town.guild.create_webhook(town.general)
    before = len(town.general.history())
    await other.send(town.general, f"<@{town.bot.user.id}> remember that I am a robot")
    await hook.send(f"<@{town.bot.user.id}> remember that I am a hook")
    ephemeral = await town.alice.user.send_dm("hi")
    direct = len(town.alice.user.dm_channel.history())
    town.again(ephemeral, id=ephemeral.id + 1, content="I am hidden", flags=64)
    await town.env.settle()
    assert len(town.general.history()) == before + 2
    assert len(town.alice.user.dm_channel.history()) == direct


async def test_what_is_not_said_to_the_bot_is_not_kept(town: Town) -> None:
    await town.bob.send(town.general, "I moved to Lisbon")
    await town.learn()
    assert await town.ask(town.bob, town.general, "where did I move?") == NOTHING


async def test_mentioned_people_are_subjects_and_shown_by_todays_name(town: Town) -> None:
    text = f"remember that <@{town.bob.id}> likes oolong tea"
    await town.ask(town.alice, town.general, text)
    answer = await town.ask(town.alice, town.general, "who likes oolong tea?")
    assert f"<@{town.bob.id}>" in answer
    (memory,) = await town.confide.memories(town.person(town.alice))
    assert town.person(town.bob) in memory.origin.subjects


@pytest.mark.req("B7")
async def test_removed_from_a_guild(town: Town) -> None:
    await town.ask(town.alice, town.staff, "remember that we are watching Xavier for toxicity")
    await town.ask(town.alice, town.general, "remember that my boat is called Minnow")
    town.env.backend.remove_guild(town.guild.id)
    await town.env.settle()
    assert await town.dm(town.alice, "who are we watching for toxicity?") == NOTHING
    assert "Minnow" in await town.dm(town.alice, "what is my boat called?")
    assert await town.dm(town.bob, "what is Alice's boat called?") == NOTHING


async def test_switched_off_it_answers_without_memory(running) -> None:
    async with running(enabled=False) as town:
        assert await town.dm(town.alice, "I have a boat named Minnow") == NOTHING
        assert await town.dm(town.alice, "what is my boat called?") == NOTHING
    town.env.raise_errors()
