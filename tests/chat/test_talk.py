"""The agent's own loop: what it answers with, what it remembers of the talk, and what it lets out."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import Clock, Opened
from tests.models import loopback
from tests.models.loopback import Answer as Reply
from tests.models.loopback import Server

from confide import Confide, Entity, audience, statement
from confide.actor import operator_as
from confide.chat import NO_ANSWER, Answer, Chat
from confide.errors import InvalidInput
from confide.model import Message, Scope
from confide.privacy.places import parse_place
from confide.privacy.policy import Audience

ALICE, BOB, CAROL = (Entity("human", name) for name in ("alice", "bob", "carol"))
SISTER = "My sister Nora is visiting in May"
_ids = itertools.count()


def echoes(body: dict[str, Any]) -> Reply:
    """Says all that it was asked now, so that a test sees what reached it."""
    return loopback.text("ANSWER " + json.dumps(body["messages"][-1]["content"]))


def typed(confide: Confide, text: str, by: Entity, place: str) -> Message:
    return Message(
        id=f"c{next(_ids)}", place=parse_place(place, by), speaker=by, text=text,
        said_at=confide.means.clock(), platform="chat",
    )  # fmt: skip


async def ask(
    chat: Chat, confide: Confide, text: str, *, by: Entity = ALICE, place: str = "dm",
    who: Callable[[], Audience] | None = None,
) -> Answer:  # fmt: skip
    return await chat.say(typed(confide, text, by, place), who or (lambda: audience(by, place)))


@pytest.fixture
async def knowing(
    open_confide: Opened, claude: Server, with_claude: dict[str, Any]
) -> AsyncIterator[Confide]:
    """Alice told the agent something, alone; Claude answers with all that it reads."""
    claude.otherwise = echoes
    async with open_confide(**with_claude | {"model_seconds": 60.0}) as confide:
        await confide.remember(statement(SISTER, by="human:alice", place="dm"))
        yield confide


@pytest.mark.req("S16")
async def test_without_a_model_the_answer_comes_from_memory_alone(confide: Confide) -> None:
    await confide.remember(statement(SISTER, by="human:alice", place="dm"))
    answer = await ask(Chat(confide), confide, "who is visiting in May?")
    assert answer.text == f"[1] {SISTER}"
    assert not answer.is_by_model
    assert (await ask(Chat(confide), confide, "any pets?", by=BOB)).text == NO_ANSWER


@pytest.mark.req("S16", "S18", "S29")
async def test_claude_answers_with_what_may_be_told_here_and_it_is_counted(
    knowing: Confide, claude: Server
) -> None:
    answer = await ask(Chat(knowing), knowing, "who is visiting in May?")
    assert answer.is_by_model
    assert "Nora" in answer.text
    (request,) = claude.seen
    assert request["max_tokens"] == 1024
    assert request["model"] == "claude-sonnet-4-6"
    assert "Nora" not in json.dumps(request["system"])  # memories are data, not instructions
    (used,) = await knowing.spending.used()
    assert (used.operation, used.person, used.tokens_read) == ("answer", "human:alice", 1000)


@pytest.mark.req("S16", "S2")
async def test_nothing_of_what_others_may_not_hear_reaches_the_model(
    knowing: Confide, claude: Server
) -> None:
    chat = Chat(knowing)
    await ask(chat, knowing, "who is visiting Alice in May?", by=BOB)
    await ask(chat, knowing, "who is visiting me in May?", place="public:general@guild")
    assert len(claude.seen) == 2
    assert "Nora" not in claude.text()


@pytest.mark.req("S16")
async def test_the_last_twenty_messages_are_part_of_the_question(
    knowing: Confide, claude: Server, clock: Clock
) -> None:
    chat = Chat(knowing)
    for number in range(15):
        clock.advance(minutes=1)
        await ask(chat, knowing, f"hello number {number}")
    said = claude.seen[-1]["messages"]
    people = [one for one in said if one["role"] == "user"]
    assert len(said) == 21  # twenty, and the one to answer
    assert "hello number 4" in json.dumps(people[0])
    assert "hello number 14" in json.dumps(people[-1])


@pytest.mark.req("S16")
async def test_everyone_has_a_history_of_their_own_in_each_place(
    knowing: Confide, claude: Server
) -> None:
    chat = Chat(knowing)
    await ask(chat, knowing, "the harvest was good", place="group:friends")
    for by, place in ((BOB, "group:friends"), (ALICE, "dm"), (ALICE, "public:general@guild")):
        await ask(chat, knowing, "hello there", by=by, place=place)
        assert "harvest" not in json.dumps(claude.seen[-1])
    await ask(chat, knowing, "and now?", place="group:friends")
    assert "harvest" in json.dumps(claude.seen[-1])


@pytest.mark.req("B7", "S16")
async def test_the_history_is_dropped_when_the_room_opens(knowing: Confide, claude: Server) -> None:
    chat = Chat(knowing)
    await ask(chat, knowing, "the harvest was good", place="restricted:den@guild")
    await ask(chat, knowing, "is it dry?", place="restricted:den@guild")
    assert "harvest" in json.dumps(claude.seen[-1])
    await ask(chat, knowing, "is it still dry?", place="public:den@guild")
    assert "harvest" not in json.dumps(claude.seen[-1])
    await ask(chat, knowing, "and closed again?", place="restricted:den@guild")
    assert "harvest" not in json.dumps(claude.seen[-1])


@pytest.mark.req("B7")
async def test_an_earlier_answer_leaves_the_history_with_the_memory_it_told(
    knowing: Confide, claude: Server
) -> None:
    chat = Chat(knowing)
    first = await ask(chat, knowing, "who is visiting in May?")
    claude.otherwise = lambda _: loopback.text("fine")
    await ask(chat, knowing, "is she nice?")
    assert "Nora" in json.dumps(claude.seen[-1])
    (told,) = first.context.memories
    await knowing.forget(told.memory.id, actor=operator_as(ALICE), now=True)
    await ask(chat, knowing, "and how old?")
    assert "Nora" not in json.dumps(claude.seen[-1])
    assert "who is visiting in May?" in json.dumps(claude.seen[-1])


@pytest.mark.req("B7")
async def test_a_deleted_or_edited_message_leaves_the_history(
    knowing: Confide, claude: Server
) -> None:
    chat = Chat(knowing)
    for text in ("the harvest was good", "the barn is red"):
        message = typed(knowing, text, ALICE, "dm")
        await chat.hear(message)
        if "barn" in text:
            await knowing.learning.edited(message.id, "the barn is blue", platform="chat")
        else:
            await knowing.learning.deleted(message.id, platform="chat")
    await ask(chat, knowing, "what did I say?")
    assert "harvest" not in claude.text()
    assert "barn is red" not in claude.text()


@pytest.mark.req("B7")
async def test_an_answer_is_written_again_if_somebody_comes_in_meanwhile(
    knowing: Confide, claude: Server
) -> None:
    """Carol enters while the model writes to Alice alone; what she may not hear is not said."""
    chat, present = Chat(knowing), [audience(ALICE, "dm")]

    def meanwhile(body: dict[str, Any]) -> Reply:
        present.append(audience(ALICE, "group:friends", present=[CAROL]))
        return echoes(body)

    claude.script = [meanwhile]
    answer = await ask(chat, knowing, "who is visiting in May?", who=lambda: present[-1])
    assert len(claude.seen) == 2
    assert "Nora" in json.dumps(claude.seen[0])
    assert "Nora" not in answer.text
    assert answer.context.memories == ()


@pytest.mark.req("B7", "S32")
async def test_an_answer_is_written_again_if_its_dialogue_may_not_be_heard_any_more(
    knowing: Confide, claude: Server
) -> None:
    """What was booked may be told in the room; the talk that led to it was Alice's alone."""
    room = "public:general@guild"
    secret = statement("The surprise is a zeppelin flight for Carol", by="human:alice", place="dm")
    await knowing.remember_all(
        [statement("I booked it for Friday", by="human:alice", place=room, before=(secret,))]
    )
    chat, present = Chat(knowing), [audience(ALICE, "dm")]

    def meanwhile(body: dict[str, Any]) -> Reply:
        present.append(audience(ALICE, room, present=[CAROL]))
        return echoes(body)

    claude.script = [meanwhile]
    answer = await ask(chat, knowing, "what did I book for Friday?", who=lambda: present[-1])
    assert "zeppelin" in json.dumps(claude.seen[0])
    assert len(claude.seen) == 2
    assert "Friday" in answer.text
    assert "zeppelin" not in answer.text


