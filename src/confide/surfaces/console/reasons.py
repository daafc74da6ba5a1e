"""Why a memory is withheld, as a sentence about people; the clause comes on request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from confide.model import PlaceKind, Scope, Sensitivity
from confide.privacy.places import MEANING
from confide.privacy.policy import ClauseKind
from confide.privacy.reach import Reach, named_in, reach_of
from confide.surfaces.cli.clauses import clause_in_words
from confide.surfaces.console import words

if TYPE_CHECKING:
    from confide.model import Entity
    from confide.privacy.policy import Audience, Decision
    from confide.store.memory import Memory


def reason(
    memory: Memory,
    decision: Decision,
    audience: Audience,
    names: words.Names,
    *,
    is_named: bool = True,
) -> str:
    """What its reader may know of why: where it was said, its level, who asks."""
    there = words.place_called(audience.place)
    asker = words.called(audience.asker, names)
    who = words.called(memory.speaker or memory.owner, names) if is_named else None
    said = f"{who} said this" if who else "It was said"
    clause, origin = decision.clause, memory.origin.place
    if clause is None:
        return f"{decision.because[:1].upper()}{decision.because[1:]}."
    if memory.sensitivity is Sensitivity.SENSITIVE:
        return "This is sensitive. Sensitive memories are not told when others see the answer."
    if memory.scope is Scope.GLOBAL:
        owner = words.called(memory.owner, names) if is_named else "its owner"
        return (
            f"This follows {owner} everywhere, but is told only when they ask. Here {asker} asks."
        )
    if memory.sensitivity is Sensitivity.PERSONAL and clause.kind is ClauseKind.ASK:
        return "This is personal. It is told only when those it concerns ask, where it was said."
    if origin is None or origin.kind in (PlaceKind.DIRECT, PlaceKind.EPHEMERAL):
        if MEANING[audience.place.kind].is_alone:
            return f"{said} in a direct chat, and {asker} is somebody else."
        return f"{said} in a direct chat; others in {there} would see the answer."
    room = words.place_called(origin)
    if clause.kind is ClauseKind.ASK:
        return f"{said} in {room}. It is told there, or alone to who was there."
    if memory.scope is Scope.GUILD_PUBLIC:
        return f"{said} in {origin.space or room}; {there} is read by people outside it."
    if origin.kind in (PlaceKind.RESTRICTED, PlaceKind.AGE_GATED):
        return f"{said} in {room}; not everyone in {there} can read {room}."
    return f"{said} in {room}; people in {there} who are not in {room} would see the answer."


def rule(decision: Decision) -> str | None:
    return None if decision.clause is None else clause_in_words(decision.clause)


def hearers(memory: Memory, owner: Entity, names: words.Names, you: Entity | None = None) -> str:
    """Who can hear it, in one sentence."""
    people = {words.person_of(atom) for atom in named_in(memory.label)} - {None, owner}
    others = [words.called(one, names) for one in sorted(people, key=str) if one is not None]
    name = "you" if you == owner else words.called(owner, names)
    room = words.place_called(memory.origin.place)
    match reach_of(memory.label, owner):
        case Reach.ALONE if others:
            return f"Only {words.listed([name, *others])} can hear it, each alone."
        case Reach.ALONE:
            return f"Only {name} can hear it, alone."
        case Reach.ANYWHERE:
            return f"Only {name} can hear it, anywhere."
        case Reach.THERE:
            return f"Those in {room} can hear it, there."
        case Reach.SPACE:
            space = memory.origin.place.space if memory.origin.place else None
            return f"Anyone in {space or 'its space'} can hear it, in any channel there."
        case _:
            return "Anyone can hear it."
