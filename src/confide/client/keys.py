"""Keys and audience tokens, through a server. Keys are made where the database is."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Any

from confide.actor import Actor
from confide.client import parsing, writing
from confide.client.door import acting
from confide.client.group import Group, not_offered
from confide.errors import InvalidInput
from confide.keep.keys import Made
from confide.model import Entity
from confide.privacy.policy import Audience
from confide.recall.audience_tokens import Token
from confide.store.keys import Key, KeyKind


class RemoteKeys(Group):
    async def list(self) -> list[Key]:
        """Every key, also those that ended; no secrets."""
        return [_key(one) for one in (await self._door.call("GET", "/v1/keys"))["keys"]]

    async def revoke(self, key_id: uuid.UUID, *, actor: Actor) -> None:
        """It opens nothing from now on, nor do the tokens that it minted. Whoever is no admin ends
        their own."""
        who = await self._door.who()
        if who.kind != "admin" and who.key == str(key_id):
            await self.give_up_own()
        else:
            await self._door.call("DELETE", "/v1/keys/{key_id}", names={"key_id": key_id})

    async def rotate_own(self) -> Made:
        """Another secret for the key that asks; the former one ends."""
        told = await self._door.call("POST", "/v1/keys/mine/rotate")
        return Made(_key(told["key"]), told["secret"])

    async def give_up_own(self) -> None:
        """End the key that asks."""
        await self._door.call("DELETE", "/v1/keys/mine/revoke")

    async def is_opened(self, who: Entity) -> bool:
        """Whether personal connections of `who` tell what was learned elsewhere."""
        told = await self._door.call("GET", "/v1/privacy", query={"as": str(who)})
        return told["are_connections_open"]

    async def open_connections(self, who: Entity, *, actor: Actor) -> None:
        """Let them; a platform says so, no key opens its own door."""
        await self._door.call("POST", "/v1/privacy/connections/open", query=acting(actor))

    async def close_connections(self, who: Entity, *, actor: Actor) -> None:
        """Connections tell only what was remembered through them, and what is global."""
        await self._door.call("POST", "/v1/privacy/connections/close", query=acting(actor))

    async def rotate(
        self, key_id: uuid.UUID, *, actor: Actor, overlap: timedelta = timedelta(0)
    ) -> Made:
        """Another secret for the key that asks. Another's would open what that one opens."""
        if (await self._door.who()).key != str(key_id):
            not_offered("rotating another key than one's own")
        if overlap:
            raise InvalidInput("overlap", "a key that rotates itself ends at once; leave it out")
        return await self.rotate_own()


class RemoteTokens(Group):
    async def mint(
        self, audience: Audience, *, platform: str = "", key_id: uuid.UUID | None = None
    ) -> Token:
        """A token for this audience and no other, for five minutes. Platform and key are its own."""
        asked = await writing.asking(self._door, audience)
        told = await self._door.call("POST", "/v1/tokens", body=asked)
        return Token(told["token"], parsing.when(told["expires_at"]))

    async def rotate(self, *, actor: Actor, is_urgent: bool = False) -> uuid.UUID:
        """Sign with another key from now on."""
        told = await self._door.call("POST", "/v1/tokens/rotate", body={"is_urgent": is_urgent})
        return uuid.UUID(told["signing"])


def _key(told: dict[str, Any]) -> Key:
    created, expires = parsing.when(told["created_at"]), parsing.when(told["expires_at"])
    return Key(
        id=uuid.UUID(told["id"]),
        kind=KeyKind(told["kind"]),
        name=told["name"],
        platform=told["platform"],
        entity=parsing.somebody(told["entity"]),
        per_minute=told["per_minute"],
        created_at=created,
        expires_at=expires,
        last_used_at=parsing.maybe_when(told["last_used_at"]),
        revoked_at=created if told["state"] == "revoked" else None,
    )
