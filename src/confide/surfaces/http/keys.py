"""Audience tokens, one's own key, and what an admin sees of all keys. None is made from elsewhere."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Any

from pydantic import BaseModel

from confide.actor import Actor
from confide.privacy.acting import CallerKind
from confide.store.keys import Key
from confide.surfaces.http.door import (
    ADMIN,
    ANY_KEY,
    PLATFORM,
    TOKEN,
    Here,
    Visit,
    for_callers,
    group,
)
from confide.surfaces.http.fields import Asking, Done, Fields

router = group("keys")


class TokenOut(BaseModel):
    """For tool calls of a model: it cannot be another asker, place or viewer."""

    token: str
    expires_at: datetime


class Whoami(BaseModel):
    kind: str
    entity: str | None
    platform: str | None
    place: str | None
    key: uuid.UUID | None


class KeyOut(BaseModel):
    id: uuid.UUID
    kind: str
    name: str
    platform: str | None
    entity: str | None
    per_minute: int
    created_at: datetime
    expires_at: datetime
    last_used_at: datetime | None
    state: str


class Keys(BaseModel):
    keys: list[KeyOut]


class Renewed(BaseModel):
    secret: str
    key: KeyOut


class Signing(BaseModel):
    signing: uuid.UUID
    """The id of the key that signs now; the key itself is shown to nobody."""


class Rotation(Fields):
    is_urgent: bool = False
    """End every token at once."""


@router.post("/tokens", response_model=TokenOut, status_code=201, **for_callers(PLATFORM))
async def mint(here: Here, body: Asking) -> Any:
    """A token for one audience, for five minutes."""
    key_id, platform = here.caller.key_id, here.caller.platform
    assert key_id is not None, "a platform is known by its key"
    assert platform is not None, "a platform key names its platform"
    made = await here.confide.tokens.mint(here.audience(body), platform=platform, key_id=key_id)
    return {"token": made.written, "expires_at": made.expires_at}


@router.get("/whoami", response_model=Whoami, **for_callers(*ANY_KEY, TOKEN))
async def whoami(here: Here) -> Any:
    """Whom this key or token speaks for."""
    one = here.caller
    return {
        "kind": one.kind.value,
        "entity": str(one.entity) if one.entity else None,
        "platform": one.platform,
        "place": one.audience.place.id if one.audience else None,
        "key": one.key_id,
    }


@router.get("/keys", response_model=Keys, **for_callers(ADMIN))
async def keys(here: Here) -> Any:
    """Every key, without secrets."""
    now = here.confide.means.clock()
    return {"keys": [_key(one, now) for one in await here.confide.keys.list()]}


@router.delete("/keys/{key_id}", response_model=Done, **for_callers(ADMIN, once=True))
async def revoke(here: Here, key_id: uuid.UUID) -> Any:
    """End a key at once, and every token that it minted."""
    await here.confide.keys.revoke(key_id, actor=here.actor())
    return Done()


@router.post("/keys/mine/rotate", response_model=Renewed, **for_callers(*ANY_KEY))
async def rotate(here: Here) -> Any:
    """Another secret for the key that asks; the former one ends. It is shown once, and expires when
    the former one would have."""
    assert here.caller.key_id is not None, "whoever asks over HTTP has a key"
    made = await here.confide.keys.renew(here.caller.key_id, actor=_holder(here))
    return {"secret": made.secret, "key": _key(made.key, here.confide.means.clock())}


@router.delete("/keys/mine/revoke", response_model=Done, **for_callers(*ANY_KEY))
async def give_up(here: Here) -> Any:
    """End the key that asks."""
    assert here.caller.key_id is not None, "whoever asks over HTTP has a key"
    await here.confide.keys.give_up(here.caller.key_id, actor=_holder(here))
    return Done()


@router.post("/tokens/rotate", response_model=Signing, **for_callers(ADMIN, once=True))
async def rotate_signing(here: Here, body: Rotation) -> Any:
    """Sign tokens with another key from now on."""
    return {
        "signing": await here.confide.tokens.rotate(actor=here.actor(), is_urgent=body.is_urgent)
    }


def _holder(here: Visit) -> Actor:
    """Whoever holds the key, as the trail names them; a platform's is nobody's in particular."""
    if here.caller.kind is PLATFORM:
        return Actor(None, CallerKind.PLATFORM)
    return here.actor()


def _key(one: Key, now: datetime) -> KeyOut:
    state = "valid" if one.is_valid(now) else "revoked" if one.revoked_at else "expired"
    return KeyOut(
        id=one.id,
        kind=one.kind.value,
        name=one.name,
        platform=one.platform,
        entity=str(one.entity) if one.entity else None,
        per_minute=one.per_minute,
        created_at=one.created_at,
        expires_at=one.expires_at,
        last_used_at=one.last_used_at,
        state=state,
    )
