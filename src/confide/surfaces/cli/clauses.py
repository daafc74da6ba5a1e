"""Clauses as they are written for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from confide.model import shown
from confide.wire.forms import write_atom

if TYPE_CHECKING:
    from confide.privacy.policy import Clause


def clause_as_json(clause: Clause) -> dict[str, object]:
    return {"kind": clause.kind.value, "owner": shown(clause.owner), "atoms": _atoms(clause)}


def clause_in_words(clause: Clause) -> str:
    return f"{clause.kind.value}[{shown(clause.owner)}] {{{', '.join(_atoms(clause))}}}"


def _atoms(clause: Clause) -> list[str]:
    return sorted({write_atom(term.atom) for term in clause.terms})
