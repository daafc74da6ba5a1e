"""Step 1 of learning: a message is kept with the label of its place at that moment."""

from __future__ import annotations

import json
import uuid
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from confide.errors import InvalidInput, StoreError
from confide.language.confidence import asks_for_confidence, is_off_the_record
from confide.model import (
    COLLECTIVE,
    Entity,
    Message,
    Place,
    PlaceKind,
    Scope,
    Sensitivity,
    clean_text,
    require_message,
)
from confide.privacy.atoms import Atom
from confide.privacy.labels import Origin, label
from confide.privacy.places import MEANING, Readers, is_elsewhere, scope_of
from confide.privacy.policy import Label, union
from confide.providers.builtin import requested
from confide.remember.triggers import Triggers
from confide.store import memories, messages, places
from confide.store.attesting import attest_place, join_place, known_there, present_at
from confide.store.colliding import COLLISION
from confide.store.connection import Connection
from confide.store.encoding import write_clauses

if TYPE_CHECKING:
    from confide.store.database import Database

#: Speakers that are no people: nothing is learned from them.
NOT_PEOPLE: Final = COLLECTIVE | {"si", "app", "ctx"}
MOST_REMEMBERED: Final = 4096
LONGEST_ID: Final = 200
STALE: Final = "stale"  # the place is no longer as it was looked at
MOST_ATTEMPTS: Final = 5  # when others write the same place at the same time


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """What became of a message. `because` says why it was not kept."""

    is_kept: bool
    is_new: bool
    is_due: bool = False  # its session is to be learned from now
    because: str | None = None
    learned: tuple[uuid.UUID, ...] = ()  # with learn="now": the memories it is part of


class Observing:
    """Keeps messages. What it remembers of places is only a guess that the database checks."""

    def __init__(self, database: Database, triggers: Triggers) -> None:
        self._database = database
        self._triggers = triggers
        self._known: OrderedDict[Any, dict[str, Any]] = OrderedDict()

    async def observe(
        self, message: Message, now: datetime, batch: uuid.UUID | None = None
    ) -> Observed:
        require_message(message)
        words = _checked(message)
        if not message.is_from_agent and message.speaker.namespace in NOT_PEOPLE:
            return Observed(is_kept=False, is_new=False, because="the speaker is no person")
        if is_elsewhere(message.place.kind):
            return Observed(is_kept=False, is_new=False, because="nothing is observed as a guest")
        if not message.is_from_agent:
            if is_off_the_record(words):
                return Observed(is_kept=False, is_new=False, because="it is off the record")
            if asks_for_confidence(words):
                message = replace(message, is_confidential=True)
        for attempt in range(MOST_ATTEMPTS):
            try:
                became = await self._observe(message, words, now, batch)
            except COLLISION:
                if attempt + 1 == MOST_ATTEMPTS:
                    raise
                continue
            if became != STALE:
                return _observed(became)
        # Whoever delivers it must know that it was not kept, and delivers it again.
        raise StoreError(
            f"place {message.place.id} changed while a message was kept; send it again"
        )

    async def _observe(
        self, message: Message, words: str, now: datetime, batch: uuid.UUID | None
    ) -> str:
        came_in = {"batch": str(batch) if batch else None}
        key = (
            message.place, message.speaker, message.present, message.is_from_agent,
            message.is_confidential, message.only_for, message.namespace,
        )  # fmt: skip
        known = self._known.get(key)
        if known is not None:
            async with self._database.keep(only_adds=True) as connection:
                became = await self._say(connection, known | came_in, message, words, now)
            if became != STALE:
                return became
        async with self._database.keep(
            by="platform", doing="observe", at=now, only_adds=True
        ) as connection:
            known = await self._look(connection, message, now)
            became = await self._say(connection, known | came_in, message, words, now)
        # Who holds a role may have changed until the next words.
        if known["late"] is None and not known["is_old"] and not message.only_for:
            self._remember(key, known)
        return became

    async def _say(
        self,
        connection: Connection,
        known: dict[str, Any],
        message: Message,
        words: str,
        now: datetime,
    ) -> str:
        wants_now = message.is_to_agent and not message.is_from_agent and bool(requested(words))
        said = known | {
            "platform": message.platform,
            "message_id": message.id,
            "said_at": message.said_at.isoformat(),
            "is_to_agent": message.is_to_agent or message.place.kind is PlaceKind.DIRECT,
            "wants_now": wants_now,
        }
        return await messages.observe(connection, self._database.agent, said, words, now)

    async def _look(
        self, connection: Connection, message: Message, now: datetime
    ) -> dict[str, Any]:
        """What the place is now, who is in it, and the label of what is said there."""
        database = self._database
        attested = await attest_place(connection, database, message.place, now)
        place, room = attested.place, attested.room
        said_at = min(message.said_at, now)
        there = _there(message, room, database.agent_entity)
        _, epoch = await join_place(connection, database, attested, there, now, spoke_at=said_at)
        late = await present_at(connection, database, attested, there, None, said_at)
        if late is None:
            await places.use_epoch(connection, database.agent, room, said_at)
        else:
            epoch = late[1]
        was = None
        if said_at < attested.opened_at:
            was = await places.before_it_opened(connection, database.agent, room, said_at)
        others = [one for one in (attested.as_said, was) if one is not None]
        known = frozenset[Atom]()
        if message.only_for:
            agent, present = database.agent, late[0] if late else None
            if present is None:
                present = there | await places.members(connection, agent, room.id)
            known = await known_there(connection, agent, message.only_for, message.speaker, present)
        made = _label(message, database.agent_entity, room, others, epoch, known)
        label_id, label_key = await memories.intern(connection, database.agent, made)
        return {
            "platform_place": message.place.id,
            "place": place.id,
            "room": room.id,
            "kind": place.kind.value,
            "space": place.space,
            "parent": place.parent,
            "room_kind": room.kind.value,
            "epoch": epoch,
            "late": None if late is None else sorted(map(str, late[0])),
            "is_old": was is not None,
            "there": sorted(str(one) for one in there),
            "speaker": str(message.speaker),
            "scope": _scope(message, room).value,
            "namespace": message.namespace,
            "is_from_agent": message.is_from_agent,
            "is_confidential": message.is_confidential,
            "only_for": sorted(map(str, known)),
            "clauses": json.loads(write_clauses(made)),
            "label_id": label_id,
            "label_key": label_key.hex(),
            "after": self._triggers.after_messages,
            "history": self._triggers.history,
            "silence": f"{self._triggers.silence.total_seconds()} seconds",
        }

    def _remember(self, key: Any, known: dict[str, Any]) -> None:
        self._known[key] = known
        if len(self._known) > MOST_REMEMBERED:
            self._known.popitem(last=False)


