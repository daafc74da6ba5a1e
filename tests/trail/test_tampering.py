"""Whoever changes, removes, inserts or cuts off entries behind the program's back is found out."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from confide import Confide, statement
from confide.actor import operator_as
from confide.errors import StorageProblem

from .conftest import Tamper

THIRD = "(SELECT seq FROM confide.trail WHERE agent = '{agent}' ORDER BY seq OFFSET 2 LIMIT 1)"
COPY = (
    "INSERT INTO confide.trail (agent, seq, at, proof, what, action) OVERRIDING SYSTEM VALUE"
    f" SELECT agent, {THIRD} %s, at, proof, what, action FROM confide.trail"
    f" WHERE agent = '{{agent}}' AND seq = {THIRD}"
)
TAMPERINGS = {
    "changed": [f"UPDATE confide.trail SET action = 'read' WHERE seq = {THIRD}"],
    "owner": [f"UPDATE confide.trail SET owner = gen_random_uuid() WHERE seq = {THIRD}"],
    "removed": [f"DELETE FROM confide.trail WHERE seq = {THIRD}"],
    "inserted": [COPY % "- 3"],
    "inserted before all": [COPY % "- 1000000"],
    "seal changed": ["UPDATE confide.trail_seal SET entries = entries + 1 WHERE agent = '{agent}'"],
    "seal removed": ["DELETE FROM confide.trail_seal WHERE agent = '{agent}' AND number = 1"],
    "cut off": [
        "DELETE FROM confide.trail t USING confide.trail_seal s WHERE t.agent = '{agent}'"
        " AND s.agent = t.agent AND s.number = 1 AND t.seq > s.last_seq",
        "DELETE FROM confide.trail_seal WHERE agent = '{agent}' AND number > 1",
    ],
    "emptied": [
        "DELETE FROM confide.trail WHERE agent = '{agent}'",
        "DELETE FROM confide.trail_seal WHERE agent = '{agent}'",
    ],
    "memory": ["UPDATE confide.memory SET confidence = 0.1 WHERE agent = '{agent}'"],
}


@pytest.fixture
async def history(confide: Confide) -> Confide:
    """Some acts under three seals."""
    for n in range(6):
        await confide.remember(statement(f"I own {n} bees", by="human:alice", place="dm"))
        if n % 2:
            assert await confide.trail.seal() == 2
    assert (await confide.trail.verify()).is_sound
    return confide


@pytest.mark.req("P9")
@pytest.mark.parametrize("how", TAMPERINGS)
async def test_tampering_is_found(history: Confide, tamper: Tamper, how: str) -> None:
    await tamper(*TAMPERINGS[how])
    found = await history.trail.verify()
    assert not found.is_sound
    await history.remember(statement("I own a hive", by="human:alice", place="dm"))
    await history.trail.seal()
    assert not (await history.trail.verify()).is_sound, "going on does not cover it up"


@pytest.mark.req("P9")
async def test_a_whole_chain_written_anew_is_not_the_one_that_is_known(
    history: Confide, tamper: Tamper, home: Path
) -> None:
    """All of it is consistent in itself; only the home folder remembers another."""
    anchor = home / "trail" / f"{history.database.agent}.json"
    known = anchor.read_text()
    await tamper(
        f"UPDATE confide.trail SET action = 'read' WHERE seq = {THIRD}",
        "DELETE FROM confide.trail_seal WHERE agent = '{agent}'",
    )
    anchor.unlink()
    await history.trail.seal()
    assert (await history.trail.verify()).is_sound
    anchor.write_text(known)
    found = await history.trail.verify()
    assert found.problems == (
        "seal 3, which the home folder knows, is missing: the trail was cut off",
    )
    await history.trail.accept(actor=operator_as())
    assert (await history.trail.verify()).is_sound


async def test_a_home_without_an_anchor_says_that_it_cannot_notice_a_cut(
    history: Confide, home: Path
) -> None:
    (home / "trail" / f"{history.database.agent}.json").unlink()
    found = await history.trail.verify()
    assert found.is_sound
    assert not found.is_anchored


async def test_an_anchor_that_is_not_one_is_an_error_with_a_fix(
    history: Confide, home: Path
) -> None:
    path = home / "trail" / f"{history.database.agent}.json"
    for written in ("", "{}", "[1]", json.dumps({"number": "x", "hash": "zz"})):
        path.write_text(written)
        with pytest.raises(StorageProblem, match="--accept"):
            await history.trail.verify()


async def test_a_home_that_cannot_be_written_does_not_stop_the_work(
    history: Confide, home: Path
) -> None:
    """The folder is a file: nobody, not even root, can write a note into it."""
    path = home / "trail" / f"{history.database.agent}.json"
    path.unlink()
    path.mkdir()
    try:
        await history.remember(statement("I own a hive", by="human:alice", place="dm"))
        assert await history.trail.seal() == 1
        with pytest.raises(StorageProblem):
            await history.trail.verify()
    finally:
        path.rmdir()
    assert (await history.trail.verify()).is_sound


@pytest.mark.req("P9")
async def test_many_writers_and_sealers_at_once_leave_a_sound_trail(confide: Confide) -> None:
    async def write(n: int) -> None:
        for k in range(5):
            await confide.remember(statement(f"I own {n} x {k} bees", by=f"human:p{n}", place="dm"))

    async def seal() -> None:
        for _ in range(10):
            await confide.trail.seal()
            await asyncio.sleep(0.01)

    await asyncio.gather(*(write(n) for n in range(6)), seal(), seal())
    found = await confide.trail.verify()
    assert found.problems == ()
    assert found.entries >= 30


async def test_sealing_does_not_wait_for_a_long_transaction(confide: Confide) -> None:
    await confide.remember(statement("I keep bees", by="human:alice", place="dm"))
    async with confide.database.keep() as connection:
        await connection.execute(
            "INSERT INTO confide.trail (agent, at, proof, what, action)"
            " VALUES (confide.this_agent(), now(), 'agent', 'act', 'slow')"
        )
        assert await confide.trail.seal() == 0
    assert await confide.trail.seal() == 2
    assert (await confide.trail.verify()).is_sound
