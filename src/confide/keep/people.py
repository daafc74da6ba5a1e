"""People (A5, A6): what they are called, what proves who they are, and which identities are one.

An alias belongs to whoever uses it and opens nothing. Two identities become one only when both
have confirmed it; each can end that again.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from confide.actor import Actor
from confide.errors import InvalidInput, NotFound
from confide.keep.consenting import require_voice
from confide.means import Part
from confide.model import COLLECTIVE, Entity, Place, PlaceKind, clean_id, clean_text
from confide.privacy.acting import CallerKind
from confide.privacy.policy import Audience
from confide.store import memories
from confide.store.encoding import read_entity
from confide.store.people import (
    Alias,
    Known,
    Relationship,
    accounts,
    aliases,
    known_people,
    relationships,
)
from confide.store.queries import query

if TYPE_CHECKING:
    from confide.store.connection import Connection
    from confide.store.database import Database

NO_SUCH_MERGE = "there is no such proposal"


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge:
    """Two identities that may be one person, and who of them has said so."""

    id: uuid.UUID
    one: Entity
    other: Entity
    evidence: str
    proposed_by: str
    confirmed_by: frozenset[Entity]

    @property
    def is_confirmed(self) -> bool:
        return self.confirmed_by == {self.one, self.other}


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """What one asker may know of somebody."""

    entity: Entity
    display_name: str | None
    aliases: tuple[str, ...]  # the asker's own names for them
    relationships: tuple[Relationship, ...]
    accounts: tuple[tuple[str, str], ...]  # shown to the person themselves


class People(Part):
    """Changing a record: the creator their own words for somebody, the person their own record."""

    async def alias(self, who: Entity, called: str, *, actor: Actor) -> None:
        """What the actor calls `who`. Nobody else is understood by it."""
        speaker = _somebody(actor)
        name = written_alias(called)
        async with self.database.keep(by=actor, doing="alias", at=self.clock()) as connection:
            await connection.execute(
                query("people", "add_alias"),
                self.database.agent, str(speaker), name, str(who), self.clock(),
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

    async def prove(self, who: Entity, platform: str, account: str, *, actor: Actor) -> None:
        """A platform, or the operator for it, vouches that an account is `who`."""
        if actor.kind is CallerKind.PERSONAL or (
            actor.kind is CallerKind.OPERATOR and actor.entity
        ):
            raise InvalidInput("actor", "only a platform or the operator vouches for an account")
        name, id = clean_id(platform, "account"), clean_id(account, "account")
        async with self.database.keep(
            by=actor, doing="prove account", at=self.clock()
        ) as connection:
            agent = self.database.agent
            await connection.execute(
                query("people", "add_account"),
                agent, name, id, str(who), str(actor), self.clock(),
            )  # fmt: skip
            known = await connection.fetchval(query("people", "account"), agent, name, id)
        if known != str(who):
            raise InvalidInput("account", f"{name}:{id} is somebody else's; propose a merge")

    async def relate(
        self, who: Entity, relation: str, other: Entity, memory_id: uuid.UUID, *, actor: Actor
    ) -> None:
        """How two belong together, as one of the actor's own memories says it."""
        said = clean_text(relation, "relation")[:64]
        speaker = _somebody(actor)
        async with self.database.keep(by=actor, doing="relate", at=self.clock()) as connection:
            agent = self.database.agent
            memory = await memories.kept(connection, agent, memory_id, self.database.agent_entity)
            if memory is None or speaker not in (memory.owner, memory.speaker):
                raise NotFound("there is no such memory")
            await connection.execute(
                query("people", "add_relationship"),
                agent, str(who), said, str(other), memory_id, str(speaker), self.clock(),
            )  # fmt: skip

    async def known(self, asker: Entity) -> list[Known]:
        """Those whom `asker` knows of by the memories they may hear, alone."""
        async with self.database.tell(alone(asker), self.clock()) as telling:
            return await known_people(telling)

    async def show(self, who: Entity, *, asker: Entity) -> Person:
        """What `asker` may know of somebody: through memories they hear, and their own words."""
        agent = self.database.agent
        async with self.database.tell(alone(asker), self.clock()) as telling:
            found = await known_people(telling, who)
            related = await relationships(telling, who)
        async with self.database.keep() as connection:
            called = await aliases(connection, agent, speaker=asker, entity=who)
            own = asker == who
            proofs = await accounts(connection, agent, who) if own else []
        if not (found or called or own):
            raise NotFound("there is no such person")
        return Person(
            entity=who,
            display_name=found[0].display_name if found else None,
            aliases=tuple(one.alias for one in called),
            relationships=tuple(related),
            accounts=tuple(proofs),
        )

    async def propose_merge(
        self, one: Entity, other: Entity, evidence: str, *, actor: Actor
    ) -> Merge:
        """Say that two identities may be one person, and why. Nothing changes yet."""
        for who in (one, other):
            if who.namespace in (*COLLECTIVE, "ctx") or who == self.database.agent_entity:
                raise InvalidInput("people", f"{who} is nobody who can have two accounts")
        if one == other:
            raise InvalidInput("people", "that is one identity already")
        why = clean_text(evidence, "evidence")[:1024]
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

    async def confirm_merge(self, merge_id: uuid.UUID, *, actor: Actor) -> Merge:
        """One of the two says it is so, each for itself; a child's guardian for the child."""
        agent = self.database.agent
        async with self.database.keep(
            by=actor, doing="merge people", at=self.clock()
        ) as connection:
            found = await _merge(connection, agent, merge_id)
            speaking = await _speaks_for(connection, self.database, found, actor)
            if not speaking:
                raise NotFound(NO_SUCH_MERGE)
            for who in speaking:
                row = await connection.fetchrow(
                    query("people", "confirm_merge"), agent, merge_id, str(who), self.clock()
                )
                if row["is_confirmed"]:
                    await connection.execute(
                        query("people", "make_one"), agent, merge_id, row["one"], row["other"]
                    )
            return await _merge(connection, agent, merge_id)

    async def split(self, merge_id: uuid.UUID, *, actor: Actor) -> None:
        """It is not so: said by either of the two, a guardian, or the operator."""
        agent = self.database.agent
        async with self.database.keep(
            by=actor, doing="split people", at=self.clock()
        ) as connection:
            found = await _merge(connection, agent, merge_id)
            own = actor.entity in (found.one, found.other)
            if actor.entity is not None and not own:
                speaking = await _speaks_for(connection, self.database, found, actor)
                if not speaking:
                    raise NotFound(NO_SUCH_MERGE)
            await connection.execute(query("people", "make_two"), agent, merge_id)
            await connection.execute(
                query("people", "end_merge"), agent, merge_id, self.clock(), str(actor)
            )

    async def merges(self, who: Entity | None = None) -> list[Merge]:
        """Proposals and merges that concern `who`; all of them for the operator."""
        async with self.database.keep() as connection:
            rows = await connection.fetch(
                query("people", "merges"), self.database.agent, str(who) if who else None
            )
        return [_read(row) for row in rows]


def written_alias(called: str) -> str:
    """One spelling of a name, however it was typed."""
    return " ".join(clean_text(called, "alias").casefold().split())[:128]


def alone(who: Entity) -> Audience:
    """A reply that only `who` can see."""
    place = Place(id=f"reply:{who}", kind=PlaceKind.EPHEMERAL)
    return Audience(asker=who, place=place, viewers=frozenset({who}))


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
    return Merge(
        id=row["id"],
        one=read_entity(row["one"]),
        other=read_entity(row["other"]),
        evidence=row["evidence"],
        proposed_by=row["proposed_by"],
        confirmed_by=frozenset(read_entity(row[which]) for which, at in said.items() if at),
    )
