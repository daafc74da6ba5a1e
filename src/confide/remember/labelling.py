"""Step 3 of remembering: from where and by whom it was said to the label it carries."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from confide.errors import ConsentMissing, InvalidInput
from confide.model import Entity, Place, Scope
from confide.privacy import atoms
from confide.privacy.atoms import ANYONE, Atom
from confide.privacy.consent import Consent, Guardians, apply_consents
from confide.privacy.labels import Origin, label
from confide.privacy.places import NARROWER, scope_of
from confide.privacy.policy import Label
from confide.remember.screening import Screened
from confide.remember.statement import Statement


def origin_of(
    statement: Statement,
    screened: Screened,
    *,
    agent: Entity,
    place: Place,
    parent: Place | None,
    epoch: int,
    present: frozenset[Entity],
) -> Origin:
    """Everything the label is made from."""
    speaker = statement.source or (None if statement.by == agent else statement.by)
    scope = _scope(statement, agent, place, parent)
    is_agents = scope in (Scope.GRANTED, Scope.SELF_ONLY)
    return Origin(
        agent=agent,
        scope=scope,
        owner=agent if is_agents else statement.by,
        speaker=speaker,
        place=place,
        epoch=epoch,
        subjects=statement.about,
        present=present,
        sensitivity=screened.sensitivity,
        kind=screened.kind,
        namespace=statement.namespace,
        grants=statement.access,
        is_portable=statement.is_portable,
        is_portable_confirmed=statement.is_portable_confirmed,
    )


def _scope(statement: Statement, agent: Entity, place: Place, parent: Place | None) -> Scope:
    if statement.access:
        return _no_scope_beside_access(statement)
    if statement.by == agent:
        return Scope.SELF_ONLY
    given = scope_of(place, parent)
    if statement.namespace is not None:
        given = Scope.DM  # a workspace is one person's, wherever it was filled
    wanted = statement.scope or given
    if wanted is Scope.GLOBAL or wanted in NARROWER[given]:
        return wanted
    allowed = ", ".join(sorted(NARROWER[given] | {Scope.GLOBAL}))
    raise InvalidInput("scope", f"{wanted.value} is more than this place gives; use {allowed}")


def _no_scope_beside_access(statement: Statement) -> Scope:
    if statement.scope not in (None, Scope.GRANTED):
        raise InvalidInput("scope", "leave it out: access says who may hear it")
    if statement.namespace is not None:
        raise InvalidInput("namespace", "leave it out: a workspace is one person's, access shares")
    return Scope.GRANTED


def consents_in(statement: Statement, now: datetime, lasts: timedelta) -> list[Consent]:
    """Each who agreed, to each who may hear it."""
    return [
        Consent(grantor=grantor, grantee=grantee, until=now + lasts)
        for grantor in sorted(statement.consent)
        for grantee in sorted(statement.access)
    ]


def label_with_consents(origin: Origin, consents: Iterable[Consent], guardians: Guardians) -> Label:
    given, plain = list(consents), label(origin)
    return apply_consents(plain, given, guardians) if given else plain


def require_consents(origin: Origin, consents: Iterable[Consent], guardians: Guardians) -> None:
    """K5: no grant without the matching consent of everyone who has a say."""
    if not origin.grants:
        return
    agreed = list(consents)
    owners = {clause.owner for clause in label(origin).clauses} - {origin.agent}
    missing = sorted(
        str(owner)
        for owner in owners
        if not all(_agreed(owner, grant, agreed, guardians) for grant in origin.grants)
    )
    if missing:
        raise ConsentMissing(
            "access",
            f"needs the consent of {', '.join(missing)}; ask them, then name them in consent",
        )


def _agreed(owner: Entity, grant: Atom, agreed: Iterable[Consent], guardians: Guardians) -> bool:
    # A child's word alone is not enough: who has a guardian needs the guardian's.
    speaks_for = guardians.get(owner) or frozenset({owner})
    own = atoms.entity(owner) == grant  # nobody needs their own consent to hear it
    return own or any(c.grantor in speaks_for and c.grantee in (grant, ANYONE) for c in agreed)
