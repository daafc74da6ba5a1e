"""Signing in with a browser: one-time links, and the sessions that they or a key begin.

A link is made by the platform for its own person at their request, or on the operator's command
line. Opening it shows whose it is; only pressing a button uses it up, since chat programs fetch links.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import uuid
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from confide.actor import Actor, in_person, require
from confide.declare import Alone, Group, verb
from confide.errors import NotAllowed, NotFound
from confide.model import COLLECTIVE, Entity
from confide.privacy.acting import Act, CallerKind
from confide.store import browsing
from confide.store import keys as stored_keys
from confide.store.browsing import LinkMade, Session
from confide.store.encoding import read_entity
from confide.store.keys import Key, KeyKind
from confide.store.queries import query

if TYPE_CHECKING:
    from confide.store.connection import Connection

LINK_LASTS: Final = timedelta(minutes=10)
LINKS_SHOWN: Final = timedelta(days=90)
IDLE: Final = timedelta(minutes=30)
LONGEST: Final = timedelta(hours=12)
ROTATED_EVERY: Final = timedelta(minutes=15)
#: How long a request that was under way may still show the former cookie.
OVERLAP: Final = timedelta(minutes=1)
SEEN_EVERY: Final = timedelta(minutes=1)
NO_SUCH_LINK: Final = "this link was used already or is too old; ask for another one"
_SECRET: Final = re.compile(r"[A-Za-z0-9_-]{43}")
KINDS: Final = {
    KeyKind.PERSONAL: CallerKind.PERSONAL,
    KeyKind.AUDITOR: CallerKind.AUDITOR,
    KeyKind.ADMIN: CallerKind.ADMIN,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInLink:
    """Where to sign in, as whom, and until when. It works once."""

    path: str
    whose: Entity | None  # None: the operator
    expires_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedIn:
    """A session, and its cookie where that is new."""

    session: Session
    cookie: str | None


class Browser(Group, but=(CallerKind.TOKEN,)):
    """Who is signed in to the console, and by what."""

    @verb(Act.SIGN_IN, "POST /sign-in-links", status=201)
    async def link(self, *, actor: Actor) -> SignInLink:
        """A link that signs somebody in to the console, once and within ten minutes.

        Make it when they ask for it, and give it to nobody else. They see it in their list of links.
        """
        require(Act.SIGN_IN, actor, in_person(actor))
        who, now, secret = actor.entity, self.clock(), _new_secret()
        if who is not None and (who == self.database.agent_entity or who.namespace in COLLECTIVE):
            raise NotAllowed(f"{who} is nobody who signs in")
        ends = now + LINK_LASTS
        async with self.database.keep(by=actor, doing="make a link", at=now) as connection:
            agent = self.database.agent
            await connection.execute(query("browser", "drop_links"), agent, now - LINKS_SHOWN)
            await connection.execute(
                query("browser", "add_link"),
                agent, uuid.uuid4(), _hashed(secret), str(who) if who else None,
                actor.kind.value, now, ends,
            )  # fmt: skip
        return SignInLink(path=f"/sign-in/{secret}", whose=who, expires_at=ends)

    @verb(Act.READ_OWN, "GET /sign-in-links", answers="links")
    async def links(self, who: Alone) -> list[LinkMade]:
        """The links that were made for somebody in the last 90 days: when, by what, and whether used."""
        since = self.clock() - LINKS_SHOWN
        async with self.database.keep() as connection:
            return await browsing.links(connection, self.database.agent, who, since, 50)

    async def shown(self, secret: str) -> SignInLink:
        """Whose link it is. Looking at it does not use it up."""
        async with self.database.keep() as connection:
            row = await connection.fetchrow(
                query("browser", "link"), self.database.agent, _hash_of(secret), self.clock()
            )
        if row is None:
            raise NotFound(NO_SUCH_LINK)
        whose = read_entity(row["entity"]) if row["entity"] else None
        return SignInLink(path=f"/sign-in/{secret}", whose=whose, expires_at=row["expires_at"])

    async def enter(self, secret: str) -> SignedIn:
        """Use a link up, and sign in."""
        now, agent = self.clock(), self.database.agent
        who = (await self.shown(secret)).whose
        kind = CallerKind.CONSOLE if who is None else CallerKind.SIGNED_IN
        by = Actor(who, kind)
        async with self.database.keep(by=by, doing="sign in", at=now) as connection:
            row = await connection.fetchrow(
                query("browser", "use_link"), agent, _hash_of(secret), now
            )
            if row is None:
                raise NotFound(NO_SUCH_LINK)
            return await self._begin(connection, kind, who, None, now)

    async def enter_with_key(self, key: Key) -> SignedIn:
        """A session that may do what the key may, and no more. A platform key becomes none."""
        kind = KINDS.get(key.kind)
        if kind is None:
            raise NotAllowed("a platform key speaks for many people, and signs nobody in")
        now, by = self.clock(), Actor(key.entity, kind)
        async with self.database.keep(by=by, doing="sign in", at=now) as connection:
            return await self._begin(connection, kind, key.entity, key.id, now)

    async def session(self, cookie: str) -> SignedIn | None:
        """Whose cookie it is. After a while of use it gets another value."""
        if not _SECRET.fullmatch(cookie):
            return None
        now, agent = self.clock(), self.database.agent
        async with self.database.keep(may_lag=True) as connection:
            found = await browsing.find(connection, agent, _hashed(cookie), now, now - IDLE)
            if found is None:
                return None
            if not found.is_newest or now - found.rotated_at < ROTATED_EVERY:
                if now - found.seen_at >= SEEN_EVERY:
                    await connection.execute(query("browser", "seen"), agent, found.id, now)
                return SignedIn(session=found, cookie=None)
            fresh = _new_secret()
            done = await connection.execute(
                query("browser", "rotate"),
                agent, found.id, _hashed(cookie), _hashed(fresh), now + OVERLAP, now,
            )  # fmt: skip
        return SignedIn(session=found, cookie=fresh if done == "UPDATE 1" else None)

    async def key_of(self, session: Session) -> Key | None:
        """The key that a session was begun with, while it is valid."""
        if session.key_id is None:
            return None
        async with self.database.keep() as connection:
            agent = self.database.agent
            key = await stored_keys.by_id(connection, agent, session.key_id, self.clock())
            if key is None or key.entity is None:
                return key
            is_opened = await stored_keys.is_opened(connection, agent, key.entity)
        return replace(key, is_opened=is_opened)

    async def leave(self, session: Session) -> None:
        """Sign out: the cookie opens nothing from now on."""
        async with self.database.keep(
            by=_by(session), doing="sign out", at=self.clock()
        ) as connection:
            await connection.execute(query("browser", "end"), self.database.agent, session.id)

    async def leave_everywhere(self, session: Session) -> None:
        """Sign out of every browser in which the same person, or the operator, is signed in."""
        who = str(session.entity) if session.entity else None
        async with self.database.keep(
            by=_by(session), doing="sign out", at=self.clock()
        ) as connection:
            await connection.execute(
                query("browser", "end_all"), self.database.agent, who, session.kind.value
            )

    async def _begin(
        self,
        connection: Connection,
        kind: CallerKind,
        who: Entity | None,
        key_id: uuid.UUID | None,
        now: datetime,
    ) -> SignedIn:
        """Always with a cookie nobody has seen: one that was planted before opens nothing."""
        secret, agent = _new_secret(), self.database.agent
        await connection.execute(query("browser", "drop_ended"), agent, now, now - IDLE)
        made = Session(
            id=uuid.uuid4(),
            kind=kind,
            entity=who,
            key_id=key_id,
            started_at=now,
            seen_at=now,
            rotated_at=now,
        )
        await browsing.begin(connection, agent, made, _hashed(secret), now + LONGEST)
        return SignedIn(session=made, cookie=secret)


def _by(session: Session) -> Actor:
    return Actor(session.entity, session.kind)


def _new_secret() -> str:
    return secrets.token_urlsafe(32)


def _hashed(secret: str) -> bytes:
    """256 random bits cannot be guessed; a slow hash would only slow down the server."""
    return hashlib.sha256(secret.encode()).digest()


def _hash_of(secret: str) -> bytes:
    """What is no secret of ours is answered like one that was used."""
    if not _SECRET.fullmatch(secret):
        raise NotFound(NO_SUCH_LINK)
    return _hashed(secret)
