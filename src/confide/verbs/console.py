"""The groups of verbs that the console is made of, on a memory here or elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from confide.model import memory_id_of
from confide.recall.why import Telling, Tellings
from confide.verbs.browser import Browser
from confide.verbs.reach import Reaches
from confide.verbs.rooms import Rooms
from confide.verbs.trends import Trends
from confide.verbs.viewing import Viewing

if TYPE_CHECKING:
    import uuid

    from confide.actor import Actor
    from confide.declare import Door


class ConsoleVerbs:
    """Part of `Confide` and of `ConfideClient`."""

    def _offer(self, door: Door) -> None:
        self.browser = Browser(door)
        self.reaches = Reaches(door)
        self.rooms = Rooms(door)
        self.viewing = Viewing(door)
        self.trends = Trends(door)
        self.told = Tellings(door)

    async def tellings(
        self, memory_id: uuid.UUID, *, actor: Actor, limit: int = 20
    ) -> list[Telling]:
        """When and where a memory was told, for its owner; nobody who asked is named."""
        return await self.told.tellings(memory_id_of(memory_id), actor=actor, limit=limit)
