"""Search in the database: words are written beside each memory, and found under the audience's rights.

A sparse vector has a 1 for each word of a text. Its inner product with a question, whose words weigh
1, 2, 4, 8, …, is a number whose bits say which of the question's words the text has.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Final, NamedTuple

from confide.model import Entity, Kind
from confide.privacy.labels import Origin
from confide.privacy.policy import Audience, World
from confide.store.connection import Connection
from confide.store.database import Database
from confide.store.encoding import write_vector
from confide.store.kinds import SELDOM_SAID, kinds_asked, kinds_of
from confide.store.memory import Memory, read_memory
from confide.store.queries import query
from confide.store.terms import KEYS, TERMS_VERSION, Asked, name_terms, term_key, terms

#: A sum of different powers of two below 2^24 is exact in the numbers pgvector adds up.
BITS: Final = 24
ASKER_BIT: Final = BITS - 1
_UNSAID: Final = 1 << BITS  # stands for no word: marks those that are seldom said
#: More would not fit into a row of the covering index, beside a vector.
_KEYS_A_ROW: Final = 200
_PEOPLE_A_ROW: Final = 100
Vector = Sequence[float]


class Before(NamedTuple):
    """A message that came just before a memory, with the label of its own."""

    text: str
    label_id: int


@dataclass(frozen=True)
class Found:
    """A memory this audience may hear, how near in meaning it is, and how well it fits in all."""

    row: Mapping[str, Any]
    agent: Entity

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
    def similarity(self) -> float:
        return self.row["similarity"]

    @property
    def relevance(self) -> float:
        return self.row["relevance"]

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


class Sharp(NamedTuple):
    """The question for a provider's model, and what the cosines of that model mean."""

    model: str
    vector: Vector
    unrelated: float
    threshold: float


class About(NamedTuple):
    """Memories of these kinds about one person; without names, about the asker. All searches of a
    question are about the same person."""

    kinds: frozenset[Kind]
    names: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sought:
    """What a recall looks for, and how each sign of it is weighed."""

    question: Asked
    vector: Vector
    weights: Sequence[float]
    top_k: int
    sharp: Sharp | None = None
    searches: Sequence[About] = ()


