"""Keys: who may come in from elsewhere, and as whom. A secret is shown once and kept as a hash."""

from __future__ import annotations

import hashlib
import re
import secrets
import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final, NamedTuple

from confide.actor import Actor
from confide.errors import InvalidInput, NotAllowed, NotFound, NotRecognized, TooMany
from confide.keep.rates import Rate
from confide.means import Means, Part
from confide.model import COLLECTIVE, Entity
from confide.privacy.acting import CallerKind
from confide.store import keys as stored
from confide.store.keys import Key, KeyKind
from confide.store.queries import query

if TYPE_CHECKING:
    from confide.store.connection import Connection

PREFIX: Final = "cfd_"
_SECRET: Final = re.compile(r"cfd_[A-Za-z0-9_-]{43}")
_NAME: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
_PLATFORM: Final = re.compile(r"[a-z][a-z0-9-]{0,31}")
UNRECOGNIZED: Final = "the key is unknown, expired or revoked; ask the operator for a new one"
NO_SUCH_KEY: Final = "there is no such key"

DAYS: Final = {
    KeyKind.PERSONAL: 180,
    KeyKind.PLATFORM: 365,
    KeyKind.AUDITOR: 90,
    KeyKind.ADMIN: 90,
}
PER_MINUTE: Final = {
    KeyKind.PERSONAL: 600,
    KeyKind.PLATFORM: 60_000,
    KeyKind.AUDITOR: 600,
    KeyKind.ADMIN: 600,
}


