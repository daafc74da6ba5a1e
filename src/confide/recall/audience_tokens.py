"""Audience tokens: a platform says once who is listening, and a model's tool call cannot say otherwise."""

from __future__ import annotations

import hmac
import secrets
import uuid
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

from confide.actor import Actor, in_person, require
from confide.declare import Group, HeldKey, HeldPlatform, Note, verb
from confide.errors import InvalidInput, NotRecognized
from confide.model import Entity, Namespace, Place, PlaceKind
from confide.privacy.acting import Act
from confide.privacy.places import MEANING, Readers
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
CLAIMS: Final = ["aud", "exp", "iat", "iss", "key", "platform", "room", "asker", "place", "present"]
UNRECOGNIZED: Final = "the token is unknown, expired or revoked; mint a new one"
LONGEST: Final = 64 * 1024


@dataclass(frozen=True, slots=True)
class Token:
    """For tool calls of a model: it cannot be another asker, place or viewer."""

    token: str
    expires_at: datetime


class Read(NamedTuple):
    """What a genuine token says: whose key minted it, and the one audience it is for."""

    key_id: uuid.UUID
    platform: str
    audience: Audience


class AudienceTokens(Group, called="tokens"):
    """A platform mints them for what its model calls."""

    @verb(Act.ATTEST, "POST /tokens", status=201)
    async def mint(
        self,
        audience: Audience,
        *,
        platform: HeldPlatform = "",
        key_id: HeldKey | None = None,
    ) -> Token:
        """A token for this audience and no other, for five minutes."""
        import jwt

        now = self.clock()
        # What the platform says about the place counts now, not whenever the token is used.
        # In a place that nothing is known of, such as a thread of nowhere, nothing is told.
        async with tell_to(self.database, audience, now) as telling:
            # Otherwise as the platform says it: how it is known here is not for the outside.
            if telling.audience.place.kind is PlaceKind.UNKNOWN:
                unknown = replace(audience.place, kind=PlaceKind.UNKNOWN)
                audience = replace(audience, place=unknown)
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
            "room": _sealed(await self._known_of(audience), secret),
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
        # Somebody who left would come back by asking, and a room that closed would open.
        room = _sealed(await self._known_of(read.audience), secret)
        if not hmac.compare_digest(str(said["room"]), room):
            raise NotRecognized(UNRECOGNIZED)
        return read

    @verb(Act.REVOKE_KEY, "POST /tokens/rotate", once=True, answers="signing")
    async def rotate(
        self,
        *,
        actor: Actor,
        is_urgent: Annotated[bool, Note("End every token at once.")] = False,
    ) -> uuid.UUID:
        """Sign with another key from now on. Old tokens count until they expire; urgently, no longer."""
        require(Act.REVOKE_KEY, actor, in_person(actor))
        now, agent = self.clock(), self.database.agent
        async with self.database.keep() as connection:
            await connection.execute(query("keys", "lock_signing"), agent)
            id, _ = await self._add(connection, now)
            until = now if is_urgent else now + LASTS
            await connection.execute(query("keys", "end_signing"), agent, id, now, until)
            await connection.execute(query("keys", "drop_signing"), agent, now)
        return id

    async def _known_of(self, audience: Audience) -> str | None:
        """What is known of the place, and who of those named has left it."""
        written = write_audience(audience, self.database.agent_entity)
        async with self.database.keep() as connection:
            return await connection.fetchval(
                query("keys", "known_of"), self.database.agent, written
            )

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


def _sealed(known: str | None, secret: bytes) -> str:
    """A token is readable by whoever holds it; how its place is known here is not for them."""
    return hmac.new(secret, repr(known).encode(), "sha256").hexdigest()[:32]


def _write(audience: Audience) -> dict[str, Any]:
    place = audience.place
    # Everyone in the place itself is made again from its kind when the token is read.
    there = [v for v in audience.viewers if not isinstance(v, EveryoneIn)]
    if MEANING[place.kind].readers is Readers.ANYONE:
        there = [v for v in there if not isinstance(v, Anyone)]
    if any(isinstance(viewer, Anyone) for viewer in there):
        raise InvalidInput("audience", "a token names its viewers; anyone is nobody in particular")
    return {
        "asker": str(audience.asker),
        "place": _write_place(place),
        "present": sorted(str(who) for who in there),
        "namespace": list(audience.namespace),
        "purpose": audience.purpose,
    }


def _write_place(place: Place) -> list[Any]:
    above = _write_place(place.parent_place) if place.parent_place else None
    return [place.id, place.kind.value, place.space, place.parent, above]


def _read_place(said: list[Any]) -> Place:
    id, kind, space, parent, above = said
    return Place(
        id=id,
        kind=PlaceKind(kind),
        space=space,
        parent=parent,
        parent_place=_read_place(above) if above else None,
    )


def _read(said: dict[str, Any]) -> Audience:
    return audience_in(
        _read_place(said["place"]),
        Entity.parse(said["asker"], "asker"),
        present=[Entity.parse(one, "present") for one in said["present"]],
        namespace=Namespace(*said["namespace"]),
        purpose=said["purpose"],
    )
