"""`privacy delete`: all that is somebody's, softly or for good."""

from __future__ import annotations

import pytest
from tests.cli.conftest import Ask, Run

from confide import Confide, Entity, operator_as, statement
from confide.errors import InvalidInput
from confide.testing import assert_told, assert_withheld, in_private

ALICE, BOB = Entity("human", "alice"), Entity("human", "bob")


@pytest.mark.req("S21", "P10")
async def test_all_that_is_somebodys_goes_and_others_stay(confide: Confide) -> None:
    mine = await confide.remember(statement("I paint", by=ALICE, place="dm"))
    other = await confide.remember(statement("I sing", by=BOB, place="dm"))
    with pytest.raises(InvalidInput):
        await confide.rights.delete(ALICE, actor=operator_as(BOB))
    await confide.rights.delete(ALICE, actor=operator_as(ALICE), now=True)
    await assert_withheld(confide, mine.id, in_private(ALICE))
    await assert_told(confide, other.id, in_private(BOB))
    export = await confide.rights.export(ALICE, actor=operator_as(ALICE))
    assert "paint" not in b"".join(export.files.values()).decode()


@pytest.mark.req("S21")
def test_the_command_line_deletes_and_restores(ask: Ask, run: Run) -> None:
    ask("remember", "I paint", "--by", "human:alice", "--in", "dm")
    assert run("privacy", "delete", "--as", "human:alice").exit_code == 2
    done = ask("privacy", "delete", "--as", "human:alice", "--yes")
    assert done["erased"] is False
    assert ask("memories", "--as", "human:alice")["count"] == 0
    ask("restore", done["id"], "--as", "human:alice")
    assert ask("memories", "--as", "human:alice")["count"] == 1
    assert ask("privacy", "delete", "--as", "human:alice", "--now", "--yes")["erased"] is True
