"""Stacks (K8, K9): what one agent gives another keeps every clause it came with, and ends."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from confide.actor import Actor
from confide.errors import InvalidInput
from confide.keep.alone import alone
from confide.keep.bundles import Bundle, Entry, read_bundle, signing_key, write_bundle
from confide.means import Part
from confide.model import Entity, Scope, Status, Trust, type_of
from confide.privacy.disclosure import disclose
from confide.privacy.labels import Origin, label
from confide.privacy.policy import World, decide
from confide.store import ledger, memories
from confide.store.memory import Memory, read_memory
from confide.store.opting import opted_out
from confide.store.queries import query

if TYPE_CHECKING:
    from confide.providers.embedder import Vector
    from confide.store.connection import Connection

LASTS: Final = timedelta(days=7)
MOST: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """What came of a stack: kept, and left out because it may not be held here."""

    maker: Entity
    serial: int
    kept: int
    left_out: int
    ends_at: datetime


class Stacks(Part):
    """What this agent gives another, and takes from it."""

    async def export(
        self, to: Entity, *, actor: Actor, lasts: timedelta = LASTS
    ) -> tuple[str, Bundle]:
        """All that `to` may hear of this agent's memories, signed, for as long as `lasts`."""

        me, now = self.database.agent_entity, self.clock()
        if actor.entity not in (None, me):
            raise InvalidInput("actor", "only the agent or its operator gives a stack away")
        if to.namespace != "si" or to == me:
            raise InvalidInput("to", f"{to} is no other agent; for example si:tutor_b")
        async with self.database.tell(alone(to), now) as telling:
            rows = await telling.connection.fetch(query("stacks", "told"), MOST)
            found = [read_memory(row, me) for row in rows]
        told = disclose(found, telling.audience, telling.world).told
        async with self.database.keep(by=actor, doing="export stack", at=now) as connection:
            serial = await connection.fetchval(
                query("stacks", "next_serial"), self.database.agent, str(to), now
            )
        bundle = Bundle(
            maker=me,
            to=to,
            serial=serial,
            made_at=now,
            ends_at=now + lasts,
            belongs=telling.world.belongs.get(to, frozenset()),
            entries=tuple(_entry(memory) for memory in told),
        )
        return write_bundle(bundle, signing_key(self.settings.home)), bundle

    async def load(self, written: str, *, actor: Actor) -> Loaded:
        """Keep what another agent gave this one; it replaces what that agent gave before."""
        me, now = self.database.agent_entity, self.clock()
        if actor.entity not in (None, me):
            raise InvalidInput("actor", "only the agent or its operator takes a stack")
        bundle = read_bundle(written, signing_key(self.settings.home))
        if bundle.to != me:
            raise InvalidInput("stack", f"it was made for {bundle.to}")
        if bundle.ends_at <= now:
            raise InvalidInput("stack", "it has expired; ask for a new one")
        taken = [one for entry in bundle.entries if (one := self._received(entry, bundle, now))]
        vectors = await self.embedder.embed_documents([one.text for one in taken])
        async with self.database.keep(by=actor, doing="load stack", at=now) as connection:
            agent, peer = self.database.agent, str(bundle.maker)
            serial = await connection.fetchval(
                query("stacks", "take_serial"), agent, peer, bundle.serial, now
            )
            if serial is None:
                raise InvalidInput("stack", "it, or a newer one, was taken already")
            await connection.execute(query("stacks", "drop"), agent, peer)
            kept = 0
            for memory, vector in zip(taken, vectors, strict=True):
                kept += await self._keep(connection, memory, vector, peer)
        return Loaded(
            maker=bundle.maker,
            serial=bundle.serial,
            kept=kept,
            left_out=len(bundle.entries) - kept,
            ends_at=bundle.ends_at,
        )

    def _received(self, entry: Entry, bundle: Bundle, now: datetime) -> Memory | None:
        """Only what the receiver was granted, for as long as that holds."""
        seen = self.screen.look(entry.text, given=entry.sensitivity)
        ends_at = _granted_until(entry, bundle, now)
        if seen.secret is not None or ends_at is None:
            return None
        me = self.database.agent_entity
        origin = Origin(
            agent=me,
            scope=Scope.SELF_ONLY,
            owner=me,
            speaker=bundle.maker,
            place=None,
            subjects=entry.subjects,
            sensitivity=seen.sensitivity,
            kind=entry.kind,
            inherited=entry.label.clauses,
        )
        waits = "it reads like an instruction" if seen.instruction else None
        return Memory(
            id=uuid.uuid4(),
            text=entry.text,
            owner=me,
            origin=origin,
            label=label(origin),
            type=type_of(entry.kind),
            trust=Trust.UNTRUSTED if waits else Trust.HEARSAY,
            status=Status.PENDING if waits else Status.APPROVED,
            confidence=entry.confidence,
            said_at=entry.said_at,
            created_at=now,
            updated_at=now,
            reinforced_at=now,
            expires_at=ends_at,
            waits_because=waits,
        )

    async def _keep(
        self, connection: Connection, memory: Memory, vector: Vector, peer: str
    ) -> bool:
        agent = self.database.agent
        concerned = memory.subjects | {c.owner for c in memory.label.clauses}
        if await opted_out(connection, agent, concerned):
            return False
        keys = await ledger.keys_in_use(connection, agent)
        facts = [(str(who), memory.text) for who in concerned]
        if await ledger.is_suppressed(connection, agent, keys, facts):
            return False  # it was forgotten here, whoever brings it again
        stored = await memories.add(connection, agent, memory, vector)
        if stored.is_new:
            await connection.execute(query("stacks", "add"), agent, memory.id, peer)
        return stored.is_new


def _entry(memory: Memory) -> Entry:
    return Entry(
        text=memory.text,
        kind=memory.kind,
        sensitivity=memory.sensitivity,
        subjects=memory.subjects,
        said_at=memory.said_at,
        ends_at=memory.expires_at,
        confidence=memory.confidence,
        label=memory.label,
    )


def _granted_until(entry: Entry, bundle: Bundle, now: datetime) -> datetime | None:
    """When the first consent ends without which the receiver would not hear it."""
    latest = min(bundle.ends_at, entry.ends_at or bundle.ends_at)
    world = World(agent=bundle.maker, now=now, belongs={bundle.to: bundle.belongs})
    ends = {term.until for clause in entry.label.clauses for term in clause.terms if term.until}
    for moment in [now, *sorted(end for end in ends if now < end < latest)]:
        if not decide(entry.label, alone(bundle.to), replace(world, now=moment)).told:
            return moment if moment > now else None
    return latest if latest > now else None
