"""Answers of a server as the library's own values. What it does not say stays at what tells least."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Any

from confide.errors import InvalidInput
from confide.keep.contexts import ContextState, Participant
from confide.keep.requesting import Asked, Request, Wish
from confide.model import (
    SOMEONE,
    Entity,
    Kind,
    MemoryType,
    Place,
    PlaceKind,
    Scope,
    Sensitivity,
    Status,
    Trust,
    is_someone,
    shown,
)
from confide.privacy.acting import Act
from confide.privacy.consent import Consent
from confide.privacy.labels import Origin
from confide.privacy.policy import Clause, ClauseKind, Label, Term
from confide.reading import read_entity
from confide.store.consents import About, Given
from confide.store.memory import Memory
from confide.wire.forms import read_atom, read_namespace

Told = dict[str, Any]


def when(written: str) -> datetime:
    return datetime.fromisoformat(written)


def maybe_when(written: str | None) -> datetime | None:
    return None if written is None else when(written)


def somebody(written: str | None) -> Entity | None:
    return None if written is None else read_entity(written)


def who_shown(written: str) -> Entity:
    """The inverse of how people are shown: by their id, or by a name that only the asker uses."""
    if written == shown(Entity(SOMEONE, "")):
        return Entity(SOMEONE, "")
    try:
        return read_entity(written)
    except InvalidInput:
        return Entity(SOMEONE, written)


def someone_shown(written: str | None) -> Entity | None:
    return None if written is None else who_shown(written)


def place_called(id: str | None) -> Place | None:
    """By its id alone. Its kind is the server's knowledge."""
    return None if id is None else Place(id=id, kind=PlaceKind.UNKNOWN)


def memory(told: Told, agent: Entity) -> Memory:
    """A memory as far as it was told. It carries no label: whoever got it may hear it."""
    said_at = when(told["said_at"])
    owner = read_entity(told["owner"])
    return Memory(
        id=uuid.UUID(told["id"]),
        text=told["text"],
        owner=owner,
        origin=Origin(
            agent=agent,
            scope=Scope(told["scope"]),
            owner=owner,
            speaker=someone_shown(told["speaker"]),
            place=place_called(told.get("place")),
            subjects=frozenset(map(who_shown, told.get("subjects", ()))),
            sensitivity=Sensitivity(told["sensitivity"]),
            kind=Kind(told["kind"]),
            namespace=read_namespace(told["namespace"]) if told.get("namespace") else None,
        ),
        label=Label(),
        type=MemoryType(told["type"]),
        trust=Trust.UNTRUSTED,
        status=Status(told.get("status", Status.APPROVED)),
        confidence=told["confidence"],
        said_at=said_at,
        created_at=said_at,
        updated_at=when(told.get("updated_at", told["said_at"])),
        reinforced_at=said_at,
        expires_at=maybe_when(told.get("expires_at")),
        names=_names(told),
    )


def _names(told: Told) -> dict[Entity, str]:
    """People whom only the asker knows came by name."""
    written = [*told.get("subjects", ()), *filter(None, [told["speaker"]])]
    return {who: who.id for who in map(who_shown, written) if is_someone(who) and who.id}


def clause(told: Told | None) -> Clause | None:
    if told is None:
        return None
    terms = frozenset(Term(read_atom(one)) for one in told["atoms"])
    return Clause(ClauseKind(told["kind"]), who_shown(told["owner"]), terms)


def given(told: Told) -> Given:
    return Given(
        id=uuid.UUID(told["id"]),
        about=about(told),
        consent=Consent(
            grantor=read_entity(told["grantor"]),
            grantee=read_atom(told["grantee"]),
            where=read_atom(told["where"]) if told.get("where") else None,
            until=maybe_when(told.get("expires_at")),
            purpose=told.get("purpose"),
        ),
        reason=told.get("reason"),
        given_by=somebody(told.get("given_by")),
        granted_at=when(told["granted_at"]),
        revoked_at=maybe_when(told["revoked_at"]),
    )


def about(told: Told) -> About:
    return About(
        memory_id=uuid.UUID(told["memory"]) if told.get("memory") else None,
        subject=somebody(told.get("about")),
        origin=told.get("said_in"),
    )


def request(told: Told) -> Request:
    return Request(
        id=uuid.UUID(told["id"]),
        act=Act[told["act"].upper()],
        asked=Asked(
            grantor=read_entity(told["grantor"]),
            about=about(told),
            wish=_wish(told) if told["grantee"] else None,
            target=told["target"],
            words=told["words"],
        ),
        asked_by=told["asked_by"],
        asked_at=when(told["asked_at"]),
    )


def _wish(told: Told) -> Wish:
    return Wish(
        grantee=read_atom(told["grantee"]),
        where=read_atom(told["where"]) if told["where"] else None,
        purpose=told["purpose"],
        reason=told["reason"],
    )


def context_state(told: Told) -> ContextState:
    return ContextState(
        place=Place(id=told["context"], kind=PlaceKind.CONTEXT),
        participants=tuple(
            Participant(
                entity=read_entity(one["entity"]),
                role=one["role"],
                entered_at=maybe_when(one["entered_at"]),
            )
            for one in told["participants"]
        ),
    )
