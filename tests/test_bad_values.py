"""Wrong values from Python: an error of ours that names the field, and nothing is changed."""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from confide import Confide, Entity, audience, operator_as, statement
from confide.errors import InvalidInput, NotFound
from confide.reading import read_access, read_lifetime, read_memory_id, read_namespace

ALICE = Entity("human", "alice")
NOTHING: Any = None
#: field: what is called with a value of no use for it.
WRONG: dict[str, list[Callable[[], object]]] = {
    "place": [
        lambda: audience("human:a", NOTHING),
        lambda: audience("human:a", b"dm"),  # type: ignore[arg-type]
        lambda: statement("x", by="human:a", place=NOTHING),
    ],
    "asker": [lambda: audience(NOTHING, "dm")],
    "text": [
        lambda: statement(NOTHING, by="human:a", place="dm"),
        lambda: statement(b"x", by="human:a", place="dm"),  # type: ignore[arg-type]
    ],
    "by": [lambda: statement("x", by=NOTHING, place="dm")],
    "about": [
        lambda: statement("x", by="human:a", place="dm", about=NOTHING),
        lambda: statement("x", by="human:a", place="dm", about="human:bob"),
    ],
    "present": [
        lambda: audience("human:a", "group:g", present=NOTHING),
        lambda: audience("human:a", "group:g", present=ALICE),
    ],
    "namespace": [lambda: read_namespace(7)],  # type: ignore[arg-type]
    "access": [lambda: read_access(NOTHING)],
    "lifetime": [lambda: read_lifetime(7)],  # type: ignore[arg-type]
    "purpose": [
        lambda: audience("human:a", "dm", purpose="a\0b"),
        lambda: audience("human:a", "dm", purpose="\udcff"),
        lambda: audience("human:a", "dm", purpose="x" * 100_000),
        lambda: audience("human:a", "dm", purpose=7),  # type: ignore[arg-type]
    ],
}


@pytest.mark.parametrize(
    ("field", "call"), [(field, call) for field, calls in WRONG.items() for call in calls]
)
def test_a_value_of_no_use_names_its_field(field: str, call: Callable[[], object]) -> None:
    with pytest.raises(InvalidInput) as told:
        call()
    assert told.value.field == field


def test_a_purpose_is_the_same_however_its_letters_are_written() -> None:
    composed, decomposed = "caf\u00e9 care", " cafe\u0301 care"
    assert audience("human:a", "dm", purpose=decomposed).purpose == composed


async def test_a_question_without_an_audience_names_it(confide: Confide) -> None:
    kept = await confide.remember(statement("I keep bees", by="human:alice", place="dm"))
    own = audience("human:alice", "dm")
    context = await confide.recall("Who keeps bees?", own)
    calls: list[Callable[[], Awaitable[object]]] = [
        lambda: confide.recall("Who keeps bees?", NOTHING),
        lambda: confide.recheck(context, NOTHING),
        lambda: confide.still_told([kept.id], NOTHING),
        lambda: confide.explain(kept.id, NOTHING),
        lambda: confide.why(NOTHING),
    ]
    for call in calls:
        with pytest.raises(InvalidInput, match=r"audience\(asker, place\)") as told:
            await call()
        assert told.value.field == "audience"
    with pytest.raises(InvalidInput, match="question"):
        await confide.recall(NOTHING, own)


async def test_an_id_that_is_none_is_answered_like_one_that_does_not_exist(
    confide: Confide,
) -> None:
    own, actor = audience("human:alice", "dm"), operator_as(ALICE)
    calls: list[Callable[[Any], Awaitable[object]]] = [
        lambda id: confide.explain(id, own, actor=actor),
        lambda id: confide.forget(id, actor=actor),
        lambda id: confide.forget(id, actor=actor, now=True),
        lambda id: confide.restore(id, actor=actor),
        lambda id: confide.tellings(id, actor=actor),
    ]
    for call in calls:
        with pytest.raises(NotFound) as absent:
            await call(uuid.uuid4())
        for wrong in ("abc", "", "\0", 7, None):
            with pytest.raises(NotFound) as told:
                await call(wrong)
            assert str(told.value) == str(absent.value)
    with pytest.raises(NotFound):
        read_memory_id("abc")
