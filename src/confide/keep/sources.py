"""Sources (P7): every file that is taken in is a batch, and a person can tell what came from where.

What a file is called, its fingerprint and its counts are about everybody in it, so they are for
whoever runs the agent or gave it. A person sees which of their own words it brought.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING, Any, Final

from confide.actor import Actor, ruling
from confide.errors import InvalidInput, NotFound
from confide.means import Means, Part
from confide.privacy.acting import Act, Relation, Verdict
from confide.store import sources
from confide.store.colliding import tried_again
from confide.store.sources import Batch, Begun, Source

if TYPE_CHECKING:
    from confide.model import Message

NO_SUCH_SOURCE: Final = "there is no such source"
LONGEST_NAME: Final = 255
STANDARD_INPUT: Final = "-"
#: Keeps one message of a batch; whatever it returns says what became of it.
Observe = Callable[..., Awaitable[Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """What was given: its name without a folder, the hash of its bytes, and what they say."""

    name: str
    sha256: bytes
    messages: Sequence[Message]


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What became of a file this time. Counts only."""

    batch: Begun
    observed: int  # new
    known: int
    ignored: dict[str, int]  # reason: how many


@dataclass(frozen=True, slots=True, kw_only=True)
class Origins:
    """Where what is kept came from."""

    platforms: tuple[Source, ...]
    batches: tuple[Batch, ...]
    stacks: tuple[Source, ...] = ()  # other agents'; for whoever runs the agent


class Hashed:
    """Lines as they are read, and the hash of all their bytes once they are."""

    def __init__(self, lines: Iterable[bytes]) -> None:
        self._lines = lines
        self._hash = hashlib.sha256()

    def __iter__(self) -> Iterator[bytes]:
        for line in self._lines:
            self._hash.update(line)
            yield line

    @property
    def sha256(self) -> bytes:
        return self._hash.digest()


class Sources(Part):
    """Files in, and what came from where."""

    def __init__(self, means: Means, observe: Observe) -> None:
        super().__init__(means)
        self._observe = observe
        self._require_enabled = means.require_enabled

    async def take(
        self, file: File, *, actor: Actor, each: Callable[[], None] = lambda: None
    ) -> Taken:
        """Observe all messages of a file as one batch. Cut off and given again, it goes on."""
        self._require_enabled()
        begun = await self._begin(file, actor)
        observed = known = 0
        ignored: dict[str, int] = {}
        for message in file.messages:
            became = await self._observe(message, batch=begun.id)
            observed += became.is_new
            known += became.is_kept and not became.is_new
            if not became.is_kept:
                ignored[became.because] = ignored.get(became.because, 0) + 1
            each()
        await self._finish(begun, file, actor, sum(ignored.values()))
        return Taken(batch=begun, observed=observed, known=known, ignored=ignored)

    async def list(self, *, actor: Actor) -> Origins:
        """Where a person's own words came from; to whoever runs the agent everything, in numbers."""
        who, agent = _whose(actor), self.database.agent
        async with self.database.keep() as connection:
            batches = (
                await sources.every(connection, agent)
                if who is None
                else await sources.own(connection, agent, who)
            )
            return Origins(
                platforms=tuple(await sources.platforms(connection, agent, who)),
                batches=tuple(batches),
                stacks=tuple(await sources.stacks(connection, agent)) if who is None else (),
            )

    async def show(self, id: uuid.UUID, *, actor: Actor) -> Batch:
        """One batch. Somebody who has no words in it is told that there is none."""
        who, agent = _whose(actor), self.database.agent
        async with self.database.keep() as connection:
            found = (
                await sources.every(connection, agent, id)
                if who is None
                else await sources.own(connection, agent, who, id)
            )
        if not found:
            raise NotFound(NO_SUCH_SOURCE)
        return found[0]

    @tried_again
    async def _begin(self, file: File, actor: Actor) -> Begun:
        now = self.clock()
        giver = actor.kind.value, str(actor.entity) if actor.entity is not None else None
        async with self.database.keep(by=actor, doing="import", at=now) as connection:
            return await sources.begin(
                connection,
                self.database.agent,
                file=(base_name(file.name), file.sha256, len(file.messages)),
                platforms=sorted({one.platform for one in file.messages}),
                giver=giver,
                now=now,
            )

    @tried_again
    async def _finish(self, begun: Begun, file: File, actor: Actor, refused: int) -> None:
        now = self.clock()
        async with self.database.keep(by=actor, doing="import", at=now) as connection:
            await sources.finish(
                connection,
                self.database.agent,
                begun.id,
                lines=len(file.messages),
                refused=refused,
                now=now,
            )


def base_name(name: str) -> str:
    """Folders say where on somebody's machine it lay, and often whose that is."""
    last = PureWindowsPath(PurePosixPath(name).name).name
    kept = "".join(letter if letter.isprintable() else "?" for letter in last)
    # A file name may hold bytes that are no text.
    kept = kept.encode("utf-8", "replace").decode("utf-8")[:LONGEST_NAME]
    return kept if kept.strip(".") else STANDARD_INPUT  # ".." is a folder


def _whose(actor: Actor) -> str | None:
    if actor.entity is not None:
        return str(actor.entity)
    if ruling(Act.READ_NUMBERS, actor, Relation.NONE).verdict is not Verdict.YES:
        raise InvalidInput("actor", "say whose sources; for example --as human:alice")
    return None
