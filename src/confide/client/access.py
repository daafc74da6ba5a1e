"""Answers about access, and the trail, through a server."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Any

from confide.actor import Actor
from confide.client import parsing
from confide.client.door import acting
from confide.client.group import Group
from confide.keep.auditing import MOST, Audit, Existing
from confide.keep.hearing import Hearer, Room
from confide.keep.trail import Entry, Verified
from confide.model import Entity, Kind, Place, PlaceKind, Sensitivity, Status
from confide.reading import read_entity


class RemoteAccess(Group):
    async def audit(self, memory_id: uuid.UUID, *, actor: Actor) -> Audit:
        """Who can hear a memory and why: to its owner, its speaker, its subjects, an auditor."""
        told = await self._door.call(
            "GET",
            "/v1/memories/{memory_id}/audit",
            names={"memory_id": memory_id},
            query=acting(actor),
        )
        return Audit(
            memory_id=memory_id,
            heard_by=told["heard_by"],
            people=tuple(_hearer(one) for one in told["people"]),
            rooms=tuple(
                Room(
                    Place(id=one["place"], kind=PlaceKind(one["kind"])),
                    tuple(map(read_entity, one["told_to"])),
                    one["because"],
                )
                for one in told["rooms"]
            ),
            consents=tuple(parsing.given(one) for one in told["consents"]),
            is_complete=told["is_complete"],
        )

    async def existing(
        self, who: Entity, *, actor: Actor, limit: int = MOST
    ) -> tuple[Existing, ...]:
        """What exists that is somebody's or about them: to them, their guardian, an auditor."""
        told = await self._door.call(
            "GET",
            "/v1/people/{entity}/memories",
            names={"entity": who},
            query=acting(actor) | {"limit": limit},
        )
        return tuple(
            Existing(
                id=uuid.UUID(one["id"]),
                kind=Kind(one["kind"]),
                sensitivity=Sensitivity(one["sensitivity"]),
                status=Status(one["status"]),
                said_at=parsing.when(one["said_at"]),
                is_own=one["is_own"],
                text=one["text"],
            )
            for one in told["memories"]
        )


class RemoteTrail(Group):
    async def log(
        self,
        *,
        actor: Actor,
        of: Entity | None = None,
        memory_id: uuid.UUID | None = None,
        since: datetime | None = None,
        limit: int = 50,
    ) -> list[Entry]:
        """What happened, newest first: all of it to an auditor, one's own to everybody else."""
        told = await self._door.call(
            "GET",
            "/v1/trail",
            query={
                "as": str(actor.entity) if actor.entity else None,
                "of": str(of) if of else None,
                "memory": memory_id,
                "since": since.isoformat() if since else None,
                "limit": limit,
            },
        )
        return [
            Entry(
                number=one["number"],
                at=parsing.when(one["at"]),
                actor=one["actor"],
                doing=one["doing"],
                what=one["what"],
                action=one["action"],
                memory_id=uuid.UUID(one["memory"]) if one["memory"] else None,
                owner=one["owner"],
                place=one["place"],
            )
            for one in told["entries"]
        ]

    async def verify(self) -> Verified:
        """Look at every entry, every seal, and every memory's last entry."""
        told = await self._door.call("GET", "/v1/trail/verify", is_long=True)
        return Verified(
            entries=told["entries"],
            seals=told["seals"],
            not_sealed=told["not_sealed"],
            is_anchored=told["is_anchored"],
            problems=tuple(told["problems"]),
        )


def _hearer(told: dict[str, Any]) -> Hearer:
    purposes = tuple(told.get("purposes", ()))
    return Hearer(read_entity(told["who"]), told["told"], told["because"], purposes)
