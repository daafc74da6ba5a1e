"""`confide.testing`, for those who test their own bots."""

from __future__ import annotations

import os
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from confide import Entity, operator_as, statement
from confide.testing import (
    assert_told,
    assert_withheld,
    in_context,
    in_group,
    in_private,
    in_public,
    in_restricted,
    temporary,
)

ALICE, BOB = "human:alice", "human:bob"


@pytest.mark.req("B10")
async def test_a_temporary_memory_leaves_nothing_behind(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[str] = []
    make = tempfile.mkdtemp

    def noted(**named: str) -> str:
        made.append(make(**named))
        return made[-1]

    monkeypatch.setattr(tempfile, "mkdtemp", noted)
    monkeypatch.setenv("CONFIDE_ENABLED", "false")
    monkeypatch.setenv("CONFIDE_DATABASE_URL", "postgresql://nobody@127.0.0.1:1/none")
    noon = datetime(2026, 3, 1, 12, tzinfo=UTC)
    async with temporary(clock=lambda: noon) as confide:
        job = await confide.remember(statement("Looking for a job", by=ALICE, place="dm"))
        assert job.memory.created_at == noon
        await assert_told(confide, job, in_private(ALICE))
        assert os.listdir(made[0])
    with pytest.raises(FileNotFoundError):
        os.listdir(made[0])


async def test_two_memories_on_one_server_know_nothing_of_each_other(home: Path) -> None:
    async with temporary(home=home) as mine, temporary(home=home) as yours:
        said = await mine.remember(statement("The gate is open", by=ALICE, place="dm"))
        await assert_told(mine, said, in_private(ALICE))
        await assert_withheld(yours, said, in_private(ALICE))


async def test_audiences_of_every_kind_are_told_what_they_may_hear(home: Path) -> None:
    async with temporary(home=home) as confide:
        farm = await confide.remember(
            statement("The farm is in the north", by=ALICE, place="public:general@guild")
        )
        care = await confide.remember(
            statement(
                "Max has a weak heart", by=ALICE, place="ctx:care", present=[BOB], about=["dog:max"]
            )
        )
        await assert_told(confide, farm, in_public(BOB))
        await assert_told(confide, farm.id, in_restricted(BOB))
        await assert_withheld(confide, farm, in_public(BOB, space="elsewhere"))
        await assert_withheld(confide, farm, in_group(BOB, ALICE))
        await assert_told(confide, care, in_context(BOB, ALICE))
        await assert_withheld(confide, care, in_context(BOB, ALICE, context="park"))


async def test_a_question_is_told_or_withheld_as_a_whole_or_by_its_words(home: Path) -> None:
    async with temporary(home=home) as confide:
        await confide.remember(statement("Likes jasmine tea", by=ALICE, place="dm"))
        question = "which tea does she like?"
        await assert_told(confide, question, in_private(ALICE))
        await assert_told(confide, question, in_private(ALICE), text="jasmine")
        await assert_withheld(confide, question, in_private(ALICE), text="coffee")
        await assert_withheld(confide, question, in_public(ALICE))


async def test_a_failed_assertion_says_why_and_never_what(home: Path) -> None:
    async with temporary(home=home) as confide:
        tea = await confide.remember(statement("Likes jasmine tea", by=ALICE, place="dm"))
        question = "which tea does she like?"
        for check, asked, listening, words in [
            (assert_told, tea, in_public(BOB), "withheld, not told to human:bob in general@guild"),
            (assert_told, question, in_public(BOB), "nothing is told to human:bob"),
            (assert_withheld, tea, in_private(ALICE), "told to human:alice"),
            (assert_withheld, question, in_private(ALICE), str(tea.id)),
        ]:
            with pytest.raises(AssertionError, match=words) as failed:
                await check(confide, asked, listening)
            assert "jasmine" not in str(failed.value)


async def test_what_was_forgotten_is_withheld(home: Path) -> None:
    async with temporary(home=home) as confide:
        tea = await confide.remember(statement("Likes jasmine tea", by=ALICE, place="dm"))
        await confide.forget(tea.id, actor=operator_as(Entity.parse(ALICE)), now=True)
        await assert_withheld(confide, tea, in_private(ALICE))
        with pytest.raises(AssertionError, match="no such memory"):
            await assert_told(confide, tea, in_private(ALICE))
