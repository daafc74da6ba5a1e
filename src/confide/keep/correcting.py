"""Correcting: new words take the place of old ones, screened again, and the old stay as history."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from confide.errors import InvalidInput, NotFound, SecretRefused
from confide.means import Part
from confide.model import Entity, Kind, Place, PlaceKind, Scope, Status, Trust, clean_text, type_of
from confide.privacy.consent import apply_consents
from confide.privacy.labels import Origin, label
from confide.privacy.policy import Audience, Label
from confide.screen import may_be_global
from confide.store import consents, memories
from confide.store.colliding import tried_again
from confide.store.connection import Connection
from confide.store.memory import Memory
from confide.store.queries import query

if TYPE_CHECKING:
    from collections.abc import Sequence

    from confide.model import Namespace
    from confide.screen import Screening

NO_SUCH_MEMORY = "there is no such memory"
CHANGED: Final = "its words were changed, and somebody has to look at them"


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrected:
    """What became of a correction. `waits_because` says why it is not told yet."""

    id: uuid.UUID
    replaces: uuid.UUID
    status: Status
    waits_because: str | None


@dataclass(frozen=True, slots=True)
class Wording:
    """New words that were screened and embedded, for one memory."""

    text: str
    attribute: str | None
    seen: Screening
    vector: Sequence[float]


def only(who: Entity, namespace: Namespace | None = None, space: str | None = None) -> Audience:
    """A reply that only `who` can see, at one level of their memory, asked for in a space or alone."""
    place = Place(id=f"reply:{who}", kind=PlaceKind.EPHEMERAL, space=space)
    seen = Audience(asker=who, place=place, viewers=frozenset({who}))
    return seen if namespace is None else replace(seen, namespace=namespace)


class Correcting(Part):
    """Puts a new version in the place of a memory, inside the limits of where the old one was said."""

    async def word(self, memory: Memory, text: str) -> Wording:
        """Look at new words like at any others; no transaction is open meanwhile."""
        said = clean_text(text)
        seen = await self.screen.look_aside(said)
        if seen.secret is not None:
            raise SecretRefused("text", f"{seen.secret.reason}; credentials are never stored")
        attribute = None
        if memory.scope is Scope.GLOBAL:
            attribute = said = _attribute(seen, memory)
        (vector,) = await self.embedder.embed_documents([said])
        return Wording(said, attribute, seen, vector)

    @tried_again
    async def replace(self, old_id: uuid.UUID, wording: Wording, speaker: Entity) -> Corrected:
        """In one transaction of its own."""
        async with self.database.keep(doing="correct", at=self.clock()) as connection:
            return await self.replace_within(connection, old_id, wording, speaker)

    async def replace_within(
        self, connection: Connection, old_id: uuid.UUID, wording: Wording, speaker: Entity
    ) -> Corrected:
        """The new version is told where the old one was, or in fewer places; never in more."""
        agent = self.database.agent
        old = await memories.kept(connection, agent, old_id, self.database.agent_entity)
        if old is None or old.status is not Status.APPROVED:
            raise NotFound(NO_SUCH_MEMORY)
        if await connection.fetchval(query("rights", "is_derived"), agent, old_id):
            raise InvalidInput(
                "memory", "it was made from others or came from another agent; forget it instead"
            )
        new = await self._version(connection, old, wording, speaker)
        stored = await memories.add(connection, agent, new, wording.vector)
        if stored.id == old_id:
            raise InvalidInput("text", "says what it said before; write what is right")
        await connection.execute(
            query("messages", "supersede"), agent, old_id, stored.id, self.clock()
        )
        return Corrected(
            id=stored.id,
            replaces=old_id,
            status=stored.status,
            waits_because=stored.waits_because,
        )

    async def _version(
        self, connection: Connection, old: Memory, wording: Wording, speaker: Entity
    ) -> Memory:
        now, seen, trust = self.clock(), wording.seen, _trust(old, speaker)
        # A correction may make a memory more careful; nobody's word makes it less so.
        sensitivity = max(old.sensitivity, seen.sensitivity, key=lambda s: s.rank)
        origin = replace(old.origin, sensitivity=sensitivity)
        if sensitivity is not old.sensitivity:
            origin = replace(origin, is_portable=False, is_portable_confirmed=False)
        waits = _waits_because(seen, old) or (CHANGED if self.settings.reviewers else None)
        lasts = self.settings.lifetime(old.kind)
        return replace(
            old,
            id=uuid.uuid4(),
            text=wording.text,
            attribute=wording.attribute,
            origin=origin,
            type=type_of(old.kind, is_about_answering=seen.is_procedural(trust)),
            label=await self._label(connection, origin),
            trust=trust,
            status=Status.PENDING if waits else Status.APPROVED,
            waits_because=waits,
            said_at=now,
            created_at=now,
            updated_at=now,
            reinforced_at=now,
            last_accessed_at=None,
            source_count=1,
            expires_at=max(old.expires_at, now + lasts) if old.expires_at and lasts else None,
        )

    async def _label(self, connection: Connection, origin: Origin) -> Label:
        """With standing consents. What was agreed about the old words is not about the new ones."""
        agent = self.database.agent
        concerned = origin.subjects | ({origin.speaker} if origin.speaker else set[Entity]())
        place = origin.place.id if origin.place else None
        agreed = await consents.standing(connection, agent, concerned, place)
        return apply_consents(
            label(origin), agreed, await consents.guardians(connection, agent) if agreed else {}
        )


def _attribute(seen: Screening, memory: Memory) -> str:
    """What is told everywhere stays one harmless value (S5)."""
    kind = memory.kind if memory.kind is not Kind.RELATIONSHIP else Kind.IDENTITY
    promotion = may_be_global(seen, kind=kind, confidence=1.0, global_safe=True)
    if promotion.attribute is None:
        raise InvalidInput(
            "text", f"this is told everywhere, and that is not: {promotion.reasons[0]}"
        )
    return f"{promotion.attribute.name.replace('_', ' ')}: {promotion.attribute.value}"


def _trust(old: Memory, speaker: Entity) -> Trust:
    """First-hand only where people speak of themselves."""
    if speaker == old.speaker and old.subjects <= {speaker}:
        return Trust.SAID
    return old.trust


def was_carried(memory: Memory) -> bool:
    """Whether a model wrote the words: they came through a connection."""
    place = memory.origin.place
    is_connection = place is not None and place.kind is PlaceKind.CONNECTION
    return is_connection or memory.origin.through is not None


def _waits_because(seen: Screening, old: Memory) -> str | None:
    order = seen.instructs(is_carried=was_carried(old))
    if order is not None:
        return order
    if seen.pii_risk >= 2:
        return "it holds personal data of high risk"
    return None
