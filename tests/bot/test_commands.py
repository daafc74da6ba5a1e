"""Slash commands: seen by whoever asked, acting in their name, within their own guild."""

from __future__ import annotations

import io
import zipfile
from typing import Any

import discord
import pytest
from discord import app_commands
from tests.bot.town import CONTEXT, Town

from confide.surfaces.discord.commands.descriptions import TRANSLATED
from confide.surfaces.discord.phrases import LANGUAGES, NOTES, PHRASES

NOTHING = "I don't know anything about that."
ANY: dict[Any, Any] = {
    discord.AppCommandOptionType.string: "12345678",
    discord.AppCommandOptionType.boolean: True,
}


def leaves(town: Town) -> list[Any]:
    return [one for one in town.bot.tree.walk_commands() if isinstance(one, app_commands.Command)]


@pytest.mark.req("S22")
async def test_every_command_is_deferred_for_the_asker_alone(town: Town) -> None:
    commands = leaves(town)
    assert len(commands) > 20
    owner = town.owner()
    for command in commands:
        given = {one.name: ANY.get(one.type) for one in command.parameters if one.required}
        if "channel" in given:
            given["channel"] = town.general
        result = await owner.slash(town.general, command.qualified_name, **given)
        first = [one for one in town.env.http_requests if one.path.endswith("/callback")][-1]
        assert first.json == {"type": 5, "data": {"flags": 64}}, command.qualified_name
        assert result.ephemeral, command.qualified_name
        assert result.response is not None, command.qualified_name
        assert result.response.ephemeral, command.qualified_name
        assert result.response.content, command.qualified_name


async def test_admin_commands_are_for_servers_and_those_who_run_them(town: Town) -> None:
    (group,) = [one for one in town.bot.tree.get_commands() if one.name == "confide"]
    assert group.default_permissions.manage_guild
    sent = group.to_dict(town.bot.tree)
    assert sent["contexts"] == [0]
    assert sent["integration_types"] == [0]
    for command in leaves(town):
        if command.root_parent is not group:
            parent = command.root_parent or command
            assert parent.to_dict(town.bot.tree)["contexts"] == [0, 1, 2]


@pytest.mark.req("S22")
async def test_remember_list_view_correct_and_delete(town: Town) -> None:
    said = await town.alice.slash(town.general, "remember", text="My sister Nora visits in May")
    assert "for you alone" in said.response.content
    listed = await town.alice.slash(town.general, "memories list")
    assert "Nora" in listed.response.content
    id = listed.response.content.split("`")[1]
    assert "Nora" in (await town.alice.slash(town.staff, "memories view", id=id)).response.content
    found = await town.alice.slash(town.general, "memories search", words="my sister")
    assert "Nora" in found.response.content
    await town.alice.slash(
        town.general, "memories correct", id=id, text="My sister Nora visits in June"
    )
    listed = await town.alice.slash(town.general, "memories list")
    assert "June" in listed.response.content
    assert "in May" not in listed.response.content
    id = listed.response.content.split("`")[1]
    asked = await town.alice.slash(town.general, "memories delete", id=id)
    assert "June" in asked.response.content
    await town.alice.click(asked.response, label="No")
    assert "June" in (await town.alice.slash(town.general, "memories list")).response.content
    asked = await town.alice.slash(town.general, "forget", id=id)
    await town.alice.click(asked.response, label="Yes")
    assert "June" not in (await town.alice.slash(town.general, "memories list")).response.content


async def test_nobody_reaches_anothers_memory_by_its_id(town: Town) -> None:
    await town.alice.slash(town.general, "remember", text="My sister Nora visits in May")
    listed = await town.alice.slash(town.general, "memories list")
    id = listed.response.content.split("`")[1]
    (memory,) = await town.confide.memories(town.person(town.alice))
    unknown = {}
    for command, more in (
        ("memories view", {}), ("memories delete", {}), ("memories correct", {"text": "x y z"}),
        ("forget", {}), ("share", {}),
    ):  # fmt: skip
        for given in (id, str(memory.id), "00000000"):
            result = await town.bob.slash(town.general, command, id=given, **more)
            unknown[command, given] = result.response.content
    assert set(unknown.values()) == {"There is no such memory."}


async def test_lists_have_pages(town: Town) -> None:
    for n in range(20):
        await town.alice.slash(
            town.general, "remember", text=f"My boat number {n} is called Minnow {n}"
        )
    first = await town.alice.slash(town.general, "memories list")
    assert "Page 1" in first.response.content
    await town.alice.click(first.response, label="Next")
    again = first.response.content
    assert "Page 2" in again
    await town.alice.click(first.response, label="Next")
    assert "Page 3" in first.response.content


