"""Whether a memory was put into a prompt, as the access log has it, and what an answer rests on."""

from __future__ import annotations

from typing import Any

import pytest
from tests.chat.test_talk import ALICE, SISTER, ask, echoes
from tests.conftest import Clock, Opened
from tests.models.loopback import Server

from confide import Confide, audience, statement
from confide.chat import Chat

QUESTION = "who is visiting in May?"
DEPRESSED = "My depression gets worse when my sister is visiting in May"


async def in_prompt(confide: Confide) -> dict[str, bool]:
    """By text, as it was told last."""
    async with confide.database.keep() as connection:
        rows = await connection.fetch(
            "SELECT m.text, t.was_in_prompt FROM confide.telling t"
            " JOIN confide.memory m ON m.agent = t.agent AND m.id = t.memory_id ORDER BY t.told_at"
        )
    return {row["text"]: row["was_in_prompt"] for row in rows}


@pytest.mark.req("S23")
async def test_a_block_is_made_for_a_prompt_but_an_answer_without_a_model_has_none(
    confide: Confide, clock: Clock
) -> None:
    await confide.remember(statement(SISTER, by=ALICE, place="dm"))
    await confide.recall(QUESTION, audience(ALICE, "dm"))
    assert await in_prompt(confide) == {SISTER: True}
    clock.advance(minutes=1)
    assert not (await ask(Chat(confide), confide, QUESTION)).is_by_model
    assert await in_prompt(confide) == {SISTER: False}


@pytest.mark.req("S23", "S16")
async def test_what_is_kept_from_the_model_was_in_no_prompt(
    open_confide: Opened, claude: Server, with_claude: dict[str, Any]
) -> None:
    claude.otherwise = echoes
    async with open_confide(**with_claude | {"model_seconds": 60.0}) as confide:
        await confide.remember(statement(SISTER, by=ALICE, place="dm"))
        await confide.remember(statement(DEPRESSED, by=ALICE, place="dm"))
        answer = await ask(Chat(confide), confide, "is my sister Nora visiting in May?")
        assert answer.is_by_model
        assert SISTER in claude.text()
        assert DEPRESSED not in claude.text()
        assert await in_prompt(confide) == {SISTER: True, DEPRESSED: False}


@pytest.mark.req("S23", "S27")
async def test_what_an_earlier_answer_rested_on_belongs_to_the_answer_that_takes_it_up(
    open_confide: Opened, claude: Server, with_claude: dict[str, Any], clock: Clock
) -> None:
    claude.otherwise = echoes
    async with open_confide(**with_claude | {"model_seconds": 60.0}) as confide:
        await confide.remember(statement(SISTER, by=ALICE, place="dm"))
        chat, alone = Chat(confide), audience(ALICE, "dm")
        await ask(chat, confide, QUESTION)
        clock.advance(minutes=1)
        assert (await ask(chat, confide, "and the capital of mongolia?")).context.memories == ()
        assert [one.text for one in (await confide.why(alone)).memories] == [SISTER]
        async with confide.database.keep() as connection:
            assert await connection.fetchval("SELECT count(*) FROM confide.asked") == 2
