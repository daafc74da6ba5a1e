"""People who talk to the agent before, during and after a failover, and what each was promised."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final, TypeVar

from confide import Audience, Confide, ConfideError, Entity, audience, operator_as, statement
from confide.errors import NotFound, StoreError
from confide.model import Message
from confide.reading import read_place

T = TypeVar("T")
PLACES: Final = ("dm", "group:friends", "restricted:mods@guild", "public:general@guild")
PAUSE: Final = 0.1  # seconds between two tries


@dataclass
class Promises:
    """What was acknowledged, and what went wrong."""

    remembered: list[str] = field(default_factory=list)  # texts
    observed: list[str] = field(default_factory=list)  # message ids
    forgotten: list[str] = field(default_factory=list)  # texts
    leaks: list[str] = field(default_factory=list)
    writes: list[float] = field(default_factory=list)  # when each was acknowledged
    asked: int = 0
    answered_by_standbys: int = 0
    refused: int = 0  # attempts that ended in an error, and were made again
    errors: dict[str, int] = field(default_factory=dict)


class Load:
    """Everything goes through the front door; whatever fails is tried again until it is acknowledged."""

    def __init__(self, confide: Confide, people: int) -> None:
        self.confide = confide
        self.promises = Promises()
        self.ends = asyncio.Event()
        self._people = [Entity("human", f"p{n}") for n in range(people)]
        self._numbers = itertools.count()

    async def run(self) -> None:
        async with asyncio.TaskGroup() as group:
            for who in self._people:
                group.create_task(self._talk(who))
                group.create_task(self._change_mind(who))
            for n in range(len(PLACES)):
                group.create_task(self._ask(n))

    async def _talk(self, who: Entity) -> None:
        """Remembering and observing; each text and each message is unique."""
        while not self.ends.is_set():
            n = next(self._numbers)
            text = f"The {who.id} lantern number {n} stands on shelf {n * 7}"
            said = statement(text, by=who, place=PLACES[n % len(PLACES)])
            await self._until_done(lambda said=said: self.confide.remember(said))
            self._kept(self.promises.remembered, text)
            message = Message(
                id=f"m{n}", platform="load", place=read_place("dm", who), speaker=who,
                text=f"hello {n}", said_at=datetime.now(UTC),
            )  # fmt: skip
            await self._until_done(lambda message=message: self.confide.observe(message))
            self._kept(self.promises.observed, message.id)
            await asyncio.sleep(0.02)

    async def _change_mind(self, who: Entity) -> None:
        """Remember, forget for good, ask at once: what was forgotten must not be told."""
        alone = audience(who, "dm")
        while not self.ends.is_set():
            text = f"The {who.id} secret {next(self._numbers)} is under the oak"
            kept = await self._until_done(
                lambda text=text: self.confide.remember(statement(text, by=who, place="dm"))
            )
            await self._recall(text, alone)
            await self._until_done(
                lambda id=kept.id: self.confide.forget(id, actor=operator_as(who), now=True),
                is_done=NotFound,
            )
            self._kept(self.promises.forgotten, text)
            for _ in range(3):
                if text in await self._recall(text, alone):
                    self.promises.leaks.append(f"told after it was forgotten: {text}")
            await asyncio.sleep(0.02)

    async def _ask(self, n: int) -> None:
        """A stranger in each kind of room: nobody's direct chats, groups or closed rooms are told."""
        stranger, place = (
            Entity("human", f"stranger{n}"),
            (*PLACES[:1], "group:others", "restricted:other@guild", "public:lobby@guild")[n],
        )
        while not self.ends.is_set():
            number = next(self._numbers)
            for text in await self._recall(
                "which lantern stands on the shelf, and what secret is under the oak?",
                audience(stranger, place),
            ):
                said_in = (
                    PLACES[int(text.split("number ")[1].split()[0]) % len(PLACES)]
                    if "lantern" in text
                    else "dm"
                )
                if not (
                    said_in.startswith("public") and place.startswith(("public", "restricted"))
                ):
                    self.promises.leaks.append(f"{text!r}, said in {said_in}, told in {place}")
            await asyncio.sleep(0.05 + number * 0)

    async def _recall(self, question: str, to: Audience) -> list[str]:
        context = await self._until_done(lambda: self.confide.recall(question, to))
        self.promises.asked += 1
        return [one.memory.text for one in context.memories]

    async def _until_done(
        self, work: Callable[[], Awaitable[T]], *, is_done: type[ConfideError] | None = None
    ) -> T:
        failed = False
        while True:
            try:
                return await work()
            except (StoreError, OSError, TimeoutError) as trouble:
                failed = True
                self.promises.refused += 1
                name = type(trouble).__name__
                self.promises.errors[name] = self.promises.errors.get(name, 0) + 1
                await asyncio.sleep(PAUSE)
            except ConfideError as done:
                # The attempt before may have been committed without anybody hearing of it.
                if failed and is_done is not None and isinstance(done, is_done):
                    return None  # type: ignore[return-value]
                raise

    def _kept(self, where: list[str], what: str) -> None:
        where.append(what)
        self.promises.writes.append(time.monotonic())


def longest_silence(writes: list[float], since: float) -> float:
    """Seconds without any acknowledged write, from `since` on."""
    later = [since, *sorted(one for one in writes if one > since)]
    return max(
        (after - before for before, after in itertools.pairwise(later)), default=float("inf")
    )


async def kept_of(
    ask: Callable[[str], Awaitable[Any]], agent: str, promises: Promises
) -> dict[str, int]:
    """What of the promises the database holds now: lost, doubled, and forgotten words that are back."""
    texts: list[str] = (
        await ask(f"SELECT array_agg(text) FROM confide.memory WHERE agent = '{agent}'") or []
    )
    ids: list[str] = (
        await ask(f"SELECT array_agg(message_id) FROM confide.message WHERE agent = '{agent}'")
        or []
    )
    return {
        "lost memories": sum(one not in set(texts) for one in promises.remembered),
        "lost messages": sum(one not in set(ids) for one in promises.observed),
        "doubled memories": len(texts) - len(set(texts)),
        "doubled messages": len(ids) - len(set(ids)),
        "forgotten words kept": sum(one in set(texts) for one in promises.forgotten),
    }
