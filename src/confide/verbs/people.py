"""People (A5, A6): what they are called, what proves who they are, and which identities are one.

An alias belongs to whoever uses it and opens nothing. Two identities become one only when both
have confirmed it; each can end that again.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final

from confide.actor import Actor, in_person, require, ruling
from confide.declare import Alone, Attester, Group, Note, Source, Vouched, verb
from confide.egress import require_known
from confide.errors import InvalidInput, NotAllowed, NotFound
from confide.keep import guarding
from confide.keep.consenting import require_voice
from confide.keep.requesting import Asked, allow
from confide.model import COLLECTIVE, Account, Entity, clean_text, is_someone
from confide.privacy.acting import Act, CallerKind, Relation, Verdict
from confide.recall.audience import only_seen_by
from confide.store import memories
from confide.store import people as store
from confide.store.attesting import hide_from_named
from confide.store.colliding import tried_again
from confide.store.encoding import read_entity
from confide.store.people import (
    Alias,
    Known,
    Relationship,
    accounts,
    acquaintances,
    aliases,
    known_people,
    relationships,
)
from confide.store.queries import query

if TYPE_CHECKING:
    from confide.store.connection import Connection
    from confide.store.database import Database

NO_SUCH_MERGE: Final = "there is no such merge"
#: They know who is behind which account.


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge:
    """Two identities that may be one person, and who of them has said so."""

    id: uuid.UUID
    one: Entity
    other: Entity
    evidence: str
    proposed_by: str
    confirmed_by: frozenset[Entity]
    is_confirmed: bool  # by both


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """What one asker may know of somebody."""

    entity: Entity
    name: str | None
    aliases: tuple[str, ...]  # the asker's own names for them
    relationships: tuple[Relationship, ...]
    accounts: tuple[Account, ...]  # shown to the person themselves


class People(Group, but=(CallerKind.TOKEN,)):
    """Changing a record: the creator their own words for somebody, the person their own record."""

    @verb(Act.NAME, "PUT /people/{entity}/name", once=True)
    @tried_again
    async def name(self, entity: Vouched, name: str) -> None:
        """What somebody is called from now on, as their platform or they themselves say. A name is
        shown, and proves nothing."""
        shown, now = clean_text(name, "name")[:128], self.clock()
        async with self.database.keep(by="platform", doing="name", at=now) as connection:
            await store.name(connection, self.database.agent, entity, shown, now)
            await hide_from_named(connection, self.database, entity, now)

    @verb(Act.REMEMBER, "PUT /people/{entity}/aliases", once=True)
    async def alias(self, entity: Entity, alias: str, *, actor: Actor) -> None:
        """What one calls somebody. Nobody else is understood by it, and it opens nothing."""
        speaker = _somebody(actor)
        name = written_alias(alias)
        async with self.database.keep(by=actor, doing="alias", at=self.clock()) as connection:
            await connection.execute(
                query("people", "add_alias"),
                self.database.agent, str(speaker), name, str(entity), self.clock(),
            )  # fmt: skip

    async def unalias(self, who: Entity, called: str, *, actor: Actor) -> None:
        speaker = _somebody(actor)
        async with self.database.keep(by=actor, doing="alias", at=self.clock()) as connection:
            done = await connection.execute(
                query("people", "remove_alias"),
                self.database.agent, str(speaker), written_alias(called), str(who),
            )  # fmt: skip
        if done == "DELETE 0":
            raise NotFound("there is no such alias of yours")

    async def aliases(self, speaker: Entity) -> list[Alias]:
        """What `speaker` calls people."""
        async with self.database.keep() as connection:
            return await aliases(connection, self.database.agent, speaker=speaker)

    @verb(Act.ATTEST, "PUT /people/{entity}/accounts", once=True)
    async def prove(self, entity: Vouched, account: Account, *, actor: Attester) -> None:
        """The platform, or the operator for it, vouches that one of its accounts is somebody."""
        require(Act.ATTEST, actor, in_person(actor))
        name, id = account
        async with self.database.keep(
            by=actor, doing="prove account", at=self.clock()
        ) as connection:
            agent = self.database.agent
            await connection.execute(
                query("people", "add_account"),
                agent, name, id, str(entity), str(actor), self.clock(),
            )  # fmt: skip
            known = await connection.fetchval(query("people", "account"), agent, name, id)
        if known != str(entity):
            raise InvalidInput("account", f"{account} is somebody else's; propose a merge")

    @verb(Act.REMEMBER, "POST /people/{entity}/relationships", once=True)
    async def relate(
        self,
        entity: Entity,
        relation: str,
        other: Entity,
        memory: Annotated[uuid.UUID, Note("One's own memory that says so.")],
        *,
        actor: Actor,
    ) -> None:
        """How two belong together, as one's own memory says it."""
        await require_known(self.database, actor, [memory], self.clock())
        said = clean_text(relation, "relation")[:64]
        speaker = _somebody(actor)
        async with self.database.keep(by=actor, doing="relate", at=self.clock()) as connection:
            agent = self.database.agent
            found = await memories.kept(connection, agent, memory, self.database.agent_entity)
            if found is None or speaker not in (found.owner, found.speaker):
                raise NotFound("there is no such memory")
            await connection.execute(
                query("people", "add_relationship"),
                agent, str(entity), said, str(other), memory, str(speaker), self.clock(),
            )  # fmt: skip

    @verb(Act.READ_OWN, "GET /people", answers="people")
    async def known(self, asker: Alone) -> list[Known]:
        """Those whom somebody knows of by the memories they may hear."""
        async with self.database.tell(only_seen_by(asker), self.clock()) as telling:
            found = await known_people(telling)
        async with self.database.keep() as connection:
            own = await acquaintances(
                connection,
                self.database.agent,
                speaker=asker,
                entities=[one.entity for one in found if one.entity and is_someone(one.entity)],
            )
        known = [one for one in found if one.entity and not is_someone(one.entity)]
        return known + [Known(None, one.called, one.relation) for one in own.values()]

    @verb(Act.READ_OWN, "GET /people/{entity}")
    async def show(self, entity: Entity, *, asker: Alone) -> Person:
        """What somebody may know of a person: through memories they hear, and their own words."""
        agent = self.database.agent
        async with self.database.tell(only_seen_by(asker), self.clock()) as telling:
            found = await known_people(telling, entity)
            related = await relationships(telling, entity)
        async with self.database.keep() as connection:
            called = await aliases(connection, agent, speaker=asker, entity=entity)
            own = asker == entity
            proofs = await accounts(connection, agent, entity) if own else []
        if not (found or called or own):
            raise NotFound("there is no such person")
        return Person(
            entity=entity,
            name=found[0].name if found else None,
            aliases=tuple(one.alias for one in called),
            relationships=tuple(
                one for one in related if not (is_someone(one.entity) or is_someone(one.other))
            ),
            accounts=tuple(Account(*one) for one in proofs),
        )

    @verb(Act.APPOINT_GUARDIAN, "PUT /people/{entity}/guardian", once=True)
    async def appoint_guardian(
        self, entity: Vouched, guardian: Vouched, *, actor: Attester
    ) -> None:
        """Say who confirms for a child."""
        await guarding.register_guardian(self.database, entity, guardian, actor, self.clock())

    @verb(Act.APPOINT_GUARDIAN, "DELETE /people/{entity}/guardian", once=True)
    async def end_guardian(self, entity: Vouched, guardian: Vouched, *, actor: Attester) -> None:
        """They confirm no longer. What they confirmed stays until it is withdrawn or ends."""
        await guarding.end_guardian(self.database, entity, guardian, actor)

    @verb(Act.PROPOSE, "POST /merges", status=201)
    async def propose_merge(
        self, one: Entity, other: Entity, because: str, *, actor: Actor
    ) -> Merge:
        """Say that two identities may be one person. It counts when both have confirmed it."""
        theirs = Relation.OWNER if actor.entity in (one, other) else Relation.NONE
        if ruling(Act.PROPOSE, actor, theirs).verdict is not Verdict.YES:
            # That it was proposed before would tell a third who is behind which account.
            raise NotAllowed("one of the two proposes it")
        for who in (one, other):
            if who.namespace in (*COLLECTIVE, "ctx") or who == self.database.agent_entity:
                raise InvalidInput("people", f"{who} is nobody who can have two accounts")
        if one == other:
            raise InvalidInput("people", "that is one identity already")
        why = clean_text(because, "because")[:1024]
        id, agent = uuid.uuid4(), self.database.agent
        async with self.database.keep(
            by=actor, doing="merge people", at=self.clock()
        ) as connection:
            done = await connection.execute(
                query("people", "propose_merge"),
                agent, id, str(one), str(other), why, str(actor), self.clock(),
            )  # fmt: skip
            if done == "INSERT 0 0":
                raise InvalidInput("people", "that is proposed already; confirm it or split it")
            return await _merge(connection, agent, id)

    @verb(Act.CONFIRM_MERGE, "POST /merges/{merge}/confirm", alone=True)
    async def confirm_merge(self, merge: uuid.UUID, *, actor: Actor) -> Merge:
        """One of the two says it is so, each for itself; a child's guardian for the child."""
        agent = self.database.agent
        async with self.database.keep() as connection:
            found = await _merge(connection, agent, merge)
            speaking = await _speaks_for(connection, self.database, found, actor)
        if not speaking:
            raise NotFound(NO_SUCH_MERGE)
        relation = Relation.OWNER if actor.entity in speaking else Relation.GUARDIAN
        asked = Asked(grantor=next(iter(speaking)), target=str(merge))
        await allow(
            self.database, Act.CONFIRM_MERGE, actor, relation, asked, self.clock()
        )  # fmt: skip
        async with self.database.keep(
            by=actor, doing="merge people", at=self.clock()
        ) as connection:
            found = await _merge(connection, agent, merge)
            for who in speaking:
                row = await connection.fetchrow(
                    query("people", "confirm_merge"), agent, merge, str(who), self.clock()
                )
                if row["is_confirmed"]:
                    await connection.execute(
                        query("people", "make_one"), agent, merge, row["one"], row["other"]
                    )
            return await _merge(connection, agent, merge)

    @verb(Act.SPLIT, "DELETE /merges/{merge}", once=True, alone=True)
    async def split(self, merge: uuid.UUID, *, actor: Actor) -> None:
        """It is not so: said by either of the two, a guardian, or the operator."""
        agent = self.database.agent
        async with self.database.keep(
            by=actor, doing="split people", at=self.clock()
        ) as connection:
            found = await _merge(connection, agent, merge)
            if actor.entity is None:
                require(Act.SPLIT, actor, Relation.NONE)
            elif actor.entity not in (found.one, found.other) and not await _speaks_for(
                connection, self.database, found, actor
            ):
                raise NotFound(NO_SUCH_MERGE)
            await connection.execute(query("people", "make_two"), agent, merge)
            await connection.execute(
                query("people", "end_merge"), agent, merge, self.clock(), str(actor)
            )

    @verb(Act.READ_OWN, "GET /merges", answers="merges")
    async def merges(self, who: Annotated[Entity | None, Source.ALONE] = None) -> list[Merge]:
        """Proposals and merges that concern somebody; all of them for the operator."""
        async with self.database.keep() as connection:
            rows = await connection.fetch(
                query("people", "merges"), self.database.agent, str(who) if who else None
            )
        return [_read(row) for row in rows]


