"""The front door: wrong types are refused with a sentence that says what to pass, and change nothing."""

from __future__ import annotations

from typing import Any, cast

import pytest

import confide as door
from confide import Confide, ConfideClient, Entity, InvalidInput, operator_as
from confide.client.door import Door

ALICE = Entity("human", "alice")
WRONG: Any = "I keep bees"


@pytest.mark.req("K14")
async def test_a_bare_text_is_refused_with_what_to_pass_instead(confide: Confide) -> None:
    client = ConfideClient(Door("http://localhost", "key"))
    for memory in (confide, client):
        with pytest.raises(InvalidInput, match="by: is missing; say who said it"):
            await memory.remember(WRONG)
        with pytest.raises(InvalidInput, match="str instead of a Message; make one with"):
            await memory.observe(WRONG)
    with pytest.raises(InvalidInput, match="instead of a Statement"):
        await confide.remember_all([WRONG])
    assert not await confide.memories(ALICE)


@pytest.mark.req("K14")
async def test_verbs_refuse_wrong_types_by_the_name_of_the_field(confide: Confide) -> None:
    client = ConfideClient(Door("http://localhost", "key"))
    for memory in (confide, cast(Confide, client)):
        calls: list[tuple[str, Any]] = [
            ("entity", lambda m: m.people.name(7, "Al")),
            ("name", lambda m: m.people.name("human:alice", 7)),
            ("limit", lambda m: m.learning.jobs("many")),
            ("limit", lambda m: m.learning.jobs(0)),
            ("days", lambda m: m.reports.overview(actor=operator_as(), days=1000)),
            ("actor", lambda m: m.fading.protect(ALICE.id, actor="human:alice")),
            ("person", lambda m: m.erasure.erase(person=7, actor=operator_as())),
            ("grants", lambda m: m.insights.generalize([], "x", actor=operator_as(), grants="*")),
        ]
        for field, call in calls:
            with pytest.raises(door.ConfideError) as refused:
                await call(memory)
            if field != "actor":  # a malformed id comes first, and names nothing
                assert cast(InvalidInput, refused.value).field == field
