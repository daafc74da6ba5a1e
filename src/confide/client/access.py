"""Answers about access, and the trail, through a server."""

from __future__ import annotations

import uuid
from typing import Any

from confide.actor import Actor
from confide.client import parsing
from confide.client.door import acting
from confide.client.group import Group
from confide.keep.auditing import MOST, Audit, Existing
from confide.keep.hearing import Hearer, Room
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
            conditions=tuple(
                filter(
                    None,
                    (parsing.clause(one | {"kind": one["rule"]}) for one in told["conditions"]),
                )
            ),
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


def _hearer(told: dict[str, Any]) -> Hearer:
    purposes = tuple(told.get("purposes", ()))
    return Hearer(read_entity(told["who"]), told["told"], told["because"], purposes)
