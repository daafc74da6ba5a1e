"""Fill a store in bulk, past the verbs: what is measured is a large store, not how it grew."""

from __future__ import annotations

import hashlib
import json
import random
import struct
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import datetime
from functools import cache
from itertools import accumulate, islice
from typing import Any, Final

import asyncpg
import numpy as np

from benchmarks.store.community import NOW, Community, Said
from confide.model import Trust, type_of
from confide.store.embedded import Server
from confide.store.encoding import write_clauses, write_label
from confide.store.indexing import Indexer, Row
from confide.store.memory import origin_columns
from confide.store.provision import DATABASE
from confide.store.terms import TERMS_VERSION

DIMENSIONS: Final = 256
BATCH: Final = 20_000
TEXTS: Final = 5000  # different ones; how often a text returns changes nothing that is measured
FOREVER: Final = datetime.max
_FIRST: Final = ["ba", "co", "du", "fe", "gi", "lo", "mu", "na", "po", "ri", "sa", "tu"]
_LAST: Final = ["den", "lor", "mik", "pan", "rus", "sol", "tam", "ver", "wek", "zin"]
_SYLLABLES: Final = [a + b for a in _FIRST for b in _LAST]
#: Words as often as in a language: the n-th most frequent one 1/n as often as the first.
VOCABULARY: Final = [a + b for a in _SYLLABLES for b in _SYLLABLES]
_OFTEN: Final = list(accumulate(1 / n for n in range(1, len(VOCABULARY) + 1)))
Vectors = np.ndarray[Any, np.dtype[np.float16]]


async def connect(server: Server) -> Any:
    """As superuser, because COPY does not work under row-level security."""
    connection = await asyncpg.connect(
        host=server.host, port=server.port, user=server.superuser, password=server.password,
        database=DATABASE,
    )  # fmt: skip
    await connection.set_type_codec(
        "halfvec", schema="public", format="binary", encoder=_write_half, decoder=_read_half
    )
    await connection.set_type_codec(
        "sparsevec", schema="public", format="binary", encoder=_write_sparse, decoder=bytes
    )
    return connection


def _write_sparse(written: str) -> bytes:
    """`{key:1,…}/size`, as the store writes it, in PostgreSQL's binary form."""
    inside, _, size = written.partition("/")
    keys = sorted(int(pair.partition(":")[0]) - 1 for pair in inside.strip("{}").split(",") if pair)
    head = struct.pack(f">{3 + len(keys)}i", int(size), len(keys), 0, *keys)
    return head + struct.pack(f">{len(keys)}f", *[1.0] * len(keys))


def _write_half(vector: Vectors) -> bytes:
    return len(vector).to_bytes(2, "big") + b"\0\0" + vector.astype(">f2").tobytes()


def _read_half(raw: bytes) -> Vectors:
    return np.frombuffer(raw[4:], dtype=">f2").astype(np.float16)


def vectors(count: int, seed: int) -> Vectors:
    """Unit vectors around a few hundred topics, as halves: what the index holds."""
    chance = np.random.default_rng(seed)
    topics = np.random.default_rng(0).standard_normal((300, DIMENSIONS), dtype=np.float32)
    made = topics[chance.integers(0, 300, count)]
    made += chance.standard_normal((count, DIMENSIONS), dtype=np.float32)
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    return made.astype(np.float16)


async def fill(connection: Any, agent: str, community: Community, times: int = 1) -> int:
    """Everything the community said, what may not be heard in its second space `times` over;
    returns how many labels that made."""
    async with _in_bulk(connection):
        await _fill_world(connection, agent, community)
        said = list(community.said())
        numbers, of_said = await _fill_labels(connection, agent, said)
        rows = iter(said)
        for batch in range(0, len(said), BATCH):
            part = list(islice(rows, BATCH))
            labels = of_said[batch : batch + BATCH]
            await _fill_memories(connection, agent, part, labels, batch)
        for table in ("memory", "words"):
            await _multiply(connection, table, community.spaces[1], times)
    await connection.execute("VACUUM (ANALYZE)")
    await connection.execute("CHECKPOINT")
    return len(numbers)


