"""`add`: a list of messages is observed and learned from at once; what was given before is not new.

A conversation is compared with the keyed hashes of what was given of it before. A list that grows,
the same list again and the last twenty of a longer one overlap with it, and only the rest is new.
"""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from confide.language.words import plain, words
from confide.model import Message, Status
from confide.screen.secrets import find_secret
from confide.store import ledger, turns
from confide.store.turns import Noted

if TYPE_CHECKING:
    from confide.remember.observe import Observed
    from confide.remember.turns import Exchange, Turn
    from confide.store.database import Database

AGENT: Final = "assistant"


@dataclass(frozen=True, slots=True)
class Refused:
    """A message that was not kept: its position in the list, from 0, and why."""

    number: int
    because: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """What became of a list of messages."""

    remembered: tuple[Noted, ...] = ()  # told from now on, to those who may hear it
    waits: tuple[Noted, ...] = ()  # for review, each with the reason
    refused: tuple[Refused, ...] = ()
    known: int = 0  # messages that were given before
    is_learned: bool = True  # False: the language model is away; learning goes on later


@dataclass(frozen=True, slots=True)
class _Placed:
    """A turn with its place in the conversation, and why it is refused, if it is."""

    turn: Turn
    id: uuid.UUID
    message_id: str
    is_settled: bool
    secret: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Adding:
    """All that adding needs. `observe` keeps a message, `learn` learns from sessions."""

    database: Database
    observe: Callable[[Message], Awaitable[Observed]]
    learn: Callable[[Sequence[uuid.UUID]], Awaitable[None]]
    now: datetime

    async def add(self, exchange: Exchange, *, platform: str) -> Added:
        where = (platform, exchange.place.id, *(exchange.namespace or ()))
        conversation, placed = await self._place(exchange, "\x1f".join(map(str, where)))
        kept: list[str] = []
        refused: list[Refused] = []
        for one in placed:
            if one.is_settled:
                continue
            because = one.secret
            if because is None:
                message = self._message(one, exchange, platform)
                done = await self.observe(message)
                because = done.because if not done.is_kept else None
                if done.is_kept and not message.is_from_agent:
                    kept.append(one.message_id)
            if because is not None:
                refused.append(Refused(one.turn.number, because))
            async with self.database.keep() as connection:
                await turns.settle(connection, self.database.agent, conversation, one.id)
        noted, is_learned = await self._learned(platform, kept)
        return Added(
            remembered=tuple(one for one in noted if one.status is Status.APPROVED),
            waits=tuple(one for one in noted if one.status is Status.PENDING),
            refused=tuple(refused),
            known=sum(one.is_settled for one in placed),
            is_learned=is_learned,
        )

    async def _place(self, exchange: Exchange, where: str) -> tuple[bytes, list[_Placed]]:
        """Which turns were given before. New ones get their ids before any of them is kept, so that
        whoever is interrupted goes on where it stopped."""
        agent = self.database.agent
        async with self.database.keep() as connection:
            marks = await ledger.marks(connection, agent, self.now)
            conversation = marks.of("conversation", where)
            secrets = [_secret(one) for one in exchange.turns]
            given = [
                marks.of("turn", where, *_said(one, secret))
                for one, secret in zip(exchange.turns, secrets, strict=True)
            ]
            before = await turns.given(connection, agent, conversation)
            found = overlap(
                [one.mark for one in before], given, [one.id is not None for one in exchange.turns]
            )
            fresh = {
                mark if exchange.turns[n].id else (mark, n): turns.Turn(uuid.uuid4(), mark, False)
                for n, (mark, at) in enumerate(zip(given, found, strict=True))
                if at is None
            }
            await turns.add(connection, agent, conversation, list(fresh.values()), self.now)
            old = [before[at] for at in found if at is not None]
            await turns.renew(connection, agent, conversation, old, self.now)
        placed: list[_Placed] = []
        seen = set[uuid.UUID]()
        for n, (turn, mark, at) in enumerate(zip(exchange.turns, given, found, strict=True)):
            row = before[at] if at is not None else fresh[mark if turn.id else (mark, n)]
            message_id = turn.id or f"add-{row.id}"
            is_settled = row.is_settled or row.id in seen
            placed.append(_Placed(turn, row.id, message_id, is_settled, secrets[n]))
            seen.add(row.id)
        return conversation, placed

    def _message(self, placed: _Placed, exchange: Exchange, platform: str) -> Message:
        turn = placed.turn
        return Message(
            id=placed.message_id,
            place=exchange.place,
            speaker=turn.speaker or self.database.agent_entity,
            text=turn.text,
            said_at=turn.at or self.now,
            platform=platform,
            present=exchange.present,
            is_from_agent=turn.speaker is None,
            namespace=exchange.namespace,
        )

    async def _learned(self, platform: str, kept: Sequence[str]) -> tuple[list[Noted], bool]:
        agent = self.database.agent
        if not kept:
            return [], True
        async with self.database.keep() as connection:
            waiting = await turns.sessions_of(connection, agent, platform, kept)
        await self.learn(waiting)
        async with self.database.keep() as connection:
            left = await turns.sessions_of(connection, agent, platform, kept)
            return await turns.learned_from(connection, agent, platform, kept), not left


def overlap(
    before: Sequence[bytes], given: Sequence[bytes], has_id: Sequence[bool]
) -> list[int | None]:
    """For each of `given` the position in `before` where it was given already.

    Ids decide where there are any. The others follow each other: the longest run of `given`, from
    its first, that ends where `before` ends or lies in it.
    """
    places = {mark: at for at, mark in enumerate(before)}
    start = next(
        (
            at
            for at in range(len(before))
            if all(one == two for one, two in zip(before[at:], given, strict=False))
        ),
        len(before),
    )
    return [
        places.get(mark) if is_named else (start + n if start + n < len(before) else None)
        for n, (mark, is_named) in enumerate(zip(given, has_id, strict=True))
    ]


def _said(turn: Turn, secret: str | None) -> tuple[str, ...]:
    """What makes a turn the same one. Of a credential there is nothing, not even hashed."""
    if turn.id is not None:
        return "id", turn.id
    at = turn.at.isoformat() if turn.at else ""
    return "said", str(turn.speaker or AGENT), at, "" if secret else turn.text


def _secret(turn: Turn) -> str | None:
    if turn.speaker is None:
        return None
    text = plain(turn.text)
    found = find_secret(text, words(text))
    if found is None:
        return None
    return f"{found.reason}; credentials are never stored. Keep it in a password manager"
