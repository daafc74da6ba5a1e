"""How far a memory goes, in one word for people: it agrees with what the rule decides."""

from __future__ import annotations

from typing import Any

import pytest
from tests.privacy.facts import AGENT, human

from confide.model import Place, PlaceKind, Scope, Sensitivity
from confide.privacy import atoms
from confide.privacy.labels import Origin, label
from confide.privacy.places import direct
from confide.privacy.policy import Label
from confide.privacy.reach import Reach, named_in, reach_of

ALICE, BOB = human("alice"), human("bob")
GENERAL = Place(id="general", kind=PlaceKind.PUBLIC, space="guild")
CHAT = Place(id="chat", kind=PlaceKind.GROUP)
MODS = Place(id="mods", kind=PlaceKind.RESTRICTED, space="guild")
TOOL = Place(id=f"{ALICE}/mcp", kind=PlaceKind.CONNECTION)


def said(scope: Scope, place: Place | None, **rest: Any) -> Label:
    fields: dict[str, Any] = {"owner": ALICE, "speaker": ALICE, "sensitivity": Sensitivity.PUBLIC}
    return label(Origin(agent=AGENT, scope=scope, place=place, **(fields | rest)))


@pytest.mark.req("B21")
@pytest.mark.parametrize(
    ("made", "reach"),
    [
        (said(Scope.DM, direct(ALICE)), Reach.ALONE),
        (said(Scope.DM, TOOL), Reach.ALONE),
        (said(Scope.GUILD_PUBLIC, GENERAL, sensitivity=Sensitivity.SENSITIVE), Reach.ALONE),
        (said(Scope.GUILD_PUBLIC, GENERAL, sensitivity=Sensitivity.PERSONAL), Reach.THERE),
        (said(Scope.GROUP, CHAT), Reach.THERE),
        (said(Scope.CHANNEL_RESTRICTED, MODS), Reach.THERE),
        (said(Scope.GUILD_PUBLIC, GENERAL), Reach.SPACE),
        (said(Scope.GLOBAL, direct(ALICE)), Reach.ANYWHERE),
        (said(Scope.PUBLIC, GENERAL), Reach.ANYONE),
        (Label(clauses=frozenset()), Reach.ALONE),
    ],
)
def test_each_scope_and_level_has_its_word(made: Label, reach: Reach) -> None:
    assert reach_of(made, ALICE) is reach


@pytest.mark.req("B21")
def test_only_whom_every_clause_lets_hear_it_is_named() -> None:
    about_bob = said(Scope.GROUP, CHAT, subjects=frozenset({BOB}))
    assert named_in(about_bob) == {atoms.entity(ALICE), atoms.place(CHAT.id)}
    assert named_in(Label(clauses=frozenset())) == frozenset()
