"""`add`: a list of messages is observed and learned from at once; what was given before is not new.

A conversation is compared with the keyed hashes of what was kept of it before. A list that grows,
the same list again and the last twenty of a longer one overlap with it, and only the rest is new.
Of what was not kept there is no hash either: it is known by its place between what was.
"""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from confide.language.confidence import is_off_the_record
from confide.language.words import plain, words
from confide.model import Message, Status
from confide.screen.secrets import find_secret
from confide.store import ledger, turns
from confide.store.turns import BLANK, Noted

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
            because, is_kept = one.secret, False
            if because is None:
                message = self._message(one, exchange, platform)
                done = await self.observe(message)
                is_kept = done.is_kept
                because = None if is_kept else done.because
                if is_kept and not message.is_from_agent:
                    kept.append(one.message_id)
            if because is not None:
                refused.append(Refused(one.turn.number, because))
            async with self.database.keep() as connection:
                await turns.settle(
                    connection, self.database.agent, conversation, one.id, is_kept=is_kept
                )
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
            given = [marks.of("turn", where, *_said(one)) for one in exchange.turns]
            before = await turns.given(connection, agent, conversation)
            found = overlap(
                [one.mark for one in before], given, [one.id is not None for one in exchange.turns]
            )
            silent = await turns.silent(
                connection, agent, exchange.place.id, {str(one.speaker) for one in exchange.turns}
            )
            fresh = {
                mark if exchange.turns[n].id else (mark, n): turns.Turn(
                    uuid.uuid4(),
                    BLANK if secrets[n] or _is_silent(exchange.turns[n], silent) else mark,
                    False,
                )
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
    places = {mark: at for at, mark in enumerate(before) if mark != BLANK}
    start = next((at for at in range(len(before)) if _runs(before, at, given)), len(before))
    at_place = [start + n if start + n < len(before) else None for n in range(len(given))]
    return [
        places.get(mark, at if at is not None and before[at] == BLANK else None) if is_named else at
        for mark, is_named, at in zip(given, has_id, at_place, strict=True)
    ]


def _runs(before: Sequence[bytes], at: int, given: Sequence[bytes]) -> bool:
    """Whether `given` goes on from there. A blank fits anything, so that something else has to fit
    too, or the list is a longer one of which nothing was kept."""
    pairs = list(zip(before[at:], given, strict=False))
    if not all(one in (BLANK, two) for one, two in pairs):
        return False
    return any(one != BLANK for one, _ in pairs) or (at == 0 and len(given) > len(before))


def _said(turn: Turn) -> tuple[str, ...]:
    """What makes a turn the same one."""
    if turn.id is not None:
        return "id", turn.id
    return "said", str(turn.speaker or AGENT), turn.at.isoformat() if turn.at else "", turn.text


def _is_silent(turn: Turn, silent: frozenset[str]) -> bool:
    """Whether it is known already that it will not be kept, so that nothing of it is written."""
    if turn.speaker is None:
        return bool(silent)
    return str(turn.speaker) in silent or is_off_the_record(turn.text)


def _secret(turn: Turn) -> str | None:
    if turn.speaker is None:
        return None
    text = plain(turn.text)
    found = find_secret(text, words(text))
    if found is None:
        return None
    return f"{found.reason}; credentials are never stored. Keep it in a password manager"
