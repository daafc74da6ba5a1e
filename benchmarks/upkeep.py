"""Measure upkeep: `python -m benchmarks.upkeep`. Prints what each run did and took, and fails above a bar."""

from __future__ import annotations

import os
import time
from pathlib import Path

from benchmarks.bars import run_at_size
from benchmarks.doctor import fill
from confide import Confide
from confide.testing import temporary

MOST_SECONDS = 10.0
#: Of a hundred memories: ended, put away more than a month ago, replaced more than a year ago.
ENDED, AWAY, REPLACED = 10, 5, 5
AGE = """
UPDATE confide.memory SET
    expires_at = CASE WHEN n < $2::int THEN now() - interval '1 hour' ELSE expires_at END,
    status = CASE WHEN n BETWEEN $2::int AND $2::int + $3::int - 1 THEN 'archived'
        WHEN n BETWEEN $2::int + $3::int AND $2::int + $3::int + $4::int - 1 THEN 'superseded' ELSE status END,
    archived_at = CASE WHEN n BETWEEN $2::int AND $2::int + $3::int - 1 THEN now() - interval '31 days' END,
    updated_at = CASE WHEN n BETWEEN $2::int + $3::int AND $2::int + $3::int + $4::int - 1
        THEN now() - interval '400 days' ELSE updated_at END
FROM (SELECT id AS which, (row_number() OVER (ORDER BY id)) % 100 AS n
      FROM confide.memory WHERE agent = $1) AS numbered
WHERE agent = $1 AND id = which AND n < $2::int + $3::int + $4::int
"""
TELL = """
INSERT INTO confide.telling (agent, id, memory_id, told_at, asker, place_kind, place, was_in_prompt)
SELECT agent, gen_random_uuid(), id, now() - interval '100 days', owner, 'direct', 'dm:x', true
FROM confide.memory WHERE agent = $1 ORDER BY id LIMIT $2
"""


async def age(confide: Confide, memories: int) -> None:
    """Make a part of them as old as they would be after some years."""
    agent = confide.database.agent
    async with confide.database.keep() as connection:
        await connection.execute(AGE, agent, ENDED, AWAY, REPLACED)
        await connection.execute(TELL, agent, memories // 10)
    await confide.database.refresh_statistics()


async def server_seconds(confide: Confide) -> float:
    """What the server's processes have worked so far; on a busy machine waiting is most of the time."""
    async with confide.database.keep() as connection:
        rows = await connection.fetch(
            "SELECT pid FROM pg_stat_activity WHERE usename = session_user"
        )
        own = await connection.fetchval("SELECT pg_backend_pid()")
    return sum(_worked(pid) for pid in {own, *(row["pid"] for row in rows)})


def _worked(pid: int) -> float:
    try:
        parts = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")


async def measure(memories: int, people: int) -> bool:
    quota = int(memories / people * 0.75)
    async with temporary(learn=False, max_entries=quota) as confide:
        await fill(confide, memories, people)
        await age(confide, memories)
        slowest = 0.0
        for name in ("preview", "gc", "gc"):
            began, worked = time.perf_counter(), await server_seconds(confide)
            done = await getattr(confide.upkeep, name)()
            seconds = time.perf_counter() - began
            worked = await server_seconds(confide) - worked
            slowest = max(slowest, seconds)
            shown = f"{seconds:.1f} s ({worked:.1f} s of them the server's work)"
            print(f"{name} of {memories:,} memories in {shown}: {done}")
        assert done.is_nothing, done
        began = time.perf_counter()
        verified = await confide.trail.verify()
        seconds = time.perf_counter() - began
        assert verified.is_sound, verified.problems
        print(f"verified {verified.entries:,} entries of the trail in {seconds:.1f} s")
    return slowest <= MOST_SECONDS


if __name__ == "__main__":
    run_at_size(__doc__, measure, MOST_SECONDS)
