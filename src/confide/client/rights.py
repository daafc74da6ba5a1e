"""A person's rights, their requests, and insights, through a server."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any

from confide.actor import Actor
from confide.client import parsing
from confide.client.door import acting
from confide.client.group import Group, not_offered
from confide.client.upkeep import RemoteErasure
from confide.keep.correcting import Corrected
from confide.keep.data_requests import DataRequest, Wanted
from confide.keep.exporting import Export
from confide.keep.forgetting import Erased
from confide.keep.generalizing import PUBLIC, Generalized
from confide.keep.history import Version
from confide.keep.insights import Waiting
from confide.keep.opting import PrivacyState
from confide.model import Entity, Status
from confide.privacy.atoms import Atom
from confide.reading import read_entity
from confide.wire.forms import read_atom, write_grantee


class RemoteRights(Group):
    async def opt_out(self, who: Entity, *, actor: Actor, is_global_only: bool = False) -> None:
        """Stop keeping and telling what is theirs, or only what follows them everywhere."""
        sent = {"is_global_only": is_global_only}
        await self._door.call("POST", "/v1/privacy/opt-out", query={"as": str(who)}, body=sent)

    async def opt_in(self, who: Entity, *, actor: Actor) -> None:
        await self._door.call("POST", "/v1/privacy/opt-in", query={"as": str(who)})

    async def state(self, who: Entity) -> PrivacyState:
        told = await self._door.call("GET", "/v1/privacy", query={"as": str(who)})
        return PrivacyState(
            is_opted_out=told["is_opted_out"],
            is_global_only=told["is_global_only"],
            since=parsing.maybe_when(told["since"]),
        )

    async def correct(self, memory_id: uuid.UUID, text: str, *, actor: Actor) -> Corrected:
        """Say it right. The old words stay as history, and are told to nobody any more."""
        told = await self._door.call(
            "POST",
            "/v1/memories/{memory_id}/correct",
            names={"memory_id": memory_id},
            query=acting(actor),
            body={"text": text},
        )
        return Corrected(
            id=uuid.UUID(told["id"]),
            replaces=memory_id,
            status=Status(told["status"]),
            waits_because=told["waits_because"],
        )

    async def delete(self, who: Entity, *, actor: Actor, now: bool = False) -> Erased:
        """Forget all that is theirs; for a day it can be restored, unless `now` erases it."""
        return await RemoteErasure(self._door).person(who, actor=actor, now=now)

    async def history(self, memory_id: uuid.UUID, *, actor: Actor) -> tuple[Version, ...]:
        """What a memory said before it was corrected or replaced, oldest first."""
        told = await self._door.call(
            "GET",
            "/v1/memories/{memory_id}/history",
            names={"memory_id": memory_id},
            query=acting(actor),
        )
        return tuple(
            Version(
                id=uuid.UUID(one["id"]),
                text=one["text"],
                status=Status(one["status"]),
                said_at=parsing.when(one["said_at"]),
                changed_at=parsing.when(one["changed_at"]),
                is_current=one["is_current"],
            )
            for one in told["versions"]
        )

    async def export(self, who: Entity, *, actor: Actor, source: str | None = None) -> Export:
        """All that is kept of `who` and may be told to them alone, as files for them; with
        `source` only what came from a platform or a file, or was told by somebody."""
        query = {"as": str(who), "source": source}
        told = await self._door.call("GET", "/v1/export", query=query)
        files = {name: text.encode() for name, text in told["files"].items()}
        return Export(files=files, manifest=told["manifest"])


class RemoteDataRequests(Group):
    async def ask(
        self,
        what: Wanted,
        who: Entity,
        *,
        actor: Actor,
        memory_id: uuid.UUID | None = None,
        wanted: str | None = None,
    ) -> DataRequest:
        """`who` asks about what others said of them; the operator answers."""
        told = await self._door.call(
            "POST",
            "/v1/requests",
            query={"as": str(who)},
            body={
                "what": what.value,
                "memory": str(memory_id) if memory_id else None,
                "text": wanted,
            },
        )
        return _data_request(told)

    async def list(
        self, who: Entity | None = None, *, actor: Actor, with_answered: bool = False
    ) -> list[DataRequest]:
        """What somebody asked for, and what became of it."""
        told = await self._door.call(
            "GET",
            "/v1/requests",
            query={
                "as": str(who) if who else None,
                "answered": "true" if with_answered else None,
            },
        )
        return [_data_request(one) for one in told["requests"]]

    async def answer(
        self, request_id: uuid.UUID, *, grants: bool, reason: str, actor: Actor
    ) -> DataRequest:
        """Decide it, for an admin key, which reads none of the words."""
        told = await self._door.call(
            "POST",
            "/v1/requests/{request_id}/answer",
            names={"request_id": request_id},
            body={"grants": grants, "reason": reason},
        )
        return _data_request(told | {"reason": reason})


class RemoteInsights(Group):
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
        """Keep an insight made from one's own memories. A text that names somebody is refused."""
        told = await self._door.call(
            "POST",
            "/v1/insights",
            query=acting(actor),
            body={
                "sources": [str(one) for one in sources],
                "text": text,
                "grants": sorted(map(write_grantee, grants)),
                "note": note,
            },
        )
        return Generalized(
            id=uuid.UUID(told["id"]),
            is_open=told["is_open"],
            waits_because=told["waits_because"],
            independent_sources=told["independent_sources"],
        )

    async def sources_of(self, memory_id: uuid.UUID, *, actor: Actor) -> list[uuid.UUID]:
        """Where an insight came from, for its owner and for nobody else."""
        told = await self._door.call(
            "GET",
            "/v1/insights/{memory_id}/sources",
            names={"memory_id": memory_id},
            query=acting(actor),
        )
        return [uuid.UUID(one) for one in told["sources"]]

    async def waiting(self) -> list[Waiting]:
        """Insights that wait for the operator, for an admin key: without their words."""
        told = await self._door.call("GET", "/v1/insights")
        return [
            Waiting(
                memory_id=uuid.UUID(one["id"]),
                grants=frozenset(map(read_atom, one["grants"])),
                note="",
                proposed_by=one["proposed_by"],
                proposed_at=parsing.when(one["proposed_at"]),
                sources=one["sources"],
            )
            for one in told["insights"]
        ]

    async def review(self, memory_id: uuid.UUID, *, approves: bool, actor: Actor) -> None:
        """Keep an insight from everybody. Letting one go needs somebody who can read it."""
        if approves:
            not_offered("letting an insight go, which no key may that reads no words,")
        await self._door.call(
            "POST", "/v1/insights/{memory_id}/reject", names={"memory_id": memory_id}
        )


def _data_request(told: dict[str, Any]) -> DataRequest:
    return DataRequest(
        id=uuid.UUID(told["id"]),
        asker=read_entity(told["asker"]),
        what=Wanted(told["what"]),
        memory_id=uuid.UUID(told["memory"]) if told["memory"] else None,
        wanted=told["wanted"],
        asked_at=parsing.when(told["asked_at"]),
        due_at=parsing.when(told["due_at"]),
        answered_at=parsing.maybe_when(told["answered_at"]),
        is_granted=told["is_granted"],
        reason=told["reason"],
    )
