"""A17: what others keep slows nothing down. Pages that PostgreSQL touches and statements that are sent
are counted, which is the same on a busy machine as on an idle one."""

from __future__ import annotations

import json
import math
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from benchmarks.sentences import sentence

from confide import Confide, audience, operator_as, statement
from confide.errors import ConfideError
from confide.keep.doctor_labels import PAGE
from confide.keep.gc import BATCH
from confide.privacy.policy import Audience
from confide.providers.wordllama import embed
from confide.recall.search import Wanted, search
from confide.remember.statement import Statement
from confide.store.database import ENTER, Database
from confide.store.encoding import write_audience

from ..conftest import Clock, Opened

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
QUESTIONS = ["Who painted the garden?", "kettle and violin at the market", "Who is p7?"]
EXPLAIN = "EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF, FORMAT JSON) "
MORE, A_HANDFUL = 1.3, 8
Plan = dict[str, Any]


@pytest.fixture
async def confide(open_confide: Opened) -> AsyncIterator[Confide]:
    async with open_confide(learn=False, auto_gc=False) as opened:
        yield opened


class Explaining:
    """A connection that says how each statement was answered instead of what was found."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self.plans: list[Plan] = []

    async def fetch(self, sql: str, *args: Any) -> list[Any]:
        told = await self._connection.fetchval(EXPLAIN + sql, *args)
        self.plans.append(json.loads(told)[0]["Plan"])
        return []


def pages(plan: Plan) -> int:
    return plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]


def nodes(plan: Plan) -> set[tuple[str, str]]:
    own = {(plan["Node Type"], plan.get("Relation Name", ""))}
    return own.union(*(nodes(one) for one in plan.get("Plans", ())))


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


async def entering(confide: Confide, who: Audience) -> int:
    """Pages touched to find out what this audience may hear; the functions are planned by then."""
    written = write_audience(who, confide.database.agent_entity)
    async with confide.database.tell(who, confide.means.clock()) as telling:
        seen = Explaining(telling.connection)
        for _ in range(3):
            await seen.fetch(ENTER, confide.database.agent, written, confide.means.clock())
    return pages(seen.plans[-1])


async def searching(confide: Confide, who: Audience, question: str) -> list[Plan]:
    (vector,) = embed([question])
    async with confide.database.tell(who, confide.means.clock()) as telling:
        seen: Any = Explaining(telling.connection)
        for _ in range(2):
            seen.plans.clear()
            await search(replace(telling, connection=seen), question, vector, Wanted())
    return seen.plans


async def touched(confide: Confide, place: str) -> dict[str, int]:
    """Pages touched for one audience, by what for. No table is read from one end to the other."""
    who = audience(PEOPLE[0], place)
    found = {f"entering {place}": await entering(confide, who)}
    for question in QUESTIONS:
        plans = await searching(confide, who, question)
        assert plans
        for plan in plans:
            assert not {name for kind, name in nodes(plan) if kind == "Seq Scan"}
        found[f"{question} in {place}"] = sum(map(pages, plans))
    return found


@pytest.mark.req("A17")
async def test_a_search_touches_as_many_pages_whatever_is_hidden(
    confide: Confide, open_confide: Opened, agent: str
) -> None:
    # An index that is one step deeper costs a page a look; here the steps are the same in both.
    async with open_confide(agent=f"{agent}x", learn=False, auto_gc=False) as somebody_elses:
        await hide(somebody_elses, PLACES[0])
    for place in PLACES:
        await fill(confide, place)
        await confide.recall("Who is there?", audience(PEOPLE[0], place))
    alone: dict[str, int] = {}
    for place in PLACES:
        alone |= await touched(confide, place)
    await hide(confide, PLACES[0])
    for place in PLACES:
        for what, many in (await touched(confide, place)).items():
            few = alone[what]
            assert many <= MORE * few + A_HANDFUL, (
                f"{what}: {few} pages alone, {many} beside others"
            )


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
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every statement of every transaction from now on."""
    transaction, found = Database._transaction, list[str]()

    @asynccontextmanager
    async def counted(self: Database, begin: str) -> AsyncIterator[Any]:
        async with transaction(self, begin) as connection:
            yield Counting(connection, found)

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
