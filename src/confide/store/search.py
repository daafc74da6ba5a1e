"""Search in the database: words are written beside each memory, and found under the audience's rights.

A sparse vector has a 1 for each word of a text. Its inner product with a question, whose words weigh
1, 2, 4, 8, …, is a number whose bits say which of the question's words the text has.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from confide.model import Entity, Kind
from confide.privacy.labels import Origin
from confide.store.connection import Connection
from confide.store.database import Telling
from confide.store.memory import Memory, read_memory
from confide.store.queries import query
from confide.store.terms import KEYS, TERMS_VERSION, Asked, name_terms, term_key, terms

#: A sum of different powers of two below 2^24 is exact in the numbers pgvector adds up.
ASKER_BIT: Final = 23
_TERMS_A_ROW: Final = 128  # more would not fit into a row of the covering index


class Before(NamedTuple):
    """A message that came just before a memory, with the label of its own."""

    text: str
    label_id: int


@dataclass(frozen=True, slots=True)
class Found:
    """A memory this audience may hear, how near in meaning it is, and how well it fits in all."""

    memory: Memory
    similarity: float
    relevance: float


class Row(NamedTuple):
    """What is stored of a memory's words; see the table."""

    memory_id: uuid.UUID
    part: int
    before_label_id: int | None
    earlier_label_id: int | None
    length: int
    terms: str
    people: str


def rows_of(id: uuid.UUID, text: str, origin: Origin, before: Sequence[Before] = ()) -> list[Row]:
    """A memory's own words under its label, and words that only the two messages before it have
    under theirs too: what was asked helps to find an answer where the asking may be heard."""
    said = terms(text)
    own = {term_key(term) for term in said}
    people = _sparse(_people_keys(origin))
    rows = [
        Row(id, part, None, None, len(said), keys, people if part == 0 else _sparse(()))
        for part, keys in enumerate(_parts(own))
    ]
    if before:
        heard = before[-2:]
        labels = heard[-1].label_id, heard[0].label_id
        others = {term_key(term) for one in heard for term in terms(one.text)} - own
        rows += [
            Row(id, part, *labels, len(said), keys, _sparse(()))
            for part, keys in enumerate(_parts(others))
            if others
        ]
    return rows


async def index(connection: Connection, agent: str, rows: Iterable[Row]) -> None:
    columns = list(zip(*rows, strict=True))
    if columns:
        await connection.execute(
            query("search", "add_words"), agent, TERMS_VERSION, *map(list, columns)
        )


async def relevant(
    telling: Telling,
    model: str,
    vector: str,
    question: Asked,
    weights: Sequence[float],
    limit: int,
) -> list[Found]:
    """By words, names and meaning in one statement."""
    names = [*question.terms, *sorted(question.names - set(question.terms))][:ASKER_BIT]
    people = [(_name_key(name), bit) for bit, name in enumerate(names) if name in question.names]
    if question.is_about_asker:
        people.append((_entity_key(telling.audience.asker), ASKER_BIT))
    rows = await telling.connection.fetch(
        query("search", "relevant"),
        model,
        vector,
        _weighed((term_key(term), bit) for bit, term in enumerate(question.terms)),
        len(question.terms),
        _weighed(people),
        list(weights),
        limit,
    )
    return [
        Found(read_memory(row, telling.world.agent), row["similarity"], row["relevance"])
        for row in rows
    ]


async def about(
    telling: Telling,
    model: str,
    vector: str,
    kinds: Iterable[Kind],
    names: frozenset[str],
    limit: int,
) -> list[Found]:
    """What is known of these kinds about one person; without names, about the asker."""
    keys = [_name_key(name) for name in names] or [_entity_key(telling.audience.asker)]
    rows = await telling.connection.fetch(
        query("search", "about"),
        model,
        vector,
        _sparse(keys),
        len(keys),
        [kind.value for kind in kinds],
        limit,
    )
    # Nothing but kind and person was asked for, and these are that.
    return [Found(read_memory(row, telling.world.agent), row["similarity"], 1.0) for row in rows]


def _people_keys(origin: Origin) -> set[int]:
    """The names of those whose memory it is and whom it is about, and who exactly they are."""
    people = {e for e in (origin.owner, origin.speaker, *origin.subjects) if e is not None}
    names = name_terms(entity.id for entity in people)
    return {_entity_key(e) for e in people} | {_name_key(name) for name in names}


def _name_key(name: str) -> int:
    return term_key(f"name {name}")


def _entity_key(entity: Entity) -> int:
    return term_key(f"entity {entity}")


def _parts(keys: Iterable[int]) -> list[str]:
    ordered = sorted(keys)
    starts = range(0, max(1, len(ordered)), _TERMS_A_ROW)
    return [_sparse(ordered[start : start + _TERMS_A_ROW]) for start in starts]


def _sparse(keys: Iterable[int]) -> str:
    return "{" + ",".join(f"{key}:1" for key in sorted(keys)) + f"}}/{KEYS}"


def _weighed(keys: Iterable[tuple[int, int]]) -> str:
    # Two words that share a number are one word; the later one is not looked for.
    bits = dict(reversed(list(keys)))
    return "{" + ",".join(f"{key}:{1 << bits[key]}" for key in sorted(bits)) + f"}}/{KEYS}"
