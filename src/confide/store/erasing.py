"""Erasing in the database: what belongs to an erasure, and taking all of it out in one transaction."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from confide.errors import StoreError
from confide.store import ledger
from confide.store.connection import Connection
from confide.store.contributions import Embed, Withdrawing, hold_place
from confide.store.ledger import Marks
from confide.store.queries import named, query
from confide.store.relabel import relabel_by_consent
from confide.store.sources import read_batch_id

if TYPE_CHECKING:
    from confide.store.database import Database

#: Whatever a clock says: all that is there now.
ALWAYS: Final = datetime(9999, 12, 31, tzinfo=UTC)
BATCH: Final = 5_000
#: Stay when everything goes: people's wishes, and what keeps erased things away.
STAYS: Final = frozenset(
    {"erasure", "erasure_key", "suppression", "message_gone", "opt_out", "off_record", "guardian",
     "stack_serial", "calibration", "trail", "trail_seal", "api_key", "signing_key",
     "narrowing"}
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What is to be erased, named outright: one of these, or all."""

    memory: uuid.UUID | None = None
    person: str | None = None
    place: str | None = None  # the platform's id
    source: str | None = None  # an entity that told it, a platform or a file it came from
    whose: str | None = None  # of a source: only in this person's memory
    is_about_too: bool = False  # of a person: also all that others told about them
    about: tuple[uuid.UUID, ...] = ()  # of a person: what others told that they may hear

    @property
    def kind(self) -> str:
        for kind in ("memory", "person", "place", "source"):
            if getattr(self, kind) is not None:
                return kind
        return "all"

    @property
    def batch(self) -> uuid.UUID | None:
        """Of a source: the file, if it is named by its id."""
        return read_batch_id(self.source) if self.source is not None else None

    def mark(self, marks: Marks) -> bytes | None:
        value = self.person or self.place or self.source
        return marks.of(self.kind, value) if value is not None else None


@dataclass(slots=True)
class Found:
    """All that belongs to an erasure."""

    memories: list[uuid.UUID] = field(default_factory=list[uuid.UUID])
    messages: list[uuid.UUID] = field(default_factory=list[uuid.UUID])  # that go
    sources: list[uuid.UUID] = field(default_factory=list[uuid.UUID])  # whose words go
    places: list[str] = field(default_factory=list[str])  # where those were said or told
    rooms: list[str] = field(default_factory=list[str])  # of a place: it, and what lies in it


