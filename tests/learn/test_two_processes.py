"""Two processes that hear the same stream, as two bots of one community do."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from asyncio.subprocess import PIPE
from pathlib import Path

import pytest

from confide import Confide

STREAM = 40


def lines() -> str:
    return "".join(
        json.dumps({
            "id": f"m{n}", "in": "group:maps", "by": f"human:p{n % 3}",
            "text": f"I own {n} maps of island {n}.", "at": f"2026-03-01T10:00:{n:02}Z",
        }) + "\n"
        for n in range(STREAM)
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.req("S11", "S12")
async def test_two_processes_that_observe_one_stream_keep_and_learn_it_once(
    home: Path, agent: str, open_confide, tmp_path: Path
) -> None:
    heard = tmp_path / "stream.jsonl"
    heard.write_text(lines())
    env = os.environ | {"CONFIDE_HOME": str(home), "CONFIDE_AGENT": agent}
    command = [sys.executable, "-m", "confide", "observe", str(heard), "--wait", "--json"]
    both = [
        await asyncio.create_subprocess_exec(*command, env=env, stdout=PIPE, stderr=PIPE)
        for _ in range(2)
    ]
    said = await asyncio.gather(*(process.communicate() for process in both))
    assert [process.returncode for process in both] == [0, 0], [error for _, error in said]
    async with open_confide() as confide:
        assert await counted(confide) == (STREAM, STREAM, 0, 0)


async def counted(confide: Confide) -> tuple[int, ...]:
    """Messages, of which learned; what is waiting; memories that were counted twice."""
    sql = """SELECT (SELECT count(*) FROM confide.message),
        (SELECT count(*) FROM confide.message WHERE learned_at IS NOT NULL),
        (SELECT COALESCE(sum(unlearned), 0) FROM confide.session),
        (SELECT count(*) FROM confide.memory WHERE source_count > 1)"""
    async with confide.database.keep() as connection:
        return tuple(int(value) for value in (await connection.fetchrow(sql)).values())
