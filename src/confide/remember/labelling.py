"""Step 3 of remembering: from where and by whom it was said to the label it carries."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime, timedelta

from confide.errors import ConsentMissing, InvalidInput
from confide.model import Entity, Place, PlaceKind, Scope
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
    epoch: int,
    present: frozenset[Entity],
    thread: str | None = None,
    only_for: frozenset[Atom] = frozenset(),
) -> Origin:
    """Everything the label is made from."""
    speaker = statement.source or (None if statement.by == agent else statement.by)
    scope = _scope(statement, agent, place)
    is_held = scope in (Scope.GRANTED, Scope.SELF_ONLY)  # the agent holds what somebody told it
    return Origin(
        agent=agent,
        scope=scope,
        owner=(speaker or agent) if is_held else statement.by,
        speaker=speaker,
        place=place,
        epoch=epoch,
        thread=thread,
        through=statement.through.id if statement.through else None,
        is_confidential=statement.is_confidential,
        only_for=only_for,
        subjects=statement.about,
        present=present,
        sensitivity=screened.sensitivity,
        kind=screened.kind,
        namespace=statement.namespace,
        grants=statement.access,
        is_portable=statement.is_portable,
        is_portable_confirmed=statement.is_portable_confirmed,
    )


def _scope(statement: Statement, agent: Entity, place: Place) -> Scope:
    if statement.access:
        return _no_scope_beside_access(statement)
    if statement.by == agent and place.kind is not PlaceKind.CONNECTION:
        return Scope.SELF_ONLY
    given = scope_of(place, None)
    if statement.namespace is not None:
        given = Scope.DM  # a workspace is one person's, wherever it was filled
    wanted = statement.scope or given
    if wanted is Scope.GLOBAL and statement.about - {statement.source or statement.by}:
        # Of a child it is never allowed, and of whom that is so nobody else may find out.
        raise InvalidInput("scope", "only what is about oneself is told everywhere; leave it out")
    if wanted is Scope.GLOBAL and statement.namespace is not None:
        raise InvalidInput("namespace", "leave it out: what is told everywhere is in no workspace")
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


def require_consents(
    origin: Origin,
    by: Entity,
    named: Iterable[Consent],
    before: Iterable[Consent],
    guardians: Guardians,
) -> None:
    """K5: no grant without the matching consent of everyone who has a say.

    Of others only who is named counts: what they agreed to before, and who confirms for them, is
    not for whoever speaks to find out (B11). It decides who hears it, all the same.
    """
    if not origin.grants:
        return
    stated = list(named)
    own = [*stated, *before]
    owners = {clause.owner for clause in label(origin).clauses} - {origin.agent}
    missing = [
        str(owner)
        for owner in sorted(owners)
        for agreed, speaks_for in [
            (own, guardians.get(by) or {by}) if owner == by else (stated, {owner})
        ]
        if not all(_agreed(owner, grant, agreed, speaks_for) for grant in origin.grants)
    ]
    if missing:
        raise ConsentMissing(
            "access",
            f"needs the consent of {', '.join(missing)}; ask them, then name them in consent",
        )


def _agreed(
    owner: Entity, grant: Atom, agreed: Iterable[Consent], speaks_for: Collection[Entity]
) -> bool:
    is_own = atoms.entity(owner) == grant  # nobody needs their own consent to hear it
    return is_own or any(c.grantor in speaks_for and c.grantee in (grant, ANYONE) for c in agreed)
