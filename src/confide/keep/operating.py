"""What an operator watches: what waits and since when, what models cost, how busy the pool is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from confide.means import Part
from confide.model import Status
from confide.store.database import PoolUse
from confide.store.queries import query


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelUse:
    """Of one model in this month."""

    model: str
    tokens_read: int
    tokens_written: int
    dollars: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Operating:
    """Of one agent. Counts, seconds and dollars; no names, no words."""

    waiting: Mapping[str, float]  # by the names of `operating.numbers`
    memories: Mapping[Status, int]
    models: tuple[ModelUse, ...]
    budget: float | None  # dollars a month for all models
    pool: PoolUse


class Watch(Part):
    """For `/metrics`."""

    async def look(self) -> Operating:
        now, agent = self.clock(), self.database.agent
        month = now.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
        async with self.database.keep() as connection:
            row: Any = await connection.fetchrow(query("operating", "numbers"), agent, now)
            counted = await connection.fetch(query("memories", "count_by_status"), agent)
            used = await connection.fetch(query("operating", "models"), agent, month)
        found = {Status(one["status"]): one["memories"] for one in counted}
        return Operating(
            waiting={name: max(0.0, float(value or 0)) for name, value in dict(row).items()},
            memories={status: found.get(status, 0) for status in Status},
            models=tuple(ModelUse(**dict(one)) for one in used),
            budget=self.settings.budget_agent,
            pool=self.database.pool_use(),
        )
