"""The bare work that the store is compared with: the same rows in plain tables, and the plain way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from benchmarks.store.filling import Vectors

CREATE: Final = """
CREATE TABLE public.bare_vector AS
    SELECT label_id, memory_id, vector FROM confide.words;
ALTER TABLE public.bare_vector ALTER COLUMN vector SET STORAGE PLAIN;
CREATE INDEX ON public.bare_vector (label_id) INCLUDE (memory_id, vector);
"""
NEAREST: Final = """
SELECT memory_id FROM public.bare_vector WHERE label_id = ANY ($1)
ORDER BY (vector OPERATOR(public.<=>) $2) + 0, memory_id LIMIT $3
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
#: What the telling role asks of the same rows; row-level security adds the rest.
MEANING: Final = """
SELECT e.memory_id,
    (e.vector OPERATOR(public.<=>) (SELECT $1::real[]::public.halfvec)) + 0 AS distance
FROM confide.words e
WHERE e.agent = (SELECT confide.this_agent()) AND e.is_own AND e.part = 0
ORDER BY distance, e.memory_id LIMIT $2
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
    await connection.execute(CREATE)
    await connection.execute("VACUUM (ANALYZE) public.bare_vector")


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
        "SELECT memory_id, vector FROM public.bare_vector WHERE label_id = ANY ($1)", labels
    )
