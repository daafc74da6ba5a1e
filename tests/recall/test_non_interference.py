"""The same questions with and without thousands of hidden memories, alone, in a group and in public:
every byte of an answer is the same. Three well-known ways to search are the controls that this
comparison has to find out."""

from __future__ import annotations

import json
import random
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
import pytest
from benchmarks.sentences import sentence

from confide import Confide, Entity, audience, operator_as, statement
from confide.errors import ConfideError, NotFound
from confide.privacy.atoms import ANYONE
from confide.privacy.policy import Audience
from confide.providers.wordllama import embed
from confide.recall.audience import tell_to
from confide.store import embedded
from confide.store import search as store_search
from confide.store.provision import DATABASE
from confide.store.queries import query

from ..conftest import Clock, Opened

HIDDEN = 2000
PLACE, CLUB = "public:general@guild", "group:club"
MEMBERS = ["human:ann", "human:bo", "human:cy"]
ANN, CY, DEE, EVE = (Entity("human", name) for name in ("ann", "cy", "dee", "eve"))
#: Cy said nothing that is hidden: alone one is told all that one said oneself.
AUDIENCES = {
    "Ann in public": audience(ANN, PLACE),
    "Eve in public": audience(EVE, PLACE),
    "Ann in the club": audience(ANN, CLUB, present=MEMBERS),
    "Cy in the club": audience(CY, CLUB, present=MEMBERS),
    "Cy alone": audience(CY, "dm"),
    "Eve alone": audience(EVE, "dm"),
}
QUESTIONS = [
    "Who painted the garden?",
    "What about the train to Lisbon in winter?",
    "Does Ann like coffee?",
    "Who am I?",
    "Who is Bo?",
    "anvil",
    "What is the capital of Mongolia?",
    "kettle and violin at the market",
]
Answer = Callable[[Confide, str, Audience], Any]


def sentences(chance: random.Random, count: int) -> Iterator[str]:
    return (sentence(chance, n) for n in range(count))


def numbered(start: str) -> Callable[[], uuid.UUID]:
    """Ids that are the same in both stores."""
    chance = random.Random(start)
    return lambda: uuid.UUID(int=chance.getrandbits(128), version=4)


async def fill(confide: Confide) -> None:
    confide.means.new_id = numbered("told")
    chance, said = random.Random(1), []
    for n, text in enumerate(sentences(chance, 90)):
        before = tuple(said[max(0, n - 2) : n])
        by, place = chance.choice(MEMBERS), chance.choice([PLACE, PLACE, CLUB, "dm"])
        present = MEMBERS if place == CLUB else ()
        said.append(statement(text, by=by, place=place, present=present, before=before))
    await confide.remember_all(said)


async def hide(confide: Confide) -> None:
    """The same words and the same names, where none of the audiences may hear them."""
    confide.means.new_id = numbered("hidden")
    chance = random.Random(2)
    places = [*[f"group:g{n}" for n in range(5)], "dm"]
    hidden = [
        statement(
            text, by=f"human:{chance.choice(['ann', 'bo', 'dee'])}", place=chance.choice(places)
        )
        for text in [*sentences(chance, HIDDEN), *QUESTIONS]
    ]
    kept = await confide.remember_all(hidden)
    assert not any(isinstance(one, ConfideError) for one in kept)
    await confide.remember_all(
        [statement(text, by="human:ann", place=PLACE, scope="dm") for text in QUESTIONS]
    )


@pytest.fixture
async def stores(open_confide: Opened, agent: str) -> AsyncIterator[tuple[Confide, Confide]]:
    """One store that holds what may be told, and one that holds hidden memories beside it."""
    async with open_confide(agent=f"{agent}a") as few, open_confide(agent=f"{agent}b") as many:
        await fill(few)
        await fill(many)
        await hide(many)
        yield few, many


async def everything(confide: Confide, question: str, who: Audience) -> Any:
    """All that an asker could see: ids, order, scores, the text for the model and for programs, what
    the answer was based on, and what they have said themselves."""
    context = await confide.recall(question, who)
    basis = await confide.why(who)
    own = await confide.memories(who.asker, audience=who)
    seen = (
        [(t.memory.id, t.memory.text, t.relevance, t.similarity) for t in context.memories],
        str(context),
        json.dumps(context.as_dict(), default=str),
        (basis.told_at, basis.memories),
        own,
    )
    return repr(seen).replace(confide.database.agent, "agent")


