"""Review, erasure and the doctor, through a server."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from confide.actor import Actor
from confide.client import parsing
from confide.client.door import acting
from confide.client.group import Group
from confide.client.writing import written_namespace, written_place
from confide.keep.doctor import Examination
from confide.keep.findings import Finding, Problem, Progress, in_silence
from confide.keep.forgetting import Erased
from confide.keep.reviewing import MOST, Decided, Reason, Waiting, decide_each
from confide.model import Entity, Kind, Namespace, Place, Scope, Sensitivity, Status, Trust
from confide.reading import read_entity
from confide.store.erasing import Target

PAGE = 100


class RemoteReview(Group):
    async def waiting(
        self, *, actor: Actor, reason: Reason | None = None, limit: int = MOST
    ) -> list[Waiting]:
        """What waits: all of it to reviewers, one's own to everybody else."""
        query = acting(actor) | {"reason": reason, "limit": min(limit, PAGE)}
        told = await self._door.call("GET", "/v1/review", query=query)
        return [_waiting(one) for one in told["waiting"]]

    async def show(self, memory_id: uuid.UUID, *, actor: Actor) -> Waiting:
        """One that waits, with its words if one may read them."""
        return _waiting(await self._one("GET", "/v1/review/{memory_id}", memory_id, actor))

    async def approve(self, memory_id: uuid.UUID, *, actor: Actor) -> Decided:
        """Let it be told."""
        return _decided(await self._one("POST", "/v1/review/{memory_id}/approve", memory_id, actor))

    async def reject(self, memory_id: uuid.UUID, *, actor: Actor) -> Decided:
        """Never tell it."""
        return _decided(await self._one("POST", "/v1/review/{memory_id}/reject", memory_id, actor))

    async def edit(self, memory_id: uuid.UUID, text: str, *, actor: Actor) -> Decided:
        """Put it in other words. They are screened like new ones, and wait again."""
        sent = {"text": text}
        return _decided(await self._one("PUT", "/v1/review/{memory_id}", memory_id, actor, sent))

    async def move(
        self,
        memory_id: uuid.UUID,
        *,
        actor: Actor,
        scope: Scope | None = None,
        namespace: Namespace | None = None,
    ) -> Decided:
        """Put it where fewer hear it."""
        sent = {"scope": scope, "namespace": written_namespace(namespace)}
        path = "/v1/review/{memory_id}/move"
        return _decided(await self._one("POST", path, memory_id, actor, sent))

    each = staticmethod(decide_each)

    async def _one(
        self,
        method: str,
        path: str,
        memory_id: uuid.UUID,
        actor: Actor,
        body: Mapping[str, object] | None = None,
    ) -> Any:
        return await self._door.call(
            method, path, names={"memory_id": memory_id}, query=acting(actor), body=body
        )


class RemoteErasure(Group):
    async def person(self, who: Entity, *, actor: Actor, now: bool = False) -> Erased:
        """What somebody owns, said or contributed, and what they can hear others told about them."""
        return await self._erase({"person": str(who)}, actor, now)

    async def place(self, place: Place, *, actor: Actor, now: bool = False) -> Erased:
        """What was said in a place and the threads inside it."""
        return await self._erase({"place": written_place(place)}, actor, now)

    async def source(self, source: str, *, actor: Actor, now: bool = False) -> Erased:
        """What came from a platform, or was told by somebody."""
        return await self._erase({"source": source}, actor, now)

    async def restore(self, id: uuid.UUID, *, actor: Actor) -> int:
        """Undo an erasure by its id, or that of one memory; how many memories came back."""
        told = await self._door.call(
            "POST",
            "/v1/erasures/{erasure_id}/restore",
            names={"erasure_id": id},
            query=acting(actor),
        )
        return told["memories"]

    async def preview(self, target: Target, *, actor: Actor) -> dict[str, int]:
        """How much an erasure would take. Nothing is changed, and no content shown."""
        wanted = {"person": target.person, "place": target.place, "source": target.source}
        told = await self._door.call(
            "POST", "/v1/erasures/preview", query=acting(actor), body=wanted
        )
        return told["counts"]

    async def of_person(self, who: Entity, actor: Actor) -> Target:
        return Target(person=str(who))

    def of_place(self, place: Place, actor: Actor) -> Target:
        return Target(place=written_place(place))

    def of_source(self, source: str, actor: Actor) -> Target:
        return Target(source=source)

    async def _erase(self, target: dict[str, object], actor: Actor, now: bool) -> Erased:
        told = await self._door.call(
            "POST", "/v1/erasures", query=acting(actor), body=target | {"now": now}
        )
        return Erased(
            id=uuid.UUID(told["id"]),
            undo_until=parsing.maybe_when(told["undo_until"]),
            counts=told["counts"],
            found=told["found"],
        )


class RemoteDoctor(Group):
    async def examine(self, *, progress: Progress = in_silence) -> Examination:
        """Say what is wrong, and change nothing."""
        return _examination(await self._door.call("GET", "/v1/doctor", is_long=True))

    async def mend(self, *, progress: Progress = in_silence) -> Examination:
        """The same, and put right what can be."""
        return _examination(await self._door.call("POST", "/v1/doctor/mend", is_long=True))


def _waiting(told: dict[str, Any]) -> Waiting:
    return Waiting(
        id=uuid.UUID(told["id"]),
        owner=read_entity(told["owner"]),
        speaker=None,
        kind=Kind(told["kind"]),
        scope=Scope(told["scope"]),
        sensitivity=Sensitivity(told["sensitivity"]),
        trust=Trust.UNTRUSTED,
        confidence=told["confidence"],
        place=None,
        namespace=Namespace(),
        waits_because=told["waits_because"],
        since=parsing.when(told["since"]),
        is_insight=told["is_insight"],
        text=told["text"],
    )


def _decided(told: dict[str, Any]) -> Decided:
    return Decided(
        id=uuid.UUID(told["id"]),
        status=Status(told["status"]),
        waits_because=told["waits_because"],
    )


def _examination(told: dict[str, Any]) -> Examination:
    return Examination(
        memories=told["memories"],
        findings=tuple(
            Finding(
                problem=Problem(one["name"], one["says"], one["remedy"]),
                count=one["count"],
                examples=tuple(one["examples"]),
                fixed=one["fixed"],
            )
            for one in told["findings"]
        ),
    )
