"""Step 1 of learning: a message is kept with the label of its place at that moment."""

from __future__ import annotations

import json
import uuid
from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from confide.errors import InvalidInput
from confide.model import (
    COLLECTIVE,
    Entity,
    Message,
    Place,
    PlaceKind,
    Scope,
    Sensitivity,
    clean_text,
)
from confide.privacy.labels import Origin, label
from confide.privacy.places import MEANING, Readers, scope_of
from confide.providers.builtin import requested
from confide.remember.triggers import Triggers
from confide.store import memories, messages, places
from confide.store.attesting import attest_place, join_place
from confide.store.colliding import COLLISION
from confide.store.connection import Connection
from confide.store.encoding import write_clauses

if TYPE_CHECKING:
    from confide.store.database import Database

#: Speakers that are no people: nothing is learned from them.
NOT_PEOPLE: Final = COLLECTIVE | {"si", "app", "ctx"}
MOST_REMEMBERED: Final = 4096
LONGEST_ID: Final = 200
MOST_ATTEMPTS: Final = 5  # when others write the same place at the same time


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """What became of a message. `because` says why it was not kept."""

    is_kept: bool
    is_new: bool
    is_due: bool = False  # its session is to be learned from now
    because: str | None = None


class Observing:
    """Keeps messages. What it remembers of places is only a guess that the database checks."""

    def __init__(self, database: Database, triggers: Triggers) -> None:
        self._database = database
        self._triggers = triggers
        self._known: OrderedDict[Any, dict[str, Any]] = OrderedDict()

    async def observe(
        self, message: Message, now: datetime, batch: uuid.UUID | None = None
    ) -> Observed:
        words = _checked(message)
        if not message.is_from_agent and message.speaker.namespace in NOT_PEOPLE:
            return Observed(is_kept=False, is_new=False, because="the speaker is no person")
        for attempt in range(MOST_ATTEMPTS):
            try:
                return _observed(await self._observe(message, words, now, batch))
            except COLLISION:
                if attempt + 1 == MOST_ATTEMPTS:
                    raise
        raise AssertionError("unreachable")

    async def _observe(
        self, message: Message, words: str, now: datetime, batch: uuid.UUID | None
    ) -> str:
        came_in = {"batch": str(batch) if batch else None}
        key = message.place, message.speaker, message.present, message.is_from_agent
        known = self._known.get(key)
        if known is not None:
            async with self._database.keep(only_adds=True) as connection:
                became = await self._say(connection, known | came_in, message, words, now)
            if became != "stale":
                return became
        async with self._database.keep(
            by="platform", doing="observe", at=now, only_adds=True
        ) as connection:
            known = await self._look(connection, message, now)
            became = await self._say(connection, known | came_in, message, words, now)
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
        attested, parent = await attest_place(connection, database, message.place, now)
        place = attested.place
        there = _there(message, place, database.agent_entity)
        epoch = await join_place(connection, database, attested, there, now)
        await places.use_epoch(connection, database.agent, place)
        made = label(_origin(message, database.agent_entity, place, parent, epoch))
        label_id, label_key = await memories.intern(connection, database.agent, made)
        return {
            "platform_place": message.place.id,
            "place": place.id,
            "kind": place.kind.value,
            "space": place.space,
            "parent": place.parent,
            "parent_kind": parent.kind.value if parent else None,
            "epoch": epoch,
            "there": sorted(str(one) for one in there),
            "speaker": str(message.speaker),
            "scope": scope_of(place, parent).value,
            "is_from_agent": message.is_from_agent,
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
    is_known = MEANING[place.kind].readers is not Readers.NOBODY
    speaking = {message.speaker} if is_known and not message.is_from_agent else set[Entity]()
    return (message.present | speaking) - {agent}


def _origin(
    message: Message, agent: Entity, place: Place, parent: Place | None, epoch: int
) -> Origin:
    if message.is_from_agent:
        # What the agent said may repeat anything it was told, so its turns help nobody else.
        return Origin(agent=agent, scope=Scope.SELF_ONLY, owner=agent, speaker=None, place=place)
    return Origin(
        agent=agent,
        scope=scope_of(place, parent),
        owner=message.speaker,
        speaker=message.speaker,
        place=place,
        epoch=epoch,
        sensitivity=Sensitivity.PUBLIC,
    )


def _observed(became: str) -> Observed:
    if became in ("kept", "due"):
        return Observed(is_kept=True, is_new=True, is_due=became == "due")
    if became == "known":
        return Observed(is_kept=True, is_new=False, because="it was observed before")
    return Observed(is_kept=False, is_new=False, because=became)