@pytest.mark.req("B7")
async def test_an_answer_is_not_released_with_what_was_forgotten_meanwhile(
    knowing: Confide, claude: Server
) -> None:
    (kept,) = await knowing.memories(ALICE)
    loop = asyncio.get_running_loop()

    def meanwhile(body: dict[str, Any]) -> Reply:
        gone = knowing.forget(kept.id, actor=operator_as(ALICE), now=True)
        asyncio.run_coroutine_threadsafe(gone, loop).result(60)
        return echoes(body)

    claude.script = [meanwhile]
    answer = await ask(Chat(knowing), knowing, "who is visiting in May?")
    assert "Nora" not in answer.text


@pytest.mark.req("B7")
async def test_a_room_that_never_comes_to_rest_is_answered_from_memory(
    knowing: Confide, claude: Server
) -> None:
    for text in ("Nora brings her dog in May", "Nora visits the lake in May", "Nora sings in May"):
        await knowing.remember(statement(text, by="human:alice", place="dm"))
    loop = asyncio.get_running_loop()

    def meanwhile(body: dict[str, Any]) -> Reply:
        async def forget_one() -> None:
            first, *_ = await knowing.memories(ALICE)
            await knowing.forget(first.id, actor=operator_as(ALICE), now=True)

        asyncio.run_coroutine_threadsafe(forget_one(), loop).result(60)
        return echoes(body)

    claude.otherwise = meanwhile
    answer = await ask(Chat(knowing), knowing, "what does Nora do in May?")
    assert not answer.is_by_model
    (left,) = await knowing.memories(ALICE)
    assert answer.text == f"[1] {left.text}"


