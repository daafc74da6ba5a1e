"""Names, replies, links, pages that are turned later, and events in every order."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from simcord.backend.serializers import message_payload
from tests.bot.town import CONTEXT, Town

from confide import audience
from confide.surfaces.discord.text import unfolded

NOTHING = "I don't know anything about that."


@pytest.mark.req("S32")
async def test_what_others_said_is_told_with_their_name_of_today(town: Town) -> None:
    await town.ask(town.alice, town.general, "remember that the meetup is in the old library")
    told = await town.ask(town.bob, town.general, "where is the meetup?")
    assert told == f"- <@{town.alice.id}>: The meetup is in the old library"
    own = await town.ask(town.alice, town.general, "where is the meetup?")
    assert own == "- The meetup is in the old library"
    place = (await town.confide.world.places())[0].place
    heard = await town.confide.recall(
        "where is the meetup?", audience(town.person(town.bob), f"public:{place.id}")
    )
    assert [one.owner_name for one in heard.memories] == ["alice"]


@pytest.mark.req("S32", "B11")
async def test_a_nickname_stays_in_its_server(town: Town) -> None:
    town.env.backend.edit_member(town.guild.id, town.alice.id, {"nick": "Doctor Sorrow"})
    await town.ask(town.alice, town.general, "remember that the meetup is in the old library")
    async with town.confide.database.keep() as connection:
        rows = await connection.fetch("SELECT display_name FROM confide.person")
    names = {row["display_name"] for row in rows}
    assert "alice" in names
    assert "Doctor Sorrow" not in names


@pytest.mark.req("S23")
async def test_each_telling_is_logged_with_its_kind_of_place(town: Town) -> None:
    await town.ask(town.alice, town.general, "remember that the meetup is in the old library")
    await town.ask(town.bob, town.general, "where is the meetup?")
    await town.dm(town.alice, "where is the meetup?")
    (memory,) = await town.confide.memories(town.person(town.alice))
    seen = await town.alice.slash(town.general, "memories view", id=str(memory.id))
    told = [line for line in seen.response.content.split("\n") if line.startswith("told ")]
    assert len(told) == 2
    assert any(f"<#{town.general.id}>" in line for line in told)
    assert any("direct" in line or "dm" in line for line in told)
    assert str(town.bob.id) not in seen.response.content


async def test_what_somebody_replied_to_is_read_and_not_learned(town: Town) -> None:
    said = await town.bob.send(town.general, "My boat is called Minnow")
    await town.alice.send(
        town.general, f"<@{town.bot.user.id}> remember that I like this", reply_to=said
    )
    await town.learn()
    kept = [one.text for one in await town.confide.memories(town.person(town.alice))]
    assert not any("Minnow" in one for one in kept)
    assert list(await town.confide.memories(town.person(town.bob))) == []


def test_links_for_one_person_have_no_preview() -> None:
    for text, wanted in (
        ("see https://a.example/x?y=1 now", "see <https://a.example/x?y=1> now"),
        ("<https://a.example>", "<https://a.example>"),
        ("[here](https://a.example/x)", "[here](<https://a.example/x>)"),
        ("HTTP://A.example and https://b.example", "<HTTP://A.example> and <https://b.example>"),
        ("no link", "no link"),
    ):
        assert unfolded(text) == wanted


async def test_an_answer_for_one_person_shows_no_preview(town: Town) -> None:
    await town.alice.slash(
        town.general, "remember", text="My boat has a page at https://boats.example/minnow"
    )
    told = await town.alice.slash(town.general, "ask", question="which page has my boat?")
    assert "<https://boats.example/minnow>" in told.response.content


@pytest.mark.req("S20", "B7")
async def test_a_page_that_is_turned_later_is_for_who_may_hear_it_then(town: Town) -> None:
    """An old reply that is edited: whoever sees it today counts."""
    for n in range(12):
        await town.ask(town.alice, town.staff, f"remember that suspect {n} is called Xavier{n}")
    await town.later(seconds=1)
    first = await town.alice.slash(town.general, "memories list")
    assert "Xavier" in first.response.content
    town.env.backend.remove_member_role(town.guild.id, town.alice.id, town.mods.id)
    await town.later(seconds=1)
    await town.alice.click(first.response, label="Next")
    assert "Xavier" not in first.response.content
    edited = [one for one in town.env.http_requests if one.method == "PATCH"]
    assert all("/channels/" not in one.path for one in edited), "no reply in a room is changed"


@pytest.mark.req("B13", "S20")
async def test_a_late_message_of_somebody_who_left_brings_nobody_back(town: Town) -> None:
    await town.ask(town.alice, town.staff, "remember that we are watching Xavier for toxicity")
    old = await town.alice.send(town.staff, f"<@{town.bot.user.id}> hello there")
    await town.later(seconds=3600)
    town.env.backend.remove_member_role(town.guild.id, town.alice.id, town.mods.id)
    asked = "who are we watching for toxicity?"
    assert await town.dm(town.alice, asked) == NOTHING
    town.again(old, id=old.id + 1)
    await town.env.settle()
    assert await town.dm(town.alice, asked) == NOTHING
    members = {one.place.id: one.members for one in await town.confide.world.places()}
    assert members[f"discord.{town.staff.id}@discord.{town.guild.id}"] == 0


@pytest.mark.req("S3", "S20")
async def test_who_came_back_by_a_thread_and_left_again_hears_nothing_of_its_room(
    town: Town,
) -> None:
    """A thread is its room: what is known of the one is known of the other."""
    from simcord.builders import ChannelHandle

    backend, mods = town.env.backend, town.mods.id
    await town.ask(town.alice, town.staff, "remember that we are watching Xavier for toxicity")
    asked = "who are we watching for toxicity?"
    made = backend.create_thread(town.staff.id, "talk", town.bot.user.id, type=11)
    thread = ChannelHandle(town.env, town.guild, made)
    for _ in range(2):
        backend.remove_member_role(town.guild.id, town.alice.id, mods)
        await town.later(seconds=10)
        assert await town.dm(town.alice, asked) == NOTHING
        backend.add_member_role(town.guild.id, town.alice.id, mods)
        await town.later(seconds=10)
        assert "Xavier" in await town.ask(town.alice, thread, asked)


async def test_a_deletion_that_arrives_before_its_message_is_nobodys_loss(town: Town) -> None:
    said = await town.alice.user.send_dm("remember that my cat is called Coco")
    backend, chat = town.env.backend, said.channel.id
    payload = dict(message_payload(backend, backend.get_message(chat, said.id)))
    await town.alice.user.delete(said)
    backend.emit("MESSAGE_CREATE", payload)  # once more, after it is gone
    await town.env.settle()
    await town.learn()
    assert await town.dm(town.alice, "what is my cat called?") == NOTHING


@pytest.mark.req("S20")
async def test_a_room_that_closes_is_closed_for_the_very_next_question(town: Town) -> None:
    await town.ask(town.alice, town.general, "remember that the meetup is in the old library")
    await town.later(seconds=1)
    before = len(town.other().history())
    town.close(town.general, town.mods)
    town.env.backend.create_message(
        town.other().id, town.bob.id, f"<@{town.bot.user.id}> where is the meetup?"
    )
    await town.env.settle()
    assert town.said(town.other(), before) == NOTHING


@pytest.mark.req("B7")
async def test_after_coming_back_to_a_server_memberships_are_attested_anew(town: Town) -> None:
    await town.ask(town.alice, town.staff, "remember that we are watching Xavier for toxicity")
    guild = town.env.backend.get_guild(town.guild.id)
    asked = "who are we watching for toxicity?"
    bot = town.bot
    await bot.syncing.removed(bot.get_guild(town.guild.id))
    places = {
        one.place.id: one.members
        for one in await town.confide.world.in_space(f"discord.{guild.id}")
    }
    assert set(places.values()) == {0}
    assert await town.confide.rules.known("discord") == []
    await town.later(seconds=1)
    await bot.syncing.arrived(bot.get_guild(town.guild.id))
    assert await town.confide.rules.known("discord") == [f"discord.{guild.id}"]
    await town.later(seconds=10)
    assert "Xavier" in await town.ask(town.alice, town.staff, asked)


@pytest.mark.req("S31")
async def test_a_broad_question_is_answered_in_the_direct_chat_alone(town: Town) -> None:
    await town.dm(town.alice, "remember that my boat is called Minnow")
    await town.dm(town.alice, "remember that my sister Nora lives in Lisbon")
    broad = await town.dm(town.alice, "what do you know about me?")
    assert "Minnow" in broad
    assert "Nora" in broad
    assert await town.ask(town.alice, town.general, "what do you know about me?") == NOTHING


@pytest.mark.req("S12")
async def test_ten_messages_are_learned_without_being_asked(running: Any) -> None:
    async with running(learn=True) as town:
        for n in range(10):
            await town.ask(town.alice, town.general, f"my boat number {n} is called Minnow{n}")
        for _ in range(50):
            found = [one.text for one in await town.confide.memories(town.person(town.alice))]
            if found:
                break
            await asyncio.sleep(0.1)
        assert any("Minnow" in one for one in found)
    town.env.raise_errors()


@pytest.mark.req("S5", "S24", "B17")
async def test_an_in_game_name_said_in_private_helps_its_owner_everywhere(town: Town) -> None:
    await town.dm(town.alice, "remember that my in-game name is UrbanKnight")
    asked = "what is my in-game name?"
    assert "UrbanKnight" in await town.ask(town.alice, town.general, asked)
    assert await town.ask(town.bob, town.general, "what is Alice's in-game name?") == NOTHING
    by_alice = {"1": str(town.alice.id)}
    CONTEXT.update(context=2, authorizing_integration_owners=by_alice)
    try:
        told = await town.alice.user.slash("ask", question=asked)
    finally:
        CONTEXT.clear()
    assert told.ephemeral
    assert "UrbanKnight" in told.response.content
