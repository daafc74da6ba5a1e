"""The doctor on labels: is every memory told where today's rule would have it told, and no further?"""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from confide.keep.findings import Notes, Problem, Progress
from confide.model import Entity, Place, PlaceKind, Scope, Status
from confide.privacy.consent import Consent, Guardians, apply_consents
from confide.privacy.labels import Origin, label
from confide.privacy.places import NARROWER, scope_of
from confide.privacy.policy import Label, minimal
from confide.store import consents
from confide.store.encoding import memory_hash, write_label
from confide.store.memory import Memory, origin_once, read_memory
from confide.store.queries import query
from confide.store.relabel import relabel

if TYPE_CHECKING:
    from confide.store.connection import Connection, Row
    from confide.store.database import Database

PAGE: Final = 2000
NOTHING: Final[tuple[str, uuid.UUID]] = ("", uuid.UUID(int=0))
#: Pairs of an older and a newer memory of which only one can be true.
Contradictions = Callable[[Sequence[Memory]], Sequence[tuple[uuid.UUID, uuid.UUID]]]

IMPOSSIBLE: Final = Problem(
    "labels.impossible", "the database decides by another label than is written", "label them again"
)
WIDER: Final = Problem(
    "labels.wider", "told to more than today's rule and the consents give", "narrow them"
)
NARROWER_THAN: Final = Problem(
    "labels.narrower", "told to fewer than today's rule gives; nothing is widened by a program"
)
OTHER: Final = Problem(
    "labels.other", "labelled otherwise than by today's rule", "label again, hold for review"
)
BEYOND: Final = Problem(
    "labels.beyond_origin", "a level that the place cannot give, and nobody consented",
    "give them their place's level",
)  # fmt: skip
EVERYWHERE: Final = Problem(
    "labels.global", "`global` without being a harmless attribute", "give them their place's level"
)
STALE: Final = Problem(
    "hashes.stale", "their hash is of other words or another label", "hash them again"
)
DUPLICATE: Final = Problem(
    "duplicates", "say the same under the same label", "the first stays, the others are its history"
)
CONTRADICTING: Final = Problem(
    "contradictions", "contradict a newer memory of the same person under the same label",
    "the newer is told, the older is its history",
)  # fmt: skip
HELD: Final = "its label is not the one that the rule gives"
NEEDS_A_PLACE: Final = frozenset({Scope.GROUP, Scope.CHANNEL_RESTRICTED, Scope.GUILD_PUBLIC})


class Seen(NamedTuple):
    """A memory with the key of the label that the database decides by."""

    memory: Memory
    label_key: bytes | None
    hash: bytes


