"""Everything that happens, happens twice: in the town that the oracle sees, and on the platform."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from random import Random
from typing import Final

from confide.leaktest.canaries import Canary
from confide.leaktest.cast import PEOPLE
from confide.leaktest.rooms import (
    BY_KEY,
    GUEST,
    HARBOR,
    HAVE_MEMBERS,
    ORCHARD,
    READ_BY,
    ROOMS,
    VERIFIED,
    Room,
)
from confide.leaktest.surfaces import Planter, Platform
from confide.leaktest.town import CONSENT_DAYS, Town
from confide.model import PlaceKind

SETTLED_DAYS: Final = 10
PLANT_EVERY: Final = (
    40  # so many canaries come by the way everything else does, then one by another
)


class Stage:
    def __init__(
        self, town: Town, platform: Platform, random: Random, planters: Sequence[Planter] = ()
    ) -> None:
        self.town, self.platform, self.random = town, platform, random
        self.planters = planters
        self.has_waited = False

    async def settle(self) -> None:
        """Draw who is where; every room has people in it and people outside."""
        living = {HARBOR: self._draw(PEOPLE, 5), ORCHARD: self._draw(PEOPLE, 3)}
        living[VERIFIED] = self._draw(living[HARBOR], 3)
        long_ago = self.town.now - timedelta(days=SETTLED_DAYS)
        for room in ROOMS:
            if not is_lived_in(room):
                continue
            around = self.town.inside(BY_KEY[room.parent]) if room.parent else None
            eligible = around or living.get(room.space or "", PEOPLE)
            is_open = room.kind in (PlaceKind.PUBLIC, PlaceKind.ANNOUNCEMENT)
            many = len(eligible) if is_open else min(3, max(2, len(eligible) - 1))
            await self.join(room.key, *self._draw(eligible, many), at=long_ago)

    def _draw(self, of: Iterable[str], many: int) -> list[str]:
        return self.random.sample(sorted(of), many)

    async def say(self, canary: Canary) -> None:
        self.town.say(canary, BY_KEY[canary.room])
        canary.memory_id = await self._planter(canary).remember(canary)

    def _planter(self, canary: Canary) -> Platform | Planter:
        turn, rest = divmod(len(self.town.canaries), PLANT_EVERY)
        if rest == 0 and self.planters and not self.has_waited:
            planter = self.planters[turn % len(self.planters)]
            if planter.can_remember(canary):
                return planter
        return self.platform

    async def join(self, key: str, *who: str, at: datetime | None = None) -> None:
        if who:
            await self.platform.join(BY_KEY[key], *who, at=at)
            self.town.join(BY_KEY[key], *who, at=at)

    async def leave(self, key: str, who: str, *, days_late: int = 0) -> None:
        at = self.town.now - timedelta(days=days_late) if days_late else None
        await self.platform.leave(BY_KEY[key], who, at=at)
        self.town.leave(BY_KEY[key], who, at=at)

    async def leave_space(self, space: str, who: str) -> None:
        await self.platform.leave_space(space, who)
        self.town.leave_space(space, who)

    async def open(self, key: str, kind: PlaceKind) -> None:
        await self.platform.attest(BY_KEY[key], kind)
        self.town.open(BY_KEY[key], kind)

    async def close(self, key: str, kind: PlaceKind) -> None:
        await self.platform.attest(BY_KEY[key], kind)
        self.town.close(BY_KEY[key], kind)

    async def assign(self, role: str, who: str) -> None:
        await self.platform.assign(role, who)
        self.town.roles.setdefault(role, set()).add(who)

    async def unassign(self, role: str, who: str) -> None:
        await self.platform.unassign(role, who)
        self.town.roles[role].discard(who)

    async def forget(self, canary: Canary, by: str, *, now: bool) -> None:
        await self.platform.forget(canary, by, now=now)
        canary.is_forgotten = True
        canary.is_erased = now

    async def restore(self, canary: Canary, by: str) -> None:
        await self.platform.restore(canary, by)
        canary.is_forgotten = False

    async def share(self, canary: Canary, to: str) -> None:
        await self.platform.share(canary, to)
        canary.shared[to] = self.town.now + timedelta(days=CONSENT_DAYS)

    async def unshare(self, canary: Canary, to: str) -> None:
        await self.platform.unshare(canary, to)
        del canary.shared[to]

    async def merge(self, one: str, other: str) -> None:
        await self.platform.merge(one, other)
        self.town.same.add(frozenset({one, other}))

    async def split(self, one: str, other: str) -> None:
        await self.platform.split(one, other)
        self.town.same.discard(frozenset({one, other}))

    async def opt_out(self, who: str) -> None:
        await self.platform.opt_out(who)
        self.town.opted_out.add(who)

    async def opt_in(self, who: str) -> None:
        await self.platform.opt_in(who)
        self.town.opted_out.discard(who)

    def wait(self, **time: float) -> None:
        self.town.now += timedelta(**time)
        self.has_waited = True

    def inside(self, key: str) -> list[str]:
        return sorted(self.town.inside(BY_KEY[key]))

    def someone_in(self, key: str) -> str:
        return self.random.choice(self.inside(key))

    def someone_outside(self, key: str, of: Iterable[str] = PEOPLE) -> str | None:
        outside = sorted(set(of) - set(self.inside(key)))
        return self.random.choice(outside) if outside else None

    def speaker_in(self, key: str) -> str:
        """Somebody who has said something there and is still in it."""
        spoke = {c.by for c in self.town.canaries if c.room == key}
        return self.random.choice(sorted(spoke & set(self.inside(key))) or self.inside(key))


def is_lived_in(room: Room) -> bool:
    """Rooms that people join; a connection and the unknown have no members to list."""
    return READ_BY[room.kind] in HAVE_MEMBERS and room is not GUEST
