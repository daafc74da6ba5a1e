"""What an admin sets going, and reports, through a server."""

from __future__ import annotations

from datetime import date
from typing import Any

from confide.actor import Actor
from confide.client import parsing
from confide.client.door import Door, acting
from confide.client.group import Group, not_offered
from confide.keep import embedding
from confide.keep.gc import Collected, Progress, no_progress
from confide.keep.reporting import DAYS, Everywhere, Leaks, Level, Made, Overview, Share
from confide.model import Entity, PlaceKind, Scope
from confide.providers.calibrating import Scale


class RemoteUpkeep(Group):
    async def preview(self) -> Collected:
        """What `gc` would do now, in numbers."""
        told = await self._door.call("POST", "/v1/gc", body={"preview": True}, is_long=True)
        return Collected(**told)

    async def gc(
        self, *, actor: Actor | None = None, progress: Progress = no_progress
    ) -> Collected:
        """Do it. How far it is, a server does not say."""
        return Collected(**await self._door.call("POST", "/v1/gc", body={}, is_long=True))


class RemoteVectors(Group):
    """Of the model that the server's settings name; another one is refused there."""

    def __init__(self, door: Door) -> None:
        super().__init__(door)
        self._left: dict[str | None, int] = {}
        self.measured: str | None = None  # the model that `calibrate` measured

    async def reembed(
        self, to: str | None = None, *, progress: embedding.Progress = lambda _done, _all: None
    ) -> int:
        """Add the vectors of a model that are missing; returns how many."""
        told = await self._door.call(
            "POST", "/v1/vectors/reembed", body={"model": to}, is_long=True
        )
        self._left[to] = told["left"]
        progress(told["embedded"], told["embedded"] + told["left"])
        return told["embedded"]

    async def left(self, model: str | None = None) -> int:
        """How many were left when they were last added."""
        if model not in self._left:
            not_offered("counting vectors that are missing")
        return self._left[model]

    async def calibrate(self, model: str | None = None) -> Scale:
        """Measure what a model's cosines mean, and keep it."""
        sent = {"model": model}
        told = await self._door.call("POST", "/v1/vectors/calibrate", body=sent, is_long=True)
        self.measured = told["model"]
        return Scale(unrelated=told["unrelated"], threshold=told["threshold"])


class RemoteReports(Group):
    async def overview(self, *, actor: Actor, days: int = DAYS) -> Overview:
        """Everything in numbers, for an admin key."""
        told = await self._door.call("GET", "/v1/report", query={"days": days})
        return Overview(
            made=tuple(
                Made(date.fromisoformat(one["day"]), Scope(one["scope"]), one["memories"])
                for one in told["made"]
            ),
            everywhere=tuple(
                Everywhere(PlaceKind(one["kind"]), one["memories"], parsing.when(one["updated_at"]))
                for one in told["everywhere"]
            ),
            metrics=tuple(Share(m["name"], m["part"], m["whole"]) for m in told["metrics"]),
            leaks=_leaks(told["leaks"]),
        )

    async def of_person(self, who: Entity, *, actor: Actor) -> tuple[Level, ...]:
        """One's own memories by level with the last update, as far as one may hear them."""
        told = await self._door.call("GET", "/v1/mine/report", query=acting(actor))
        return tuple(
            Level(Scope(one["scope"]), one["memories"], parsing.when(one["updated_at"]))
            for one in told["levels"]
        )


def _leaks(told: dict[str, Any] | None) -> Leaks | None:
    if told is None:
        return None
    return Leaks(
        at=parsing.when(told["at"]),
        decisions=told["decisions"],
        between_people=told["between_people"],
        between_scopes=told["between_scopes"],
    )
