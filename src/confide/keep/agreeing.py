"""The verbs of consent: who agrees to what, and who wants out."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from confide.actor import Actor
from confide.keep import consenting, opting
from confide.model import Entity
from confide.privacy.atoms import Atom
from confide.privacy.consent import Consent
from confide.store import consents
from confide.store.consents import About, Given

if TYPE_CHECKING:
    from confide.config import Settings
    from confide.store.database import Database


class Agreeing:
    """Widening is always an authenticated act of the person whose clauses are relaxed."""

    database: Database
    settings: Settings
    _clock: Callable[[], datetime]

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
        given = self._consent(actor.entity, grantee, where, purpose, lasts)
        return await self.consent(given, About(memory_id=memory_id), actor=actor)

    async def unshare(
        self, memory_id: uuid.UUID, grantee: Atom, *, actor: Actor
    ) -> Sequence[consenting.Effect]:
        """Take back what the actor shared with `grantee`."""
        return await consenting.unshare(self.database, memory_id, grantee, actor, self._clock())

    async def consent(
        self, given: Consent, about: About, *, actor: Actor, reason: str | None = None
    ) -> consenting.Effect:
        """Agree to a sharing: of one memory, of all about somebody, or of all said in a place."""
        return await consenting.give(self.database, given, about, actor, self._clock(), reason)

    async def withdraw(self, consent_id: uuid.UUID, *, actor: Actor) -> consenting.Effect:
        """Take a consent back; it takes effect at once."""
        return await consenting.withdraw(self.database, consent_id, actor, self._clock())

    async def consents(self, who: Entity) -> list[Given]:
        """What `who` agreed to, also through a guardian."""
        async with self.database.keep() as connection:
            return await consents.given_by(connection, self.database.agent, who)

    async def register_guardian(self, child: Entity, guardian: Entity, *, actor: Actor) -> None:
        await consenting.register_guardian(self.database, child, guardian, actor, self._clock())

    async def opt_out(self, who: Entity, *, actor: Actor, is_global_only: bool = False) -> None:
        """Stop keeping and telling what is theirs, or only what follows them everywhere."""
        await opting.opt_out(
            self.database, who, actor, self._clock(), is_global_only=is_global_only
        )

    async def opt_in(self, who: Entity, *, actor: Actor) -> None:
        await opting.opt_in(self.database, who, actor, self._clock())

    async def privacy(self, who: Entity) -> opting.PrivacyState:
        return await opting.state(self.database, who)

    def _consent(
        self,
        grantor: Entity,
        grantee: Atom,
        where: Atom | None,
        purpose: str | None,
        lasts: timedelta | None,
    ) -> Consent:
        until = self._clock() + (lasts or timedelta(days=self.settings.consent_days))
        return Consent(grantor=grantor, grantee=grantee, where=where, until=until, purpose=purpose)
