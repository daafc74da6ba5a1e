"""Why a memory is withheld, as a sentence about people; the clause comes on request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from confide.privacy import reasons
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
    why = reasons.reason(
        memory, decision, audience, lambda who: words.called(who, names), is_named=is_named
    )
    return f"{why[:1].upper()}{why[1:]}."


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
