"""Search in the database: raw signals of every memory that one audience may hear, then the rows of a few.

Both are read in one snapshot under row-level security. Nothing is weighed here; see recall/ranking.py.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np

from confide.model import Entity, Kind
from confide.privacy.policy import Audience, EveryoneIn
from confide.store.database import Database, Telling
from confide.store.encoding import write_vector
from confide.store.indexing import Vector, called_key, entity_key, kind_key, name_key
from confide.store.kinds import things_asked
from confide.store.memory import Memory, read_memory
from confide.store.queries import query
from confide.store.terms import KEYS, Asked, term_key, terms

#: A sum of different powers of two below 2^24 is exact in the numbers pgvector adds up. Two of them
#: are asked for, the second only if a question needs it.
BITS: Final = 24
_UNREACHED: Final = 2.0  # no cosine is as high
KINDS: Final = tuple(Kind)
MOST_STANDING: Final = 30  # more have no room in a context
Numbers = np.ndarray[Any, np.dtype[Any]]


class Sharp(NamedTuple):
    """The question for a provider's model, and what the cosines of that model mean."""

    model: str
    vector: Vector
    unrelated: float
    threshold: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Sought:
    """What a recall looks for."""

    question: Asked
    vector: Vector
    noise: float  # what shares no word and is no nearer than this is not looked at
    sharp: Sharp | None = None
    sharp_noise: float = _UNREACHED  # the same for the provider's model
    is_broad: bool = False  # asks for kinds of memories


@dataclass(frozen=True, slots=True, kw_only=True)
class Signals:
    """A row for each memory that could fit the question, of all that the audience may hear."""

    memories: int  # how many it may hear
    askers: int  # how many of those are the asker's or about them
    words: int  # how long all are together
    ids: Numbers
    authors: Numbers
    lengths: Numbers
    near: Numbers  # the built-in model's cosine
    model_near: Numbers  # the provider's; not a number where it has no vector
    own: Numbers  # which of the question's words it has
    said: Numbers  # the same for it and what was said just before
    own_things: Numbers  # which kinds of things that the question asks for (store/kinds.py)
    said_things: Numbers
    kinds: Numbers  # of which kind it is, if the question is broad
    names: Numbers  # which of the question's names its people bear
    is_askers: Numbers


@dataclass(frozen=True)
class Found:
    """A memory this audience may hear, how near in meaning it is, and how well it fits in all."""

    row: Mapping[str, Any]
    agent: Entity
    similarity: float
    relevance: float

    @cached_property
    def memory(self) -> Memory:
        # Reading takes longer than finding, and most of what is found is not told.
        return read_memory(self.row, self.agent)

    @cached_property
    def terms(self) -> frozenset[str]:
        return frozenset(terms(self.row["text"]))

    @property
    def id(self) -> uuid.UUID:
        return self.row["id"]

    @property
    def author(self) -> str:
        return self.row["speaker"] or self.row["owner"]

    @property
    def owner_name(self) -> str:
        return self.row["called"] or self.row["owner"]

    @property
    def dialogue(self) -> Sequence[tuple[str, str]]:
        """Who said what behind it, where those words may be told themselves."""
        written = self.row["dialogue"]
        return [(who, text) for who, text in json.loads(written)] if written else ()


