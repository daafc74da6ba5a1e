"""Keys: who may come in from elsewhere, and as whom. A secret is shown once and kept as a hash."""

from __future__ import annotations

import hashlib
import re
import secrets
import uuid
from asyncio import sleep
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from confide.actor import Actor, in_person, require
from confide.declare import Door, Group, HeldBy, HeldKey, Self, verb
from confide.errors import InvalidInput, NotFound, NotRecognized, TooMany
from confide.keep.rates import Rate
from confide.keep.requesting import Asked, allow
from confide.model import COLLECTIVE, KNOWN_PLATFORMS, LOCAL, Entity
from confide.privacy.acting import Act, CallerKind, Relation
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

#: Their own act, or one that their key asks for; a token speaks in one place only.
OF_PEOPLE: Final = (CallerKind.PLATFORM, CallerKind.PERSONAL)
#: Whoever holds a key renews it or gives it up: no act on anything that is kept.
HOLDERS: Final = (*OF_PEOPLE, CallerKind.AUDITOR, CallerKind.ADMIN)

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


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedKey:
    """A key as it is shown to those who look after keys."""

    id: uuid.UUID
    kind: KeyKind
    name: str
    platform: str | None
    entity: Entity | None
    per_minute: int
    created_at: datetime
    expires_at: datetime
    last_used_at: datetime | None
    state: str  # valid, expired or revoked


@dataclass(frozen=True, slots=True)
class Made:
    """A key and its secret, which is shown now and never again."""

    key: ListedKey
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


