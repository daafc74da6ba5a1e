"""The verbs of consent: who agrees to what, and who wants out."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta

from confide.actor import Actor
from confide.egress import NO_SUCH_MEMORY, known
from confide.errors import InvalidInput, NotFound
from confide.keep import consenting, requesting
from confide.keep.answering import Answering
from confide.means import Means, Part
from confide.model import Entity, clean_purpose
from confide.privacy.acting import Act
from confide.privacy.atoms import Atom
from confide.privacy.consent import Consent
from confide.store import consents
from confide.store.consents import About, Given
from confide.store.queries import query


class Consents(Part):
    """Widening is always an authenticated act of the person whose clauses are relaxed."""

    def __init__(self, means: Means, answering: Answering) -> None:
        super().__init__(means)
        self._answering = answering

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
        done = await consenting.unshare(self.database, memory_id, grantee, actor, self.clock())
        return [await self._effect(one, actor) for one in done]

    async def give(
        self, given: Consent, about: About, *, actor: Actor, reason: str | None = None
    ) -> consenting.Effect:
        """Agree to a sharing: of one memory, of all about somebody, or of all said in a place."""
        if about.memory_id is not None:
            await self._require_heard_of(about.memory_id, given.grantor, actor)
        now = self.clock()
        done = await consenting.give(self.database, given, about, actor, now, reason)
        return await self._effect(done, actor)

    async def withdraw(self, consent_id: uuid.UUID, *, actor: Actor) -> consenting.Effect:
        """Take a consent back; it takes effect at once."""
        await self._require_said_here(consent_id, actor)
        done = await consenting.withdraw(self.database, consent_id, actor, self.clock())
        return await self._effect(done, actor)

    async def given_by(self, who: Entity, *, actor: Actor | None = None) -> list[Given]:
        """What `who` agreed to, also through a guardian; where others read along, only about what
        they may hear."""
        async with self.database.keep() as connection:
            found = await consents.given_by(connection, self.database.agent, who)
        if actor is None or actor.audience is None:
            return found
        about = [one.about.memory_id for one in found if one.about.memory_id is not None]
        heard = await known(self.database, actor, about, self.clock())
        return [one for one in found if one.about.memory_id in heard]

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

    async def ask_everyone(
        self, memory_id: uuid.UUID, wish: requesting.Wish, *, actor: Actor
    ) -> list[requesting.Request]:
        """Ask everyone who has a say, the person too for whom a key speaks: what a model says for
        them is not their word."""
        assert actor.entity is not None, "somebody asks"
        left = await self.ask(memory_id, wish, actor=actor, of=frozenset({actor.entity}))
        with suppress(InvalidInput):  # nobody else has a say
            left += await self.ask(memory_id, wish, actor=actor)
        return left

    async def leave(self, act: Act, asked: requesting.Asked, *, actor: Actor) -> requesting.Request:
        """A request for an act of somebody else's."""
        now = self.clock()
        async with self.database.keep(by=actor, doing="ask", at=now) as connection:
            return await requesting.leave(connection, self.database, act, asked, actor, now)

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
        """Say yes or no to a request; a yes does what was asked for, from that moment on."""
        lasts = lasts or timedelta(days=self.settings.consent_days)
        done = await self._answering.answer(request_id, agrees=agrees, actor=actor, lasts=lasts)
        return None if done is None else await self._effect(done, actor)

    async def _effect(self, done: consenting.Touched, actor: Actor) -> consenting.Effect:
        """How much was touched, as far as whoever agreed may know; a guardian as the child may."""
        heard: set[uuid.UUID] = set()
        for who in {actor, replace(actor, entity=done.grantor)}:
            heard |= await known(self.database, who, done.memory_ids, self.clock())
        return consenting.Effect(done.consent_id, len(heard))

    async def _require_heard_of(self, memory_id: uuid.UUID, grantor: Entity, actor: Actor) -> None:
        """One agrees about what one may hear, or was asked about; a guardian for the child."""
        async with self.database.keep() as connection:
            if await connection.fetchval(
                query("consents", "was_asked"), self.database.agent, memory_id, str(grantor)
            ):
                return
        for who in (actor, replace(actor, entity=grantor)):
            if await known(self.database, who, [memory_id], self.clock()):
                return
        raise NotFound(NO_SUCH_MEMORY)

    async def _require_said_here(self, consent_id: uuid.UUID, actor: Actor) -> None:
        """Where others read along, what was agreed elsewhere does not exist."""
        if actor.audience is None or actor.entity is None:
            return
        given = await self.given_by(actor.entity, actor=actor)
        if consent_id not in {one.id for one in given}:
            raise NotFound(consenting.NO_SUCH_CONSENT)

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
