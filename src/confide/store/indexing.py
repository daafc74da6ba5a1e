"""Words as the database keeps them beside each memory: a sparse vector with a 1 for each."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from confide.model import Entity, Kind, is_someone
from confide.privacy.labels import Origin
from confide.store.connection import Connection
from confide.store.encoding import write_vector
from confide.store.kinds import kinds_of
from confide.store.queries import query
from confide.store.terms import KEYS, TERMS_VERSION, name_terms, term_key, terms

#: More would not fit into a row of the covering index, beside a vector.
_KEYS_A_ROW: Final = 200
_PEOPLE_A_ROW: Final = 100
Vector = Sequence[float]


class Before(NamedTuple):
    """A message that came just before a memory, with the label of its own."""

    text: str
    label_id: int


class Row(NamedTuple):
    """What is stored of a memory's words; see the table."""

    memory_id: uuid.UUID
    part: int
    before_label_id: int | None
    earlier_label_id: int | None
    author: int
    length: int
    terms: str

    @property
    def has_meaning(self) -> bool:
        """The memory's vector stands in the first row of its own words."""
        return self.part == 0 and self.before_label_id is None


class Indexer:
    """Texts as rows of words. What is said before one memory is often a memory too: read once."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[frozenset[int], int]] = {}
        self._people: dict[tuple[object, ...], tuple[int, list[int]]] = {}

    def rows(
        self, id: uuid.UUID, text: str, origin: Origin, before: Sequence[Before] = ()
    ) -> list[Row]:
        """A memory's own words under its label, and words that only the two messages before it
        have under theirs too: a question helps to find its answer where both may be heard."""
        own, length = self._keys(text)
        author, people = self._people_of(origin)
        rows = [
            Row(id, part, None, None, author, length, sparse(keys))
            for part, keys in enumerate(_parts(own, [kind_key(origin.kind), *people]))
        ]
        heard = before[-2:]
        others = frozenset[int]().union(*(self._keys(one.text)[0] for one in heard)) - own
        if others:
            labels = heard[-1].label_id, heard[0].label_id
            rows += [
                Row(id, part, *labels, author, length, sparse(keys))
                for part, keys in enumerate(_parts(others))
            ]
        return rows

    def _people_of(self, origin: Origin) -> tuple[int, list[int]]:
        """Who said it, and all who are found by their names."""
        who = origin.owner, origin.speaker, origin.subjects
        if who not in self._people:
            author = entity_key(origin.speaker or origin.owner or origin.agent)
            self._people[who] = author, _people_keys(origin)
        return self._people[who]

    def _keys(self, text: str) -> tuple[frozenset[int], int]:
        if text not in self._known:
            said = terms(text)
            self._known[text] = frozenset(map(term_key, {*said, *kinds_of(said)})), len(said)
        return self._known[text]


async def index(
    connection: Connection, agent: str, rows: Iterable[Row], vectors: Mapping[uuid.UUID, Vector]
) -> None:
    """Make memories searchable: by their words, and by the built-in model's vector of each."""
    written = columns(rows, vectors)
    await connection.execute(query("search", "add_words"), agent, *written)


def columns(rows: Iterable[Row], vectors: Mapping[uuid.UUID, Vector]) -> list[Any]:
    """As `confide.add_words` takes them."""
    every = list(rows)
    listed: Iterable[list[Any]] = (
        map(list, zip(*every, strict=True)) if every else ([] for _ in Row._fields)
    )
    of_row = [write_vector(vectors[row.memory_id]) if row.has_meaning else None for row in every]
    return [TERMS_VERSION, *listed, of_row]


def name_key(name: str) -> int:
    """A word of somebody's id."""
    return term_key(f"name {name}")


def called_key(name: int) -> int:
    """The same word in what somebody is called now; it stands only beside what they say themselves."""
    return name % KEYS + 1


def entity_key(entity: Entity) -> int:
    return term_key(f"entity {entity}")


def kind_key(kind: Kind) -> int:
    return term_key(f"kind {kind.value}")


def sparse(keys: Iterable[int]) -> str:
    return "{" + ",".join(f"{key}:1" for key in sorted(keys)) + f"}}/{KEYS}"


def _people_keys(origin: Origin) -> list[int]:
    """The names of those whose memory it is and whom it is about, and who exactly they are. A memory
    about a whole crowd is found by the names of some of them."""
    people = [e for e in (origin.owner, origin.speaker, *sorted(origin.subjects)) if e is not None]
    keys: dict[int, None] = {}
    for entity in people:
        names = () if is_someone(entity) else sorted(name_terms([entity.id]))
        keys |= dict.fromkeys([entity_key(entity), *map(name_key, names)])
    return list(keys)[:_PEOPLE_A_ROW]


def _parts(keys: Iterable[int], first: Sequence[int] = ()) -> list[list[int]]:
    """As many as a row holds. Kind and people come first: they are looked for in the first row."""
    ordered = [*first, *sorted(keys)]
    starts = range(0, max(1, len(ordered)), _KEYS_A_ROW)
    return [ordered[start : start + _KEYS_A_ROW] for start in starts]
