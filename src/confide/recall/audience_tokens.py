"""Audience tokens: a platform says once who is listening, and a model's tool call cannot say otherwise."""

from __future__ import annotations

import secrets
import uuid
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from confide.actor import Actor
from confide.errors import InvalidInput, NotAllowed, NotRecognized
from confide.means import Part
from confide.model import Entity, Namespace, Place, PlaceKind
from confide.privacy.acting import CallerKind
from confide.privacy.policy import Anyone, Audience, EveryoneIn
from confide.recall.audience import audience_in, tell_to
from confide.store.encoding import write_audience
from confide.store.queries import query

if TYPE_CHECKING:
    from confide.store.connection import Connection

LASTS: Final = timedelta(minutes=5)
SIGNS_FOR: Final = timedelta(days=1)
#: Signed by the one algorithm that is accepted: a token that names another is none.
ALGORITHM: Final = "HS256"
CLAIMS: Final = ["aud", "exp", "iat", "iss", "key", "platform", "asker", "place", "present"]
UNRECOGNIZED: Final = "the token is unknown, expired or revoked; mint a new one"
LONGEST: Final = 64 * 1024


class Token(NamedTuple):
    written: str
    expires_at: datetime


class Read(NamedTuple):
    """What a genuine token says: whose key minted it, and the one audience it is for."""

    key_id: uuid.UUID
    platform: str
    audience: Audience


class AudienceTokens(Part):
    async def mint(self, audience: Audience, *, platform: str, key_id: uuid.UUID) -> Token:
        """A token for this audience and no other, for five minutes."""
        import jwt

        now = self.clock()
        # What the platform says about the place counts now, not whenever the token is used.
        # In a place that nothing is known of, such as a thread of nowhere, nothing is told.
        async with tell_to(self.database, audience, now) as telling:
            # Otherwise as the platform says it: how it is known here is not for the outside.
            known = replace(audience.place, kind=telling.audience.place.kind)
        audience = replace(audience, place=known)
        ends = now + LASTS
        id, secret = await self._signing(now)
        said = {
            "iss": "confide",
            "aud": self.database.agent,
            "iat": int(now.timestamp()),
            "exp": int(ends.timestamp()),
            "jti": uuid.uuid4().hex,
            "key": str(key_id),
            "platform": platform,
            **_write(audience),
        }
        return Token(jwt.encode(said, secret, ALGORITHM, headers={"kid": str(id)}), ends)

    async def read(self, written: str) -> Read:
        """Forged, changed, expired, revoked, and for a place that is another now, are one error."""
        import jwt

        if len(written) > LONGEST:
            raise NotRecognized(UNRECOGNIZED)
        now = self.clock()
        try:
            id = uuid.UUID(jwt.get_unverified_header(written)["kid"])
            secret = await self._checking(id, now)
            said = jwt.decode(
                written,
                secret,
                algorithms=[ALGORITHM],
                audience=self.database.agent,
                issuer="confide",
                # Time is this memory's own clock, which is asked below.
                options={"verify_exp": False, "verify_iat": False, "require": CLAIMS},
            )
            if not said["iat"] - 60 <= now.timestamp() < said["exp"]:
                raise NotRecognized(UNRECOGNIZED)
            read = Read(uuid.UUID(said["key"]), said["platform"], _read(said))
        except (
            jwt.InvalidTokenError,
            LookupError,
            ValueError,
            TypeError,
            AttributeError,
            InvalidInput,
        ):
            raise NotRecognized(UNRECOGNIZED) from None
        if not await self._is_so(read.audience):
            raise NotRecognized(UNRECOGNIZED)
        return read

    async def rotate(self, *, actor: Actor, is_urgent: bool = False) -> uuid.UUID:
        """Sign with another key from now on. Old tokens count until they expire; urgently, no longer."""
        if actor.kind not in (CallerKind.OPERATOR, CallerKind.ADMIN) or actor.entity is not None:
            raise NotAllowed(
                "only the operator or an admin key changes what tokens are signed with"
            )
        now, agent = self.clock(), self.database.agent
        async with self.database.keep() as connection:
            await connection.execute(query("keys", "lock_signing"), agent)
            id, _ = await self._add(connection, now)
            until = now if is_urgent else now + LASTS
            await connection.execute(query("keys", "end_signing"), agent, id, now, until)
            await connection.execute(query("keys", "drop_signing"), agent, now)
        return id

    async def _is_so(self, audience: Audience) -> bool:
        """Whether the place is as it was, with everyone who was named. Somebody who left would come
        back by asking, and a room that closed would open."""
        written = write_audience(audience, self.database.agent_entity)
        async with self.database.keep() as connection:
            return await connection.fetchval(query("keys", "is_so"), self.database.agent, written)

    async def _signing(self, now: datetime) -> tuple[uuid.UUID, bytes]:
        agent = self.database.agent
        async with self.database.keep() as connection:
            rows = await connection.fetch(query("keys", "signing"), agent, now)
            if rows:
                return rows[0]["id"], rows[0]["secret"]
            await connection.execute(query("keys", "lock_signing"), agent)
            rows = await connection.fetch(query("keys", "signing"), agent, now)
            if rows:  # somebody else made one while this one waited
                return rows[0]["id"], rows[0]["secret"]
            await connection.execute(query("keys", "drop_signing"), agent, now)
            return await self._add(connection, now)

    async def _add(self, connection: Connection, now: datetime) -> tuple[uuid.UUID, bytes]:
        id, secret = uuid.uuid4(), secrets.token_bytes(32)
        signs_until = now + SIGNS_FOR
        await connection.execute(
            query("keys", "add_signing"),
            self.database.agent, id, secret, now, signs_until, signs_until + LASTS,
        )  # fmt: skip
        return id, secret

    async def _checking(self, id: uuid.UUID, now: datetime) -> bytes:
        async with self.database.keep() as connection:
            secret = await connection.fetchval(
                query("keys", "checking"), self.database.agent, id, now
            )
        if secret is None:
            raise NotRecognized(UNRECOGNIZED)
        return secret


def _write(audience: Audience) -> dict[str, Any]:
    place = audience.place
    # Everyone in the place itself is made again from its kind when the token is read.
    there = [v for v in audience.viewers if not isinstance(v, EveryoneIn)]
    if any(isinstance(viewer, Anyone) for viewer in there):
        raise InvalidInput("audience", "a token names its viewers; anyone is nobody in particular")
    return {
        "asker": str(audience.asker),
        "place": [place.id, place.kind.value, place.space, place.parent],
        "present": sorted(str(who) for who in there),
        "namespace": list(audience.namespace),
        "purpose": audience.purpose,
    }


def _read(said: dict[str, Any]) -> Audience:
    id, kind, space, parent = said["place"]
    return audience_in(
        Place(id=id, kind=PlaceKind(kind), space=space, parent=parent),
        Entity.parse(said["asker"], "asker"),
        present=[Entity.parse(one, "present") for one in said["present"]],
        namespace=Namespace(*said["namespace"]),
        purpose=said["purpose"],
    )