class Columns:
    """The asker and the words, things, kinds and names of a question, each of which has a bit.
    `people` are those whom the audience knows by these names, and which names each of them has."""

    def __init__(self, sought: Sought, asker: Entity, people: Mapping[int, Numbers]) -> None:
        question = sought.question
        words = [term_key(term) for term in question.terms]
        things = [term_key(thing) for thing in things_asked(question.terms)]
        kinds = [kind_key(kind) for kind in KINDS] if sought.is_broad else []
        left = 2 * BITS - 1 - len(words) - len(things) - len(kinds)
        names = [name_key(name) for name in question.names_in_order[: left // 2]]
        who = list(people)[: left - len(names)] or [called_key(key) for key in names]
        self._parts = [[entity_key(asker)], words, things, kinds, names, who]
        self._named = np.array([people[one] for one in who]) if people else np.eye(len(names))

    @property
    def keys(self) -> list[int]:
        return [key for part in self._parts for key in part]

    def read(self, bits: Numbers) -> list[Numbers]:
        """Which of them each row has: a table for each part, with a column for each of it."""
        each = (bits[:, None] >> np.arange(len(self.keys))) & 1 == 1
        ends = np.cumsum([len(part) for part in self._parts])[:-1]
        return np.split(each, ends, axis=1)

    def named(self, who: Numbers) -> Numbers:
        """Which names those have whom each row is of."""
        return who @ self._named > 0


class Read(NamedTuple):
    """Memories that this audience may hear."""

    by_id: Mapping[bytes, Found]
    standing: list[Found]  # what the asker wants in every answer, the newest first


@dataclass(frozen=True, slots=True)
class Looked:
    """What one audience could be told, and the snapshot in which that is so."""

    telling: Telling
    signals: Signals
    agent: Entity

    async def read(self, scores: Mapping[bytes, tuple[float, float]]) -> Read:
        """These memories with what is written beside them, of which it is known how near and how
        relevant they are; and what the asker wants in every answer."""
        who = self.telling.audience
        listening = [one.what.name for one in who.viewers if isinstance(one, EveryoneIn)]
        rows = await self.telling.connection.fetch(
            query("search", "told"),
            self.agent.id,
            [uuid.UUID(bytes=id) for id in scores],
            str(who.asker),
            [who.place.id, *listening],
            MOST_STANDING,
        )
        found = [Found(row, self.agent, *scores.get(row["id"].bytes, (0.0, 0.0))) for row in rows]
        return Read(
            {one.id.bytes: one for one in found if not one.row["is_standing"]},
            [one for one in found if one.row["is_standing"]],
        )


@asynccontextmanager
async def look(
    database: Database, audience: Audience, now: datetime, sought: Sought
) -> AsyncGenerator[Looked, None]:
    """Look at everything that `audience` may hear, by words, names and meaning."""
    columns = Columns(sought, audience.asker, {})
    statement = query("search", "signals")
    async with database.tell(audience, now, statement, *_written(sought, columns)) as telling:
        row = telling.entered
        signals, people = _read(row, columns)
        if people:
            # Who is called so is known now; what others said about them bears their id.
            columns = Columns(sought, audience.asker, people)
            row = await telling.connection.fetchrow(
                query("search", "look"), *_written(sought, columns)
            )
            signals, _ = _read(row, columns)
        yield Looked(telling, signals, database.agent_entity)


def _written(sought: Sought, columns: Columns) -> tuple[Any, ...]:
    keys, sharp = columns.keys, sought.sharp
    return (
        write_vector(sought.vector),
        _weighed(keys[:BITS]),
        _weighed(keys[BITS:]) if len(keys) > BITS else None,
        sought.noise,
        sharp and sharp.model,
        sharp and write_vector(sharp.vector),
        sought.sharp_noise,
    )


def _read(row: Mapping[str, Any], columns: Columns) -> tuple[Signals, dict[int, Numbers]]:
    """The signals, and for whoever is called by a name of the question by which."""
    is_askers, own, own_things, kinds, names, who = columns.read(_unpacked(row["own"], ">i8"))
    _, said, said_things, *_ = columns.read(_unpacked(row["said"], ">i8"))
    authors, near = _unpacked(row["authors"], ">i4"), _unpacked(row["near"], ">f8")
    called = columns.named(who)
    signals = Signals(
        memories=row["memories"],
        askers=row["askers"],
        words=row["words"],
        ids=_unpacked(row["ids"], "V16"),
        authors=authors,
        lengths=_unpacked(row["lengths"], ">i4"),
        near=near,
        model_near=_unpacked(row["model_near"], ">f8") if row["model_near"] else near * np.nan,
        own=own,
        said=said,
        own_things=own_things,
        said_things=said_things,
        kinds=kinds,
        names=names | called,
        is_askers=is_askers[:, 0],
    )
    return signals, {
        int(authors[n]): called[n] for n in np.flatnonzero(np.logical_or.reduce(called, axis=1))
    }


def _unpacked(column: bytes | None, kind: str) -> Numbers:
    """An array as PostgreSQL sends it: a head of 20 bytes, then each value after its size."""
    if column is None:
        return np.zeros(0, dtype=kind)
    return np.frombuffer(column, dtype=[("size", ">i4"), ("value", kind)], offset=20)["value"]


def _weighed(keys: Sequence[int]) -> str:
    # Two words that share a number are one word; the later one is not looked for.
    bits = {key: bit for bit, key in reversed(list(enumerate(keys)))}
    return "{" + ",".join(f"{key}:{1 << bits[key]}" for key in sorted(bits)) + f"}}/{KEYS}"
