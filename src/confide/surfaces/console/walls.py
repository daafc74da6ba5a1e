"""The picture of who can hear a memory: lines to the rooms of its reader, through a wall or not."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from confide.errors import ConfideError
from confide.model import Entity, Place, PlaceKind
from confide.privacy.places import direct
from confide.privacy.policy import ClauseKind
from confide.privacy.reach import named_in
from confide.recall.audience import audience_in
from confide.surfaces.console import words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from confide.privacy.policy import Decision
    from confide.store.memory import Memory
    from confide.surfaces.console.visit import Visit

ROOMS: Final = 6
STEP: Final = 54


async def walls(visit: Visit, memory: Memory, names: words.Names) -> list[dict[str, Any]]:
    """Where the reader is and whether it could be told there when they ask; and whom they let hear
    it. Only to its owner and its speaker: others do not see how far it goes."""
    who = visit.who
    if who not in (memory.owner, memory.speaker):
        return []
    asked: list[tuple[Place, Entity, Sequence[Entity]]] = [(direct(who), who, (who,))]
    agreed = {words.person_of(one) for one in named_in(memory.label)} - {None, who}
    asked += [(direct(one), one, (one,)) for one in sorted(agreed, key=str) if one is not None]
    for room in await visit.confide.rooms.of(who):
        asked.append((Place(id=room.id, kind=room.kind, space=room.space), who, room.people))
    found: list[dict[str, Any]] = []
    for place, asker, people in asked[: ROOMS + len(agreed)]:
        present = people if place.kind is PlaceKind.CONTEXT else ()
        audience = audience_in(place, asker, present=present)
        try:
            said = await visit.confide.explain(memory.id, audience, actor=visit.actor)
        except ConfideError:
            continue
        others = [words.called(one, names) for one in people if one != who]
        found.append(
            {
                "name": "Direct chat"
                if place.kind is PlaceKind.DIRECT
                else words.place_called(place),
                "told": said.decision.told,
                "by": _by(place, asker, who) if said.decision.told else "",
                "why": _why(said.decision, place, asker, who, others, names),
                "people": [words.initial(words.called(one, names)) for one in people[:4]],
            }
        )
    return _placed(sorted(found, key=lambda one: not one["told"]))


def _placed(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    for n, one in enumerate(found):
        one |= {"y": 8 + STEP * n, "mid": 31 + STEP * n}
    return found


def wall_of(found: list[dict[str, Any]]) -> dict[str, Any]:
    """How high the picture is, and from where to where its wall stands."""
    stopped = [one["y"] for one in found if not one["told"]]
    return {
        "height": STEP * len(found) + 12,
        "top": min(stopped, default=0),
        "tall": (max(stopped) - min(stopped) + 46) if stopped else 0,
    }


def _by(place: Place, asker: Entity, who: Entity) -> str:
    if asker != who:
        return "you agreed"
    return "your own words" if place.kind is PlaceKind.DIRECT else "said for here"


def _why(
    decision: Decision, place: Place, asker: Entity, who: Entity, others: list[str], names: words.Names
) -> str:  # fmt: skip
    if asker != who:
        name = words.called(asker, names)
        return f"{name}, alone." if decision.told else f"{name} may not hear all of it."
    if decision.told:
        return "You, alone." if place.kind is PlaceKind.DIRECT else "Told there when you ask."
    if decision.clause is not None and decision.clause.kind is ClauseKind.ASK:
        return "It is told elsewhere, or when somebody else asks."
    if not others:
        return "Whoever joins later would see the answer."
    if len(others) > 2:
        return f"{len(others):,} others would see the answer."
    return f"{words.listed(others)} would see the answer."


def history(
    versions: Sequence[Any], consents: Sequence[dict[str, Any]], said_at: Any
) -> list[dict[str, Any]]:
    """What happened to a memory, newest first."""
    began = versions[0].said_at if versions else said_at
    found = [("Learned from what was said", began, "")]
    found += [("The words were changed", b.said_at, a.text) for a, b in pairwise(versions)]
    for one in consents if versions else ():
        found.append((f"{one['to']} may hear it, because you agreed", one["granted_at"], ""))
        if one["revoked_at"]:
            found.append((f"You withdrew that {one['to']} may hear it", one["revoked_at"], ""))
    found.sort(key=lambda one: one[1], reverse=True)
    return [
        {"says": says, "at": at, "before": before, "is_now": n == 0}
        for n, (says, at, before) in enumerate(found)
    ]
