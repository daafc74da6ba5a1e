"""Atoms: the typed words that clauses are made of. A person who calls himself `*` is not one of them."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple

from confide.model import COLLECTIVE, Entity, Namespace


class AtomKind(StrEnum):
    """The value is the prefix of the atom's written form, in the database too."""

    ANYONE = "*"
    ENTITY = "e"
    COLLECTIVE = "g"  # a role, group or organisation
    PLACE = "p"
    SPACE = "s"
    PRESENT = "w"  # who was there: a place and one of its membership epochs
    AT_PLACE = "@p"
    AT_SPACE = "@s"
    AT_SCOPE = "@n"
    ALONE = "@alone"


#: Atoms that say where an answer appears, not who is listening.
SETTINGS: Final = frozenset(
    {AtomKind.AT_PLACE, AtomKind.AT_SPACE, AtomKind.AT_SCOPE, AtomKind.ALONE}
)


class Atom(NamedTuple):
    kind: AtomKind
    name: str = ""

    @property
    def is_setting(self) -> bool:
        return self.kind in SETTINGS

    def __str__(self) -> str:
        return f"{self.kind.value}={self.name}" if self.name else self.kind.value

    @classmethod
    def read(cls, written: str) -> Atom:
        """The inverse of `str`, for atoms that come back from the database."""
        prefix, _, name = written.partition("=")
        return cls(AtomKind(prefix), name)


ANYONE: Final = Atom(AtomKind.ANYONE)
ALONE: Final = Atom(AtomKind.ALONE)


def entity(who: Entity) -> Atom:
    """An individual is itself; a role, group or organisation is everyone in it now."""
    kind = AtomKind.COLLECTIVE if who.namespace in COLLECTIVE else AtomKind.ENTITY
    return Atom(kind, str(who))


def place(id: str) -> Atom:
    return Atom(AtomKind.PLACE, id)


def space(id: str) -> Atom:
    return Atom(AtomKind.SPACE, id)


def present(place_id: str, epoch: int) -> Atom:
    return Atom(AtomKind.PRESENT, f"{place_id}#{epoch}")


def at_place(id: str) -> Atom:
    return Atom(AtomKind.AT_PLACE, id)


def at_space(id: str) -> Atom:
    return Atom(AtomKind.AT_SPACE, id)


def at_scope(who: Entity, namespace: Namespace) -> Atom:
    """The person is part of the key: two people's workspaces of one name are two workspaces."""
    return Atom(AtomKind.AT_SCOPE, f"{who}@{namespace.workspace or ''}@{namespace.scope or ''}")


def as_setting(atom: Atom) -> Atom | None:
    """`place:p` as a listener becomes `@place:p` as a setting; people have no such form."""
    match atom.kind:
        case AtomKind.PLACE:
            return at_place(atom.name)
        case AtomKind.SPACE:
            return at_space(atom.name)
        case _:
            return None
