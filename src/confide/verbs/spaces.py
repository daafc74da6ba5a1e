"""What the owner of a space decided for it (B19): where the agent listens, learns and tells."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, fields
from datetime import timedelta
from typing import Any, cast

from confide.actor import Actor, operator_as
from confide.declare import Group, HeldPlatform, OwnId, Vouched, verb
from confide.errors import InvalidInput, NotFound
from confide.keep.erasing import Erasures
from confide.model import Place, PlaceKind
from confide.privacy.acting import Act
from confide.remember import unlearn
from confide.store import spaces
from confide.wire.codec import reader


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

    def __post_init__(self) -> None:
        for name, most in (("raw_days", self.raw_days), ("budget", self.budget)):
            if most is not None and most < 0:
                raise InvalidInput(f"rules.{name}", "cannot be less than nothing")


def write_rules(rules: SpaceRules) -> dict[str, Any]:
    """Only what differs from the defaults."""
    return {
        one.name: sorted(cast("frozenset[str]", value)) if isinstance(value, frozenset) else value
        for one in fields(SpaceRules)
        if (value := getattr(rules, one.name)) != one.default
    }


def read_rules(written: dict[str, Any]) -> SpaceRules:
    """The inverse. A switch that is not known, or of another type, is a mistake."""
    return reader(SpaceRules)(written, "rules")


class Rules(Group):
    """The switches of every space, and what happens to a space that the agent left."""

    @verb(Act.ATTEST, "GET /spaces/rules", answers="rules")
    async def of(self, space: OwnId) -> SpaceRules:
        """Where the agent listens, learns and tells in a space."""
        async with self.database.keep() as connection:
            return read_rules(await spaces.rules(connection, self.database.agent, space))

    @verb(Act.ATTEST, "PUT /spaces/rules", once=True)
    async def decide(self, space: OwnId, rules: SpaceRules, *, actor: Actor) -> None:
        """The owner of a space decides; only what differs from the defaults is needed. The platform
        answers for who that is."""
        async with self.database.keep(by=actor, doing="rules", at=self.clock()) as connection:
            await spaces.decide(connection, self.database.agent, space, write_rules(rules))

    @verb(Act.ATTEST, "POST /spaces/left", once=True)
    async def left(self, space: OwnId, *, is_back: bool = False) -> None:
        """The agent was removed from a space, or is in it again."""
        now = self.clock()
        async with self.database.keep(by="platform", doing="left", at=now) as connection:
            await spaces.leave(connection, self.database.agent, space, None if is_back else now)

    @verb(Act.ATTEST, "GET /spaces", answers="spaces")
    async def known(self, platform: HeldPlatform) -> list[str]:
        """Spaces of a platform that the agent is in, as far as it was told."""
        async with self.database.keep() as connection:
            return await spaces.known(connection, self.database.agent, platform)

    @verb(Act.ATTEST, "POST /spaces/forget-account", once=True, answers="erased")
    async def forget_account(self, who: Vouched, space: OwnId, *, actor: Actor) -> int:
        """Erase what somebody who left said in a space; what they said elsewhere stays theirs."""
        agent, at = self.database.agent, self.clock()
        async with self.database.keep(by=actor, doing="forget account", at=at) as connection:
            said = await spaces.said_by(connection, agent, who, space)
            kept = await spaces.kept_of(connection, agent, who, space)
        for message_id, platform in said:
            await unlearn.delete(self.database, self.embedder, platform, message_id, at)
        for id in kept:
            with suppress(NotFound):  # it went with its message
                await Erasures(self.door).memory(id, actor=operator_as(), now=True)
        return len(said) + len(kept)

    async def erase_departed(self) -> int:
        """What was said in spaces that the agent left a while ago goes. Returns how many spaces."""
        days = self.settings.departed_days
        if days is None:
            return 0
        before, agent = self.clock() - timedelta(days=days), self.database.agent
        async with self.database.keep() as connection:
            gone = await spaces.departed(connection, agent, before)
        for space, places in gone:
            for id in places:
                place = Place(id=id, kind=PlaceKind.RESTRICTED, space=space)
                await Erasures(self.door).place(place, actor=operator_as(), now=True)
            async with self.database.keep(doing="left", at=self.clock()) as connection:
                await spaces.forget(connection, agent, space)  # nothing is left to erase again
        return len(gone)
