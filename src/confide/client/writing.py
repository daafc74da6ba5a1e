"""Values as they are written for a server: the inverse of `confide.reading`."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from confide.errors import InvalidInput
from confide.model import Entity, Message, Namespace, Place, PlaceKind, require_message
from confide.privacy import atoms
from confide.privacy.places import MEANING, Readers, direct, write_place
from confide.privacy.policy import Anyone, Audience, EveryoneIn
from confide.remember.statement import require_statement
from confide.wire.forms import write_grantee, write_lasts, write_namespace

if TYPE_CHECKING:
    from confide.client.door import Door
    from confide.remember.statement import Statement
    from confide.remember.turns import Exchange

FIXED: Final = ("personal", "token")  # keys whose asker and place are known to the server


def written_namespace(namespace: Namespace | None) -> str | None:
    """Also the global level, where it was named: words that are said into it are its owner's alone."""
    return None if namespace is None else write_namespace(namespace)


def written_lifetime(lasts: timedelta | None) -> str | None:
    return None if lasts is None else write_lasts(lasts)


def people(who: Any) -> list[str]:
    return sorted(str(one) for one in who if isinstance(one, Entity))


async def asking(door: Door, audience: Audience) -> dict[str, Any]:
    """Who will see the answer, as far as the key does not say so already."""
    _require_sayable(audience)
    place = await where(door, audience.place)
    return {
        "asker": str(audience.asker),
        "place": place,
        "present": people(audience.viewers - {audience.asker}),
        "namespace": written_namespace(audience.namespace) if any(audience.namespace) else None,
        "purpose": audience.purpose,
    }


def _require_sayable(audience: Audience) -> None:
    """A viewer that is left out would be one who must not hear it after all."""
    everyone = EveryoneIn(atoms.place(audience.place.id))
    is_open_to_all = MEANING[audience.place.kind].readers is Readers.ANYONE
    for viewer in audience.viewers - ({everyone, Anyone()} if is_open_to_all else {everyone}):
        if not isinstance(viewer, Entity):
            raise InvalidInput("viewers", "a server is told of people by name; name who listens")
    # Where nothing is known of the place there is nobody, and the server tells nothing either.
    if not audience.viewers and MEANING[audience.place.kind].readers is not Readers.NOBODY:
        raise InvalidInput("viewers", "nobody listens; name who does")
    if audience.place.kind is PlaceKind.DIRECT and audience.place != direct(audience.asker):
        raise InvalidInput("place", "it is somebody else's direct chat; ask in the asker's own")


async def where(door: Door, place: Place) -> str | None:
    """Alone with the agent, through a personal key, is the place which that key is."""
    if place.kind is PlaceKind.DIRECT and (await door.who()).kind in FIXED:
        return None
    return write_place(place)


async def statement(door: Door, said: Statement) -> dict[str, Any]:
    require_statement(said)
    return {
        "text": said.text,
        "by": str(said.by),
        "place": await where(door, said.place),
        "present": people(said.present),
        "source": str(said.source) if said.source else None,
        "about": people(said.about),
        "kind": said.kind,
        "sensitivity": said.sensitivity,
        "scope": said.scope,
        "access": sorted(map(write_grantee, said.access)),
        "consent": people(said.consent),
        "namespace": written_namespace(said.namespace),
        "lifetime": written_lifetime(said.lifetime),
        "confidence": said.confidence,
        "said_at": said.said_at.isoformat() if said.said_at else None,
        "confidential": said.is_confidential,
        "only_for": people(said.only_for),
    }


async def message(door: Door, said: Message) -> dict[str, Any]:
    require_message(said)
    return {
        "id": said.id,
        "text": said.text,
        "by": None if said.is_from_agent else str(said.speaker),
        "in": await where(door, said.place),
        "at": said.said_at.isoformat(),
        "present": people(said.present),
        "to_agent": said.is_to_agent,
        "from_agent": said.is_from_agent,
        "confidential": said.is_confidential,
        "only_for": people(said.only_for),
        "namespace": written_namespace(said.namespace),
    }


async def exchange(door: Door, said: Exchange) -> dict[str, Any]:
    return {
        "messages": [
            {
                "role": "assistant" if one.speaker is None else "user",
                "content": one.text,
                "by": None if one.speaker is None else str(one.speaker),
                "at": one.at.isoformat() if one.at else None,
                "id": one.id,
            }
            for one in said.turns
        ],
        "by": None if said.by is None else str(said.by),
        "place": await where(door, said.place),
        "present": people(said.present),
        "people": {name: str(who) for who, name in said.names.items()},
        "namespace": written_namespace(said.namespace),
    }