@pytest.mark.req("S21", "B8")
async def test_privacy(town: Town) -> None:
    assert "I keep what you say" in await town.command(town.alice, "privacy status")
    await town.dm(town.alice, "remember that my cat is called Coco")
    assert "opted out" in await town.command(town.alice, "privacy opt-out")
    assert "Coco" not in await town.dm(town.alice, "what is my cat called?")
    assert "I keep what you say" in await town.command(town.alice, "privacy opt-in")
    assert "Coco" in await town.dm(town.alice, "what is my cat called?")
    await town.alice.user.slash("privacy off-the-record")
    assert "Coco" not in await town.dm(town.alice, "what is my cat called?")
    await town.alice.user.slash("privacy off-the-record", on=False)
    assert "Coco" in await town.dm(town.alice, "what is my cat called?")


@pytest.mark.req("S21")
async def test_export_goes_to_the_direct_chat_as_a_file(town: Town) -> None:
    await town.dm(town.alice, "remember that my cat is called Coco")
    result = await town.alice.slash(town.general, "privacy export")
    assert result.response.attachments == []
    sent = town.alice.user.dm_channel.history()[-1]
    (file,) = sent.attachments
    packed = zipfile.ZipFile(io.BytesIO(await file.read()))
    assert any(b"Coco" in packed.read(name) for name in packed.namelist())


@pytest.mark.req("S21")
async def test_delete_everything_asks_first(town: Town) -> None:
    await town.dm(town.alice, "remember that my cat is called Coco")
    asked = await town.alice.slash(town.general, "privacy delete")
    await town.alice.click(asked.response, label="No")
    assert "Coco" in await town.dm(town.alice, "what is my cat called?")
    asked = await town.alice.slash(town.general, "privacy delete")
    await town.alice.click(asked.response, label="Yes")
    assert "Coco" not in await town.dm(town.alice, "what is my cat called?")


async def test_sharing_with_a_room_and_taking_it_back(town: Town) -> None:
    await town.alice.slash(town.general, "remember", text="My boat is called Minnow")
    question = "what is Alice's boat called?"
    assert "Minnow" not in await town.ask(town.bob, town.general, "what is the boat called?")
    listed = await town.alice.slash(town.general, "memories list")
    id = listed.response.content.split("`")[1]
    asked = await town.alice.slash(town.general, "share", id=id)
    await town.alice.click(asked.response, label="Yes")
    assert "Minnow" in await town.ask(town.bob, town.general, question)
    assert "Minnow" not in await town.ask(town.bob, town.other(), question)
    given = await town.alice.slash(town.general, "consents")
    await town.alice.click(given.response, label="Take back 1")
    assert "Minnow" not in await town.ask(town.bob, town.general, question)


@pytest.mark.req("S16")
async def test_only_for_me_is_under_every_reply_and_tells_each_their_own(town: Town) -> None:
    await town.dm(town.alice, "remember that my boat is called Minnow")
    await town.ask(town.alice, town.general, "what is my boat called?")
    reply = town.general.last_message
    assert "Minnow" not in reply.content
    mine = await town.alice.click(reply, label="Only for me")
    assert mine.ephemeral
    assert "Minnow" in mine.response.content
    theirs = await town.bob.click(reply, label="Only for me")
    assert theirs.ephemeral
    assert "Minnow" not in theirs.response.content
    await town.ask(town.bob, town.general, "hello there friend")
    assert town.general.last_message.components, "a reply without memories has the button too"
    assert "Minnow" not in "".join(one.content for one in town.general.history())


async def test_only_for_me_says_when_the_question_is_gone(town: Town) -> None:
    sent = await town.alice.send(town.general, f"<@{town.bot.user.id}> what is my boat called?")
    reply = town.general.last_message
    await town.alice.delete(sent)
    told = await town.alice.click(reply, label="Only for me")
    assert "question is gone" in told.response.content


async def test_somebody_elses_question_gives_a_list_and_an_offer_to_share(town: Town) -> None:
    await town.alice.slash(town.general, "remember", text="My boat is called Minnow")
    await town.ask(town.bob, town.general, "what is the boat called?")
    pressed = await town.alice.click(town.general.last_message, label="Only for me")
    assert "Minnow" in pressed.response.content
    shared = await town.alice.click(pressed.response, label="Share here: My boat is called Minnow")
    assert pressed.response.content.startswith("Shared."), shared
    assert "Minnow" in await town.ask(town.bob, town.general, "what is Alice's boat called?")


