"""Consent as an act: given by who owns the clauses or confirms for them, withdrawn at once."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from confide.actor import Actor
from confide.errors import InvalidInput, NotFound
from confide.keep.requesting import Asked, Wish, allow
from confide.model import Entity
from confide.privacy.acting import Act, Relation
from confide.privacy.atoms import Atom
from confide.privacy.consent import Consent
from confide.store import consents, memories
from confide.store.colliding import tried_again
from confide.store.connection import Connection
from confide.store.consents import About, Given
from confide.store.encoding import read_entity
from confide.store.queries import query
from confide.store.relabel import relabel_by_consent

if TYPE_CHECKING:
    from confide.store.database import Database

NO_SUCH_CONSENT = "there is no such consent"


@dataclass(frozen=True, slots=True)
class Effect:
    """What an act of consent did: the consent, and how many memories that its grantor knows of it
    touches."""

    consent_id: uuid.UUID
    memories: int


@dataclass(frozen=True, slots=True)
class Touched:
    """The same for the store: which memories were labelled again. Nobody is told that."""

    consent_id: uuid.UUID
    grantor: Entity
    memory_ids: tuple[uuid.UUID, ...]


@tried_again
async def give(
    database: Database,
    consent: Consent,
    about: About,
    actor: Actor,
    now: datetime,
    reason: str | None = None,
) -> Touched:
    """Record a consent and let it take effect, in one transaction. A key only asks for it."""
    async with database.keep() as connection:
        relation = await require_voice(connection, database, actor, consent.grantor)
        if about.memory_id is not None:
            await _require_say(connection, database, about.memory_id, consent.grantor)
    wish = Wish(
        grantee=consent.grantee, where=consent.where, purpose=consent.purpose, reason=reason
    )
    asked = Asked(grantor=consent.grantor, about=about, wish=wish)
    await allow(database, Act.CONSENT, actor, relation, asked, now)
    async with database.keep(by=actor, doing="consent", at=now) as connection:
        return await give_within(connection, database, consent, about, actor, now, reason)


async def give_within(
    connection: Connection,
    database: Database,
    consent: Consent,
    about: About,
    actor: Actor,
    now: datetime,
    reason: str | None,
) -> Touched:
    await require_voice(connection, database, actor, consent.grantor)
    if about.memory_id is not None:
        await _require_say(connection, database, about.memory_id, consent.grantor)
    given = Given(
        id=uuid.uuid4(),
        about=about,
        consent=consent,
        reason=reason,
        given_by=None if actor.entity == consent.grantor else actor.entity,
        granted_at=now,
    )
    await consents.add(connection, database.agent, given)
    ids = await apply_consent(connection, database, given.id, now)
    return Touched(given.id, consent.grantor, ids)


@tried_again
async def withdraw(
    database: Database, consent_id: uuid.UUID, actor: Actor, now: datetime
) -> Touched:
    """It was never there: every memory it touched is labelled again."""
    async with database.keep(by=actor, doing="withdraw", at=now) as connection:
        row = await connection.fetchrow(query("consents", "one"), database.agent, consent_id)
        if row is None or str(actor.entity) not in (row["grantor"], row["given_by"]):
            raise NotFound(NO_SUCH_CONSENT)
        await connection.execute(query("consents", "revoke"), database.agent, consent_id, now)
        ids = await apply_consent(connection, database, consent_id, now)
        return Touched(consent_id, read_entity(row["grantor"]), ids)


async def unshare(
    database: Database, memory_id: uuid.UUID, grantee: Atom, actor: Actor, now: datetime
) -> Sequence[Touched]:
    """Withdraw every consent by which the actor shared this memory with `grantee`."""
    async with database.keep() as connection:
        rows = await connection.fetch(
            query("consents", "shares"), database.agent, memory_id, str(actor.entity), str(grantee)
        )
    if not rows:
        raise NotFound(NO_SUCH_CONSENT)
    return [await withdraw(database, row["id"], actor, now) for row in rows]


async def apply_consent(
    connection: Connection, database: Database, consent_id: uuid.UUID, now: datetime
) -> tuple[uuid.UUID, ...]:
    """Label again what a consent is about, where its grantor has a say; which that were."""
    rows = await connection.fetch(query("consents", "touched"), database.agent, consent_id)
    ids = tuple(row["id"] for row in rows)
    await relabel_by_consent(connection, database, ids, now)
    return ids


async def require_voice(
    connection: Connection, database: Database, actor: Actor, grantor: Entity
) -> Relation:
    """Only the grantor or a registered guardian agrees. A child's guardian must."""
    guardians = (await consents.guardians(connection, database.agent)).get(grantor, frozenset())
    if guardians and actor.entity == grantor:
        raise InvalidInput("grantor", "a guardian confirms this; ask them")
    if actor.entity not in (guardians or {grantor}):
        # To strangers the same words for everybody: who is whose child is not theirs to know.
        raise InvalidInput("grantor", "only whom it concerns or their guardian can agree to this")
    return Relation.GUARDIAN if guardians else Relation.OWNER


async def _require_say(
    connection: Connection, database: Database, memory_id: uuid.UUID, grantor: Entity
) -> None:
    """Consent relaxes clauses that its grantor owns; without any it would do nothing."""
    memory = await memories.kept(connection, database.agent, memory_id, database.agent_entity)
    if memory is None or grantor not in {clause.owner for clause in memory.label.clauses}:
        raise NotFound("there is no such memory")
