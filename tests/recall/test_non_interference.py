"""The same questions with and without thousands of hidden memories: every byte of an answer is the
same. Two well-known ways to search are the controls that this comparison has to find out."""

from __future__ import annotations

import random
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
import pytest
from benchmarks.sentences import sentence

from confide import Confide, audience, statement
from confide.errors import ConfideError
from confide.privacy.policy import Audience
from confide.providers.wordllama import embed
from confide.recall.audience import tell_to
from confide.store import embedded
from confide.store.provision import DATABASE
from confide.store.terms import asked, term_key

from ..conftest import Clock, Opened

HIDDEN = 2000
PLACE = "public:general@guild"
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
    for n, text in enumerate(sentences(chance, 60)):
        before = tuple(said[max(0, n - 2) : n])
        by = f"human:{chance.choice(['ann', 'bo', 'cy'])}"
        said.append(statement(text, by=by, place=PLACE, before=before))
    await confide.remember_all(said)


async def hide(confide: Confide) -> None:
    """The same words and the same names, where nobody at PLACE may hear them."""
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
    """All that an asker could see: ids, order, scores, the text for the model, its length."""
    context = await confide.recall(question, who)
    return (
        [(t.memory.id, t.memory.text, t.relevance, t.similarity) for t in context.memories],
        str(context),
    )


async def differences(stores: tuple[Confide, Confide], answer: Answer) -> list[str]:
    found: list[str] = []
    for who in ("human:ann", "human:eve"):
        for question in QUESTIONS:
            few, many = [await answer(one, question, audience(who, PLACE)) for one in stores]
            if few != many:
                found.append(f"{who}: {question}")
    return found


@pytest.mark.req("S30", "B7", "S14")
async def test_hidden_memories_change_nothing_in_any_answer(
    stores: tuple[Confide, Confide],
) -> None:
    assert await differences(stores, everything) == []


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
    before = await everything(few, "Where is the kettle?", audience("human:eve", PLACE))
    clock.advance(days=4)
    after = await everything(few, "Where is the kettle?", audience("human:eve", PLACE))
    assert before != after
    assert await differences((few, many), everything) == []


@pytest.mark.req("S30")
async def test_errors_do_not_tell_what_is_hidden(stores: tuple[Confide, Confide]) -> None:
    async def refused(confide: Confide, question: str, who: Audience) -> str:
        try:
            await confide.recall("  ", who)
        except ConfideError as error:
            return str(error)
        return question

    assert await differences(stores, refused) == []


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


@pytest.mark.planted
async def test_statistics_over_everything_would_be_found_out(
    stores: tuple[Confide, Confide],
) -> None:
    """The control: rarity counted over all memories of the agent."""

    async def rarity_of_everything(confide: Confide, question: str, who: Audience) -> Any:
        told, _ = await everything(confide, question, who)
        async with superuser(confide) as connection:
            counts = [
                await connection.fetchval(
                    "SELECT count(*) FROM confide.words WHERE agent = $1 AND is_own"
                    " AND public.inner_product(terms, $2::text::public.sparsevec) > 0",
                    confide.database.agent,
                    f"{{{term_key(term)}:1}}/1000000000",
                )
                for term in asked(question).terms
            ]
        return [(id, relevance / (1 + sum(counts))) for id, _, relevance, _ in told]

    assert await differences(stores, rarity_of_everything) != []


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
