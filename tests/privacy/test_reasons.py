"""Why something is withheld, in a sentence about people: where it was said, and who would see it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

import pytest
from tests.privacy.facts import AGENT, human

from confide.model import Entity, Namespace, Place, PlaceKind, Scope, Sensitivity
from confide.privacy import atoms
from confide.privacy.labels import Origin, label
from confide.privacy.places import direct
from confide.privacy.policy import Audience, World, decide
from confide.privacy.reasons import place_called, reason
from confide.recall.audience import audience_in

ALICE, BOB, CAROL = human("alice"), human("bob"), human("carol")
DM = direct(ALICE)
GENERAL = Place(id="general@guild", kind=PlaceKind.PUBLIC, space="guild")
ELSEWHERE = Place(id="general@other", kind=PlaceKind.PUBLIC, space="other")
MODS = Place(id="mods@guild", kind=PlaceKind.RESTRICTED, space="guild")
CHAT = Place(id="trip", kind=PlaceKind.GROUP)
CARE = Place(id="ctx:bella", kind=PlaceKind.CONTEXT)
TOOL = Place(id=f"{ALICE}/laptop", kind=PlaceKind.CONNECTION)
WORLD = World(
    agent=AGENT,
    now=datetime(2026, 11, 18, tzinfo=UTC),
    places={one.id: one for one in (GENERAL, ELSEWHERE, MODS, CHAT, CARE, TOOL)},
    belongs={
        BOB: frozenset({*map(atoms.place, (GENERAL.id, MODS.id, CHAT.id)), atoms.space("guild")}),
        ALICE: frozenset({atoms.place(GENERAL.id), atoms.space("guild")}),
    },
)


@dataclass(frozen=True)
class Kept:
    """As much of a memory as a reason is made from."""

    origin: Origin
    owner: Entity = ALICE

    @property
    def speaker(self) -> Entity | None:
        return self.origin.speaker

    @property
    def scope(self) -> Scope:
        return self.origin.scope

    @property
    def sensitivity(self) -> Sensitivity:
        return self.origin.sensitivity


def kept(
    scope: Scope, place: Place | None, sensitivity: Sensitivity = Sensitivity.PUBLIC, **rest: object
) -> Kept:
    fields = {"owner": ALICE, "speaker": ALICE} | rest
    return Kept(
        Origin(agent=AGENT, scope=scope, place=place, sensitivity=sensitivity, **fields)  # type: ignore[arg-type]
    )


def why(memory: Kept, audience: Audience, *, is_named: bool = True) -> str:
    decision = decide(label(memory.origin), audience, WORLD)
    assert not decision.told
    return reason(memory, decision, audience, lambda who: who.id, is_named=is_named)


IN_DM, IN_MODS = kept(Scope.DM, DM), kept(Scope.CHANNEL_RESTRICTED, MODS)
IN_CHAT, IN_PUBLIC = kept(Scope.GROUP, CHAT), kept(Scope.GUILD_PUBLIC, GENERAL)


@pytest.mark.req("B3")
@pytest.mark.parametrize(
    ("memory", "asker", "place", "said"),
    [
        (IN_DM, BOB, direct(BOB), "alice said this in a direct chat, and bob is somebody else"),
        (IN_DM, ALICE, GENERAL,
         "alice said this in a direct chat; others in #general would see the answer"),
        (IN_DM, ALICE, TOOL,
         "alice said this in a direct chat; the program behind laptop would read the answer"),
        (IN_MODS, ALICE, GENERAL,
         "alice said this in #mods; people in #general who are not in #mods would see the answer"),
        (IN_MODS, ALICE, DM, "alice said this in #mods, and alice is not in #mods"),
        (IN_MODS, BOB, MODS, "alice said this in #mods; it is told there, or alone to who was there"),
        (IN_CHAT, CAROL, CARE,
         "alice said this in trip; people in bella who are not in trip would see the answer"),
        (IN_PUBLIC, CAROL, ELSEWHERE,
         "alice said this in guild; people outside it would see the answer"),
        (IN_PUBLIC, CAROL, direct(CAROL), "alice said this in #general, and carol is not in guild"),
        (kept(Scope.GROUP, CHAT, is_confidential=True), ALICE, CHAT,
         "alice said this in trip, to those who were there then"),
        (kept(Scope.GLOBAL, DM), BOB, GENERAL,
         "this follows alice everywhere, and is told only when they ask; here bob asks"),
        (kept(Scope.SELF_ONLY, CHAT, owner=None, speaker=None), ALICE, DM,
         "the agent noticed this itself, and keeps it to itself"),
        (kept(Scope.GRANTED, CHAT), BOB, CHAT,
         "alice said this in trip; it was not shared with everyone who would see the answer"),
        (kept(Scope.GUILD_PUBLIC, GENERAL, Sensitivity.SENSITIVE), ALICE, GENERAL,
         "this is sensitive, and is not told when others see the answer"),
        (kept(Scope.GUILD_PUBLIC, GENERAL, Sensitivity.PERSONAL), BOB, GENERAL,
         "this is personal: it is told where it was said, if those whom it concerns ask"),
        (kept(Scope.DM, DM, namespace=Namespace(workspace="lab")), ALICE, DM,
         "it belongs to a workspace, and the question was asked outside of it"),
    ],
)  # fmt: skip
def test_a_reason_says_where_it_was_said_and_who_would_see_the_answer(
    memory: Kept, asker: Entity, place: Place, said: str
) -> None:
    assert why(memory, audience_in(place, asker)) == said


@pytest.mark.req("B3", "K17")
@pytest.mark.parametrize("scope", [Scope.DM, Scope.GROUP, Scope.GLOBAL])
def test_whoever_may_not_know_who_said_it_is_told_of_nobody(scope: Scope) -> None:
    memory = kept(scope, DM if scope is not Scope.GROUP else CHAT)
    assert "alice" not in why(memory, audience_in(ELSEWHERE, BOB), is_named=False)


@pytest.mark.req("B3")
def test_what_no_clause_withholds_keeps_its_reason() -> None:
    unknown = audience_in(Place(id="x", kind=PlaceKind.UNKNOWN), ALICE)
    assert why(IN_DM, unknown) == "nothing is told in a place of an unknown kind"


def test_a_room_that_is_not_known_is_called_so() -> None:
    assert place_called(None) == "an unknown place"