@asynccontextmanager
async def _in_bulk(connection: Any) -> AsyncIterator[None]:
    """Without foreign keys looked up row by row, and indexes built once at the end."""
    await connection.execute("SET search_path = confide, pg_catalog")
    dropped = await connection.fetch(
        "SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS made"
        " FROM pg_index WHERE indrelid = ANY (ARRAY['memory', 'words']::regclass[])"
        " AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)"
    )
    await connection.execute("SET session_replication_role = replica; SET synchronous_commit = off")
    for index in dropped:
        await connection.execute(f"DROP INDEX {index['name']}")
    yield
    await connection.execute("SET maintenance_work_mem = '512MB'")
    for index in dropped:
        await connection.execute(index["made"])
    await connection.execute("RESET ALL")


async def _copy(connection: Any, table: str, columns: str, rows: Iterator[tuple[Any, ...]]) -> None:
    await connection.copy_records_to_table(
        table, schema_name="confide", columns=columns.split(), records=rows
    )


async def _fill_world(connection: Any, agent: str, community: Community) -> None:
    rooms = list(community.rooms())
    await _copy(
        connection, "place", "agent id platform_id kind space epoch",
        ((agent, p.id, p.id, p.kind.value, p.space, 5 if p.space is None else 0) for p, _ in rooms),
    )  # fmt: skip
    await _copy(
        connection, "place_member", "agent place entity joined_epoch",
        ((agent, place.id, str(who), 0) for place, people in rooms for who in people),
    )  # fmt: skip
    await _copy(
        connection, "space_member", "agent entity space",
        ((agent, str(who), s) for s, people in community.members.items() for who in people),
    )  # fmt: skip


async def _fill_labels(
    connection: Any, agent: str, said: list[Said]
) -> tuple[dict[bytes, int], list[int]]:
    known: dict[Any, int] = {}
    numbers: dict[bytes, int] = {}
    clauses: dict[str, tuple[int, dict[str, Any]]] = {}
    made: list[tuple[int, bytes, list[dict[str, Any]]]] = []
    for one in said:
        if one.label in known:
            continue
        key, written = write_label(one.label)
        known[one.label] = numbers.setdefault(key, len(numbers) + 1)
        if len(made) < len(numbers):
            made.append((numbers[key], key, json.loads(written)))
    for clause in (clause for _, _, parts in made for clause in parts):
        clause["id"] = clauses.setdefault(clause["key"], (len(clauses) + 1, clause))[0]
    await _copy(
        connection, "clause", "agent id kind key",
        ((agent, id, c["kind"], bytes.fromhex(c["key"])) for id, c in clauses.values()),
    )  # fmt: skip
    await _copy(
        connection, "clause_term", "agent clause_id position kind atom until purpose",
        (
            (agent, id, n, c["kind"], atom, _moment(until), purpose)
            for id, c in clauses.values()
            for n, (atom, until, purpose) in enumerate(c["terms"], 1)
        ),
    )  # fmt: skip
    await _copy(
        connection, "label", "agent id key clauses",
        ((agent, id, key, [c["id"] for c in parts]) for id, key, parts in made),
    )  # fmt: skip
    await _copy(
        connection, "label_door",
        "agent label_id position kind atom until purpose rest then_kind then_atoms later",
        (row for id, _, parts in made for row in _doors(agent, id, parts)),
    )  # fmt: skip
    for table in ("clause", "label"):
        await connection.execute(
            f"SELECT setval(pg_get_serial_sequence('confide.{table}', 'id'), max(id)) FROM confide.{table}"
        )
    return numbers, [known[one.label] for one in said]


