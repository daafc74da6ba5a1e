"""How often a key may ask: an even flow, with a minute's worth at once."""

from __future__ import annotations

from datetime import datetime


class Rate:
    """Counted in each process for itself: a shared count would be a write for every question."""

    def __init__(self, per_minute: int, now: datetime) -> None:
        self.per_minute = per_minute
        self._left = float(per_minute)
        self._at = now

    def take(self, now: datetime) -> float | None:
        """Ask once; how many seconds to wait if that is too often."""
        passed = max(0.0, (now - self._at).total_seconds())
        self._left = min(self.per_minute, self._left + passed * self.per_minute / 60)
        self._at = max(self._at, now)
        if self._left < 1:
            return (1 - self._left) * 60 / self.per_minute
        self._left -= 1
        return None