class Keys(Group):
    """Whoever holds the disk makes keys; nobody can make one from elsewhere."""

    def __init__(self, door: Door) -> None:
        super().__init__(door)
        self._rates: dict[uuid.UUID, Rate] = {}

    async def create(self, wanted: Wanted, *, actor: Actor) -> Made:
        require(Act.MAKE_KEY, actor, in_person(actor))
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
        async with self.database.keep(by=actor, doing="make a key", at=self.clock()) as connection:
            await self._require_free(connection, wanted.platform)
            await stored.add(connection, self.database.agent, key, hashed(secret))
        return Made(listed(key, now), secret)

    async def _require_free(self, connection: Connection, platform: str | None) -> None:
        """Ids that begin with an unregistered name are local: registering it would hand them over."""
        if platform is None or platform in (LOCAL, *KNOWN_PLATFORMS):
            return
        agent = self.database.agent
        if await stored.is_registered(connection, agent, platform):
            return
        if await stored.has_ids(connection, agent, platform):
            raise InvalidInput(
                "platform",
                f"ids like human:{platform}.1 are in use as local ones, and a key for {platform} would"
                " speak for them; choose another name for the platform",
            )

    @verb(Act.READ_NUMBERS, "GET /keys", only=(CallerKind.ADMIN,), answers="keys")
    async def list(self) -> list[ListedKey]:
        """Every key, also those that ended; no secrets."""
        async with self.database.keep() as connection:
            found = await stored.listed(connection, self.database.agent)
        return [listed(key, self.clock()) for key in found]

    async def rotate(
        self, key_id: uuid.UUID, *, actor: Actor, overlap: timedelta = timedelta(0)
    ) -> Made:
        """Another secret for the same key, with a fresh expiry. The former one serves for `overlap`."""
        require(Act.MAKE_KEY, actor, in_person(actor))
        if not timedelta(0) <= overlap <= timedelta(days=7):
            raise InvalidInput("overlap", "is at most 7d")
        return await self._replace(key_id, overlap, actor=actor, is_fresh=True)

    @verb(None, "POST /keys/mine/rotate", only=HOLDERS)
    async def renew(self, key_id: HeldKey | None = None, *, actor: HeldBy | None = None) -> Made:
        """Another secret for the key that asks; the former one ends. It expires when it would have:
        nobody makes a key from elsewhere, and one that was stolen must not live for ever."""
        if key_id is None or actor is None:
            raise InvalidInput("key", "this is for whoever comes with a key; use `keys rotate`")
        return await self._replace(key_id, timedelta(0), actor=actor, is_fresh=False)

    async def _replace(
        self, key_id: uuid.UUID, overlap: timedelta, *, actor: Actor, is_fresh: bool
    ) -> Made:
        now, secret, agent = self.clock(), new_secret(), self.database.agent
        async with self.database.keep(
            by=actor, doing="rotate a key", at=self.clock()
        ) as connection:
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
        return Made(listed(key, now), secret)

    @verb(Act.REVOKE_KEY, "DELETE /keys/{key_id}", once=True)
    async def revoke(self, key_id: uuid.UUID, *, actor: Actor) -> None:
        """End a key at once, and every token that it minted."""
        require(Act.REVOKE_KEY, actor, in_person(actor))
        await self._end(key_id, actor)

    @verb(None, "DELETE /keys/mine/revoke", only=HOLDERS)
    async def give_up(self, key_id: HeldKey | None = None, *, actor: HeldBy | None = None) -> None:
        """End the key that asks."""
        if key_id is None or actor is None:
            raise InvalidInput("key", "this is for whoever comes with a key; use `keys revoke`")
        await self._end(key_id, actor)

    async def _end(self, key_id: uuid.UUID, actor: Actor) -> None:
        async with self.database.keep(
            by=actor, doing="revoke a key", at=self.clock()
        ) as connection:
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

    async def wait_turn(self, key_id: uuid.UUID | None) -> None:
        """One more of many things that came in one request: each counts, and waits until the rate
        of a key that was recognized allows it."""
        rate = self._rates.get(key_id) if key_id is not None else None
        wait = rate.take(self.clock()) if rate is not None else None
        while wait is not None and rate is not None:
            await sleep(wait)
            wait = rate.take(self.clock())

    async def is_any_valid(self) -> bool:
        async with self.database.keep() as connection:
            return await stored.is_any_valid(connection, self.database.agent, self.clock())

    async def is_opened(self, who: Entity) -> bool:
        """Whether personal connections of `who` tell what was learned elsewhere (S24)."""
        async with self.database.keep() as connection:
            return await stored.is_opened(connection, self.database.agent, who)

    @verb(Act.OPEN_CONNECTION, "POST /privacy/connections/open", once=True, only=OF_PEOPLE)
    async def open_connections(self, who: Self, *, actor: Actor) -> None:
        """Let one's personal keys also tell what was learned elsewhere. A key only asks for it:
        behind it may be a model that would open its own door."""
        _require_self(who, actor)
        await allow(
            self.database, Act.OPEN_CONNECTION, actor, Relation.OWNER, Asked(grantor=who),
            self.clock(),
        )  # fmt: skip
        async with self.database.keep(
            by=actor, doing="open connections", at=self.clock()
        ) as connection:
            await connection.execute(
                query("keys", "open"), self.database.agent, str(who), str(actor), self.clock()
            )

    @verb(Act.OPT_OUT, "POST /privacy/connections/close", once=True, only=OF_PEOPLE)
    async def close_connections(self, who: Self, *, actor: Actor) -> None:
        """Connections tell only what was remembered through them, and what is global."""
        _require_self(who, actor)
        require(Act.OPT_OUT, actor, Relation.OWNER)
        async with self.database.keep(
            by=actor, doing="close connections", at=self.clock()
        ) as connection:
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


def listed(key: Key, now: datetime) -> ListedKey:
    """Without what only the door needs to know of it."""
    ended = "revoked" if key.revoked_at else "expired"
    return ListedKey(
        id=key.id,
        kind=key.kind,
        name=key.name,
        platform=key.platform,
        entity=key.entity,
        per_minute=key.per_minute,
        created_at=key.created_at,
        expires_at=key.expires_at,
        last_used_at=key.last_used_at,
        state="valid" if key.is_valid(now) else ended,
    )


def new_secret() -> str:
    return PREFIX + secrets.token_urlsafe(32)


def hashed(secret: str) -> bytes:
    """256 random bits cannot be guessed, so that a slow hash would only slow down the server."""
    return hashlib.sha256(secret.encode()).digest()


def _require_self(who: Entity, actor: Actor) -> None:
    if actor.entity != who:
        raise InvalidInput("actor", f"only {who} decides this")
