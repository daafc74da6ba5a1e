"""When a session is due: enough was said, the history is full, silence, or somebody asked (S12)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from confide.store import messages, sessions, turns

if TYPE_CHECKING:
    from confide.config import Settings
    from confide.store.database import Database


@dataclass(frozen=True, slots=True)
class Triggers:
    after_messages: int
    history: int
    silence: timedelta

    @classmethod
    def of(cls, settings: Settings) -> Triggers:
        return cls(
            settings.learn_after_messages,
            settings.history_messages,
            timedelta(minutes=settings.silence_minutes),
        )


async def sweep(database: Database, settings: Settings, now: datetime) -> None:
    """End quiet sessions and purge old raw words. Whoever comes first does it; twice does no harm."""
    async with database.keep() as connection:
        await sessions.sweep(connection, database.agent, now, Triggers.of(settings).silence)
        await messages.purge(
            connection,
            database.agent,
            now - timedelta(days=settings.raw_days_learned),
            now - timedelta(days=settings.raw_days),
            now,
        )
        await turns.purge(connection, database.agent, now - timedelta(days=settings.raw_days))
