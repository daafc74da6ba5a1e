"""`confide chat`: a whole conversation, typed by one person who is everybody."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from confide import Confide
from confide.chat import NO_ANSWER
from confide.surfaces.chat.play import Play, is_question


async def typed(play: Play, *lines: str):
    shown = None
    for line in lines:
        shown = await play.type(line)
    assert shown is not None
    return shown


@pytest.mark.req("S2", "B3")
async def test_what_is_withheld_stands_beside_the_answer_with_its_clause(confide: Confide) -> None:
    play = Play(confide)
    shown = await typed(
        play, "My sister is visiting next week", "/as bob", "who is visiting next week?"
    )
    assert shown.answer == NO_ANSWER
    assert ["alice" in one.because for one in shown.withheld] == [True]
    assert "alice" in (await play.type("/why")).notice


@pytest.mark.req("S2")
async def test_one_is_told_ones_own_words_alone_but_not_in_public(confide: Confide) -> None:
    play = Play(confide)
    alone = await typed(play, "My sister is visiting next week", "is my sister visiting next week?")
    assert "sister" in alone.answer
    public = await typed(play, "/in general@guild", "/with bob", "is my sister visiting next week?")
    assert public.answer == NO_ANSWER


@pytest.mark.req("P10")
async def test_what_is_forgotten_is_known_no_more(confide: Confide) -> None:
    play = Play(confide)
    await typed(play, "My sister is visiting next week", "is my sister visiting next week?")
    assert (await play.type("/forget 1")).notice == "Forgotten, everywhere."
    shown = await play.type("is my sister visiting next week?")
    assert shown.told == ()


async def test_mistakes_are_answered_and_the_talk_goes_on(confide: Confide) -> None:
    play = Play(confide)
    for line, part in [
        ("/nope", "/help"),
        ("/as", "/help"),
        ("/as nobody:x", "namespace"),
        ("/in nowhere", "Known:"),
        ("/with bob", "direct chat"),
        ("/forget 3", "no [3]"),
    ]:
        assert part in (await play.type(line)).notice
    assert (await play.type("/rooms")).notice


def test_questions_are_told_from_statements() -> None:
    assert is_question("who is visiting?")
    assert is_question("tell me about Bella")
    assert not is_question("My sister is visiting")


def test_a_script_from_standard_input_is_played_to_its_end(tmp_path: Path) -> None:
    lines = "My sister is visiting next week\n/as bob\nwho is visiting next week?\n"
    done = subprocess.run(
        [Path(sys.executable).with_name("confide"), "chat", "--json"],
        input=lines, capture_output=True, text=True, check=True, cwd=tmp_path,
        env=os.environ | {"CONFIDE_HOME": str(tmp_path / "home")},
    )  # fmt: skip
    said, switched, asked = [json.loads(line) for line in done.stdout.splitlines()]
    assert said["notice"] == "Heard."
    assert "bob" in switched["notice"]
    assert asked["told"] == []
    assert len(asked["withheld"]) == 1
    assert not (tmp_path / "home").exists()