@dataclass(slots=True)
class Labels:
    """One look at all labels of an agent, person by person."""

    database: Database
    now: datetime
    contradictions: Contradictions
    is_fixing: bool
    notes: Notes
    _places: dict[str, Place] = field(default_factory=dict[str, Place])
    _guardians: Guardians = field(default_factory=dict[Entity, frozenset[Entity]])
    _origins: dict[tuple[object, ...], Origin] = field(
        default_factory=dict[tuple[object, ...], Origin]
    )
    _derived: dict[tuple[Origin, tuple[Consent, ...]], Label] = field(
        default_factory=dict[tuple[Origin, tuple[Consent, ...]], Label]
    )

    async def look(self, progress: Progress) -> int:
        """How many memories were looked at."""
        async with self.database.keep() as connection:
            agent = self.database.agent
            total = await connection.fetchval(query("doctor", "memories"), agent)
            rows = await connection.fetch(query("doctor", "place_kinds"), agent)
            self._guardians = await consents.guardians(connection, agent)
            has_consents = await connection.fetchval(query("doctor", "has_consents"), agent)
        self._places = {row["id"]: _place(row) for row in rows}
        done = 0
        async for page in self._people():
            agreed: Mapping[uuid.UUID, list[Consent]] = (
                await self._agreed(page) if has_consents else {}
            )
            for _, theirs in groupby(page, key=lambda seen: seen.memory.owner):
                await self._person(list(theirs), agreed)
            done += len(page)
            progress("labels", done, total)
        return done

    async def _people(self) -> AsyncIterator[list[Seen]]:
        """Pages that end between two people, so that each person is seen whole."""
        after, waiting = NOTHING, list[Seen]()
        while True:
            async with self.database.keep() as connection:
                rows = await connection.fetch(
                    query("doctor", "page"), self.database.agent, *after, PAGE
                )
            page = [self._seen(row) for row in rows]
            if not page:
                if waiting:
                    yield waiting
                return
            last = page[-1].memory
            after = str(last.owner), last.id
            whole = [one for one in waiting + page if one.memory.owner != last.owner]
            waiting = [one for one in waiting + page if one.memory.owner == last.owner]
            if whole:
                yield whole

    def _seen(self, row: Row) -> Seen:
        """Many memories come from the same few origins, and reading one takes long."""
        origin = origin_once(row, self.database.agent_entity, self._origins)
        memory = read_memory(row, self.database.agent_entity, origin)
        return Seen(memory, row["label_key"], row["hash"])

    async def _agreed(self, page: Sequence[Seen]) -> Mapping[uuid.UUID, list[Consent]]:
        async with self.database.keep() as connection:
            ids = [seen.memory.id for seen in page]
            return await consents.of_memories(connection, self.database.agent, ids)

    async def _person(
        self, theirs: Sequence[Seen], agreed: Mapping[uuid.UUID, list[Consent]]
    ) -> None:
        again: dict[uuid.UUID, tuple[Problem, Origin]] = {}
        first: dict[bytes, uuid.UUID] = {}
        for seen in theirs:
            memory = seen.memory
            problem, origin = self._judge(seen, tuple(agreed.get(memory.id, ())))
            if problem is None and memory.status in (Status.APPROVED, Status.PENDING):
                problem = self._same(seen, first)
            if problem is not None:
                self.notes.found(problem, [memory.id])
                if problem.remedy is not None:
                    again[memory.id] = problem, origin
        pairs = self.contradictions(
            [one.memory for one in theirs if one.memory.status is Status.APPROVED]
        )
        self.notes.found(CONTRADICTING, (older for older, _ in pairs))
        if self.is_fixing:
            await self._mend(again, pairs)

    def _judge(self, seen: Seen, agreed: tuple[Consent, ...]) -> tuple[Problem | None, Origin]:
        memory, origin = seen.memory, seen.memory.origin
        if (beyond := self._beyond(memory)) is not None:
            return beyond, replace(origin, scope=self._given(origin))
        if seen.label_key != write_label(memory.label)[0]:
            return IMPOSSIBLE, origin
        derived = self._label(origin, agreed)
        if derived == memory.label:
            return None, origin
        if is_within(derived, memory.label):
            return WIDER, origin
        return (NARROWER_THAN if is_within(memory.label, derived) else OTHER), origin

    def _beyond(self, memory: Memory) -> Problem | None:
        origin = memory.origin
        if origin.scope is Scope.GLOBAL:
            return None if memory.attribute else EVERYWHERE
        if origin.scope not in NEEDS_A_PLACE:
            return None
        return None if origin.scope in NARROWER[self._given(origin)] else BEYOND

    def _given(self, origin: Origin) -> Scope:
        """The level that its place gives."""
        place = origin.place
        if place is None or place.id not in self._places:
            return Scope.DM
        parent = self._places.get(place.parent) if place.parent else None
        return scope_of(self._places[place.id], parent)

    def _same(self, seen: Seen, first: dict[bytes, uuid.UUID]) -> Problem | None:
        memory = seen.memory
        hash = memory_hash(memory.owner, memory.origin, memory.text)
        if first.setdefault(hash, memory.id) != memory.id:
            return DUPLICATE
        return STALE if hash != seen.hash else None

    def _label(self, origin: Origin, agreed: tuple[Consent, ...]) -> Label:
        basis = origin, agreed
        if basis not in self._derived:
            self._derived[basis] = apply_consents(label(origin), agreed, self._guardians)
        return self._derived[basis]

    async def _mend(
        self,
        again: Mapping[uuid.UUID, tuple[Problem, Origin]],
        pairs: Sequence[tuple[uuid.UUID, uuid.UUID]],
    ) -> None:
        if not (again or pairs):
            return
        agent = self.database.agent
        held = [id for id, (problem, _) in again.items() if problem is OTHER]
        async with self.database.keep(doing="doctor", at=self.now) as connection:
            # First: under today's label they are told to nobody until somebody has looked.
            await connection.execute(query("doctor", "hold"), agent, held, HELD, self.now)
            await self._relabel(connection, again)
            older, newer = [one for one, _ in pairs], [one for _, one in pairs]
            await connection.execute(query("doctor", "supersede"), agent, older, newer, self.now)
        self.notes.fixed(CONTRADICTING, len(pairs))
        for problem, _ in again.values():
            self.notes.fixed(problem, 1)

    async def _relabel(
        self, connection: Connection, again: Mapping[uuid.UUID, tuple[Problem, Origin]]
    ) -> None:
        """As they are now, locked: somebody may have changed them since they were looked at."""
        rows = await connection.fetch(
            query("memories", "kept_many"), self.database.agent, list(again)
        )
        changed = [
            (memory, replace(memory.origin, scope=again[memory.id][1].scope))
            for memory in (read_memory(row, self.database.agent_entity) for row in rows)
        ]
        if changed:
            await relabel(connection, self.database, changed, self.now, is_forced=True)


def is_within(narrow: Label, wide: Label) -> bool:
    """Whether `narrow` is told only where `wide` is: each clause of `wide` follows from one of its."""
    stated = minimal(narrow)
    return all(
        any(kind == other and terms <= wider for kind, terms in stated)
        for other, wider in minimal(wide)
    )


def _place(row: Mapping[str, Any]) -> Place:
    return Place(
        id=row["id"], kind=PlaceKind(row["kind"]), space=row["space"], parent=row["parent"]
    )
