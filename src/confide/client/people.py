"""People and contexts, through a server."""

from __future__ import annotations

import uuid
from typing import Any

from confide.actor import Actor
from confide.client import parsing
from confide.client.door import acting
from confide.client.group import Group
from confide.keep.contexts import ContextState
from confide.keep.people import Merge, Person
from confide.model import Entity, Place
from confide.reading import read_entity
from confide.store.people import Known, Relationship


class RemotePeople(Group):
    async def known(self, asker: Entity) -> list[Known]:
        """Those whom `asker` knows of by the memories they may hear."""
        told = await self._door.call("GET", "/v1/people", query={"as": str(asker)})
        return [Known(read_entity(one["entity"]), one["name"]) for one in told["people"]]

    async def show(self, who: Entity, *, asker: Entity) -> Person:
        """What `asker` may know of somebody."""
        told = await self._door.call(
            "GET", "/v1/people/{entity}", names={"entity": who}, query={"as": str(asker)}
        )
        return _person(told)

    async def alias(self, who: Entity, called: str, *, actor: Actor) -> None:
        """What the actor calls somebody."""
        await self._door.call(
            "PUT",
            "/v1/people/{entity}/aliases",
            names={"entity": who},
            query=acting(actor),
            body={"alias": called},
        )

    async def relate(
        self, who: Entity, relation: str, other: Entity, memory_id: uuid.UUID, *, actor: Actor
    ) -> None:
        """How two belong together, as the actor's own memory says it."""
        await self._door.call(
            "POST",
            "/v1/people/{entity}/relationships",
            names={"entity": who},
            query=acting(actor),
            body={"relation": relation, "other": str(other), "memory": str(memory_id)},
        )

    async def prove(self, who: Entity, platform: str, account: str, *, actor: Actor) -> None:
        """The platform whose key this is vouches that one of its accounts is somebody."""
        await self._door.call(
            "PUT",
            "/v1/people/{entity}/accounts",
            names={"entity": who},
            body={"account": account},
        )

    async def merges(self, who: Entity | None = None) -> list[Merge]:
        """Proposals and merges that concern somebody."""
        query = {"as": str(who) if who else None}
        told = await self._door.call("GET", "/v1/merges", query=query)
        return [_merge(one) for one in told["merges"]]

    async def propose_merge(
        self, one: Entity, other: Entity, evidence: str, *, actor: Actor
    ) -> Merge:
        """Say that two identities may be one person."""
        sent = {"one": str(one), "other": str(other), "because": evidence}
        return _merge(await self._door.call("POST", "/v1/merges", query=acting(actor), body=sent))

    async def confirm_merge(self, merge_id: uuid.UUID, *, actor: Actor) -> Merge:
        """One of the two says it is so."""
        told = await self._door.call(
            "POST",
            "/v1/merges/{merge_id}/confirm",
            names={"merge_id": merge_id},
            query=acting(actor),
        )
        return _merge(told)

    async def split(self, merge_id: uuid.UUID, *, actor: Actor) -> None:
        """It is not so: either of the two ends it."""
        await self._door.call(
            "DELETE", "/v1/merges/{merge_id}", names={"merge_id": merge_id}, query=acting(actor)
        )


class RemoteContexts(Group):
    async def enter(
        self, context: Place, *who: Entity, actor: Actor, role: str | None = None
    ) -> ContextState:
        """Take part, with `who`."""
        told = await self._door.call(
            "POST",
            "/v1/contexts/{context}/enter",
            names=_named(context),
            query=acting(actor),
            body={"with": [str(one) for one in who], "role": role},
        )
        return parsing.context_state(told)

    async def leave(self, context: Place, who: Entity, *, actor: Actor) -> None:
        """Take part no longer: what came by being there ends."""
        await self._door.call(
            "POST", "/v1/contexts/{context}/leave", names=_named(context), query={"as": str(who)}
        )

    async def known(self, who: Entity | None = None) -> list[ContextState]:
        """The contexts that `who` is in now."""
        query = {"as": str(who) if who else None}
        told = await self._door.call("GET", "/v1/contexts", query=query)
        return [parsing.context_state(one) for one in told["contexts"]]

    async def show(self, context: Place, *, actor: Actor) -> ContextState:
        """Who is in a context; said to those who are."""
        told = await self._door.call(
            "GET", "/v1/contexts/{context}", names=_named(context), query=acting(actor)
        )
        return parsing.context_state(told)


def _named(context: Place) -> dict[str, object]:
    return {"context": context.id.removeprefix("ctx:")}


def _person(told: dict[str, Any]) -> Person:
    return Person(
        entity=read_entity(told["entity"]),
        display_name=told["name"],
        aliases=tuple(told["aliases"]),
        relationships=tuple(
            Relationship(
                entity=read_entity(one["entity"]),
                relation=one["relation"],
                other=read_entity(one["other"]),
                memory_id=uuid.UUID(one["memory"]),
                said_by=read_entity(one["said_by"]),
            )
            for one in told["relationships"]
        ),
        accounts=tuple(_account(one) for one in told["accounts"]),
    )


def _account(written: str) -> tuple[str, str]:
    platform, _, account = written.partition(":")
    return platform, account


def _merge(told: dict[str, Any]) -> Merge:
    return Merge(
        id=uuid.UUID(told["id"]),
        one=read_entity(told["one"]),
        other=read_entity(told["other"]),
        evidence=told["evidence"],
        proposed_by=told["proposed_by"],
        confirmed_by=frozenset(map(read_entity, told["confirmed_by"])),
    )
