"""What models cost (S29): every use is written down, and a budget that is used up ends the spending."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Final

from confide.providers.prices import dollars
from confide.store import usage
from confide.store.usage import Used

if TYPE_CHECKING:
    from confide.config import Settings
    from confide.model import Entity
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


@dataclass
class Spending:
    """One agent's purse."""

    database: Database
    settings: Settings
    clock: Callable[[], datetime]
    _warned: set[tuple[str, datetime, bool]] = field(default_factory=set)

    async def spend(
        self,
        operation: str,
        model: str,
        tokens: Tokens,
        *,
        person: Entity | None = None,
        place: str | None = None,
    ) -> None:
        """Write down what the provider counted; failed attempts cost too."""
        if not any(tokens):
            return
        used = Used(
            person=str(person) if person else None,
            place=place,
            operation=operation,
            model=model,
            uses=1,
            tokens_read=tokens.read,
            tokens_written=tokens.written,
            dollars=dollars(model, tokens.read, tokens.written),
        )
        async with self.database.keep() as connection:
            await usage.add(connection, self.database.agent, self.clock(), used)

    async def may_spend(self, person: Entity | None) -> bool:
        """False once a budget is used up; the built-in parts do the work then."""
        budgets = await self.budgets(person)
        for one in budgets:
            self._warn(one)
        return not any(one.is_used_up for one in budgets)

    async def budgets(self, person: Entity | None = None) -> list[Budget]:
        most_of_all, most_of_one = self.settings.budget_agent, self.settings.budget_person
        if most_of_all is None and (most_of_one is None or person is None):
            return []
        async with self.database.keep() as connection:
            of_all, of_one = await usage.spent(
                connection, self.database.agent, self.month(), person
            )
        found: list[Budget] = []
        if most_of_all is not None:
            found.append(Budget(whose="the agent", spent=of_all, most=most_of_all))
        if most_of_one is not None and person is not None:
            found.append(Budget(whose=str(person), spent=of_one, most=most_of_one))
        return found

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
        then = "; the built-in parts take over" if budget.is_used_up else ""
        log.warning(
            "%s spent $%.4f of $%.4f this month%s", budget.whose, budget.spent, budget.most, then
        )
