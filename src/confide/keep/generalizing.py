"""Generalize (K12, K13): an insight that can be shared, from memories that cannot.

Until three independent sources or a reviewer stand for it, it carries the clauses of its sources.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from confide.actor import Actor
from confide.errors import InvalidInput, NotFound, SecretRefused
from confide.keep.forgetting import is_operator
from confide.keep.insights import Insight, Waiting, insight_memory, people_of, waits_because
from confide.means import Part
from confide.model import Entity, Sensitivity, clean_text
from confide.privacy.acting import CallerKind
from confide.privacy.atoms import ANYONE, Atom
from confide.privacy.consent import Consent
from confide.providers.wordllama import pieces
from confide.store import consents, memories
from confide.store.memory import read_memory
from confide.store.queries import query
from confide.store.relabel import relabel_by_consent

if TYPE_CHECKING:
    from confide.store.connection import Connection
    from confide.store.database import Database
    from confide.store.memory import Memory

ENOUGH: Final = 3
PUBLIC: Final = frozenset({ANYONE})
PROPOSED: Final = "a model proposed it; a reviewer has to agree"


@dataclass(frozen=True, slots=True, kw_only=True)
class Generalized:
    """What became of an insight. `waits_because` says what a reviewer has to look at."""

    id: uuid.UUID
    is_open: bool  # told to those it is meant for; else only where all its sources could be told
    waits_because: str | None
    independent_sources: int


class Insights(Part):
    async def generalize(
        self,
        sources: Sequence[uuid.UUID],
        text: str,
        *,
        actor: Actor,
        grants: frozenset[Atom] = PUBLIC,
        note: str | None = None,
        is_proposed: bool = False,
    ) -> Generalized:
        """Keep an insight made from one's own memories. A text that names somebody is refused.

        What is only proposed, by a model, waits for a reviewer whatever it says.
        """
        insight, database = clean_text(text), self.database
        said = clean_text(note, "note") if note else "made from private memories"
        # Names and places in five languages take a moment to load; nothing else needs them.
        from confide.screen.generalize import check_insight, independent

        seen = self.screen.look(insight)
        if seen.secret is not None:
            raise SecretRefused("text", f"{seen.secret.reason}; credentials are never stored")
        (vector,) = await self.embedder.embed_documents([insight])
        async with database.keep(by=actor, doing="generalize", at=self.clock()) as connection:
            kept = await _own_sources(connection, database, sources, actor)
            names = await _names(connection, database, kept)
            checked = check_insight(
                insight, [one.text for one in kept], names, now=self.clock(), pieces=pieces
            )
            if checked.names:
                raise InvalidInput(
                    "text", "it names somebody its sources concern; say it without the name"
                )
            count = independent([people_of(one) for one in kept])
            is_plain = seen.sensitivity is Sensitivity.PUBLIC and seen.instruction is None
            waits = waits_because(checked.kinds, count, ENOUGH, is_plain=is_plain)
            waits = waits or (PROPOSED if is_proposed else None)
            made = insight_memory(
                Insight(insight, grants, actor.entity, is_held=bool(checked.kinds) or not is_plain),
                kept,
                database.agent_entity,
                self.clock(),
                waits,
            )
            await self._store(connection, made, kept, grants, said, actor, vector, waits)
            return Generalized(
                id=made.id, is_open=waits is None, waits_because=waits, independent_sources=count
            )

    async def waiting(self) -> list[Waiting]:
        """Insights that wait for a reviewer, without their sources."""
        async with self.database.keep() as connection:
            rows = await connection.fetch(query("generalize", "waiting"), self.database.agent)
        return [
            Waiting(
                memory_id=row["memory_id"],
                grants=frozenset(Atom.read(one) for one in row["grants"]),
                note=row["note"],
                proposed_by=row["proposed_by"],
                proposed_at=row["proposed_at"],
                sources=row["sources"],
            )
            for row in rows
        ]

    async def review(self, memory_id: uuid.UUID, *, approves: bool, actor: Actor) -> None:
        """A reviewer lets an insight go to those it is meant for, or keeps it from everybody.

        An admin key reads no words: it may keep one back, and let none go.
        """
        if not is_operator(actor) or (approves and actor.kind is not CallerKind.OPERATOR):
            raise InvalidInput("actor", "only the operator reviews; nobody approves their own")
        database, now = self.database, self.clock()
        async with database.keep(by=actor, doing="review", at=now) as connection:
            agent = database.agent
            done = await connection.fetchrow(
                query("generalize", "review"), agent, memory_id, str(actor), now, approves
            )
            if done is None:
                raise NotFound("there is no such generalization")
            name = "release" if approves else "refuse"
            await connection.execute(query("generalize", name), agent, memory_id, now)
            await relabel_by_consent(connection, database, [memory_id], now)

    async def sources_of(self, memory_id: uuid.UUID, *, actor: Actor) -> list[uuid.UUID]:
        """Where an insight came from, for its owner and for nobody else."""
        database = self.database
        async with database.keep() as connection:
            memory = await memories.kept(
                connection, database.agent, memory_id, database.agent_entity
            )
            rows = await connection.fetch(query("generalize", "sources"), database.agent, memory_id)
        if memory is None or not rows or actor.entity != memory.owner:
            raise NotFound("there is no such generalization")
        return [row["source_id"] for row in rows]

    async def _store(
        self,
        connection: Connection,
        made: Memory,
        kept: Sequence[Memory],
        grants: frozenset[Atom],
        note: str,
        actor: Actor,
        vector: Sequence[float],
        waits: str | None,
    ) -> None:
        agent, now = self.database.agent, self.clock()
        stored = await memories.add(connection, agent, made, vector)
        if not stored.is_new:
            raise InvalidInput("text", "that insight is known already")
        await connection.execute(
            query("generalize", "add"),
            agent, made.id, sorted(map(str, grants)), note, str(actor), now, waits is None,
        )  # fmt: skip
        await connection.execute(
            query("generalize", "add_sources"), agent, made.id, [one.id for one in kept]
        )
        if made.speaker is not None and grants != PUBLIC:
            for grantee in grants:  # whoever shares their own insight agrees to that
                agreed = consents.Given(
                    id=uuid.uuid4(),
                    about=consents.About(memory_id=made.id),
                    consent=Consent(grantor=made.speaker, grantee=grantee),
                    reason="their own insight",
                    given_by=None,
                    granted_at=now,
                )
                await consents.add(connection, agent, agreed)
            await relabel_by_consent(connection, self.database, [made.id], now)


async def _own_sources(
    connection: Connection, database: Database, ids: Sequence[uuid.UUID], actor: Actor
) -> list[Memory]:
    """One's own memories; the agent, alone, may think about all it holds (K18)."""
    wanted = list(dict.fromkeys(ids))
    if not wanted:
        raise InvalidInput("sources", "an insight comes from somewhere; name the memories")
    rows = await connection.fetch(query("memories", "kept_many"), database.agent, wanted)
    kept = [read_memory(row, database.agent_entity) for row in rows]
    is_agent = actor.entity == database.agent_entity
    if len(kept) < len(wanted) or not all(is_agent or actor.entity == one.owner for one in kept):
        raise NotFound("there is no such memory")
    return kept


async def _names(connection: Connection, database: Database, kept: Sequence[Memory]) -> list[str]:
    """What everyone concerned is called: subjects, source and those who were there."""
    people: set[Entity] = set()
    for one in kept:
        people |= people_of(one) | one.origin.present
    people -= {database.agent_entity}
    rows = await connection.fetch(
        query("generalize", "names"), database.agent, sorted(str(who) for who in people)
    )
    return [who.id for who in sorted(people)] + [row["name"] for row in rows]
