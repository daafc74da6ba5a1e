"""Consents: what was agreed, on one memory or on all of a place or subject, and who confirms for whom."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from confide.model import Entity
from confide.privacy.atoms import Atom
from confide.privacy.consent import Consent, Guardians
from confide.privacy.labels import Origin
from confide.store.connection import Connection
from confide.store.encoding import read_entity
from confide.store.queries import query


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What a consent is about: one memory, or all that concern a subject or were said in a place."""

    memory_id: uuid.UUID | None = None
    subject: Entity | None = None
    origin: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """A consent as it was recorded (K11)."""

    id: uuid.UUID
    about: About
    consent: Consent
    reason: str | None
    given_by: Entity | None
    granted_at: datetime
    revoked_at: datetime | None = None


async def add(connection: Connection, agent: str, given: Given) -> None:
    c, a = given.consent, given.about
    await connection.execute(
        query("consents", "add"),
        agent, given.id, a.memory_id, _written(a.subject), a.origin, str(c.grantor), str(c.grantee),
        _written(c.where), c.purpose, given.reason, _written(given.given_by), given.granted_at, c.until,
    )  # fmt: skip


async def of_memories(
    connection: Connection, agent: str, ids: Sequence[uuid.UUID]
) -> Mapping[uuid.UUID, list[Consent]]:
    """Those that were not revoked. Expired ones stay in: their terms end by themselves."""
    found: dict[uuid.UUID, list[Consent]] = defaultdict(list)
    for row in await connection.fetch(query("consents", "of_memories"), agent, list(ids)):
        found[row["of_memory"]].append(_read(row))
    return found


async def standing(
    connection: Connection, agent: str, concerned: Iterable[Entity], place: str | None
) -> list[Consent]:
    """What was agreed before about such a memory: its subjects and speaker, its place."""
    names = [str(who) for who in concerned]
    return [
        _read(r) for r in await connection.fetch(query("consents", "standing"), agent, names, place)
    ]


async def guardians(connection: Connection, agent: str) -> Guardians:
    found: dict[Entity, set[Entity]] = defaultdict(set)
    for row in await connection.fetch(query("consents", "guardians"), agent):
        found[read_entity(row["child"])].add(read_entity(row["guardian"]))
    return {child: frozenset(who) for child, who in found.items()}


async def concerns_child(connection: Connection, agent: str, origin: Origin) -> bool:
    """Whether somebody with a guardian owns it, said it, or is who it is about."""
    concerned = {origin.owner, origin.speaker, *origin.subjects} - {None}
    names = sorted(str(who) for who in concerned)
    return await connection.fetchval(query("consents", "any_child"), agent, names)


async def given_by(connection: Connection, agent: str, who: Entity) -> list[Given]:
    rows = await connection.fetch(query("consents", "given"), agent, str(who))
    return [read_given(row) for row in rows]


def read_given(row: Mapping[str, Any]) -> Given:
    return Given(
        id=row["id"],
        about=read_about(row),
        consent=_read(row),
        reason=row["reason"],
        given_by=read_entity(row["given_by"]) if row["given_by"] else None,
        granted_at=row["granted_at"],
        revoked_at=row["revoked_at"],
    )


def read_about(row: Mapping[str, Any]) -> About:
    subject = read_entity(row["subject"]) if row["subject"] else None
    return About(memory_id=row["memory_id"], subject=subject, origin=row["origin"])


def _read(row: Mapping[str, Any]) -> Consent:
    return Consent(
        grantor=read_entity(row["grantor"]),
        grantee=Atom.read(row["grantee"]),
        where=Atom.read(row["place"]) if row["place"] else None,
        until=row["ends_at"],
        purpose=row["purpose"],
    )


def _written(value: object | None) -> str | None:
    return None if value is None else str(value)
