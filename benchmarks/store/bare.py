"""The bare work that the store is compared with: the same rows in plain tables, and the plain way."""

from __future__ import annotations

from typing import Any, Final

from benchmarks.store.filling import Vectors

CREATE: Final = """
CREATE TABLE public.bare_vector AS
    SELECT label_id, memory_id, vector FROM confide.words;
ALTER TABLE public.bare_vector ALTER COLUMN vector SET STORAGE PLAIN;
CREATE INDEX ON public.bare_vector (label_id) INCLUDE (memory_id, vector);
CREATE TABLE public.bare_memory (
    agent text NOT NULL, id uuid NOT NULL, owner text NOT NULL, text text NOT NULL,
    clauses jsonb NOT NULL, label_id integer NOT NULL, created_at timestamptz NOT NULL,
    vector public.halfvec NOT NULL, PRIMARY KEY (agent, id));
CREATE INDEX ON public.bare_memory (agent, label_id);
"""
NEAREST: Final = """
SELECT memory_id FROM public.bare_vector WHERE label_id = ANY ($1)
ORDER BY (vector OPERATOR(public.<=>) $2) + 0, memory_id LIMIT $3
"""
INSERT: Final = """
INSERT INTO public.bare_memory VALUES ($1, gen_random_uuid(), $2, $3, $4::jsonb, $5, now(), $6)
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


async def permitted(connection: Any, labels: list[int]) -> list[tuple[Any, Vectors]]:
    """Every row under these labels, for a brute-force search in memory."""
    return await connection.fetch(
        "SELECT memory_id, vector FROM public.bare_vector WHERE label_id = ANY ($1)", labels
    )
