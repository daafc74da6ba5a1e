"""Clauses as they are written for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from confide.privacy.atoms import Atom, AtomKind

if TYPE_CHECKING:
    from confide.privacy.policy import Clause

_WRITTEN: Final = {
    AtomKind.ANYONE: "*",
    AtomKind.ENTITY: "{}",
    AtomKind.COLLECTIVE: "{}",
    AtomKind.PLACE: "place:{}",
    AtomKind.SPACE: "space:{}",
    AtomKind.PRESENT: "present:{}",
    AtomKind.AT_PLACE: "@place:{}",
    AtomKind.AT_SPACE: "@space:{}",
    AtomKind.AT_SCOPE: "@scope:{}",
    AtomKind.ALONE: "@alone",
}


def atom_in_words(atom: Atom) -> str:
    return _WRITTEN[atom.kind].format(atom.name)


def clause_as_json(clause: Clause) -> dict[str, object]:
    return {"kind": clause.kind.value, "owner": str(clause.owner), "atoms": _atoms(clause)}


def clause_in_words(clause: Clause) -> str:
    return f"{clause.kind.value}[{clause.owner}] {{{', '.join(_atoms(clause))}}}"


def _atoms(clause: Clause) -> list[str]:
    return sorted({atom_in_words(term.atom) for term in clause.terms})
