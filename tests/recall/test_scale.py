"""A17: what others keep slows nothing down. Pages that PostgreSQL touches and statements that are sent
are counted, which is the same on a busy machine as on an idle one."""

from __future__ import annotations

import asyncio
import json
import math
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from benchmarks.sentences import sentence

from confide import Confide, audience, operator_as, statement
from confide.errors import ConfideError
from confide.keep.doctor_labels import PAGE
from confide.keep.gc import BATCH
from confide.model import Entity
from confide.privacy.policy import Audience
from confide.providers.wordllama import embed
from confide.recall.search import Wanted, search
from confide.remember.statement import Statement
from confide.store.database import Database

from ..conftest import Clock, Opened
from .test_non_interference import superuser

TOLD, HIDDEN = 300, 2400
PLACES = ["public:general@guild", "group:crew", "restricted:mods@guild"]
PEOPLE = [f"human:p{n}" for n in range(30)]
OTHERS = [f"human:q{n}" for n in range(40)]
#: Dozens of places that the asker is not in; some of them share a space.
ELSEWHERE = [
    *[f"group:club{n}" for n in range(60)],
    *[f"restricted:staff{n}@town" for n in range(30)],
    *[f"public:square{n}@town" for n in range(30)],
]
QUESTIONS = [
    "Who painted the garden?", "kettle and violin at the market", "Who is p7?", "What did Alice paint?",
]  # fmt: skip
VACUUMING = "SELECT count(*) FROM pg_stat_activity WHERE backend_type LIKE 'autovacuum worker%'"
EACH_TABLE = """DO $$ DECLARE one regclass; BEGIN
    FOR one IN SELECT oid FROM pg_class WHERE relnamespace = 'confide'::regnamespace AND relkind = 'r'
    LOOP EXECUTE format('ALTER TABLE %s {}', one); END LOOP; END $$"""
EXPLAIN = "EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF, FORMAT JSON) "
MORE, A_HANDFUL = 1.3, 8


@pytest.fixture
async def confide(open_confide: Opened) -> AsyncIterator[Confide]:
    """Without autovacuum: an index is read without its table only where that was vacuumed, and when
    this happens must not be what makes a difference."""
    async with open_confide(learn=False, auto_gc=False) as opened, superuser(opened) as connection:
        # The server's own command line switches it on, so only a table can switch it off.
        await connection.execute(EACH_TABLE.format("SET (autovacuum_enabled = off)"))
        for _ in range(600):
            if not await connection.fetchval(VACUUMING):
                break
            await asyncio.sleep(0.1)
        yield opened
        await connection.execute(EACH_TABLE.format("RESET (autovacuum_enabled)"))


class Explaining:
    """A pool whose connections add up how many pages statements touch, which tables they look something
    up in, and which they read from one end to the other."""

    def __init__(self, pool: Any) -> None:
        self._pool = pool
        self.pages = 0
        self.looked_up: set[str] = set()
        self.read_through: set[str] = set()

    async def acquire(self) -> Explaining:
        self._connection = await self._pool.acquire()
        return self

    async def release(self, _: Explaining) -> None:
        await self._pool.release(self._connection)

    async def execute(self, sql: str) -> None:
        if sql == "COMMIT":
            rows = await self._connection.fetch(
                "SELECT relname, seq_scan, idx_scan FROM pg_stat_xact_user_tables"
                " WHERE schemaname = 'confide'"
            )
            self.looked_up |= {row["relname"] for row in rows if row["idx_scan"]}
            self.read_through |= {row["relname"] for row in rows if row["seq_scan"]}
        await self._connection.execute(sql)

    async def fetch(self, sql: str, *args: Any) -> list[Any]:
        (told,) = json.loads(await self._connection.fetchval(EXPLAIN + sql, *args))
        self.pages += told["Plan"]["Shared Hit Blocks"] + told["Plan"]["Shared Read Blocks"]
        return await self._connection.fetch(sql, *args)

    async def fetchrow(self, sql: str, *args: Any) -> Any:
        return next(iter(await self.fetch(sql, *args)), None)


async def keep(confide: Confide, said: list[Statement]) -> None:
    kept = await confide.remember_all(said)
    assert not [one for one in kept if isinstance(one, ConfideError)]
    await confide.database.refresh_statistics()


async def fill(confide: Confide, place: str, **more: Any) -> None:
    chance = random.Random(1)
    await keep(
        confide,
        [
            statement(sentence(chance, n), by=PEOPLE[n % len(PEOPLE)], place=place, **more)
            for n in range(TOLD)
        ],
    )


