"""How far a label lets a memory go, in one word: a summary for people, which decides nothing."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from confide.model import Entity
from confide.privacy.atoms import Atom, AtomKind
from confide.privacy.policy import Clause, ClauseKind, Label


class Reach(StrEnum):
    """Who could be told, from fewest to most."""

    ALONE = "alone"  # its owner and people who are named, each alone
    ANYWHERE = "anywhere"  # its owner, wherever they ask
    THERE = "there"  # who is in the room, there
    SPACE = "space"  # anyone in a space, in any of its rooms
    ANYONE = "anyone"  # whoever asks


_PEOPLE: Final = frozenset({AtomKind.ENTITY, AtomKind.COLLECTIVE})
_WIDE: Final = frozenset({AtomKind.SPACE, AtomKind.ANYONE})


def reach_of(label: Label, owner: Entity) -> Reach:
    """Named by its narrowest clause; what came by a connection of the owner's is the owner's."""
    hear = [_kinds(one, owner) for one in label.clauses if one.kind is ClauseKind.HEAR]
    ask = [_kinds(one, owner) for one in label.clauses if one.kind is ClauseKind.ASK]
    if not hear or any(one <= _PEOPLE for one in hear) or frozenset({AtomKind.ALONE}) in ask:
        return Reach.ALONE
    if any(not one & _WIDE for one in hear):
        return Reach.THERE
    if any(AtomKind.ANYONE not in one for one in hear):
        return Reach.SPACE
    return Reach.ANYWHERE if any(one <= _PEOPLE for one in ask) else Reach.ANYONE


def named_in(label: Label) -> frozenset[Atom]:
    """People, places and spaces that every hear clause lets hear it, by name."""
    sets = [
        frozenset(term.atom for term in one.terms)
        for one in label.clauses
        if one.kind is ClauseKind.HEAR
    ]
    return frozenset[Atom].intersection(*sets) if sets else frozenset()


def _kinds(clause: Clause, owner: Entity) -> frozenset[AtomKind]:
    own = f"{owner}/"
    return frozenset(
        term.atom.kind
        for term in clause.terms
        if not (
            term.atom.kind in (AtomKind.PLACE, AtomKind.AT_PLACE) and term.atom.name.startswith(own)
        )
    )
