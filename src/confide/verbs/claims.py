"""Claims: somebody who imported a chat says that one of its people is a certain account.

That narrows at once. Only the owner of the account, their guardian or the operator in their name
confirms it; then the account hears what was said in the rooms that the file lists it in.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from confide.actor import Actor
from confide.declare import Alone, Group, verb
from confide.errors import InvalidInput, NotFound
from confide.keep.consenting import require_voice
from confide.keep.requesting import Asked, allow
from confide.model import Entity
from confide.privacy.acting import Act, CallerKind, Relation
from confide.store import claims as store
from confide.store.colliding import tried_again

if TYPE_CHECKING:
    from confide.store.claims import Claim as Stored
    from confide.store.connection import Connection

NO_SUCH_CLAIM: Final = "there is no such claim"


class Standing(StrEnum):
    """What became of a claim."""

    WAITING = "waiting"
    CONFIRMED = "confirmed"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """In a file that `importer` brought, somebody called `name` is said to be `account`."""

    id: uuid.UUID
    account: Entity
    importer: Entity
    name: str
    platform: str
    standing: Standing


class Claims(Group, but=(CallerKind.TOKEN,)):
    """`confide.claims`: who people in imported chats are said to be."""

    @verb(Act.READ_OWN, "GET /claims", answers="claims")
    async def on(self, asker: Alone) -> list[Claim]:
        """In whose imported chats somebody is said to be, where a yes would open anything."""
        async with self.database.keep() as connection:
            found = await store.on(connection, self.database.agent, asker)
        return [_shown(one) for one in found]

    @verb(Act.CONFIRM_CLAIM, "POST /claims/{claim}/confirm", alone=True)
    async def confirm(self, claim: uuid.UUID, *, actor: Actor) -> Claim:
        """Say that it is so: one hears what was said while one was there, as the file lists it."""
        asked = await self._found(claim, actor)
        relation = Relation.OWNER if actor.entity == asked.account else Relation.GUARDIAN
        wish = Asked(grantor=asked.account, target=str(claim))
        await allow(self.database, Act.CONFIRM_CLAIM, actor, relation, wish, self.clock())
        return await self._decide(claim, actor, is_so=True)

    @verb(Act.SPLIT, "POST /claims/{claim}/refuse", alone=True)
    async def refuse(self, claim: uuid.UUID, *, actor: Actor) -> Claim:
        """Say that it is not so, or no longer: what came by it ends."""
        await self._found(claim, actor)
        return await self._decide(claim, actor, is_so=False)

    async def _found(self, claim: uuid.UUID, actor: Actor) -> Stored:
        async with self.database.keep() as connection:
            return await self._own(connection, claim, actor)

    async def _own(self, connection: Connection, claim: uuid.UUID, actor: Actor) -> Stored:
        """Somebody else's claim is as good as none."""
        found = await store.one(connection, self.database.agent, claim)
        if found is None:
            raise NotFound(NO_SUCH_CLAIM)
        try:
            await require_voice(connection, self.database, actor, found.account)
        except InvalidInput:
            raise NotFound(NO_SUCH_CLAIM) from None
        return found

    @tried_again
    async def _decide(self, claim: uuid.UUID, actor: Actor, *, is_so: bool) -> Claim:
        now, agent = self.clock(), self.database.agent
        async with self.database.keep(by=actor, doing="claim", at=now) as connection:
            found = await self._own(connection, claim, actor)
            await store.decide(connection, self.database, found, is_so, now)
            decided = await store.one(connection, agent, claim)
        assert decided is not None  # held since it was found
        return _shown(decided)


def _shown(one: Stored) -> Claim:
    standing = Standing.CONFIRMED if one.confirmed_at else Standing.WAITING
    return Claim(
        id=one.id,
        account=one.account,
        importer=one.importer,
        name=one.called,
        platform=one.platform,
        standing=Standing.REFUSED if one.refused_at else standing,
    )