async def hide(confide: Confide, place: str, **more: Any) -> None:
    """In other places, by other people and by the same; and for their own ears in the same place."""
    chance = random.Random(2)
    own = [{"place": "dm"}, {"place": place, "scope": "dm"}]
    await keep(
        confide,
        [
            statement(
                sentence(chance, n),
                by=chance.choice(OTHERS if n % 4 else PEOPLE[1:]),
                **(own[n % 8 // 4] if n % 4 == 0 else {"place": ELSEWHERE[n % len(ELSEWHERE)]}),
                **more,
            )
            for n in range(HIDDEN)
        ],
    )


async def name(confide: Confide, people: list[str]) -> None:
    """Every tenth of those who are heard is called Alice."""
    for n, who in enumerate(people):
        is_alice = who in PEOPLE and n % 10 == 0
        called = f"{'Alice' if is_alice else f'Person{n}'} Of The {who[6:]}"
        await confide.people.name(Entity.parse(who), called)


async def recalling(confide: Confide, who: Audience, question: str) -> int:
    """Pages touched to find out what this audience may hear and what of it fits; everything is
    planned by then."""
    vector = embed([question])[0].tolist()
    for _ in range(3):
        seen: Any = Explaining(confide.database._pool)
        database = Database(seen, confide.database.agent)
        await search(database, who, confide.means.clock(), question, vector, Wanted())
    assert {"place", "label_door", "words"} <= seen.looked_up
    assert not seen.read_through
    return seen.pages


async def touched(confide: Confide, place: str) -> dict[str, int]:
    """Pages touched for one audience, by what for."""
    who = audience(PEOPLE[0], place)
    return {
        f"{question} in {place}": await recalling(confide, who, question) for question in QUESTIONS
    }


@pytest.mark.req("A17")
async def test_a_search_touches_as_many_pages_whatever_is_hidden(
    confide: Confide, open_confide: Opened, agent: str
) -> None:
    # An index that is one step deeper costs a page a look; here the steps are the same in both.
    async with open_confide(agent=f"{agent}x", learn=False, auto_gc=False) as somebody_elses:
        await hide(somebody_elses, PLACES[0])
        await name(somebody_elses, OTHERS)
    await name(confide, PEOPLE)
    for place in PLACES:
        await fill(confide, place)
        await confide.recall("Who is there?", audience(PEOPLE[0], place))
    alone: dict[str, int] = {}
    for place in PLACES:
        alone |= await touched(confide, place)
    await hide(confide, PLACES[0])
    await name(confide, OTHERS)
    for place in PLACES:
        for what, many in (await touched(confide, place)).items():
            few = alone[what]
            assert many <= MORE * few + A_HANDFUL, (
                f"{what}: {few} pages alone, {many} beside others"
            )


@pytest.mark.req("A17")
async def test_statistics_and_other_agents_change_no_plan(
    confide: Confide, open_confide: Opened, agent: str
) -> None:
    """With statistics that know nothing of an agent yet and with newer ones, among few and many others."""
    place = PLACES[0]
    who = audience(PEOPLE[0], place)
    chance = random.Random(3)
    said = [
        statement(sentence(chance, n), by=PEOPLE[n % len(PEOPLE)], place=place) for n in range(TOLD)
    ]
    hidden = [statement(sentence(chance, n), by=OTHERS[n % 40], place="dm") for n in range(HIDDEN)]
    pages: list[int] = []

    async def nothing(*_what: Any, **_how: Any) -> None: ...

    async def count(of: str) -> None:
        # Opened anew, so that no connection remembers a plan.
        async with open_confide(agent=of, learn=False, auto_gc=False) as anew:
            pages.append(await recalling(anew, who, "kettle and violin at the market"))

    for others in (0, 2, 12):
        for n in range(others):
            async with open_confide(agent=f"{agent}{others}x{n}", learn=False) as another:
                await another.remember_all([*said[:100], *hidden[:100]])
        await confide.database.refresh_statistics()
        unknown = f"{agent}u{others}"
        async with open_confide(agent=unknown, learn=False, auto_gc=False) as another:
            with pytest.MonkeyPatch.context() as patch:
                if others:  # in a large store they are not made anew after each import
                    patch.setattr(Database, "refresh_statistics", nothing)
                await another.remember_all([*said, *hidden])
            await another.recall("Who is there?", who)
        await count(unknown)
        await confide.database.refresh_statistics()
        await count(unknown)
    assert max(pages) <= MORE * min(pages) + A_HANDFUL, pages


class Counting:
    """A connection that counts what is sent through it."""

    def __init__(self, connection: Any, sent: list[str]) -> None:
        self._connection = connection
        self._sent = sent

    def __getattr__(self, name: str) -> Any:
        if name in ("execute", "executemany", "fetch", "fetchrow", "fetchval"):
            self._sent.append(name)
        return getattr(self._connection, name)


@pytest.fixture
def sent(confide: Confide, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every statement of every transaction of this store from now on; other tests' stores may be busy."""
    transaction, found = Database._transaction, list[str]()

    @asynccontextmanager
    async def counted(self: Database, *begin: Any, **how: Any) -> AsyncIterator[Any]:
        async with transaction(self, *begin, **how) as connection:
            yield Counting(connection, found) if self is confide.database else connection

    monkeypatch.setattr(Database, "_transaction", counted)
    return found


@pytest.mark.req("A17")
async def test_the_doctor_asks_no_more_about_thousands_than_about_hundreds(
    confide: Confide, sent: list[str]
) -> None:
    place = "public:general@guild"
    await fill(confide, place)
    counts: list[int] = []
    for more in (False, True):
        if more:
            await hide(confide, place)
        sent.clear()
        found = await confide.doctor.examine()
        counts.append(len(sent))
        assert found.memories > (TOLD + HIDDEN) * 0.9 if more else found.memories <= TOLD
    few, many = counts
    assert few > 5, "it was looked at"
    assert many <= few + math.ceil((TOLD + HIDDEN) / PAGE), f"{few} statements, then {many}"


@pytest.mark.req("A17")
async def test_gc_sends_one_statement_for_many_memories(
    confide: Confide, clock: Clock, sent: list[str]
) -> None:
    place = "public:general@guild"
    counts: list[int] = []
    for make, most in ((fill, TOLD), (hide, HIDDEN)):
        await make(confide, place, kind="observation")
        clock.advance(days=4)
        sent.clear()
        done = await confide.upkeep.gc(actor=operator_as())
        counts.append(len(sent))
        assert most * 0.9 < done.expired <= most
    few, many = counts
    assert few > 5, "something was done"
    assert many <= few + math.ceil(HIDDEN / BATCH), f"{few} statements, then {many}"
    sent.clear()
    assert (await confide.upkeep.gc(actor=operator_as())).is_nothing
    assert len(sent) <= few