def _doors(agent: str, label: int, parts: list[dict[str, Any]]) -> Iterator[tuple[Any, ...]]:
    """As `confide.intern_label` writes them."""
    door, following = parts[0], parts[1] if len(parts) > 1 else None
    rest = [c["id"] for c in parts if door["kind"] == "hear" or c is not door]
    is_plain = following and all(t[1:] == ["infinity", ""] for t in following["terms"])
    kind = following["kind"] if following and is_plain else None
    atoms = [atom for atom, _, _ in following["terms"]] if following and is_plain else None
    later = [c["id"] for c in parts[2 if is_plain else 1 :]]
    for n, (atom, until, purpose) in enumerate(door["terms"], 1):
        yield agent, label, n, door["kind"], atom, _moment(until), purpose, rest, kind, atoms, later


def _moment(written: str) -> datetime:
    return FOREVER if written == "infinity" else datetime.fromisoformat(written)


MEMORY: Final = (
    "agent id owner speaker subjects text kind type scope sensitivity trust status confidence place"
    " space epoch present workspace namespace_scope is_namespaced grants clauses label_id hash"
    " said_at created_at updated_at reinforced_at"
)


def memory_id(position: int) -> uuid.UUID:
    """Random, and the same each time, so that it can be found again."""
    return uuid.UUID(bytes=hashlib.md5(position.to_bytes(8, "big")).digest(), version=4)


async def _fill_memories(
    connection: Any, agent: str, part: list[Said], labels: list[int], start: int
) -> None:
    rows = [
        _memory(agent, start + n, one, label)
        for n, (one, label) in enumerate(zip(part, labels, strict=True))
    ]
    await _copy(connection, "memory", MEMORY, iter(rows))
    halves = vectors(len(part), seed=1000 + start)
    indexer = Indexer()
    await _copy(
        connection, "words", " ".join(("agent", "is_own", "label_id", "is_live", "expires_at",
        "version", *Row._fields, "vector")),
        (
            (agent, True, label, True, FOREVER, TERMS_VERSION, *row, half)
            for n, (one, label, half) in enumerate(zip(part, labels, halves, strict=True), start)
            for row in indexer.rows(memory_id(n), text(n % TEXTS), one.origin)
        ),
    )  # fmt: skip


@cache
def text(n: int) -> str:
    chance = random.Random(n)
    return " ".join(chance.choices(VOCABULARY, cum_weights=_OFTEN, k=12))


async def _multiply(connection: Any, table: str, kept_as_it_is: str, times: int) -> None:
    """Copy rows inside the database; the same number gives a memory's copies the same id."""
    columns = await connection.fetch(
        "SELECT attname FROM pg_attribute WHERE attrelid = $1::text::regclass"
        " AND attnum > 0 AND NOT attisdropped AND attgenerated = ''",
        f"confide.{table}",
    )
    new = {
        "id": "md5(old.id::text || n)::uuid",
        "memory_id": "md5(old.memory_id::text || n)::uuid",
        "hash": "sha256(old.hash || n::text::bytea)",
    }
    names = [row["attname"] for row in columns]
    values = ", ".join(new.get(name, f"old.{name}") for name in names)
    await connection.execute(
        f"INSERT INTO confide.{table} ({', '.join(names)}) SELECT {values}"
        f" FROM confide.{table} old, generate_series(2, {times}) AS n WHERE old.label_id NOT IN"
        f" (SELECT label_id FROM confide.memory WHERE space = '{kept_as_it_is}')"
    )


def _memory(agent: str, n: int, said: Said, label_id: int) -> tuple[Any, ...]:
    c = origin_columns(said.origin)
    id, said_text = memory_id(n), text(n % TEXTS)
    return (
        agent, id, c["owner"], c["speaker"], c["subjects"], said_text, c["kind"],
        type_of(said.origin.kind).value, c["scope"], c["sensitivity"], Trust.SAID.value, "approved",
        1.0, c["place"], c["space"], c["epoch"], c["present"], c["workspace"],
        c["namespace_scope"], c["is_namespaced"], c["grants"], write_clauses(said.label), label_id,
        id.bytes, NOW, NOW, NOW, NOW,
    )  # fmt: skip
