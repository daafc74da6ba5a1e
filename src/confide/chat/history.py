"""What was said lately, for each person in each place (S16), as far as everyone here may hear it (B7).

It is kept in this process only. The words are in the database already, as messages, and what matters
of them is learned; a second copy would have to be erased, sealed and counted like the first. So a
restart forgets at most twenty messages. Each turn is judged anew whenever it is used: by the label its
message carries in the database, and by every memory that was told in it.
"""

from __future__ import annotations

import uuid
from collections import OrderedDict, deque
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from confide.model import Entity, Status
from confide.privacy.disclosure import disclose
from confide.privacy.policy import Label
from confide.recall.audience import tell_to
from confide.store import memories, messages

if TYPE_CHECKING:
    from confide.privacy.policy import Audience
    from confide.store.database import Database

MOST_TURNS: Final = 20
#: Rooms that are remembered at once; the longest unused is dropped.
MOST_ROOMS: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """Something said by a person, or by the agent to answer it."""

    text: str
    platform: str
    message_id: str
    answers: str | None = None  # the message that the agent answers; None: a person speaks
    memories: frozenset[uuid.UUID] = frozenset()  # what the agent was told when it said so


@dataclass(frozen=True, slots=True)
class _Labelled:
    """A person's turn with the label that its message has now."""

    turn: Turn
    label: Label
    status: Status = Status.APPROVED
    expires_at: datetime | None = None
    is_opted_out: bool = False


class Histories:
    """Twenty messages for each person in each place."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._turns: OrderedDict[tuple[Entity, str], deque[Turn]] = OrderedDict()

    def add(self, who: Entity, place: str, *turns: Turn) -> None:
        kept = self._turns.setdefault((who, place), deque(maxlen=MOST_TURNS))
        kept.extend(turns)
        self._turns.move_to_end((who, place))
        if len(self._turns) > MOST_ROOMS:
            self._turns.popitem(last=False)

    async def standing(self, audience: Audience, now: datetime) -> tuple[Turn, ...]:
        """The turns that everyone in `audience` may hear; the others are dropped for good."""
        key = audience.asker, audience.place.id
        turns = tuple(self._turns.get(key, ()))
        if not turns:
            return ()
        left = await self._heard(turns, audience, now)
        kept = self._turns.get(key, deque[Turn]())
        # Whatever was said while this was judged stays.
        self._turns[key] = deque(
            (one for one in kept if one in left or one not in turns), maxlen=MOST_TURNS
        )
        return left

    async def _heard(
        self, turns: Sequence[Turn], audience: Audience, now: datetime
    ) -> tuple[Turn, ...]:
        labels = await self._labels(turns)
        behind = frozenset[uuid.UUID]().union(*(one.memories for one in turns))
        async with tell_to(self._database, audience, now) as telling:
            known = await memories.told(telling, behind) if behind else []
        world = telling.world
        told = {one.id for one in disclose(known, telling.audience, world).told}
        people = [
            _Labelled(one, labels[one.platform, one.message_id])
            for one in turns
            if one.answers is None and (one.platform, one.message_id) in labels
        ]
        heard = disclose(people, telling.audience, world).told
        said = {(one.turn.platform, one.turn.message_id) for one in heard}
        return tuple(
            one
            for one in turns
            if (one.platform, one.answers or one.message_id) in said and one.memories <= told
        )

    async def _labels(self, turns: Sequence[Turn]) -> dict[tuple[str, str], Label]:
        """Of messages that read as they did; edited, deleted and withdrawn ones have none."""
        people = [(one.platform, one.message_id, one.text) for one in turns if one.answers is None]
        async with self._database.keep() as connection:
            return await messages.labels(connection, self._database.agent, people)
