"""How things went: numbers by day and week for who runs the agent (S25, P11). No names, no words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Final

from confide.actor import Actor, require
from confide.declare import Group
from confide.model import Sensitivity
from confide.privacy.acting import Act, Relation
from confide.store.queries import query

WEEKS: Final = 12
DAYS: Final = 14


@dataclass(frozen=True, slots=True)
class Week:
    """How many memories there were at its end, by level."""

    begins: datetime
    memories: Mapping[Sensitivity, int]


@dataclass(frozen=True, slots=True)
class Day:
    """Memories told, and questions to which nothing was told. What was withheld is not kept."""

    day: date
    told: int = 0
    unanswered: int = 0
    dollars: float = 0.0


@dataclass(frozen=True, slots=True)
class Trend:
    weeks: tuple[Week, ...]
    days: tuple[Day, ...]
    new: int  # in the last seven days


class Trends(Group):
    """`confide.trends`"""

    async def look(self, *, actor: Actor) -> Trend:
        require(Act.READ_NUMBERS, actor, Relation.NONE)
        agent, now = self.database.agent, self.clock()
        start, since = now - timedelta(weeks=WEEKS), now - timedelta(days=DAYS - 1)
        since = since.replace(hour=0, minute=0, second=0, microsecond=0)
        async with self.database.keep() as connection:
            levels = await connection.fetch(query("trends", "levels"), agent, start)
            asked = await connection.fetch(query("trends", "asked"), agent, since)
            cost = await connection.fetch(query("trends", "cost"), agent, since)
            new = await connection.fetchval(
                query("trends", "recent"), agent, now - timedelta(days=7)
            )
        told = {row["day"]: (row["told"], row["unanswered"]) for row in asked}
        spent = {row["day"]: row["dollars"] for row in cost}
        days = [since.date() + timedelta(days=n) for n in range(DAYS)]
        return Trend(
            weeks=tuple(_weeks(start, levels)),
            days=tuple(Day(one, *told.get(one, (0, 0)), spent.get(one, 0.0)) for one in days),
            new=new,
        )


def _weeks(start: datetime, rows: Sequence[Mapping[str, Any]]) -> list[Week]:
    """Added up from the first one on."""
    total = dict.fromkeys(Sensitivity, 0)
    found: list[Week] = []
    for n in range(WEEKS + 1):
        begins = start + timedelta(weeks=n)
        for row in rows:
            if begins <= row["day"] < begins + timedelta(weeks=1):
                total[Sensitivity(row["sensitivity"])] += row["memories"]
        found.append(Week(begins, dict(total)))
    return found
