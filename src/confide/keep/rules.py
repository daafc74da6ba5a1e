"""What the owner of a space decided for it (B19): where the agent listens, learns and tells."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass, fields
from datetime import timedelta
from typing import TYPE_CHECKING, Any, cast

from confide.actor import operator_as
from confide.errors import InvalidInput, NotFound
from confide.means import Means, Part
from confide.model import Place, PlaceKind
from confide.store.queries import query

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from confide.actor import Actor
    from confide.keep.erasing import Erasures
    from confide.model import Entity


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceRules:
    """One owner's switches. Places and roles are named by the platform's ids."""

    learns: bool = True  # what is said to the agent in this space may be kept
    tells: bool = True  # memories may be told in this space
    not_learned: frozenset[str] = frozenset()  # places of which nothing is kept
    not_told: frozenset[str] = frozenset()  # places in which no memory is told
    listened: frozenset[str] = frozenset()  # places in which all is heard, as announced there
    unlearned_roles: frozenset[str] = frozenset()  # of whose holders nothing is kept, e.g. minors
    untold_roles: frozenset[str] = frozenset()  # whose holders are answered without memories
    community_role: str | None = None  # its channels are public among those who hold it
    within: frozenset[str] = frozenset()  # roles whose holders all have the community role
    is_read_from_outside: bool = False  # public channels are read by anyone
    raw_days: int | None = None  # how long a message's words stay; None: as everywhere
    budget: float | None = None  # dollars a month for models in this space; None: as everywhere


def write_rules(rules: SpaceRules) -> dict[str, Any]:
    """Only what differs from the defaults."""
    return {
        one.name: sorted(cast("frozenset[str]", value)) if isinstance(value, frozenset) else value
        for one in fields(SpaceRules)
        if (value := getattr(rules, one.name)) != one.default
    }


def read_rules(written: dict[str, Any]) -> SpaceRules:
    """The inverse. A switch that is not known, or of another type, is a mistake."""
    defaults = {one.name: one.default for one in fields(SpaceRules)}
    read: dict[str, Any] = {}
    for name, value in written.items():
        if name not in defaults:
            raise InvalidInput("rules", f"{name!r} is none of {', '.join(defaults)}")
        listed = isinstance(value, list)
        read[name] = frozenset(map(str, cast("list[object]", value))) if listed else value
        if not _fits(name, read[name], defaults[name]):
            raise InvalidInput("rules", f"{name} cannot be {value!r}")
    return SpaceRules(**read)


def _fits(name: str, value: object, default: object) -> bool:
    if default is not None:
        return isinstance(value, type(default))
    if name == "community_role":
        return value is None or isinstance(value, str)
    return value is None or (
        isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
    )


class Ownership(Part):
    """The switches of every space, and what happens to a space that the agent left."""

    def __init__(
        self, means: Means, erasure: Erasures, unlearn: Callable[[str, str], Awaitable[bool]]
    ) -> None:
        super().__init__(means)
        self._erasure, self._unlearn = erasure, unlearn

    async def of(self, space: str) -> SpaceRules:
        async with self.database.keep() as connection:
            found = await connection.fetchval(
                query("rules", "of_space"), self.database.agent, space
            )
        return SpaceRules() if found is None else read_rules(json.loads(found))

    async def decide(self, space: str, rules: SpaceRules, *, actor: Actor) -> None:
        written = json.dumps(write_rules(rules))
        async with self.database.keep(by=actor, doing="rules", at=self.clock()) as connection:
            await connection.execute(query("rules", "decide"), self.database.agent, space, written)

    async def left(self, space: str, *, is_back: bool = False) -> None:
        """The agent was removed from a space, or is in it again."""
        now = self.clock()
        async with self.database.keep(by="platform", doing="left", at=now) as connection:
            await connection.execute(
                query("rules", "leave"), self.database.agent, space, None if is_back else now
            )

    async def known(self, platform: str) -> list[str]:
        """Spaces of a platform that the agent is in, as far as it was told."""
        async with self.database.keep() as connection:
            rows = await connection.fetch(query("rules", "known"), self.database.agent, platform)
        return [row["space"] for row in rows]

    async def forget_account(self, who: Entity, space: str, *, actor: Actor) -> int:
        """Erase what somebody who left said in a space; what they said elsewhere stays theirs."""
        agent, at = self.database.agent, self.clock()
        async with self.database.keep(by=actor, doing="forget account", at=at) as connection:
            said = await connection.fetch(query("rules", "said_by"), agent, str(who), space)
            kept = await connection.fetch(query("rules", "kept_of"), agent, str(who), space)
        for row in said:
            await self._unlearn(row["message_id"], row["platform"])
        for row in kept:
            with suppress(NotFound):  # it went with its message
                await self._erasure.memory(row["id"], actor=operator_as(), now=True)
        return len(said) + len(kept)

    async def erase_departed(self) -> int:
        """What was said in spaces that the agent left a while ago goes. Returns how many spaces."""
        days = self.settings.departed_days
        if days is None:
            return 0
        async with self.database.keep() as connection:
            rows = await connection.fetch(
                query("rules", "departed"),
                self.database.agent,
                self.clock() - timedelta(days=days),
            )
        for row in rows:
            for id in row["places"]:
                place = Place(id=id, kind=PlaceKind.RESTRICTED, space=row["space"])
                await self._erasure.place(place, actor=operator_as(), now=True)
            await self._forget(row["space"])
        return len(rows)

    async def _forget(self, space: str) -> None:
        """Nothing is left of it to erase again."""
        async with self.database.keep(doing="left", at=self.clock()) as connection:
            await connection.execute(query("rules", "forget"), self.database.agent, space)
