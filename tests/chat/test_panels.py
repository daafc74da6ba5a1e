"""What is seen of an answer: on any width, without anything that could steer the terminal."""

from __future__ import annotations

import io
import json

import pytest
from rich.cells import cell_len
from rich.console import Console
from tests.chat.lines import typed

from confide import Confide, Entity
from confide.model import Scope
from confide.surfaces.chat import panels
from confide.surfaces.chat.play import Play
from confide.surfaces.chat.shown import Shown, help_rows, tabled

SISTER = "My sister Nora is visiting next week"
ALICE = Entity("human", "alice")
CLAUSE = "hear[human:alice] {human:alice}"
WIDTHS = (40, 60, 80, 90, 120)


def drawn(shown: Shown, width: int = 80) -> str:
    console = Console(
        file=io.StringIO(), width=width, markup=False, highlight=False, emoji=False,
        force_terminal=True, color_system=None,
    )  # fmt: skip
    panels.show(shown, console)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def words(text: str) -> str:
    """The words alone, however they were wrapped."""
    return " ".join(text.translate(str.maketrans("│╭╮╰╯─", "      ")).split())


async def withheld(confide: Confide, *, is_own: bool = False) -> tuple[Play, Shown]:
    play = Play(confide, is_own)
    shown = await typed(play, SISTER, "/as bob", "who is visiting next week?")
    assert len(shown.withheld) == 1
    return play, shown


@pytest.mark.req("S2", "B3")
async def test_everything_can_be_read_on_any_width(confide: Confide) -> None:
    play, shown = await withheld(confide)
    why = await play.type("/why")
    for width in WIDTHS:
        for one in (shown, why, tabled(help_rows()), await play.type("/rooms")):
            lines = drawn(one, width).splitlines()
            assert max(map(cell_len, lines)) <= width
        assert "withheld: human:alice said this in a direct chat" in words(drawn(why, width))
        beside = words(drawn(shown, width))
        for part in ("withheld (a)", CLAUSE):
            assert part in beside or width >= panels.WIDE
    assert CLAUSE in drawn(shown, 120)


async def test_two_panels_stand_beside_each_other_only_where_there_is_room(
    confide: Confide,
) -> None:
    _, shown = await withheld(confide)
    title = "agent, from memory alone"
    for width in WIDTHS:
        (line,) = [one for one in drawn(shown, width).splitlines() if title in one]
        assert ("behind it" in line) == (width >= panels.WIDE)


def test_the_commands_are_listed_one_a_line_in_eighty_columns() -> None:
    lines = drawn(tabled(help_rows())).rstrip().splitlines()
    assert len(lines) == len(help_rows())
    assert all(line.startswith("/") for line in lines)


@pytest.mark.req("K17")
async def test_in_ones_own_memory_no_withheld_word_is_drawn(confide: Confide) -> None:
    play, shown = await withheld(confide, is_own=True)
    for one in (shown, await play.type("/why")):
        for width in WIDTHS:
            assert "sister" not in drawn(one, width)
        assert "sister" not in json.dumps(panels.as_dict(one))
    assert CLAUSE in words(drawn(shown))
    assert "text" not in panels.as_dict(shown)["withheld"][0]


@pytest.mark.req("S32")
async def test_people_are_called_by_their_display_names(confide: Confide) -> None:
    await confide.people.name(ALICE, "Alice Liddell")
    play, shown = await withheld(confide)
    assert "Alice Liddell (alice), dm, public: human:alice said this in a direct chat" in words(
        drawn(shown)
    )
    told = await typed(play, "/as alice", "who is visiting next week?")
    assert "told [1] Alice Liddell (alice), dm, public, stated explicitly" in words(drawn(told))


async def test_nothing_that_steers_a_terminal_is_drawn(confide: Confide) -> None:
    """Neither from a memory, nor from a name, nor from what was typed."""
    await confide.people.name(ALICE, "Al\x1b[2Jice\nwithheld (z) \x9b31mnothing\u202e")
    play = Play(confide)
    said = await play.type("Remember that my sister\x1b]0;owned\x07 Nora visits\nnext\x08 week")
    assert said.remembered
    told = await play.type("when does my sister Nora visit?")
    assert len(told.told) == 1
    hidden = await typed(play, "/as bob", "when does the sister Nora visit?")
    assert len(hidden.withheld) == 1
    lines = [said, told, hidden, await play.type("/why"), await play.type("/nope\x1b[31m")]
    for shown in lines:
        for width in WIDTHS:
            seen = drawn(shown, width)
            assert not set(seen) & set("\x1b\x07\x08\x9b\u202e")
            assert not any(line.startswith("withheld (z)") for line in seen.splitlines())


async def test_what_was_remembered_is_drawn_before_the_answer(confide: Confide) -> None:
    shown = await Play(confide).type(SISTER)
    assert drawn(shown).startswith(f"remembered: {SISTER}")


async def test_where_a_model_wrote_the_answer_the_memories_behind_it_are_quoted(
    confide: Confide,
) -> None:
    from dataclasses import replace

    shown = await typed(Play(confide), SISTER, "who is visiting next week?")
    by_model = replace(shown, answer="Nora is.", is_by_model=True)
    assert f"told [1] “{SISTER}" in words(drawn(by_model))
    assert shown.told[0].memory.scope is Scope.DM