def _checked(message: Message) -> str:
    for field, value in (("id", message.id), ("platform", message.platform)):
        if not 1 <= len(clean_text(value, field)) <= LONGEST_ID:
            raise InvalidInput(field, f"has {len(value)} characters, at most {LONGEST_ID} are kept")
    if message.said_at.tzinfo is None:
        raise InvalidInput("said_at", "has no time zone; pass an aware datetime")
    return clean_text(message.text)


def _there(message: Message, place: Place, agent: Entity) -> frozenset[Entity]:
    """Speaking in a place makes one known to be in it."""
    # A reply that only they see is no room: asking for it brings nobody into the space around it.
    is_reply = place.kind is PlaceKind.EPHEMERAL
    is_known = MEANING[place.kind].readers is not Readers.NOBODY and not is_reply
    speaking = {message.speaker} if is_known and not message.is_from_agent else set[Entity]()
    return (message.present | speaking) - {agent}


def _label(
    message: Message,
    agent: Entity,
    room: Place,
    others: Sequence[Place],
    epoch: int,
    only_for: frozenset[Atom],
) -> Label:
    """Where it was said to be another place than it is, or was another one, it carries the clauses
    of both."""
    if message.is_from_agent:
        # What the agent said may repeat anything it was told, so its turns help nobody else.
        own = Origin(agent=agent, scope=Scope.SELF_ONLY, owner=agent, speaker=None, place=room)
        return label(own)
    origins = [
        Origin(
            agent=agent,
            scope=_scope(message, one),
            owner=message.speaker,
            speaker=message.speaker,
            place=one,
            epoch=epoch,
            sensitivity=Sensitivity.PUBLIC,
            is_confidential=message.is_confidential,
            only_for=only_for,
            namespace=message.namespace,
        )
        for one in (room, *others)
    ]
    return union(map(label, origins))


def _scope(message: Message, room: Place) -> Scope:
    # A workspace is one person's, wherever it is filled.
    return scope_of(room, None) if message.namespace is None else Scope.DM


def _observed(became: str) -> Observed:
    if became in ("kept", "due"):
        return Observed(is_kept=True, is_new=True, is_due=became == "due")
    if became == "known":
        return Observed(is_kept=True, is_new=False, because="it was observed before")
    return Observed(is_kept=False, is_new=False, because=became)
