"""Step 4 of remembering: place, label and memory go into the database in one transaction."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from confide.model import Entity, Place, Status, type_of
from confide.privacy.consent import Consent
from confide.privacy.labels import Origin
from confide.privacy.places import MEANING, Readers
from confide.privacy.policy import Label
from confide.remember.labelling import (
    consents_in,
    label_with_consents,
    origin_of,
    require_consents,
)
from confide.remember.screening import Screened
from confide.remember.statement import Statement
from confide.store import consents, memories, places
from confide.store.attesting import attest_place, join_place
from confide.store.connection import Connection
from confide.store.memory import Memory

if TYPE_CHECKING:
    from confide.config import Settings
    from confide.providers.embedder import Vector
    from confide.store.database import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """What became of a statement. `waits_because` says why it is not told yet."""

    id: uuid.UUID
    status: Status
    waits_because: str | None
    is_new: bool
    memory: Memory


async def keep_statement(
    database: Database,
    settings: Settings,
    statement: Statement,
    screened: Screened,
    vector: tuple[str, Vector],
    now: datetime,
) -> Remembered:
    async with database.keep() as connection:
        agent, me = database.agent, database.agent_entity
        attested, parent = await attest_place(connection, database, statement.place, now)
        there = _there(statement, me, attested.place)
        epoch = await join_place(connection, database, attested, there, now)
        present = there | await places.members(connection, agent, attested.place.id)
        origin = origin_of(
            statement,
            screened,
            agent=me,
            place=attested.place,
            parent=parent,
            epoch=epoch,
            present=present,
        )
        agreed = consents_in(statement, now, timedelta(days=settings.consent_days))
        made = await _label(connection, agent, origin, agreed)
        ends = statement.lifetime or settings.lifetime(screened.kind)
        memory = Memory(
            id=uuid.uuid4(),
            text=screened.text,
            owner=origin.owner or me,
            origin=origin,
            label=made,
            type=type_of(screened.kind),
            trust=screened.trust,
            status=screened.status,
            confidence=statement.confidence,
            said_at=statement.said_at or now,
            created_at=now,
            updated_at=now,
            reinforced_at=now,
            expires_at=now + ends if ends else None,
            waits_because=screened.waits_because,
            attribute=screened.attribute,
        )
        stored = await memories.add(connection, agent, memory)
        if stored.is_new:
            await memories.add_embedding(connection, agent, stored.id, *vector)
            for consent in agreed:
                await consents.add(connection, agent, _given(consent, stored.id, now))
        await places.use_epoch(connection, agent, attested.place)
    return Remembered(
        id=stored.id,
        status=stored.status,
        waits_because=stored.waits_because,
        is_new=stored.is_new,
        memory=memory,
    )


async def _label(
    connection: Connection, agent: str, origin: Origin, agreed: list[Consent]
) -> Label:
    """With what was agreed now and what was agreed before about such memories."""
    concerned = origin.subjects | ({origin.speaker} if origin.speaker else set())
    place = origin.place.id if origin.place else None
    before = await consents.standing(connection, agent, concerned, place)
    in_force = [*agreed, *before]
    guardians = await consents.guardians(connection, agent) if in_force else {}
    require_consents(origin, in_force, guardians)
    return label_with_consents(origin, in_force, guardians)


def _given(consent: Consent, memory_id: uuid.UUID, now: datetime) -> consents.Given:
    about = consents.About(memory_id=memory_id)
    return consents.Given(
        id=uuid.uuid4(), about=about, consent=consent, reason=None, given_by=None, granted_at=now
    )


def _there(statement: Statement, agent: Entity, place: Place) -> frozenset[Entity]:
    """Speaking in a place makes one known to be in it."""
    speaking = (
        {statement.by} if MEANING[place.kind].readers is not Readers.NOBODY else set[Entity]()
    )
    return (statement.present | speaking) - {agent}
