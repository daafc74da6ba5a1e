"""Consent relaxes clauses that its grantor owns, and no others. Withdrawn, it was never there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from confide.model import Entity
from confide.privacy import atoms
from confide.privacy.atoms import ANYONE, Atom
from confide.privacy.labels import names_only_settings, widen
from confide.privacy.policy import Clause, ClauseKind, Label, Term

Guardians = Mapping[Entity, frozenset[Entity]]  # child → those who confirm for it


@dataclass(frozen=True, slots=True, kw_only=True)
class Consent:
    """`grantor` lets `grantee` hear it; with `where`, only there."""

    grantor: Entity
    grantee: Atom
    where: Atom | None = None  # place:p or space:s
    until: datetime | None = None
    purpose: str | None = None


def apply_consents(label: Label, consents: Iterable[Consent], guardians: Guardians) -> Label:
    """The label with every consent in force added to the clauses its grantor speaks for."""
    given = list(consents)
    return Label(
        frozenset(
            widen(clause, frozenset(_lent(clause, given, guardians))) for clause in label.clauses
        )
    )


def _lent(clause: Clause, given: Iterable[Consent], guardians: Guardians) -> Iterator[Term]:
    """Each consent meets the clause as it was stated, so their order changes nothing."""
    for consent in given:
        if _speaks_for(consent.grantor, clause, guardians):
            for atom in _joins(clause, consent):
                yield Term(atom, consent.until, consent.purpose)


def _speaks_for(grantor: Entity, clause: Clause, guardians: Guardians) -> bool:
    return grantor == clause.owner or grantor in guardians.get(clause.owner, frozenset())


def _joins(clause: Clause, consent: Consent) -> Iterable[Atom]:
    if clause.kind is ClauseKind.HEAR:
        return [consent.grantee]
    there = atoms.as_setting(consent.where or consent.grantee)
    if there is not None:  # shared with a room, or for one: told in that room
        return [there]
    if consent.grantee == ANYONE or not names_only_settings(clause):
        return [consent.grantee]
    return []  # shared with a person: still only where its settings allow
