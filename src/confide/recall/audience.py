"""Step 1 of recalling: who will see the answer. Leaving something out can only show less."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Final, TypeVar

from confide.model import Entity, Namespace, Place, PlaceKind, clean_purpose
from confide.privacy import atoms
from confide.privacy.places import MEANING, Readers, direct, is_elsewhere, reply
from confide.privacy.policy import Anyone, Audience, EveryoneIn, Viewer
from confide.store.attesting import attest_place, join_place
from confide.store.colliding import tried_again
from confide.store.database import PlaceUnattested, Telling

if TYPE_CHECKING:
    from confide.store.database import Database

T = TypeVar("T")
#: Readers of whom it is known who is there.
ROOMS: Final = (Readers.EVERYONE, Readers.ANYONE, Readers.LISTED)


def audience_in(
    place: Place,
    asker: Entity,
    *,
    present: Iterable[Entity] = (),
    namespace: Namespace | None = None,
    purpose: str | None = None,
) -> Audience:
    """Everyone who will see an answer to `asker` that appears in `place`."""
    others = frozenset(present)
    viewers: frozenset[Viewer]
    match MEANING[place.kind].readers:
        case Readers.ASKER:
            viewers = others | {asker}
        case Readers.EVERYONE:
            viewers = others | {asker, EveryoneIn(atoms.place(place.id))}
        case Readers.LISTED:
            viewers = others | {asker}
        case Readers.ANYONE if is_elsewhere(place.kind):
            viewers = frozenset({Anyone()})
        case Readers.ANYONE:
            viewers = others | {asker, EveryoneIn(atoms.place(place.id)), Anyone()}
        case Readers.NOBODY:
            viewers = frozenset()
    return Audience(
        asker=asker,
        place=place,
        viewers=viewers,
        namespace=namespace or Namespace(),
        purpose=None if purpose is None else clean_purpose(purpose),
    )


def alone_with(asker: Entity, namespace: Namespace | None = None) -> Audience:
    """A one-to-one chat with the agent."""
    return audience_in(direct(asker), asker, namespace=namespace)


def only_seen_by(
    asker: Entity, namespace: Namespace | None = None, space: str | None = None
) -> Audience:
    """A reply that only the asker can see; asked for in a space, it may tell what is public there."""
    return audience_in(reply(asker, space), asker, namespace=namespace)


@asynccontextmanager
async def tell_to(
    database: Database, audience: Audience, now: datetime
) -> AsyncGenerator[Telling, None]:
    """Read as `audience`. Asking in a room shows that one is there; only what is new is written."""
    async with AsyncExitStack() as stack:
        try:
            telling = await stack.enter_async_context(database.tell(audience, now))
        except PlaceUnattested:
            known = await _attested(database, audience, now)
            telling = await stack.enter_async_context(database.tell(known, now))
        yield telling


async def asked_in(
    database: Database, audience: Audience, now: datetime, ask: Callable[[Audience], Awaitable[T]]
) -> T:
    """The same for a question of one statement."""
    try:
        return await ask(audience)
    except PlaceUnattested:
        return await ask(await _attested(database, audience, now))


@tried_again
async def _attested(database: Database, audience: Audience, now: datetime) -> Audience:
    """Keep what the platform says about the place and who is in it."""
    there = {v for v in audience.viewers if isinstance(v, Entity)} - {database.agent_entity}
    async with database.keep(by="platform", doing="recall", at=now) as connection:
        known = await attest_place(connection, database, audience.place, now)
        if MEANING[known.room.kind].readers in ROOMS:
            await join_place(connection, database, known, there, now)
    # Of a thread whose parent nobody named nothing is known, whatever it is called.
    is_unknown = known.place.kind is PlaceKind.UNKNOWN
    return replace(audience, place=known.place) if is_unknown else audience
