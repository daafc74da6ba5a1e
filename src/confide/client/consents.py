"""The verbs of consent, through a server."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from confide.actor import Actor
from confide.client import parsing
from confide.client.door import Door, acting
from confide.client.group import Group
from confide.client.writing import people, written_lifetime
from confide.keep.consenting import Effect
from confide.keep.requesting import Request, Wish
from confide.means import Clock
from confide.model import Entity
from confide.privacy.atoms import Atom
from confide.privacy.consent import Consent
from confide.store.consents import About, Given
from confide.wire.forms import write_grantee


class RemoteConsents(Group):
    def __init__(self, door: Door, clock: Clock) -> None:
        super().__init__(door)
        self._clock = clock

    async def share(
        self,
        memory_id: uuid.UUID,
        grantee: Atom,
        *,
        actor: Actor,
        where: Atom | None = None,
        purpose: str | None = None,
        lasts: timedelta | None = None,
    ) -> Effect:
        """Let `grantee` hear one memory, as far as the actor has a say in it."""
        told = await self._door.call(
            "POST",
            "/v1/memories/{memory_id}/shares",
            names={"memory_id": memory_id},
            query=acting(actor),
            body=_shared(grantee, where, purpose) | {"lasts": written_lifetime(lasts)},
        )
        return _effect(told)

    async def unshare(
        self, memory_id: uuid.UUID, grantee: Atom, *, actor: Actor
    ) -> Sequence[Effect]:
        """Take back what the actor shared with `grantee`."""
        told = await self._door.call(
            "DELETE",
            "/v1/memories/{memory_id}/shares",
            names={"memory_id": memory_id},
            query=acting(actor) | {"grantee": write_grantee(grantee)},
        )
        return [Effect(uuid.UUID(one), 1) for one in told["consents"]]

    async def give(
        self, given: Consent, about: About, *, actor: Actor, reason: str | None = None
    ) -> Effect:
        """Agree to a sharing: of one memory, of all about somebody, or of all said in a place."""
        lasts = None if given.until is None else given.until - self._clock()
        told = await self._door.call(
            "POST",
            "/v1/consents",
            query=acting(actor),
            body=_shared(given.grantee, given.where, given.purpose)
            | {
                "of": str(given.grantor),
                "memory": str(about.memory_id) if about.memory_id else None,
                "about": str(about.subject) if about.subject else None,
                "said_in": _said_in(about.origin),
                "reason": reason,
                "lasts": written_lifetime(lasts),
            },
        )
        return _effect(told)

    async def withdraw(self, consent_id: uuid.UUID, *, actor: Actor) -> Effect:
        """Take a consent back; it takes effect at once."""
        told = await self._door.call(
            "DELETE",
            "/v1/consents/{consent_id}",
            names={"consent_id": consent_id},
            query=acting(actor),
        )
        return _effect(told)

    async def given_by(self, who: Entity, *, actor: Actor | None = None) -> list[Given]:
        """What `who` agreed to, also through a guardian."""
        told = await self._door.call("GET", "/v1/consents", query={"as": str(who)})
        return [parsing.given(one) for one in told["consents"]]

    async def ask(
        self,
        memory_id: uuid.UUID,
        wish: Wish,
        *,
        actor: Actor,
        of: frozenset[Entity] = frozenset(),
    ) -> list[Request]:
        """Ask those who have a say in a memory for their consent; nothing changes before they answer."""
        told = await self._door.call(
            "POST",
            "/v1/memories/{memory_id}/consent-requests",
            names={"memory_id": memory_id},
            query=acting(actor),
            body=_shared(wish.grantee, wish.where, wish.purpose)
            | {"of": people(of), "reason": wish.reason},
        )
        return [parsing.request(one) for one in told["requests"]]

    async def requests(self, who: Entity) -> list[Request]:
        """What waits for `who` to answer, also for a child whose guardian they are."""
        told = await self._door.call("GET", "/v1/consent-requests", query={"as": str(who)})
        return [parsing.request(one) for one in told["requests"]]

    async def answer(
        self,
        request_id: uuid.UUID,
        *,
        agrees: bool,
        actor: Actor,
        lasts: timedelta | None = None,
    ) -> Effect | None:
        """Say yes or no to a request; a yes is a consent from that moment on."""
        told = await self._door.call(
            "POST",
            "/v1/consent-requests/{request_id}/answer",
            names={"request_id": request_id},
            query=acting(actor),
            body={"agrees": agrees, "lasts": written_lifetime(lasts)},
        )
        return Effect(uuid.UUID(told["consent"]), 1) if told["consent"] else None

    def agreement(
        self,
        grantor: Entity,
        grantee: Atom,
        *,
        where: Atom | None = None,
        purpose: str | None = None,
        lasts: timedelta | None = None,
    ) -> Consent:
        """A consent from now on; how long is usual is the server's to say."""
        until = None if lasts is None else self._clock() + lasts
        return Consent(grantor=grantor, grantee=grantee, where=where, until=until, purpose=purpose)


def _shared(grantee: Atom, where: Atom | None, purpose: str | None) -> dict[str, Any]:
    return {
        "grantee": write_grantee(grantee),
        "where": write_grantee(where) if where else None,
        "purpose": purpose,
    }


def _said_in(id: str | None) -> str | None:
    """A place by its id alone: any kind that is written with as many parts names it."""
    if id is None or id.startswith("ctx:"):
        return id
    if id.startswith("dm:"):
        return "dm"
    return f"{('group', 'public', 'thread')[min(2, id.count('@'))]}:{id}"


def _effect(told: dict[str, Any]) -> Effect:
    return Effect(uuid.UUID(told["consent"]), told["memories"])
