"""Many statements at once become what they would have become one by one."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from confide import Confide, audience, statement
from confide.errors import ConfideError, SecretRefused, SwitchedOff
from confide.model import Entity
from confide.remember.keep import Remembered
from confide.remember.statement import Statement
from confide.store.attesting import attest_place, join_place

from ..conftest import Opened

ROOM = "group:friends"
SAID = [
    ("human:ann", ROOM, "I keep bees"),
    ("human:bob", ROOM, "The plum tree is in bloom"),
    ("human:ann", ROOM, "We plan a surprise party for Dee"),
    ("human:dee", ROOM, "Hello, I am new here"),
    ("human:ann", "dm", "My therapist says I should rest"),
    ("human:bob", "public:general@guild", "The server restarts at noon"),
    ("human:ann", "dm", "My therapist says I should rest"),
    ("human:bob", "public:lounge@guild", "I ride a recumbent bicycle"),
    ("human:cy", "public:general@guild", "I repair clocks"),
    ("human:ann", "public:general@guild", "Dee has a dentist appointment"),
    ("human:dee", "public:general@guild", "I collect stamps"),
    ("human:dee", "restricted:mods@guild", "Cy is on a warning"),
    ("human:cy", "restricted:mods@guild", "I disagree"),
]


def statements() -> list[Statement]:
    return [
        statement(text, by=by, place=place, about=["human:dee"] if "Dee" in text else ())
        for by, place, text in SAID
    ]


async def kept(confide: Confide) -> list[tuple]:
    """Everything that decides who hears a memory."""
    async with confide.database.keep() as connection:
        rows = await connection.fetch(
            "SELECT m.text, m.clauses, m.epoch, m.present, m.joined_later, m.status, m.source_count,"
            " (SELECT count(*) FROM confide.words w WHERE w.memory_id = m.id) AS words"
            " FROM confide.memory m ORDER BY m.text"
        )
    return [tuple(row) for row in rows]


async def members(confide: Confide) -> list[tuple]:
    """Who is known to be where."""
    async with confide.database.keep() as connection:
        rows = await connection.fetch(
            "SELECT place, entity, joined_epoch, left_epoch FROM confide.place_member"
            " UNION ALL SELECT space, entity, 0, NULL FROM confide.space_member ORDER BY 1, 2"
        )
    return [tuple(row) for row in rows]


@pytest.mark.req("S19", "A9")
async def test_in_bulk_is_the_same_as_one_by_one(open_confide: Opened, agent: str) -> None:
    async with open_confide(agent=f"{agent}a") as bulk, open_confide(agent=f"{agent}b") as single:
        await bulk.remember_all(statements())
        for one in statements():
            await single.remember(one)
        assert await kept(bulk) == await kept(single)
        assert await members(bulk) == await members(single)


@pytest.mark.req("S20", "A9")
async def test_a_place_that_closes_and_opens_meanwhile_is_what_it_was_when_it_was_said(
    open_confide: Opened, agent: str
) -> None:
    said = [
        statement(f"Thing {n} is here", by=by, place=f"{kind}:den@guild", about=["human:dee"])
        for n, (by, kind) in enumerate(
            [
                ("human:ann", "public"),
                ("human:bob", "restricted"),
                ("human:ann", "restricted"),
                ("human:cy", "public"),
                ("human:dee", "public"),
                ("human:ann", "restricted"),
            ]
        )
    ]
    async with open_confide(agent=f"{agent}a") as bulk, open_confide(agent=f"{agent}b") as single:
        await bulk.remember_all(said[:1])
        await bulk.remember_all(said[1:])
        for one in said:
            await single.remember(one)
        assert await kept(bulk) == await kept(single)
        assert await members(bulk) == await members(single)


@pytest.mark.req("B8")
async def test_in_bulk_nothing_is_kept_of_who_is_off_the_record(confide: Confide) -> None:
    secretive = statement("I keep bees", by="human:ann", place=ROOM)
    await confide.learning.off_the_record(secretive.by, secretive.place)
    results = await confide.remember_all(
        [
            secretive,
            statement("I keep hens", by="human:bob", place=ROOM, before=(secretive,)),
            statement("I keep bees", by="human:ann", place="dm"),
        ]
    )
    assert [type(one) for one in results] == [SwitchedOff, Remembered, Remembered]
    async with confide.database.keep() as connection:
        assert await connection.fetchval("SELECT count(*) FROM confide.evidence") == 0
        assert await connection.fetchval("SELECT count(*) FROM confide.words WHERE NOT is_own") == 0


@pytest.mark.req("S4")
async def test_what_is_refused_does_not_stop_the_others(confide: Confide) -> None:
    results = await confide.remember_all(
        [
            statement("I keep bees", by="human:ann", place="dm"),
            statement("my password is hunter2-Xy9!kq", by="human:ann", place="dm"),
            statement("I keep hens", by="human:ann", place="dm"),
        ]
    )
    assert [type(one) for one in results] == [Remembered, SecretRefused, Remembered]
    assert (await confide.recall("Do I keep hens?", audience("human:ann", "dm"))).memories


@pytest.mark.req("S4")
async def test_a_secret_said_before_is_not_kept_as_evidence(confide: Confide) -> None:
    secret = statement("my password is hunter2-Xy9!kq", by="human:ann", place="dm")
    await confide.remember(
        statement("Please write that down", by="human:ann", place="dm", before=(secret,))
    )
    async with confide.database.keep() as connection:
        assert await connection.fetchval("SELECT count(*) FROM confide.evidence") == 0
        assert await connection.fetchval("SELECT count(*) FROM confide.words WHERE NOT is_own") == 0


@pytest.mark.req("S19")
async def test_the_same_said_twice_in_one_batch_is_one_memory(confide: Confide) -> None:
    said = statement("I keep bees", by="human:ann", place="dm")
    first, second = await confide.remember_all([said, said])
    assert not isinstance(first, ConfideError)
    assert not isinstance(second, ConfideError)
    assert (first.id, first.is_new, second.is_new) == (second.id, True, False)


async def test_nothing_to_remember_is_no_problem(confide: Confide) -> None:
    assert await confide.remember_all([]) == []


@pytest.mark.req("A9")
async def test_who_is_let_in_while_a_statement_waits_was_there(confide: Confide) -> None:
    ann, dee = Entity("human", "ann"), Entity("human", "dee")
    said = statement("Dee is invited", by=ann, place=ROOM, about=[dee])
    await confide.remember(statement("Welcome", by=ann, place=ROOM))
    async with confide.database.keep() as connection:
        now = confide.means.clock()
        room = await attest_place(connection, confide.database, said.place, now)
        await join_place(connection, confide.database, room, [dee], now)
        waiting = asyncio.create_task(confide.remember(said))
        # Within a transaction pg_stat_activity never changes; pg_locks does.
        blocked = (
            "SELECT bool_or(pg_backend_pid() = ANY (pg_blocking_pids(pid))) FROM pg_locks"
            " WHERE NOT granted"
        )
        async with asyncio.timeout(120):
            while not await connection.fetchval(blocked):
                assert not waiting.done(), waiting
                await asyncio.sleep(0.01)
    assert dee in (await waiting).memory.origin.present


async def test_remembering_makes_four_trips_to_the_database(confide: Confide) -> None:
    asked: list[str] = []
    await confide.remember(statement("I keep bees", by="human:ann", place="dm"))
    # The pool hands out the connection that was used last.
    async with confide.database._pool.acquire() as borrowed:
        connection: Any = borrowed
        connection.add_query_logger(lambda record: asked.append(record.query))
    await confide.remember(statement("I keep hens", by="human:ann", place="dm"))
    assert len(asked) == 4, asked
