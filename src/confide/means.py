"""What the verbs of one agent's memory work with. Each group of verbs is given the same means."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from confide.errors import SwitchedOff

if TYPE_CHECKING:
    from confide.config import Settings
    from confide.providers.embedder import Embedder
    from confide.screen import Screen
    from confide.screen.leaving import Leaving
    from confide.spending import Spending
    from confide.store.database import Database

Clock = Callable[[], datetime]


def system_clock() -> datetime:
    return datetime.now(UTC)


@dataclass(slots=True, kw_only=True)
class Means:
    """Made once when a memory is opened, and shared by everything that acts on it."""

    database: Database
    settings: Settings
    clock: Clock
    embedder: Embedder
    screen: Screen
    leaving: Leaving
    spending: Spending
    new_id: Callable[[], uuid.UUID] = uuid.uuid4

    @classmethod
    def of(cls, database: Database, settings: Settings, clock: Clock) -> Means:
        """With the built-in embedder and screen."""
        from confide.providers.wordllama import WordLlamaEmbedder
        from confide.screen import Screen
        from confide.screen.leaving import Leaving
        from confide.spending import Spending

        screen = Screen(settings.caution)
        return cls(
            database=database,
            settings=settings,
            clock=clock,
            embedder=WordLlamaEmbedder(),
            screen=screen,
            leaving=Leaving(screen, settings.external_models),
            spending=Spending(database, settings, clock),
        )

    def require_enabled(self) -> None:
        if not self.settings.enabled:
            raise SwitchedOff("the memory is switched off (CONFIDE_ENABLED=false)")


class Part:
    """A group of verbs on one agent's memory."""

    def __init__(self, means: Means) -> None:
        self.database = means.database
        self.settings = means.settings
        self.clock = means.clock
        self.embedder = means.embedder
        self.screen = means.screen
        self.leaving = means.leaving
        self.spending = means.spending
