"""Mistakes that were really made, each with the fewest lines and calls that show it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from tests.egress.answers import Call
from tests.egress.http_walk import CALLERS
from tests.egress.stores import (
    ALICE,
    BOB,
    CONNECTION,
    EVE,
    GENERAL,
    KID,
    MODS,
    PAT,
    STRANGER,
    TEA,
    Line,
    Store,
    agreed,
    entered,
    guarded,
    joined,
    said,
)

from confide import Confide, operator_as
from confide.errors import InvalidInput
from confide.keep import auditing, consenting, erasing, relations
from confide.keep.agreeing import Consents
from confide.keep.auditing import Access
from confide.model import Scope
from confide.recall import explain
from confide.remember import keeping
from confide.store import encoding, relabel
from confide.surfaces import admission
from confide.surfaces.http import fields

Patch = Callable[[pytest.MonkeyPatch], None]
PERSON, _, CLOSED, _, COMPANY = CALLERS
AS, BY = {"as": PAT}, {"by": PAT, "place": "dm"}
PARTY = "The party for Pat is at eight"


@dataclass(frozen=True)
class Plant:
    mistake: str
    caller: Any
    known: list[Line]  # both memories know it
    hidden: list[Line]  # only the fuller one
    patch: Patch
    calls: list[Call]


def call(what: str, given: dict[str, Any]) -> Call:
    return Call.of(what, given)


def _counts(patch: pytest.MonkeyPatch) -> None:
    async def everything(self: Consents, done: Any, actor: Any) -> consenting.Effect:
        return consenting.Effect(done.consent_id, len(done.memory_ids))

    patch.setattr(Consents, "_effect", everything)


def _whole_audit(patch: pytest.MonkeyPatch) -> None:
    audit = Access.audit

    async def whole(self: Access, memory_id: Any, *, actor: Any) -> Any:
        return await audit(self, memory_id, actor=operator_as())

    patch.setattr(Access, "audit", whole)


def _all_known(patch: pytest.MonkeyPatch) -> None:
    async def known(database: Any, actor: Any, ids: Any, now: Any) -> Any:
        return frozenset(ids)

    patch.setattr(auditing, "known", known)


def _subjects_hear(patch: pytest.MonkeyPatch) -> None:
    async def always(*given: Any) -> bool:
        return True

    patch.setattr(relations, "hears", always)
    patch.setattr(erasing, "require_known", always)


def _origin(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(fields, "origin_for", lambda origin, audience: origin.place and origin.place.id)


def _children(patch: pytest.MonkeyPatch) -> None:
    remember = Confide.remember

    async def minding(self: Confide, statement: Any, *, actor: Any = None) -> Any:
        async with self.database.keep() as connection:
            known = await consenting.consents.guardians(connection, self.database.agent)
        if statement.scope is Scope.GLOBAL and known.keys() & statement.about:
            raise InvalidInput("scope", "what concerns a child is never told everywhere")
        return await remember(self, statement, actor=actor)

    patch.setattr(Confide, "remember", minding)


def _clauses_in_company(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(explain, "_for", lambda actor, memory, decision, *_: decision)


def _same_words(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(encoding, "_made", lambda owner, origin: "")


def _moved_time(patch: pytest.MonkeyPatch) -> None:
    query = relabel.query

    def dated(noun: str, name: str) -> str:
        text = query(noun, name)
        return text.replace("SET scope =", "SET updated_at = '2026-03-05', scope =")

    patch.setattr(relabel, "query", dated)


def _all_consents(patch: pytest.MonkeyPatch) -> None:
    given_by = Consents.given_by

    async def every(self: Consents, who: Any, *, actor: Any = None) -> Any:
        return await given_by(self, who)

    patch.setattr(Consents, "given_by", every)


def _roles(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(admission, "is_answered_alone", lambda caller: True)


def _named_guardians(patch: pytest.MonkeyPatch) -> None:
    require_voice = consenting.require_voice

    async def naming(connection: Any, database: Any, actor: Any, grantor: Any) -> Any:
        known = await consenting.consents.guardians(connection, database.agent)
        if grantor in known and actor.entity not in known[grantor]:
            raise InvalidInput("grantor", f"a guardian confirms for {grantor}")
        return await require_voice(connection, database, actor, grantor)

    patch.setattr(consenting, "require_voice", naming)


def _others_agreed(patch: pytest.MonkeyPatch) -> None:
    require = keeping.require_consents
    patch.setattr(
        keeping,
        "require_consents",
        lambda origin, by, named, before, known: require(
            origin, by, [*named, *before], before, known
        ),
    )


def _name(store: Store) -> Any:
    place = TEA if store.is_full else "dm"
    return store.say("name", "My in-game name is Nightjar", PAT, place, scope="global", kind="identity")  # fmt: skip


GUARDED = guarded(KID, EVE)
PLANTS = [
    Plant(
        "consenting says how many memories there are", PERSON, [said("own", "I keep bees", PAT)],
        [said("h", PARTY, ALICE, about=[PAT])], _counts,
        [call("POST /v1/consents", AS | {"about": PAT, "grantee": BOB})],
    ),
    Plant(
        "who can hear it lists everybody", PERSON,
        [said("star", "I like lighthouses", PAT, access=["*"], consent=[PAT])],
        [joined(MODS, BOB, EVE)], _whole_audit,
        [call("GET /v1/memories/{memory_id}/audit", AS | {"memory_id": "@star"})],
    ),
    Plant(
        "a subject sees that something is said of them in confidence", PERSON,
        [said("own", "I keep bees", PAT)], [said("h", PARTY, ALICE, about=[PAT])], _all_known,
        [call("GET /v1/people/{entity}/memories", AS | {"entity": PAT})],
    ),
    Plant(
        "a subject erases what they may not hear", PERSON, [], [said("h", PARTY, ALICE, about=[PAT])],
        _subjects_hear,
        [call("DELETE /v1/memories/{memory_id}", AS | {"memory_id": "@h", "now": True})],
    ),
    Plant(
        "what is told everywhere names the room it came from", COMPANY,
        [joined(GENERAL, PAT), joined(TEA, PAT), ("name", _name)], [], _origin,
        [call("POST /v1/recall", {"question": "what is my in-game name?"}), call("POST /v1/why", {})],
    ),
    Plant(
        "whether a child has a guardian decides what is taken", PERSON, [], [GUARDED],
        _children,
        [call("POST /v1/memories", BY | {"text": "Kid's in-game name is Robin", "about": [KID],
              "scope": "global", "kind": "identity"})],
    ),
    Plant(
        "why it is withheld names with whom it was shared", COMPANY,
        [joined(GENERAL, PAT), said("own", "My doctor is Dr. May", PAT, GENERAL, sensitivity="sensitive")],
        [agreed("h", PAT, EVE, memory="own")], _clauses_in_company,
        [call("POST /v1/memories/{memory_id}/explain", {"memory_id": "@own"})],
    ),
    Plant(
        "a guess of something hidden is known already", PERSON, [],
        [said("h", "The spare key is under the pot", ALICE)], _same_words,
        [call("POST /v1/memories", BY | {"text": "The spare key is under the pot"})],
    ),
    Plant(
        "a private share moves the time of a mention", PERSON,
        [joined(GENERAL, PAT, ALICE), said("one", "Pat loves pizza", ALICE, GENERAL, about=[PAT])],
        [agreed("h", ALICE, BOB, memory="one")], _moved_time,
        [call("GET /v1/mine/mentions", AS | {"space": "guild"})],
    ),
    Plant(
        "a closed key reads what consents were for", CLOSED,
        [said("conn", "I write Rust", PAT, CONNECTION)],
        [agreed("h", PAT, EVE, subject=PAT, purpose="therapy")], _all_consents,
        [call("GET /v1/consents", {})],
    ),
    Plant(
        "a closed key reads roles", CLOSED, [entered("ctx:care", PAT, ALICE)],
        [entered("ctx:care", PAT, role="patient")], _roles,
        [call("GET /v1/contexts", {}), call("GET /v1/contexts/{context}", {"context": "care"})],
    ),
    Plant(
        "an error names the child", PERSON, [], [GUARDED], _named_guardians,
        [call("POST /v1/consents", AS | {"about": KID, "of": KID, "grantee": BOB})],
    ),
    Plant(
        "access is taken if others agreed before", PERSON, [],
        [agreed("h", STRANGER, BOB, subject=STRANGER)], _others_agreed,
        [call("POST /v1/memories", BY | {"text": "Zoe rows at dawn", "about": [STRANGER],
              "access": [BOB], "consent": [PAT]})],
    ),
]  # fmt: skip
