"""What models cost (S29): every use is written down, and a budget that is used up ends the spending."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Final

from confide.model import Entity
from confide.providers.prices import dollars
from confide.store import usage
from confide.store.queries import query
from confide.store.usage import Used

if TYPE_CHECKING:
    from confide.config import Settings
    from confide.providers.usage import Tokens
    from confide.store.database import Database

log = logging.getLogger("confide.models")
WARN_AT: Final = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """How much of a month's money is gone."""

    whose: str
    spent: float
    most: float

    @property
    def is_used_up(self) -> bool:
        return self.spent >= self.most

    @property
    def is_nearly_used_up(self) -> bool:
        return self.spent >= WARN_AT * self.most

    def in_words(self) -> str:
        then = "; the built-in parts take over" if self.is_used_up else ""
        return f"{self.whose} spent ${self.spent:.4f} of ${self.most:.4f} this month{then}"


@dataclass
class Spending:
    """One agent's purse."""

    database: Database
    settings: Settings
    clock: Callable[[], datetime]
    _warned: set[tuple[str, datetime, bool]] = field(
        default_factory=set[tuple[str, datetime, bool]]
    )

    async def spend(
        self,
        operation: str,
        model: str,
        tokens: Tokens,
        *,
        person: Entity | None = None,
        place: str | None = None,
        space: str | None = None,
    ) -> None:
        """Write down what the provider counted; failed attempts cost too."""
        if not any(tokens):
            return
        used = Used(
            person=str(person) if person else None,
            place=place,
            space=space,
            operation=operation,
            model=model,
            uses=1,
            tokens_read=tokens.read,
            tokens_written=tokens.written,
            dollars=dollars(model, tokens.read, tokens.written),
        )
        async with self.database.keep() as connection:
            await usage.add(connection, self.database.agent, self.clock(), used)

    async def may_spend(self, person: Entity | None, space: str | None = None) -> bool:
        """False once a budget is used up; the built-in parts do the work then."""
        budgets = await self.budgets(person, space)
        for one in budgets:
            self._warn(one)
        return not any(one.is_used_up for one in budgets)

    async def budgets(self, person: Entity | None = None, space: str | None = None) -> list[Budget]:
        """The agent's, and those of a person and a space, as far as the settings limit them."""
        most = self.settings
        limited = (
            ("the agent", most.budget_agent),
            (str(person) if person else None, most.budget_person),
            (f"space {space}" if space else None, await self._of_space(space)),
        )
        if not any(whose and limit is not None for whose, limit in limited):
            return []
        async with self.database.keep() as connection:
            spent = await usage.spent(connection, self.database.agent, self.month(), person, space)
        return [
            Budget(whose=whose, spent=gone, most=limit)
            for (whose, limit), gone in zip(limited, spent, strict=True)
            if whose and limit is not None
        ]

    async def _of_space(self, space: str | None) -> float | None:
        """Its owner's limit, or everybody's; the smaller counts."""
        everywhere = self.settings.budget_space
        if space is None:
            return everywhere
        async with self.database.keep() as connection:
            own = await connection.fetchval(query("rules", "budget"), self.database.agent, space)
        limits = [one for one in (own, everywhere) if one is not None]
        return min(limits, default=None)

    async def all_budgets(self) -> list[Budget]:
        """Every budget that anything was spent of this month, the agent's first."""
        used = await self.used()
        people = sorted({one.person for one in used if one.person})
        spaces = sorted({one.space for one in used if one.space})
        found = await self.budgets()
        for person in people:
            found += [b for b in await self.budgets(Entity.parse(person)) if b.whose == person]
        for space in spaces:
            found += [b for b in await self.budgets(None, space) if b.whose == f"space {space}"]
        return found

    async def notices(self, person: Entity | None = None, space: str | None = None) -> list[str]:
        """What its owner is told at 80 % and at 100 %: with a person theirs, else all of them."""
        mine = {str(person)} | ({f"space {space}"} if space else set[str]())
        found = await self.budgets(person, space) if person else await self.all_budgets()
        return [
            one.in_words()
            for one in found
            if one.is_nearly_used_up and (person is None or one.whose in mine)
        ]

    async def used(self, since: datetime | None = None) -> list[Used]:
        async with self.database.keep() as connection:
            return await usage.by(connection, self.database.agent, since or self.month())

    def month(self) -> datetime:
        return self.clock().replace(day=1, hour=0, minute=0, second=0, microsecond=0)

    def _warn(self, budget: Budget) -> None:
        """Once a month at 80 %, and once when it is used up."""
        warning = budget.whose, self.month(), budget.is_used_up
        if not budget.is_nearly_used_up or warning in self._warned:
            return
        self._warned.add(warning)
        log.warning("%s", budget.in_words())
