"""Who can hear a memory, through a server."""

from __future__ import annotations

import uuid
from typing import Any

from confide.actor import Actor
from confide.client import parsing
from confide.client.door import Door, acting
from confide.client.elsewhere import Elsewhere
from confide.keep.auditing import Access, Audit
from confide.keep.hearing import Hearer, Room
from confide.model import Place, PlaceKind
from confide.reading import read_entity


class RemoteAccess(Access):
    def __init__(self, door: Door) -> None:
        super().__init__(Elsewhere(door))
        self._wire = door

    async def audit(self, memory_id: uuid.UUID, *, actor: Actor) -> Audit:
        """Who can hear a memory and why: to its owner, its speaker, its subjects, an auditor."""
        told = await self._wire.call(
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


def _hearer(told: dict[str, Any]) -> Hearer:
    purposes = tuple(told.get("purposes", ()))
    return Hearer(read_entity(told["who"]), told["told"], told["because"], purposes)