async def differences(stores: tuple[Confide, Confide], answer: Answer) -> list[str]:
    found: list[str] = []
    for name, who in AUDIENCES.items():
        for question in QUESTIONS:
            few, many = [await answer(one, question, who) for one in stores]
            if few != many:
                found.append(f"{name}: {question}")
    return found


@pytest.mark.req("S30", "B7", "S14")
async def test_hidden_memories_change_nothing_in_any_answer(
    stores: tuple[Confide, Confide],
) -> None:
    assert await differences(stores, everything) == []
    # Silence on both sides would have compared nothing; a stranger alone is told nothing at all.
    told = {
        name
        for name, who in AUDIENCES.items()
        for question in QUESTIONS
        if (await stores[1].recall(question, who)).memories
    }
    assert AUDIENCES.keys() - told == {"Eve alone"}


@pytest.mark.req("S30", "S14")
async def test_hidden_memories_change_nothing_after_expiry(
    stores: tuple[Confide, Confide], clock: Clock
) -> None:
    few, many = stores
    for one in stores:
        one.means.new_id = numbered("short")
        short = [
            statement(f"kettle {text}", by="human:cy", place=PLACE, kind="observation")
            for text in sentences(random.Random(3), 20)
        ]
        await one.remember_all(short)
    asked = "Where is the kettle?", AUDIENCES["Eve in public"]
    before = [await everything(one, *asked) for one in stores]
    clock.advance(days=4)
    after = [await everything(one, *asked) for one in stores]
    assert before[0] == before[1] != after[0] == after[1]
    assert await differences((few, many), everything) == []


Refused = Callable[[Confide, uuid.UUID], Awaitable[object]]
REFUSED: dict[str, Refused] = {
    "explain": lambda confide, id: confide.explain(
        id, AUDIENCES["Eve in public"], actor=operator_as(EVE)
    ),
    "tellings": lambda confide, id: confide.tellings(id, actor=operator_as(EVE)),
    "forget": lambda confide, id: confide.forget(id, actor=operator_as(EVE)),
    "forget at once": lambda confide, id: confide.forget(id, actor=operator_as(EVE), now=True),
    "restore": lambda confide, id: confide.restore(id, actor=operator_as(EVE)),
    "share": lambda confide, id: confide.consents.share(id, ANYONE, actor=operator_as(EVE)),
    "audit": lambda confide, id: confide.access.audit(id, actor=operator_as(EVE)),
}


@pytest.mark.req("S30", "S23")
async def test_what_is_hidden_is_refused_like_what_does_not_exist(
    stores: tuple[Confide, Confide],
) -> None:
    """The same ids, which one of the stores has never seen."""
    few, many = stores
    next_id = numbered("hidden")
    hidden = [id for id in (next_id() for _ in range(20)) if await is_known(many, id)]
    assert len(hidden) >= 5
    for id in hidden[:5]:
        assert not await is_known(few, id)
        for verb, refused in REFUSED.items():
            absent, there = [await said(refused, one, id) for one in stores]
            assert absent == there, verb
            assert "there is no such memory" in absent[1], verb
        assert await is_known(many, id), "and nothing happened to it"


async def is_known(confide: Confide, id: uuid.UUID) -> bool:
    try:
        await confide.explain(
            id, AUDIENCES["Eve in public"]
        )  # as the operator, who is told no words
    except NotFound:
        return False
    return True


async def said(refused: Refused, confide: Confide, id: uuid.UUID) -> tuple[type, str]:
    with pytest.raises(ConfideError) as error:
        await refused(confide, id)
    return type(error.value), str(error.value)


@asynccontextmanager
async def superuser(confide: Confide) -> AsyncIterator[Any]:
    with embedded.start(confide.settings.home, idle_seconds=60) as lease:
        s = lease.server
        connection = await asyncpg.connect(
            host=s.host, port=s.port, user=s.superuser, password=s.password, database=DATABASE
        )
        try:
            yield connection
        finally:
            await connection.close()


