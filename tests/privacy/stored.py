"""A world of the policy in the real tables, and what the database shows an audience of it."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any

from confide.model import Entity
from confide.privacy.atoms import AtomKind
from confide.privacy.policy import Audience, Label, World
from confide.store import memories
from confide.store.database import BEGIN_TELLING, Database
from confide.store.encoding import write_audience

#: What holds anybody's words or what can be guessed from them.
TEXT_TABLES = ("memory", "evidence", "words", "embedding")
WORLD_TABLES = ("departed", "place_member", "space_member", "collective_member", "place")
ADD_MEMORIES = """
INSERT INTO confide.memory (agent, id, owner, subjects, text, kind, type, scope, sensitivity, trust,
    status, confidence, present, grants, clauses, label_id, hash, said_at, created_at, updated_at,
    reinforced_at)
SELECT $1, id, 'human:owner', '{}', 'canary ' || id, 'knowledge', 'semantic', 'public', 'public',
    'said', 'approved', 1, '{}', '{}', '[["hear"]]', label_id, sha256(id::text::bytea), $4, $4, $4, $4
FROM unnest($2::uuid[], $3::integer[]) AS given (id, label_id)
"""
ADD_VECTORS = """
INSERT INTO confide.embedding (agent, model, memory_id, label_id, is_live, expires_at, vector)
SELECT agent, 'test', id, label_id, is_live, expires_at, '[1,0]'
FROM confide.memory WHERE agent = $1
"""
ADD_WORDS = """
INSERT INTO confide.words (agent, memory_id, part, is_own, label_id, is_live, expires_at, author,
    length, terms, vector, version)
SELECT agent, id, 0, true, label_id, is_live, expires_at, 1, 1, '{1:1}/9', '[1,0]', 1
FROM confide.memory WHERE agent = $1
"""
ADD_EVIDENCE = """
INSERT INTO confide.evidence (agent, id, memory_id, text, said_at, label_id, is_live, expires_at,
    memory_label_id)
SELECT agent, gen_random_uuid(), id, text, said_at, label_id, is_live, expires_at, label_id
FROM confide.memory WHERE agent = $1
"""


async def store_world(connection: Any, agent: str, world: World) -> None:
    """Replace what is known of places and people by `world`."""
    for table in WORLD_TABLES:
        await connection.execute(f"DELETE FROM confide.{table} WHERE agent = $1", agent)
    epochs = _last_epochs(world)
    await connection.executemany(
        "INSERT INTO confide.place (agent, id, platform_id, kind, space, parent, epoch)"
        " VALUES ($1, $2, $2, $3, $4, $5, $6)",
        [
            (agent, p.id, p.kind.value, p.space, p.parent, epochs.get(p.id, 0))
            for p in world.places.values()
        ],
    )
    for who, found in world.belongs.items():
        await _store_belonging(connection, agent, str(who), found, epochs)


def _last_epochs(world: World) -> dict[str, int]:
    epochs: dict[str, int] = {}
    for found in world.belongs.values():
        for atom in found:
            if atom.kind is AtomKind.PRESENT:
                place, _, epoch = atom.name.rpartition("#")
                epochs[place] = max(int(epoch), epochs.get(place, 0))
    return epochs


async def _store_belonging(
    connection: Any, agent: str, who: str, found: Iterable[Any], epochs: dict[str, int]
) -> None:
    tables = {
        AtomKind.SPACE: ("space_member", "space"),
        AtomKind.COLLECTIVE: ("collective_member", "collective"),
    }
    for atom in found:
        if atom.kind in tables:
            table, column = tables[atom.kind]
            await connection.execute(
                f"INSERT INTO confide.{table} (agent, entity, {column}) VALUES ($1, $2, $3)",
                agent,
                who,
                atom.name,
            )
        elif atom.kind is AtomKind.PLACE:
            seen = {
                int(a.name.rpartition("#")[2])
                for a in found
                if a.kind is AtomKind.PRESENT and a.name.rpartition("#")[0] == atom.name
            }
            await connection.executemany(
                "INSERT INTO confide.place_member (agent, place, entity, joined_epoch, left_epoch)"
                " VALUES ($1, $2, $3, $4, $5)",
                [(agent, atom.name, who, *stay) for stay in stays(seen, epochs.get(atom.name, 0))],
            )


def stays(seen: set[int], last: int) -> list[tuple[int, int | None]]:
    """Epochs somebody was there as stays (from, until); the last one lasts until now."""
    starts = sorted(e for e in seen if e - 1 not in seen)
    ends = sorted(e + 1 for e in seen if e + 1 not in seen)
    found: list[tuple[int, int | None]] = list(zip(starts, ends, strict=True))
    if found and found[-1][1] == last + 1:
        return [*found[:-1], (found[-1][0], None)]
    return [*found, (last + 1, None)]


async def store_labels(connection: Any, agent: str, labels: Sequence[Label]) -> list[int]:
    """Their numbers; labels that decide alike share one."""
    return [(await memories.intern(connection, agent, label))[0] for label in labels]


async def store_memories(connection: Any, agent: str, ids: Sequence[int], now: datetime) -> None:
    """One memory with evidence, words and vectors for each label number."""
    wanted = sorted(set(ids))
    await connection.execute(ADD_MEMORIES, agent, [uuid.uuid4() for _ in wanted], wanted, now)
    for add in (ADD_EVIDENCE, ADD_WORDS, ADD_VECTORS):
        await connection.execute(add, agent)


async def analyze(database: Database) -> None:
    """Give the planner the statistics that a running server has gathered by itself."""
    begin = "BEGIN; SET LOCAL ROLE confide_migrate; SET LOCAL ROLE confide_owner"
    async with database._transaction(begin) as connection:
        await connection.execute("ANALYZE confide.clause_term, confide.label, confide.label_door")


class Teller:
    """The telling role in one transaction, speaking to one audience after another."""

    def __init__(self, connection: Any, agent: str, me: Entity) -> None:
        self.connection = connection
        self._agent = agent
        self._me = me

    async def visible(self, audience: Audience) -> frozenset[int]:
        """The labels that SQL says hold."""
        written = await self.connection.fetchval(
            "SELECT set_config('confide.labels', confide.visible_labels($1, $2::jsonb)::text, true)",
            self._agent,
            write_audience(audience, self._me),
        )
        return frozenset(int(n) for n in written.strip("{}").split(",") if n)

    async def rows(self, table: str = "memory") -> frozenset[int]:
        """The labels of whatever row-level security shows to the audience asked for last."""
        found = await self.connection.fetch(f"SELECT label_id FROM confide.{table}")
        return frozenset(row[0] for row in found)


@asynccontextmanager
async def telling(
    database: Database, world: World, agent: str | None = None
) -> AsyncIterator[Teller]:
    agent = agent or database.agent
    async with database._transaction(BEGIN_TELLING) as connection:
        await connection.execute(
            "SELECT set_config('confide.agent', $1, true), set_config('confide.now', $2, true)",
            agent,
            world.now.isoformat(),
        )
        yield Teller(connection, agent, world.agent)
