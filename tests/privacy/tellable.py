"""The least that can be told or withheld."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from confide.model import Status
from confide.privacy.policy import Label


@dataclass(frozen=True)
class Note:
    label: Label
    status: Status = Status.APPROVED
    expires_at: datetime | None = None
    is_opted_out: bool = False

    def is_alive(self, now: datetime) -> bool:
        is_over = self.expires_at is not None and self.expires_at <= now
        return self.status is Status.APPROVED and not is_over and not self.is_opted_out