@pytest.mark.req("B19")
async def test_owners_switches(town: Town) -> None:
    owner = town.owner()
    await town.ask(town.alice, town.general, "remember that the meetup is in the old library")
    asked = "where is the meetup?"
    assert "library" in await town.ask(town.alice, town.general, asked)
    await owner.slash(town.general, "confide setup", tell=False, channel=town.general)
    assert "library" not in await town.ask(town.alice, town.general, asked)
    assert "library" in await town.ask(town.alice, town.staff, asked)
    await owner.slash(town.general, "confide setup", tell=True, channel=town.general)
    assert "library" in await town.ask(town.alice, town.general, asked)
    await owner.slash(town.general, "confide setup", learn=False)
    await town.ask(town.alice, town.general, "remember that the picnic is on the green hill")
    await town.learn()
    assert "hill" not in await town.ask(town.alice, town.general, "where is the picnic?")


@pytest.mark.req("B19")
async def test_nothing_is_kept_of_people_with_a_minors_role(town: Town) -> None:
    young = town.guild.create_role("under 18")
    kid = town.member("kid", young)
    await town.owner().slash(town.general, "confide setup", minors=young)
    await town.ask(kid, town.general, "remember that my school is the red one")
    await town.learn()
    assert "red" not in await town.ask(kid, town.general, "which is my school?")


@pytest.mark.req("B19")
async def test_listening_needs_the_intent_and_is_announced(town: Town) -> None:
    before = len(town.general.history())
    told = await town.owner().slash(town.general, "confide listen", channel=town.general)
    assert "Message Content" in told.response.content
    assert len(town.general.history()) == before + 0


@pytest.mark.req("S11", "B19")
async def test_listening_where_it_is_announced(running: Any) -> None:
    async with running(discord_message_content=True) as town:
        await town.owner().slash(town.general, "confide listen", channel=town.general)
        assert "From now on" in town.general.last_message.content
        await town.bob.send(town.general, "The meetup is in the old library on Friday")
        await town.bob.send(town.other(), "The picnic is on the green hill on Sunday")
        await town.learn()
        assert "library" in await town.ask(town.alice, town.general, "where is the meetup?")
        assert "hill" not in await town.ask(town.alice, town.general, "where is the picnic?")
    town.env.raise_errors()


@pytest.mark.req("B19")
async def test_forgetting_a_departed_account_takes_what_it_said_here(town: Town) -> None:
    await town.ask(town.bob, town.general, "remember that the meetup is in the old library")
    await town.dm(town.bob, "remember that my boat is called Minnow")
    number = str(town.bob.id)
    refused = await town.owner().slash(town.general, "confide forget-account", account=number)
    assert "still a member" in refused.response.content
    bob = town.bob
    town.guild.remove_member(town.bob)
    await town.env.settle()
    asked = await town.owner().slash(town.general, "confide forget-account", account=number)
    await town.owner().click(asked.response, label="Yes")
    assert "library" not in await town.ask(town.alice, town.general, "where is the meetup?")
    before = len(bob.user.dm_channel.history())
    await bob.user.send_dm("what is my boat called?")
    assert "Minnow" in town.said(bob.user.dm_channel, before)


async def test_one_guilds_admin_sees_nothing_of_another(town: Town) -> None:
    elsewhere = town.env.create_guild("Other", owner=town.env.create_user("other-owner"))
    lobby = elsewhere.create_text_channel("lobby")
    other = elsewhere.add_member(elsewhere.owner)
    await town.ask(town.alice, town.general, "remember that the meetup is in the old library")
    for command in ("confide places", "confide report", "confide review"):
        told = await other.slash(lobby, command)
        assert str(town.general.id) not in told.response.content
        assert str(town.staff.id) not in told.response.content


def test_every_phrase_is_there_in_every_language() -> None:
    for key, said in PHRASES.items():
        assert len(set(said)) >= 2 or key == "page", key
        fields = {frozenset(part.split("}")[0] for part in one.split("{")[1:]) for one in said}
        assert len(fields) == 1, key
    for note, words in NOTES.items():
        assert set(words) == set(LANGUAGES), note


async def test_every_command_and_option_is_described_in_peoples_language(town: Town) -> None:
    for one in town.bot.tree.walk_commands():
        options = one.parameters if isinstance(one, app_commands.Command) else []
        for words in (one.description, *(str(option.description) for option in options)):
            assert words in TRANSLATED, (one.qualified_name, words)
            assert all(len(translated) <= 100 for translated in TRANSLATED[words])


async def test_members_are_answered_in_their_language(town: Town) -> None:
    """A guild's member reads their own language, whatever the guild's is; others read English."""
    for locale, wanted in (
        ("de", "Ich behalte"), ("fr", "Je garde"), ("es-ES", "Guardo"), ("pt-BR", "Guardo"),
        ("ja", "I keep"),
    ):  # fmt: skip
        CONTEXT["locale"] = locale
        try:
            told = await town.alice.slash(town.general, "privacy status")
        finally:
            CONTEXT.clear()
        assert told.response.content.startswith(wanted), locale