class Erasing:
    """One erasure, inside the caller's transaction."""

    def __init__(
        self, connection: Connection, database: Database, target: Target, now: datetime
    ) -> None:
        self._connection = connection
        self._database = database
        self._agent = database.agent
        self._target = target
        self._now = now

    async def find(self, before: datetime = ALWAYS) -> Found:
        """What was there before a moment; an erasure that is replayed leaves later things alone."""
        t, found = self._target, Found()
        if t.memory is not None:
            ids = [t.memory]
        elif t.person is not None:
            ids = await self._ids("owned", t.person, before)
            about = await self._ids("about", t.person, before) if t.is_about_too else t.about
            ids = list(dict.fromkeys((*ids, *about)))
            await self._said(found, "said_by", t.person, before)
        elif t.place is not None:
            found.rooms = [row["id"] for row in await self._fetch("rooms", t.place)]
            ids = await self._ids("in_rooms", found.rooms, before)
            await self._said(found, "said_in_rooms", found.rooms, before)
        elif t.batch is not None:
            if t.whose is None:
                await self._fetch("hold_batch", t.batch)
            await self._said(found, "came_in", t.batch, t.whose, before)
            ids = await self._ids("learned_only_from", found.messages)
        elif t.source is not None:
            await self._said(found, "said_on", t.source, t.whose, before)
            ids = await self._ids("learned_only_from", found.messages)
            ids += await self._ids("told_by", t.source, t.whose, before)
        else:
            ids = await self._ids("everything", before)
            await self._said(found, "said", before)
        found.memories = [row["id"] for row in await self._fetch("derived", ids, True)]
        sources = await self._fetch("sources", found.memories)
        gone = set(found.messages)
        found.sources = [row["id"] for row in sources if row["id"] not in gone]
        told = await self._fetch("told_where", found.memories)
        places = {row["place"] for row in (*sources, *told)}
        found.places = sorted(places.union(found.places))
        return found

    async def erase(self, found: Found, embed: Embed, history: int) -> dict[str, int]:
        """All of it. What others contributed to is left in their words alone."""
        await self.hold(found)
        counts = dict(await self._row("tellings_of", found.memories))
        concerned = [row["entity"] for row in await self._fetch("concerned", found.memories)]
        await self.withdraw(found, embed, history)
        counts["memories"] = await self._run("memories", found.memories)
        counts["messages"] = await self.empty(found)
        await self._run("nameless", concerned)
        if self._target.person is not None:
            counts |= await self._person(self._target.person)
        await self._labels()
        return counts

    async def hold(self, found: Found) -> None:
        """Whoever is learning from these words is shut out, in the same order everywhere."""
        for place in found.places:
            await hold_place(self._connection, self._agent, place)

    async def empty(self, found: Found) -> int:
        """Raw words and open answers, which nothing brings back: also where a delete is soft."""
        await self._run("empty_messages", found.sources, self._now)
        await self._run("empty_answers", found.places, self._now)
        await self._run("mark_gone", found.messages, self._now)
        gone = await self._run("messages", found.messages)
        await self._run("recount", found.places)
        if found.messages:
            await self._run("unheard", found.places, self._target.person or self._target.whose)
        if self._target.batch is not None and self._target.whose is None:
            await self._run("batch", self._target.batch)
        return gone + len(found.sources)

    async def soften(self, found: Found, erasure_id: uuid.UUID) -> int:
        await self._run("take_apart", found.memories)
        return await self._run("soften", found.memories, self._now, erasure_id)

    async def suppress(
        self, found: Found, marks: Marks, erasure_id: uuid.UUID, voice: str | None
    ) -> None:
        """What these say is not to be learned again: from whose it is, or about `voice`."""
        for start in range(0, len(found.memories), BATCH):
            ids = found.memories[start : start + BATCH]
            rows = [*await self._fetch("facts", ids), *await self._fetch("stated", ids)]
            await ledger.suppress(
                self._connection, self._agent, marks, erasure_id,
                ((who, text) for row in rows for who in _people(row, voice) for text in _texts(row)),
            )  # fmt: skip

    async def erase_all(self, tables: Sequence[str]) -> dict[str, int]:
        """Everything of this agent; `tables` in an order in which rows may be deleted."""
        counts: dict[str, int] = {}
        # Whatever goes leaves an entry in the trail; who is meant by that goes last.
        for table in sorted(tables, key=lambda name: name == "trail_name"):
            if table not in STAYS:
                done = await self._connection.execute(
                    f"DELETE FROM confide.{table} WHERE agent = $1", self._agent
                )
                counts[table] = int(done.split()[-1])
        return {table: count for table, count in counts.items() if count}

    async def withdraw(self, found: Found, embed: Embed, history: int) -> None:
        """From others' memories: words that were lent, said just before, or help to find them."""
        lenders = await self._fetch("lenders", found.messages, found.memories)
        gone = set(found.messages)
        withdrawing = Withdrawing(
            self._connection, self._database, embed, self._now, set(found.memories)
        )
        for row in lenders:
            borrowing = await withdrawing.message(row["id"])
            await withdrawing.learn_again([b for b in borrowing if b["message_id"] not in gone])
        await self._run("drop_quotes", found.memories)
        await self._run("drop_words_after", [*found.messages, *found.sources], history)
        if self._target.person is not None:
            await self._run("drop_quotes_of", self._target.person)

    async def _labels(self) -> None:
        """Labels name people and places by id. Words are only in what a consent was said to be for,
        and in names of workspaces and connections."""
        unused = await self._ids("worded_labels")
        if unused:
            await self._run("labels", unused)
        await self._run("worded_clauses")

    async def _person(self, who: str) -> dict[str, int]:
        consents = await self._fetch("consents_of", who)
        touched = {id for row in consents for id in row["touched"]}
        await self._run("consents", [row["id"] for row in consents])
        if touched:
            await relabel_by_consent(self._connection, self._database, sorted(touched), self._now)
        counts: dict[str, int] = {}
        for name in named("erasing_person"):
            done = await self._connection.execute(query("erasing_person", name), self._agent, who)
            counts[name] = int(done.split()[-1])
        # Not counted: how many files others gave is not theirs to know.
        await self._run("nameless_files")
        return {name: count for name, count in counts.items() if count}

    async def _said(self, found: Found, name: str, *args: Any) -> None:
        rows = await self._fetch(name, *args)
        found.messages = [row["id"] for row in rows]
        found.places = sorted({row["place"] for row in rows if row["place"] is not None})

    async def _ids(self, name: str, *args: Any) -> list[uuid.UUID]:
        return [row["id"] for row in await self._fetch(name, *args)]

    async def _fetch(self, name: str, *args: Any) -> list[Any]:
        return await self._connection.fetch(query("erasing", name), self._agent, *args)

    async def _row(self, name: str, *args: Any) -> Any:
        return await self._connection.fetchrow(query("erasing", name), self._agent, *args)

    async def _run(self, name: str, *args: Any) -> int:
        done = await self._connection.execute(query("erasing", name), self._agent, *args)
        return int(done.split()[-1])


def _people(row: Any, voice: str | None) -> set[str]:
    own = {one for one in (row["owner"], row["speaker"]) if one is not None}
    return {voice} if voice is not None and voice not in own else own


def _texts(row: Any) -> list[str]:
    return [row["text"], *([row["attribute"]] if row["attribute"] else [])]


async def verify(
    database: Database, target: Target, found: Found, now: datetime
) -> tuple[dict[str, int], dict[str, int]]:
    """Look again, in a fresh transaction: what is left, which must be nothing, and what stays."""
    left: dict[str, int] = {}
    kept: dict[str, int] = {}
    async with database.keep() as connection:
        looks: list[tuple[str, tuple[Any, ...]]] = [
            ("of_memories", (found.memories,)), ("of_messages", (found.messages,)),
        ]  # fmt: skip
        if target.person is not None:
            looks.append(("of_person", (target.person, now)))
            row = await connection.fetchrow(
                query("traces", "kept_of_person"), database.agent, target.person
            )
            kept = {name: count for name, count in row.items() if count}
        if target.batch is not None:
            looks.append(("of_batch", (target.batch, target.whose, now)))
        if found.rooms:
            looks.append(("in_rooms", (found.rooms, now)))
        for name, what in looks:
            row = await connection.fetchrow(query("traces", name), database.agent, *what)
            for table, count in row.items():
                left[table] = left.get(table, 0) + count
    remaining = sorted(table for table, count in left.items() if count)
    if remaining:
        raise StoreError(f"traces are left in {', '.join(remaining)}; run it again")
    return left, kept
