"""The retrieval benchmark still runs, on a slice of its data, and a forbidden memory fails it."""

from __future__ import annotations

import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from benchmarks.bars import Bar
from benchmarks.retrieval import __main__ as benchmark
from benchmarks.retrieval import product
from benchmarks.retrieval.learned import learned
from benchmarks.retrieval.scores import kept_apart, means
from benchmarks.retrieval.searchers import Corpus
from benchmarks.retrieval.sets import Conversation, assistant_chats, locomo, unknown

TURNS = 120


def slice_of(conversation: Conversation, turns: int = TURNS) -> Conversation:
    """Its beginning, and what is asked about that."""
    questions = [one for one in conversation.questions if max(one.evidence) < turns]
    return replace(conversation, turns=conversation.turns[:turns], questions=questions[:12])


@pytest.fixture
def friends() -> list[Conversation]:
    return [slice_of(conversation) for conversation in locomo()[:2]]


def nobody(conversation: Conversation) -> product.Asked:
    return {}


@pytest.mark.slow
async def test_two_conversations_in_one_store_tell_what_they_tell_apart(
    friends: list[Conversation], home: Path
) -> None:
    asked = unknown()["general"]
    found = await product.friends(home, friends, lambda _: {"the world": asked[:10]})
    bm25 = benchmark.measure([Corpus(one) for one in friends], benchmark.SEARCHERS["BM25"])
    count = sum(len(one.questions) for one in friends)
    assert len(found.alone) == len(found.in_rooms) == len(found.together) == len(bm25) == count
    assert len(found.silent["the world"]) == 20
    assert means(found.alone)[0] >= 50
    *_, nothing_forbidden = kept_apart(found.in_rooms, found.together, found.forbidden)
    assert str(nothing_forbidden) == "forbidden memories told: 0 (wanted 0) ok"
    for bar in kept_apart(found.in_rooms, found.together, found.forbidden):
        assert bar.is_met, str(bar)


@pytest.mark.slow
@pytest.mark.planted
async def test_a_memory_told_in_another_room_is_counted(
    friends: list[Conversation], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The mistake: everybody is in one room, and so hears what the others said."""
    monkeypatch.setattr(product.Stored, "room", "group:everybody")
    found = await product.friends(home, friends, nobody)
    assert found.forbidden > 0
    *_, forbidden = kept_apart(found.in_rooms, found.together, found.forbidden)
    assert not forbidden.is_met


@pytest.mark.slow
async def test_long_chats_go_through_the_product_as_turns_and_as_learned(home: Path) -> None:
    chats = slice_of(assistant_chats(), turns=72)
    asked = {"the asker": unknown()["robin"][:5]}
    talked = await product.assistant(home, chats, asked)
    heard, memories = await learned(home, chats, asked)
    assert 0 < memories < len(chats.turns)
    assert talked.forbidden == 0
    assert len(talked.in_rooms) == len(heard.in_rooms) == len(chats.questions)
    for found in (talked, heard):
        assert means(found.in_rooms)[0] > 0
        assert len(found.silent["the asker"]) == 5


def test_the_run_fails_when_a_bar_is_missed(
    friends: list[Conversation], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def measured(*_: object) -> list[Bar]:
        return kept_apart([(1, "1", [0.7, 0.8])], [(1, "1", [0.7, 0.8])], forbidden=1)

    monkeypatch.setattr(benchmark, "through_the_product", measured)
    monkeypatch.setattr(benchmark, "compare", lambda *_: None)
    monkeypatch.setattr(sys, "argv", ["retrieval"])
    with pytest.raises(SystemExit) as ended:
        benchmark.main()
    assert ended.value.code not in (0, None)
    assert "forbidden memories told: 1 (wanted 0) **missed**" in capsys.readouterr().out


def test_chats_are_long_and_each_question_has_its_turns() -> None:
    chats = assistant_chats()
    starts = [i for i, turn in enumerate(chats.turns) if turn.is_new] + [len(chats.turns)]
    lengths = [after - before for before, after in pairwise(starts)]
    assert len(lengths) == 10
    assert min(lengths) >= 30
    assert len(chats.questions) == 50
