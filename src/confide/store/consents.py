"""Consents on single memories, and the clauses they give in force."""

from __future__ import annotations

import uuid
from datetime import datetime

from confide.privacy.atoms import Atom
from confide.privacy.consent import Consent
from confide.store.connection import Connection
from confide.store.encoding import read_entity
from confide.store.queries import query


async def add(
    connection: Connection, agent: str, memory_id: uuid.UUID, consent: Consent, now: datetime
) -> None:
    await connection.execute(
        query("consents", "add"),
        agent,
        uuid.uuid4(),
        memory_id,
        str(consent.grantor),
        str(consent.grantee),
        str(consent.where) if consent.where else None,
        consent.purpose,
        now,
        consent.until,
    )


async def of_memory(connection: Connection, agent: str, memory_id: uuid.UUID) -> list[Consent]:
    """Those that were not revoked. Expired ones stay in: their terms end by themselves."""
    return [
        Consent(
            grantor=read_entity(row["grantor"]),
            grantee=Atom.read(row["grantee"]),
            where=Atom.read(row["place"]) if row["place"] else None,
            until=row["ends_at"],
            purpose=row["purpose"],
        )
        for row in await connection.fetch(query("consents", "of_memory"), agent, memory_id)
    ]