@pytest.mark.req("B19")
async def test_who_runs_a_server_reads_its_rules_in_their_language(town: Town) -> None:
    young = town.guild.create_role("under 18")
    owner = town.owner()
    CONTEXT["locale"] = "de"
    try:
        plain = await owner.slash(town.general, "confide setup")
        assert plain.response.content.startswith("Ich behalte, was mir gesagt wird")
        told = await owner.slash(
            town.general, "confide setup", minors=young, tell=False, channel=town.general
        )
        places = await owner.slash(town.general, "confide places")
        refused = await owner.slash(town.general, "confide listen", channel=town.general)
    finally:
        CONTEXT.clear()
    assert f"Nichts wird behalten von <@&{young.id}>" in told.response.content
    assert f"erzählt in <#{town.general.id}>" in told.response.content
    assert "alle Mitglieder, auch spätere" in places.response.content
    assert "braucht den Intent Message Content" in refused.response.content


@pytest.mark.req("B19")
async def test_where_telling_is_off_the_button_lists_nothing(town: Town) -> None:
    await town.alice.slash(town.general, "remember", text="My boat is called Minnow")
    await town.ask(town.bob, town.general, "what is the boat called?")
    reply = town.general.last_message
    assert "Minnow" in (await town.alice.click(reply, label="Only for me")).response.content
    await town.owner().slash(town.general, "confide setup", tell=False, channel=town.general)
    assert "Minnow" not in (await town.alice.click(reply, label="Only for me")).response.content
    await town.ask(town.alice, town.general, "what is my boat called?")
    own = await town.alice.click(town.general.last_message, label="Only for me")
    assert "Minnow" not in own.response.content


async def test_a_reply_that_something_failed_carries_the_button_too(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    from confide.errors import StorageProblem

    async def fails(*given: Any, **more: Any) -> None:
        raise StorageProblem("the disk is full")

    monkeypatch.setattr(town.confide, "recall_for", fails)
    assert "try again" in await town.ask(town.alice, town.general, "what is my boat called?")
    assert town.general.last_message.components


@pytest.mark.req("S22", "K6")
async def test_whom_a_typed_memory_mentions_has_a_say_in_it(town: Town) -> None:
    """Discord writes a mention into a command as it does into a message."""
    bob, question = f"<@{town.bob.id}>", "who plays the violin?"
    await town.alice.slash(town.general, "remember", text=f"{bob} plays the violin")
    (memory,) = await town.confide.memories(town.person(town.alice))
    assert memory.origin.subjects == {town.person(town.bob)}
    listed = await town.alice.slash(town.general, "memories list")
    assert f"{bob} plays the violin" in listed.response.content
    id = listed.response.content.split("`")[1]
    asked = await town.alice.slash(town.general, "share", id=id)
    await town.alice.click(asked.response, label="Yes")
    assert "agree too" in asked.response.content
    assert await town.ask(town.alice, town.general, question) == NOTHING, "Bob did not agree"
    waiting = await town.bob.slash(town.general, "consents")
    assert f"<@{town.alice.id}> asks" in waiting.response.content
    assert "violin" not in waiting.response.content, "he may not hear what Alice said in private"
    await town.bob.click(waiting.response, label="Yes 1")
    assert "violin" in await town.ask(town.alice, town.general, question)
    mine = await town.alice.slash(town.general, "consents")
    assert "plays the violin" in mine.response.content
    carol = f"<@{town.member('carol').id}>"
    refused = await town.alice.slash(
        town.general, "memories correct", id=id, text=f"{carol} plays the violin"
    )
    assert "somebody else" in refused.response.content
    assert [one.text for one in await town.confide.memories(town.person(town.alice))] == [
        memory.text
    ]


async def test_consents_have_pages(town: Town) -> None:
    for n in range(7):
        await town.alice.slash(town.general, "remember", text=f"My boat {n} is called Minnow{n}")
    for memory in await town.confide.memories(town.person(town.alice)):
        asked = await town.alice.slash(town.general, "share", id=str(memory.id))
        await town.alice.click(asked.response, label="Yes")
    first = await town.alice.slash(town.general, "consents")
    assert first.response.content.count("Minnow") == 5
    await town.alice.click(first.response, label="Next")
    assert first.response.content.count("Minnow") == 2
    await town.alice.click(first.response, label="Take back 7")
    given = await town.confide.consents.given_by(town.person(town.alice))
    assert sum(one.revoked_at is not None for one in given) == 1