class Made(NamedTuple):
    """A key and its secret, which is shown now and never again."""

    key: Key
    secret: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a new key should be. What is left out has a default by its kind."""

    kind: KeyKind
    name: str = "default"
    platform: str | None = None
    entity: Entity | None = None
    lasts: timedelta | None = None
    per_minute: int | None = None

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise InvalidInput("name", "has 1 to 64 letters, digits, dots, - or _")
        if (self.kind is KeyKind.PLATFORM) != (self.platform is not None):
            raise InvalidInput("platform", "a platform key names its platform, no other key does")
        if self.platform is not None and not _PLATFORM.fullmatch(self.platform):
            raise InvalidInput("platform", "is one word of a-z, 0-9 and -, for example discord")
        if (self.kind is KeyKind.PERSONAL) != (self.entity is not None):
            raise InvalidInput("entity", "a personal key names whose it is, no other key does")
        if self.entity is not None and self.entity.namespace in (*COLLECTIVE, "ctx"):
            raise InvalidInput("entity", f"{self.entity} is nobody in particular; name a person")
        if self.lasts is not None and not timedelta(0) < self.lasts <= timedelta(days=3650):
            raise InvalidInput("lasts", "a key lasts longer than nothing and at most ten years")
        if self.per_minute is not None and not 1 <= self.per_minute <= 10_000_000:
            raise InvalidInput("per_minute", "is a number from 1 to 10,000,000")


class Keys(Part):
    """Whoever holds the disk makes keys; nobody can make one from elsewhere."""

    def __init__(self, means: Means) -> None:
        super().__init__(means)
        self._rates: dict[uuid.UUID, Rate] = {}

    async def create(self, wanted: Wanted, *, actor: Actor) -> Made:
        _require_operator(actor)
        if wanted.entity == self.database.agent_entity:
            raise InvalidInput("entity", "the agent itself has no key: it would hear everything")
        now, secret = self.clock(), new_secret()
        key = Key(
            id=uuid.uuid4(),
            kind=wanted.kind,
            name=wanted.name,
            platform=wanted.platform,
            entity=wanted.entity,
            per_minute=wanted.per_minute or PER_MINUTE[wanted.kind],
            created_at=now,
            expires_at=now + (wanted.lasts or timedelta(days=DAYS[wanted.kind])),
        )
        async with self.database.keep(by=actor, doing="make a key") as connection:
            await stored.add(connection, self.database.agent, key, hashed(secret))
        return Made(key, secret)

    async def list(self) -> list[Key]:
        """Every key, also those that ended; no secrets."""
        async with self.database.keep() as connection:
            return await stored.listed(connection, self.database.agent)

    async def rotate(
        self, key_id: uuid.UUID, *, actor: Actor, overlap: timedelta = timedelta(0)
    ) -> Made:
        """Another secret for the same key, with a fresh expiry. The former one serves for `overlap`."""
        _require_operator(actor)
        if not timedelta(0) <= overlap <= timedelta(days=7):
            raise InvalidInput("overlap", "is at most 7d")
        return await self._replace(key_id, overlap, actor=actor, is_fresh=True)

    async def renew(self, key_id: uuid.UUID, *, actor: Actor) -> Made:
        """For whoever holds the key itself. It expires when it would have: nobody makes a key from
        elsewhere, and one that was stolen must not live for ever."""
        return await self._replace(key_id, timedelta(0), actor=actor, is_fresh=False)

    async def _replace(
        self, key_id: uuid.UUID, overlap: timedelta, *, actor: Actor, is_fresh: bool
    ) -> Made:
        now, secret, agent = self.clock(), new_secret(), self.database.agent
        async with self.database.keep(by=actor, doing="rotate a key") as connection:
            known = await stored.by_id(connection, agent, key_id, now)
            if known is None:
                raise NotFound(NO_SUCH_KEY)
            ends = known.expires_at
            if is_fresh:
                lasts = min(known.expires_at - known.created_at, timedelta(days=DAYS[known.kind]))
                ends = now + lasts
            key = await stored.rotate(
                connection, agent, key_id, hashed(secret), now, now + overlap, ends
            )
            if key is None:
                raise NotFound(NO_SUCH_KEY)
        return Made(key, secret)

    async def revoke(self, key_id: uuid.UUID, *, actor: Actor) -> None:
        """It opens nothing from now on, nor do the tokens that it minted."""
        if actor.kind not in (CallerKind.OPERATOR, CallerKind.ADMIN) or actor.entity is not None:
            raise NotAllowed("only the operator or an admin key revokes keys")
        await self.give_up(key_id, actor=actor)

    async def give_up(self, key_id: uuid.UUID, *, actor: Actor) -> None:
        """For whoever holds the key itself."""
        async with self.database.keep(by=actor, doing="revoke a key") as connection:
            if not await stored.revoke(connection, self.database.agent, key_id, self.clock()):
                raise NotFound(NO_SUCH_KEY)

    async def recognize(self, secret: str) -> Key:
        """The key this secret belongs to. Unknown, expired and revoked are one error."""
        if not _SECRET.fullmatch(secret):
            raise NotRecognized(UNRECOGNIZED)
        now, agent = self.clock(), self.database.agent
        async with self.database.keep(may_lag=True) as connection:
            key = await stored.by_hash(connection, agent, hashed(secret), now)
            if key is not None:
                await self._note(connection, key, now)
        if key is None:
            raise NotRecognized(UNRECOGNIZED)
        self._count(key, now)
        return key

    async def recognize_minter(self, key_id: uuid.UUID) -> Key:
        """The platform key that minted a token, while it is valid itself."""
        now = self.clock()
        async with self.database.keep(may_lag=True) as connection:
            key = await stored.by_id(connection, self.database.agent, key_id, now)
            if key is not None:
                await self._note(connection, key, now)
        if key is None or key.kind is not KeyKind.PLATFORM:
            raise NotRecognized(UNRECOGNIZED)
        self._count(key, now)
        return key

    async def is_any_valid(self) -> bool:
        async with self.database.keep() as connection:
            return await stored.is_any_valid(connection, self.database.agent, self.clock())

    async def is_opened(self, who: Entity) -> bool:
        """Whether personal connections of `who` tell what was learned elsewhere (S24)."""
        async with self.database.keep() as connection:
            return await stored.is_opened(connection, self.database.agent, who)

    async def open_connections(self, who: Entity, *, actor: Actor) -> None:
        """Let them. Not through a key: behind it may be a model that would open its own door."""
        if actor.entity != who or actor.kind is CallerKind.PERSONAL:
            raise InvalidInput(
                "actor", f"only {who} decides this, on a platform or at the operator's"
            )
        async with self.database.keep(by=actor, doing="open connections") as connection:
            await connection.execute(
                query("keys", "open"), self.database.agent, str(who), str(actor), self.clock()
            )

    async def close_connections(self, who: Entity, *, actor: Actor) -> None:
        """Connections tell only what was remembered through them, and what is global."""
        if actor.entity != who:
            raise InvalidInput("actor", f"only {who} decides this")
        async with self.database.keep(by=actor, doing="close connections") as connection:
            await connection.execute(query("keys", "close"), self.database.agent, str(who))

    async def _note(self, connection: Connection, key: Key, now: datetime) -> None:
        last = key.last_used_at
        if last is None or now - last >= stored.USED_EVERY:
            await stored.note_use(connection, self.database.agent, key, now)

    def _count(self, key: Key, now: datetime) -> None:
        rate = self._rates.get(key.id)
        if rate is None or rate.per_minute != key.per_minute:
            rate = self._rates[key.id] = Rate(key.per_minute, now)
        wait = rate.take(now)
        if wait is not None:
            raise TooMany(f"this key may ask {key.per_minute} times a minute; wait", wait)


def new_secret() -> str:
    return PREFIX + secrets.token_urlsafe(32)


def hashed(secret: str) -> bytes:
    """256 random bits cannot be guessed, so that a slow hash would only slow down the server."""
    return hashlib.sha256(secret.encode()).digest()


def _require_operator(actor: Actor) -> None:
    if actor.kind is not CallerKind.OPERATOR or actor.entity is not None:
        raise NotAllowed("only the operator makes keys, where the database is")
