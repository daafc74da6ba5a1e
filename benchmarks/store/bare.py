"""The bare work that the store is compared with: the same rows in plain tables, and the plain way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from benchmarks.store.filling import Vectors

#: As anybody would keep vectors, with an index on what they are filtered by.
PLAIN: Final = """
CREATE TABLE public.plain_vector AS
    SELECT memory_id, label_id, vector FROM confide.words WHERE is_own AND part = 0
    ORDER BY memory_id;
ALTER TABLE public.plain_vector ADD PRIMARY KEY (memory_id);
CREATE INDEX ON public.plain_vector (label_id);
"""
#: The same with the store's own trick: vectors lie in the index, in the order of labels.
COVERED: Final = """
CREATE TABLE public.covered_vector AS SELECT * FROM public.plain_vector;
ALTER TABLE public.covered_vector ALTER COLUMN vector SET STORAGE PLAIN;
CREATE INDEX ON public.covered_vector (label_id) INCLUDE (memory_id, vector);
"""
NEAREST: Final = """
SELECT memory_id FROM public.{table} WHERE label_id = ANY ($1)
ORDER BY (vector OPERATOR(public.<=>) $2) + 0, memory_id LIMIT $3
"""
#: The telling role asks the same of the store, in one snapshot as a recall does; row-level security
#: adds the rest.
BY_MEANING: Final = """
SELECT w.memory_id FROM confide.words w WHERE w.is_own AND w.part = 0
ORDER BY (w.vector OPERATOR(public.<=>) $1) + 0, w.memory_id LIMIT $2
"""
#: Every column of a memory and its vector, in one table that can be searched by meaning.
MEMORIES: Final = """
SELECT m.*, w.vector FROM confide.memory m
JOIN confide.words w ON w.agent = m.agent AND w.memory_id = m.id AND w.vector IS NOT NULL
"""
CREATE_MEMORIES: Final = f"""
CREATE TABLE public.bare_memory AS {MEMORIES};
ALTER TABLE public.bare_memory ALTER COLUMN vector SET STORAGE PLAIN;
ALTER TABLE public.bare_memory ADD PRIMARY KEY (agent, id);
CREATE INDEX ON public.bare_memory (agent, label_id) INCLUDE (id, vector);
"""
#: Evaluate every label: what `visible_labels` avoids.
NAIVE: Final = """
WITH listening AS MATERIALIZED (
    SELECT n, unnest(confide.up($1, v, confide.belonging($1, $2::jsonb))) AS atom
    FROM unnest(confide.listeners($2::jsonb)) WITH ORDINALITY AS viewer (v, n)
),
asking AS MATERIALIZED (
    SELECT unnest(confide.up($1, $2::jsonb ->> 'asker', confide.belonging($1, $2::jsonb))
        || confide.setting($1, $2::jsonb)) AS atom
),
held AS MATERIALIZED (
    SELECT t.clause_id FROM confide.clause_term t
    LEFT JOIN listening l ON t.kind = 'hear' AND l.atom = t.atom
    WHERE t.agent = $1 AND t.until > confide.this_moment() AND t.purpose = ''
      AND (l.atom IS NOT NULL OR t.kind = 'ask' AND t.atom IN (SELECT atom FROM asking))
    GROUP BY t.clause_id, t.kind
    HAVING t.kind = 'ask' OR count(DISTINCT l.n) = cardinality(confide.listeners($2::jsonb))
)
SELECT COALESCE(array_agg(id ORDER BY id), '{}') FROM (
    SELECT l.id FROM confide.label l CROSS JOIN LATERAL unnest(l.clauses) AS c (clause_id)
    WHERE l.agent = $1 GROUP BY l.id
    HAVING bool_and(c.clause_id IN (SELECT clause_id FROM held))
) AS visible
"""


async def create(connection: Any) -> None:
    for made in (PLAIN, COVERED):
        await connection.execute(made)
    await connection.execute("VACUUM (ANALYZE) public.plain_vector, public.covered_vector")


async def nearest(
    connection: Any, table: str, labels: list[int], question: Vectors, most: int
) -> list[Any]:
    """What is wanted, out of a table without row-level security."""
    return await connection.fetch(NEAREST.format(table=table), labels, question, most)


async def create_memories(connection: Any) -> None:
    """As many rows as the store has, so that what is added to lies on the disk alike."""
    await connection.execute(CREATE_MEMORIES)
    await connection.execute("VACUUM (ANALYZE) public.bare_memory")
    await connection.execute("CHECKPOINT")


def insert(row: Mapping[str, Any]) -> str:
    """One statement for a row like this one."""
    values = ", ".join(f"${n}" for n in range(1, len(row) + 1))
    return f"INSERT INTO public.bare_memory ({', '.join(row)}) VALUES ({values})"


async def permitted(connection: Any, labels: list[int]) -> list[tuple[Any, Vectors]]:
    """Every row under these labels, for a brute-force search in memory."""
    return await connection.fetch(
        "SELECT memory_id, vector FROM public.plain_vector WHERE label_id = ANY ($1)", labels
    )