#: What of the function that looks is written otherwise; `everything` is without row-level security.
MISTAKES = {
    "counted over everything": (
        "SELECT count(*), count(*) FILTER (WHERE r.own & 1 <> 0), COALESCE(sum(r.length), 0)::bigint,",
        "SELECT (SELECT count(*) FROM everything e WHERE e.is_own AND e.part = 0), 0::bigint,"
        " (SELECT sum(e.length)::bigint FROM everything e WHERE e.is_own AND e.part = 0),",
    ),
    "found among everything and taken out afterwards": ("FROM confide.words w", "FROM everything w"),
}  # fmt: skip


@asynccontextmanager
async def looking_otherwise(confide: Confide, right: str, wrong: str) -> AsyncIterator[Any]:
    """The functions that look with a mistake in them, under other names."""
    fresh = uuid.uuid4().hex[:8]
    everything = f"public.every_{fresh}"
    named = {f"confide.{name}(": f"public.{name}_{fresh}(" for name in ("look", "signals")}

    def renamed(text: str) -> str:
        for old, new in named.items():
            text = text.replace(old, new)
        return text

    async with superuser(confide) as connection:
        texts = await connection.fetch(
            "SELECT pg_get_functiondef(oid) AS made, oid::regprocedure::text AS signature FROM pg_proc"
            " WHERE oid::regproc::text IN ('confide.look', 'confide.signals') ORDER BY proname"
        )
        assert right in texts[0]["made"], "what looks was rewritten; so must be this mistake"
        # A view reads with the rights of its owner, whom row-level security does not hold.
        await connection.execute(
            f"CREATE VIEW {everything} AS"
            " SELECT * FROM confide.words WHERE agent = confide.this_agent();"
            f"GRANT SELECT ON {everything} TO confide_tell;"
        )
        for one in texts:
            planted = one["made"].replace(right, wrong.replace("everything", everything))
            await connection.execute(renamed(planted))
        try:
            yield renamed
        finally:
            for one in texts:
                await connection.execute(f"DROP FUNCTION {renamed(one['signature'])}")
            await connection.execute(f"DROP VIEW {everything}")


@pytest.mark.planted
@pytest.mark.parametrize("mistake", MISTAKES)
async def test_a_recall_that_looks_at_hidden_rows_would_be_found_out(
    stores: tuple[Confide, Confide], mistake: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The controls: the real statement, which lets hidden rows count."""
    async with looking_otherwise(stores[0], *MISTAKES[mistake]) as renamed:
        monkeypatch.setattr(store_search, "query", lambda *which: renamed(query(*which)))
        for one in stores:
            assert (await one.recall("anvil", AUDIENCES["Ann in public"])).memories
        found = await differences(stores, everything)
    assert {where.partition(":")[0].split()[-1] for where in found} >= {"public", "club"}


@pytest.mark.planted
async def test_an_approximate_index_would_be_found_out(
    stores: tuple[Confide, Confide], clock: Clock
) -> None:
    """The control: the nearest by an HNSW index, from which hidden rows are then taken out."""
    table = f"public.control_{uuid.uuid4().hex[:8]}"

    async def nearest_by_walk(confide: Confide, question: str, who: Audience) -> Any:
        async with tell_to(confide.database, who, clock()) as telling:
            labels = await telling.connection.fetchval("SELECT confide.told_labels()")
        name = f"{table}_{confide.database.agent}"
        async with superuser(confide) as connection, connection.transaction():
            await connection.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off")
            rows = await connection.fetch(
                f"SELECT memory_id FROM {name} WHERE label_id = ANY ($1)"
                " ORDER BY vector OPERATOR(public.<=>) ($2::real[])::public.halfvec LIMIT 5",
                labels,
                embed([question])[0].tolist(),
            )
        return [row["memory_id"] for row in rows]

    names = [f"{table}_{one.database.agent}" for one in stores]
    async with superuser(stores[0]) as connection:
        for one, name in zip(stores, names, strict=True):
            await connection.execute(
                f"CREATE TABLE {name} AS SELECT memory_id, label_id, vector::public.halfvec(256)"
                f" FROM confide.words WHERE agent = '{one.database.agent}' AND is_own AND part = 0;"
                f"CREATE INDEX ON {name} USING hnsw (vector public.halfvec_cosine_ops)"
            )
        try:
            assert await differences(stores, nearest_by_walk) != []
        finally:
            for name in names:
                await connection.execute(f"DROP TABLE {name}")
