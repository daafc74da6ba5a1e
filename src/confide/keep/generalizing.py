"""Generalize (K12, K13): an insight that can be shared, from memories that cannot.

It opens on three sources of different people whose accounts their platforms attest, or when everyone
who has a say in its sources agrees by an act of their own. Until then it carries their clauses.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final

from confide.actor import Actor, require, ruling
from confide.declare import Group, Source, Text, verb
from confide.errors import InvalidInput, NotFound, SecretRefused
from confide.keep.insights import Insight, Waiting, insight_memory, people_of, waits_because
from confide.keep.requesting import Asked, Request, leave
from confide.model import Entity, PlaceKind, Sensitivity, clean_text
from confide.privacy.acting import Act, CallerKind, Relation, Verdict
from confide.privacy.atoms import ANYONE, Atom
from confide.privacy.consent import Consent
from confide.providers.wordllama import pieces
from confide.store import consents, memories
from confide.store.consents import About
from confide.store.encoding import read_entity
from confide.store.memory import read_memory
from confide.store.queries import query
from confide.store.relabel import relabel_by_consent

if TYPE_CHECKING:
    from confide.store.connection import Connection
    from confide.store.database import Database
    from confide.store.memory import Memory

ENOUGH: Final = 3
PUBLIC: Final = frozenset({ANYONE})
PROPOSED: Final = "a model proposed it; whoever has a say in its sources has to agree"
FOR_EVERYONE: Final = "it is for everyone, and somebody else has to look at it first"
AGREEMENT: Final = "not everyone who has a say in its sources has agreed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Generalized:
    """What became of an insight. `waits_because` says what a reviewer has to look at."""

    id: uuid.UUID
    is_open: bool  # told to those it is meant for; else only where all its sources could be told
    waits_because: str | None
    independent_sources: int


@dataclass(frozen=True, slots=True)
class _Standing:
    sources: int  # of different people whom their platforms attest
    missing: set[Entity]  # whose yes is missing
    waits: str | None
    is_held: bool  # told to nobody meanwhile; else where all its sources are


class Insights(Group, but=(CallerKind.TOKEN,)):
    """Insights that can be shared, from memories that cannot."""

    # Whoever may try out texts against memories learns their names and words.
    @verb(Act.PROPOSE, "POST /insights", status=201, once=True, alone=True)
    async def generalize(
        self,
        sources: Sequence[uuid.UUID],
        text: Text,
        *,
        actor: Actor,
        grants: frozenset[Atom] = PUBLIC,
        note: str | None = None,
        is_proposed: Annotated[bool, Source.HERE] = False,
    ) -> Generalized:
        """Keep an insight made from one's own memories. A text that names somebody is refused.

        What is only proposed, by a model, waits for a reviewer whatever it says.
        """
        insight, database = clean_text(text), self.database
        said = clean_text(note, "note") if note else "made from private memories"
        # Names and places in five languages take a moment to load; nothing else needs them.
        from confide.screen.generalize import check_insight

        seen = await self.screen.look_aside(insight)
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
            is_plain = seen.sensitivity is Sensitivity.PUBLIC and seen.instruction is None
            doubts = waits_because(checked.kinds, is_plain=is_plain)
            is_proposed = is_proposed or not _may_open(actor)
            stands = await self._standing(connection, kept, actor, grants, is_proposed=is_proposed)
            waits = doubts or stands.waits
            insight_made = Insight(
                insight, grants, actor.entity, is_held=bool(doubts) or stands.is_held
            )
            made = insight_memory(insight_made, kept, database.agent_entity, self.clock(), waits)
            await self._store(connection, made, kept, grants, said, actor, vector, waits)
            await self._ask_for(connection, made.id, stands.missing, actor)
            return Generalized(
                id=made.id,
                is_open=waits is None,
                waits_because=waits,
                independent_sources=stands.sources,
            )

    async def _standing(
        self,
        connection: Connection,
        kept: Sequence[Memory],
        actor: Actor,
        grants: frozenset[Atom],
        *,
        is_proposed: bool,
    ) -> _Standing:
        """Who stands for an insight, and whose yes is missing."""
        from confide.screen.generalize import independent

        attested = await _attested(connection, self.database, kept)
        count = independent([people_of(one) for one in kept if one.speaker in attested])
        missing = _say_in(kept, self.database.agent_entity) if count < ENOUGH else set[Entity]()
        if not is_proposed and actor.entity is not None:
            missing.discard(actor.entity)
        if is_proposed:
            return _Standing(count, missing, PROPOSED, is_held=True)
        if missing:
            return _Standing(count, missing, AGREEMENT, is_held=False)
        is_unseen = count < ENOUGH and self._is_unseen(grants, actor)
        return _Standing(count, missing, FOR_EVERYONE if is_unseen else None, is_held=is_unseen)

    def _is_unseen(self, grants: frozenset[Atom], actor: Actor) -> bool:
        """What is for everyone waits for somebody's look, as any such memory does."""
        may_tell = ruling(Act.BROADCAST, actor, Relation.OWNER).verdict is Verdict.YES
        return ANYONE in grants and self.settings.broadcast == "review" and not may_tell

    @verb(Act.REFUSE_INSIGHT, "GET /insights", only=(CallerKind.ADMIN,), answers="insights")
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

    @verb(
        Act.REFUSE_INSIGHT, "POST /insights/{memory_id}/reject", only=(CallerKind.ADMIN,), once=True
    )
    async def reject(self, memory_id: uuid.UUID, *, actor: Actor) -> None:
        """Keep an insight from everybody. Letting one go needs somebody who can read it."""
        await self.review(memory_id, approves=False, actor=actor)

    async def review(self, memory_id: uuid.UUID, *, approves: bool, actor: Actor) -> None:
        """Somebody looked at it. It goes to those it is meant for once nobody's yes is missing.

        An admin key reads no words: it may keep one back, and let none go.
        """
        is_reviewer = actor.entity in self.settings.reviewing
        relation = Relation.REVIEWER if is_reviewer else Relation.NONE
        require(Act.OPEN_INSIGHT if approves else Act.REFUSE_INSIGHT, actor, relation)
        database, now = self.database, self.clock()
        async with database.keep(by=actor, doing="review", at=now) as connection:
            agent = database.agent
            opens = approves and not await self._missing(connection, memory_id, None)
            done = await connection.fetchrow(
                query("generalize", "review"), agent, memory_id, str(actor), now, opens
            )
            if done is None:
                raise NotFound("there is no such generalization")
            if not approves:
                await connection.execute(query("generalize", "refuse"), agent, memory_id, now)
            elif opens:
                await connection.execute(query("generalize", "release"), agent, memory_id, now)
            else:
                await connection.execute(
                    query("generalize", "looked_at"), agent, memory_id, now, AGREEMENT
                )
            await relabel_by_consent(connection, database, [memory_id], now)

    async def agreed(self, request: Request, actor: Actor) -> None:
        """Somebody who has a say in its sources agrees. The last of them lets it go."""
        memory_id, database, now = request.about.memory_id, self.database, self.clock()
        assert memory_id is not None, "an insight is a memory"
        async with database.keep(by=actor, doing="agree", at=now) as connection:
            if await self._missing(connection, memory_id, request.id):
                return
            done = await connection.execute(
                query("generalize", "open"), database.agent, memory_id, PROPOSED
            )
            if done == "UPDATE 0":
                return  # a reviewer has to look at it, too
            await connection.execute(query("generalize", "release"), database.agent, memory_id, now)
            await relabel_by_consent(connection, database, [memory_id], now)

    async def _missing(
        self, connection: Connection, memory_id: uuid.UUID, but: uuid.UUID | None
    ) -> bool:
        return await connection.fetchval(
            query("generalize", "is_missing_agreement"), self.database.agent, memory_id, but
        )

    async def _ask_for(
        self,
        connection: Connection,
        memory_id: uuid.UUID,
        of: set[Entity],
        actor: Actor,
    ) -> None:
        about, now = About(memory_id=memory_id), self.clock()
        for who in sorted(of):
            asked = Asked(grantor=who, about=about)
            await leave(connection, self.database, Act.OPEN_INSIGHT, asked, actor, now)

    @verb(Act.READ_OWN, "GET /insights/{memory_id}/sources", answers="sources")
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
    if any(one.origin.is_in_confidence for one in kept):
        raise InvalidInput("sources", "one of them was said in confidence; leave it out")
    return kept


def _may_open(actor: Actor) -> bool:
    """Whether it is a person's own act."""
    return ruling(Act.OPEN_INSIGHT, actor, Relation.OWNER).verdict is Verdict.YES


def _say_in(kept: Sequence[Memory], agent: Entity) -> set[Entity]:
    return {clause.owner for one in kept for clause in one.label.clauses} - {agent}


async def _attested(
    connection: Connection, database: Database, kept: Sequence[Memory]
) -> set[Entity | None]:
    """Who of those who said them has an account that a platform attests, each person once. What came
    through a connection may be a model's words."""
    speakers = {
        str(one.speaker)
        for one in kept
        if one.speaker is not None
        and not (one.origin.place and one.origin.place.kind is PlaceKind.CONNECTION)
    }
    rows = await connection.fetch(query("generalize", "attested"), database.agent, sorted(speakers))
    return {read_entity(row["entity"]) for row in rows}


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