@dataclass(frozen=True, slots=True)
class Recalled:
    """What was found: what fits best, then what each further search found."""

    best: list[Found]
    further: list[list[Found]]
    world: World
    audience: Audience
    read_at: str | None = None  # how far a standby saw, if one answered


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
            Row(id, part, None, None, author, length, _sparse(keys))
            for part, keys in enumerate(_parts(own, people))
        ]
        heard = before[-2:]
        others = frozenset[int]().union(*(self._keys(one.text)[0] for one in heard)) - own
        if others:
            labels = heard[-1].label_id, heard[0].label_id
            rows += [
                Row(id, part, *labels, author, length, _sparse(keys))
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
    listed = map(list, zip(*every, strict=True)) if every else ([] for _ in Row._fields)
    of_row = [write_vector(vectors[row.memory_id]) if row.has_meaning else None for row in every]
    return [TERMS_VERSION, *listed, of_row]


async def recall(database: Database, audience: Audience, now: datetime, sought: Sought) -> Recalled:
    """By words, names and meaning; a provider's vector goes before the built-in."""
    kinds = _kind_bits(sought.question)
    terms, names, asker_bit = _bits(sought.question, kinds, audience.asker)
    called = _called(sought)
    sharp = sought.sharp
    answer = await database.tell_at_once(
        query("search", "recall"),
        audience,
        now,
        sought.top_k,
        sought.weights,
        write_vector(sought.vector),
        terms,
        _kin(sought.question, kinds),
        names,
        asker_bit,
        [name_key(name) for name in called],
        list(called.values()),
        sharp and sharp.model,
        sharp and write_vector(sharp.vector),
        sharp and sharp.unrelated,
        sharp and sharp.threshold,
        _broad(sought.searches, audience.asker, list(called)),
    )
    found: list[list[Found]] = [[] for _ in (0, *sought.searches)]
    for row in answer.rows:
        found[row["search"]].append(Found(row, database.agent_entity))
    return Recalled(found[0], found[1:], answer.world, answer.audience, answer.read_at)


def _broad(searches: Sequence[About], asker: Entity, called: Sequence[str]) -> str | None:
    """Whose memories are looked for, of which kinds, and which of these are really wanted."""
    if not searches:
        return None
    names = searches[0].names
    keys = [name_key(name) for name in names] or [entity_key(asker)]
    kinds = frozenset[Kind]().union(*(one.kinds for one in searches))
    return json.dumps(
        {
            "names": _sparse(keys),
            "name_count": len(keys),
            "called": sum(1 << called.index(name) for name in names) or None,
            # What is of no sort of its own may still be of the sort that is asked for.
            "wanted": sorted(kinds if len(kinds) == len(Kind) else kinds - {Kind.KNOWLEDGE}),
            "searches": [
                {"search": n, "kinds": sorted(one.kinds)} for n, one in enumerate(searches, 1)
            ],
        }
    )


def _called(sought: Sought) -> dict[str, int]:
    """Every name that somebody may be called by, and its bit; none if only broad searches use it."""
    question = sought.question
    bits = {name: 1 << bit for bit, name in enumerate(_ordered(question))}
    broad = frozenset[str]().union(*(one.names for one in sought.searches))
    return {
        name: bits.get(name, 0) if name in question.names else 0
        for name in [*bits, *sorted(broad - set(bits))]
        if name in question.names | broad
    }


def _ordered(question: Asked) -> list[str]:
    return [*question.terms, *sorted(question.names - set(question.terms))][:ASKER_BIT]


def _kind_bits(question: Asked) -> dict[str, int]:
    """The kinds that the question asks for have the bits after its words."""
    asked = kinds_asked(question.terms).values()
    kinds = dict.fromkeys(kind for each in asked for kind in each)
    return {kind: bit for bit, kind in enumerate(kinds, len(question.terms))}


def _kin(question: Asked, kind_bits: Mapping[str, int]) -> list[int]:
    """For each word of the question the bits of the kinds it asks for, and one for "seldom said"."""
    asked = kinds_asked(question.terms)
    return [
        sum(1 << kind_bits[kind] for kind in asked.get(term, ())) + (term in SELDOM_SAID) * _UNSAID
        for term in question.terms
    ]


def _bits(
    question: Asked, kind_bits: Mapping[str, int], asker: Entity
) -> tuple[str, str | None, int]:
    """The question's words, kinds and names as powers of two, in one vector if they fit into one."""
    words = [(term_key(term), bit) for bit, term in enumerate(question.terms)]
    words += [(term_key(kind), bit) for kind, bit in kind_bits.items()]
    ordered = _ordered(question)
    names = [(name_key(name), bit) for bit, name in enumerate(ordered) if name in question.names]
    fits = len(words) + len(ordered) < BITS
    asker_bit = len(ordered) if fits else ASKER_BIT
    if question.is_about_asker:
        names.append((entity_key(asker), asker_bit))
    if not fits:
        return _weighed(words), _weighed(names), asker_bit
    after = [(key, len(words) + bit) for key, bit in names]
    return _weighed([*words, *after]), None, asker_bit


def _people_keys(origin: Origin) -> list[int]:
    """The names of those whose memory it is and whom it is about, and who exactly they are. A memory
    about a whole crowd is found by the names of some of them."""
    people = [e for e in (origin.owner, origin.speaker, *sorted(origin.subjects)) if e is not None]
    keys: dict[int, None] = {}
    for entity in people:
        keys |= dict.fromkeys([entity_key(entity), *map(name_key, sorted(name_terms([entity.id])))])
    return list(keys)[:_PEOPLE_A_ROW]


def name_key(name: str) -> int:
    return term_key(f"name {name}")


def entity_key(entity: Entity) -> int:
    return term_key(f"entity {entity}")


def _parts(keys: Iterable[int], people: Sequence[int] = ()) -> list[list[int]]:
    """As many as a row holds. The people come first, since names are looked for in the first row."""
    ordered = [*people, *sorted(keys)]
    starts = range(0, max(1, len(ordered)), _KEYS_A_ROW)
    return [ordered[start : start + _KEYS_A_ROW] for start in starts]


def _sparse(keys: Iterable[int]) -> str:
    return "{" + ",".join(f"{key}:1" for key in sorted(keys)) + f"}}/{KEYS}"


def _weighed(keys: Iterable[tuple[int, int]]) -> str:
    # Two words that share a number are one word; the later one is not looked for.
    bits = dict(reversed(list(keys)))
    return "{" + ",".join(f"{key}:{1 << bits[key]}" for key in sorted(bits)) + f"}}/{KEYS}"