def written_alias(called: str) -> str:
    """One spelling of a name, however it was typed."""
    return " ".join(clean_text(called, "alias").casefold().split())[:128]


def _somebody(actor: Actor) -> Entity:
    if actor.entity is None:
        raise InvalidInput("actor", "this is somebody's own act; say whose")
    return actor.entity


async def _speaks_for(
    connection: Connection, database: Database, merge: Merge, actor: Actor
) -> list[Entity]:
    """Which of the two the actor can confirm for. A guardian of both, for both."""
    spoken: list[Entity] = []
    for who in (merge.one, merge.other):
        try:
            await require_voice(connection, database, actor, who)
        except InvalidInput:
            continue
        spoken.append(who)
    return spoken


async def _merge(connection: Connection, agent: str, id: uuid.UUID) -> Merge:
    row = await connection.fetchrow(query("people", "merge"), agent, id)
    if row is None:
        raise NotFound(NO_SUCH_MERGE)
    return _read(row)


def _read(row: Mapping[str, Any]) -> Merge:
    said = {"one": row["one_confirmed_at"], "other": row["other_confirmed_at"]}
    confirmed = frozenset(read_entity(row[which]) for which, at in said.items() if at)
    return Merge(
        id=row["id"],
        one=read_entity(row["one"]),
        other=read_entity(row["other"]),
        evidence=row["evidence"],
        proposed_by=row["proposed_by"],
        confirmed_by=confirmed,
        is_confirmed=len(confirmed) == 2,
    )