@pytest.mark.req("S18")
async def test_what_may_not_leave_is_answered_from_memory_alone(
    knowing: Confide, claude: Server
) -> None:
    await knowing.remember(
        statement("I take insulin for my diabetes", by="human:alice", place="dm")
    )
    chat = Chat(knowing)
    asked = await ask(chat, knowing, "what do I take for my diabetes?")
    assert "insulin" in asked.text
    harmless = await ask(chat, knowing, "what do I take?")
    assert "insulin" in harmless.text
    assert not harmless.is_by_model
    await ask(chat, knowing, "who is visiting in May?")
    assert len(claude.seen) == 1
    for hidden in ("insulin", "diabetes"):
        assert hidden not in claude.text()


@pytest.mark.req("S16")
@pytest.mark.parametrize(
    "reply",
    [loopback.error(500), loopback.text("half a", "max_tokens"), loopback.message([], "refusal"),
     loopback.text("  ")],
)  # fmt: skip
async def test_a_model_that_does_not_answer_leaves_memory_alone(
    knowing: Confide, claude: Server, reply: Reply
) -> None:
    claude.otherwise = lambda _: reply
    answer = await ask(Chat(knowing), knowing, "who is visiting in May?")
    assert answer.text == f"[1] {SISTER}"


@pytest.mark.req("S16", "S11")
async def test_a_person_who_repeats_an_answer_elsewhere_says_nothing_new(
    knowing: Confide, clock: Clock
) -> None:
    """What was recalled keeps its clauses, whoever says it again where it was told."""
    chat = Chat(knowing)
    await ask(chat, knowing, "who is visiting in May?")
    clock.advance(minutes=1)
    await chat.hear(typed(knowing, "yes, my sister Nora is visiting in May", ALICE, "dm"))
    await knowing.learning.learn(is_everything=True)
    assert {one.scope for one in await knowing.memories(ALICE)} == {Scope.DM}
    told = await knowing.recall("who is visiting?", audience(BOB, "group:friends"))
    assert told.memories == ()


@pytest.mark.req("S16", "B8")
async def test_off_the_record_nothing_is_kept_of_the_talk(knowing: Confide, claude: Server) -> None:
    chat = Chat(knowing)
    await knowing.learning.off_the_record(ALICE, parse_place("dm", ALICE))
    await ask(chat, knowing, "the harvest was good")
    await ask(chat, knowing, "who is visiting in May?")
    assert "Nora" not in claude.text()
    assert "harvest" not in json.dumps(claude.seen[-1])


@pytest.mark.req("S17")
async def test_the_persona_is_the_system_prompt_and_a_missing_one_is_named(
    open_confide: Opened, claude: Server, with_claude: dict[str, Any], tmp_path: Path
) -> None:
    claude.otherwise = echoes
    persona = tmp_path / "persona.md"
    persona.write_text("You are Pip, a cheerful gardener.")
    async with open_confide(**with_claude, persona=persona) as confide:
        await ask(Chat(confide), confide, "hello there")
        assert "cheerful gardener" in json.dumps(claude.seen[0]["system"])
    async with open_confide(**with_claude, persona=tmp_path / "none.md") as confide:
        with pytest.raises(InvalidInput, match="CONFIDE_PERSONA"):
            await ask(Chat(confide), confide, "hello there")


@pytest.mark.req("S29")
async def test_the_owner_of_a_nearly_used_up_budget_is_told_and_nobody_else(
    open_confide: Opened, claude: Server, with_claude: dict[str, Any]
) -> None:
    claude.otherwise = lambda _: loopback.text("fine")
    once = (1000 * 3 + 100 * 15) / 1e6
    async with open_confide(**with_claude, budget_person=1.2 * once) as confide:
        chat = Chat(confide)
        first = await ask(chat, confide, "hello there")
        assert first.is_by_model
        assert ["human:alice" in one for one in first.notices] == [True]
        assert (await ask(chat, confide, "hello there", by=BOB)).notices != first.notices
        await ask(chat, confide, "hello again")
        last = await ask(chat, confide, "hello once more")
        assert not last.is_by_model
        assert "take over" in last.notices[0]
