"""The verbs of consent: who agrees to what, and who wants out."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from confide.actor import Actor
from confide.keep import consenting, guarding, requesting
from confide.means import Part
from confide.model import Entity, clean_purpose
from confide.privacy.atoms import Atom
from confide.privacy.consent import Consent
from confide.store import consents
from confide.store.consents import About, Given

if TYPE_CHECKING:
    pass


class Consents(Part):
    """Widening is always an authenticated act of the person whose clauses are relaxed."""

    async def share(
        self,
        memory_id: uuid.UUID,
        grantee: Atom,
        *,
        actor: Actor,
        where: Atom | None = None,
        purpose: str | None = None,
        lasts: timedelta | None = None,
    ) -> consenting.Effect:
        """Let `grantee` hear one memory, as far as the actor has a say in it."""
        assert actor.entity is not None, "sharing is somebody's act"
        given = self.agreement(actor.entity, grantee, where=where, purpose=purpose, lasts=lasts)
        return await self.give(given, About(memory_id=memory_id), actor=actor)

    async def unshare(
        self, memory_id: uuid.UUID, grantee: Atom, *, actor: Actor
    ) -> Sequence[consenting.Effect]:
        """Take back what the actor shared with `grantee`."""
        return await consenting.unshare(self.database, memory_id, grantee, actor, self.clock())

    async def give(
        self, given: Consent, about: About, *, actor: Actor, reason: str | None = None
    ) -> consenting.Effect:
        """Agree to a sharing: of one memory, of all about somebody, or of all said in a place."""
        return await consenting.give(self.database, given, about, actor, self.clock(), reason)

    async def withdraw(self, consent_id: uuid.UUID, *, actor: Actor) -> consenting.Effect:
        """Take a consent back; it takes effect at once."""
        return await consenting.withdraw(self.database, consent_id, actor, self.clock())

    async def given_by(self, who: Entity) -> list[Given]:
        """What `who` agreed to, also through a guardian."""
        async with self.database.keep() as connection:
            return await consents.given_by(connection, self.database.agent, who)

    async def ask(
        self,
        memory_id: uuid.UUID,
        wish: requesting.Wish,
        *,
        actor: Actor,
        of: frozenset[Entity] = frozenset(),
    ) -> list[requesting.Request]:
        """Ask those who have a say in a memory for their consent; nothing changes before they answer."""
        if wish.purpose is not None:
            wish = replace(wish, purpose=clean_purpose(wish.purpose))
        return await requesting.ask(self.database, memory_id, wish, of, actor, self.clock())

    async def requests(self, who: Entity) -> list[requesting.Request]:
        """What waits for `who` to answer, also for a child whose guardian they are."""
        return await requesting.waiting(self.database, who)

    async def answer(
        self,
        request_id: uuid.UUID,
        *,
        agrees: bool,
        actor: Actor,
        lasts: timedelta | None = None,
    ) -> consenting.Effect | None:
        """Say yes or no to a request; a yes is a consent from that moment on."""
        lasts = lasts or timedelta(days=self.settings.consent_days)
        return await requesting.answer(
            self.database, request_id, actor, self.clock(), agrees=agrees, lasts=lasts
        )

    async def register_guardian(self, child: Entity, guardian: Entity, *, actor: Actor) -> None:
        """Say who confirms for a child; from then on nothing of it is told everywhere."""
        await guarding.register_guardian(self.database, child, guardian, actor, self.clock())

    async def end_guardian(self, child: Entity, guardian: Entity, *, actor: Actor) -> None:
        await guarding.end_guardian(self.database, child, guardian, actor)

    def agreement(
        self,
        grantor: Entity,
        grantee: Atom,
        *,
        where: Atom | None = None,
        purpose: str | None = None,
        lasts: timedelta | None = None,
    ) -> Consent:
        """A consent from now on, for as long as is usual unless said otherwise."""
        until = self.clock() + (lasts or timedelta(days=self.settings.consent_days))
        named = None if purpose is None else clean_purpose(purpose)
        return Consent(grantor=grantor, grantee=grantee, where=where, until=until, purpose=named)
