"""People are found by what they are called now, by whoever hears something of theirs."""

from __future__ import annotations

import asyncio

import pytest
from benchmarks.retrieval.plain import Row, ranked

from confide import Confide, Entity, audience, operator_as, statement
from confide.providers.wordllama import embed
from confide.recall.audience import tell_to
from confide.store.indexing import called_key, name_key
from confide.store.terms import KEYS, asked, name_terms, terms

from ..conftest import Clock, Opened
from .looking import found as finding

ROOM = "public:general@guild"
ALICE, EVE, OTHER = (Entity("human", f"discord.{n}") for n in (123, 456, 789))
BOB = audience("human:bob", ROOM)


#: How many memories are found by a name.
BEARING = """
    SELECT count(*) FROM confide.words
    WHERE public.inner_product(terms, $1::text::public.sparsevec) <> 0"""


def of_name(name: str) -> list[str]:
    (word,) = name_terms([name])
    return [f"{{{called_key(name_key(word))}:1}}/{KEYS}"]


async def told(confide: Confide, question: str, who=BOB) -> list[str]:
    return [one.memory.text for one in (await confide.recall(question, who)).memories]


@pytest.fixture
async def pets(confide: Confide) -> Confide:
    for who, called in ((ALICE, "Alice"), (EVE, "Eve Ångström")):
        await confide.people.name(who, called)
    for by, text in (
        (ALICE, "I adopted a cat"),
        (EVE, "I adopted a dog"),
        (ALICE, "I play the cello"),
    ):
        await confide.remember(statement(text, by=by, place=ROOM))  # fmt: skip
    return confide


@pytest.mark.req("S30", "S32")
async def test_somebody_is_found_by_what_they_are_called(pets: Confide) -> None:
    assert (await told(pets, "What did Eve adopt?"))[0] == "I adopted a dog"
    assert (await told(pets, "What did Alice adopt?"))[0] == "I adopted a cat"
    assert await told(pets, "Angstrom") == ["I adopted a dog"]


@pytest.mark.req("S31", "S32")
async def test_a_broad_question_finds_somebody_by_what_they_are_called(pets: Confide) -> None:
    assert set(await told(pets, "Who is Alice?")) == {"I adopted a cat", "I play the cello"}
    assert await told(pets, "Tell me about Eve Ångström") == ["I adopted a dog"]
    assert await told(pets, "Tell me about Alice Ångström") == []


@pytest.mark.req("S32")
async def test_after_a_rename_only_the_new_name_finds_somebody(pets: Confide) -> None:
    await pets.people.name(ALICE, "Zoe")
    assert await told(pets, "Who is Alice?") == []
    assert set(await told(pets, "Who is Zoe?")) == {"I adopted a cat", "I play the cello"}
    await pets.people.name(EVE, "Alice")
    assert await told(pets, "Who is Alice?") == ["I adopted a dog"]
    assert (await told(pets, "What did Alice adopt?"))[0] == "I adopted a dog"


@pytest.mark.req("S32")
async def test_two_renames_at_once_leave_one_name(pets: Confide) -> None:
    names = ["Alpha", "Bravo", "Carlos", "Dora", "Emil", "Fritz", "Gus", "Hugo"]
    await asyncio.gather(*(pets.people.name(ALICE, name) for name in names))
    finding = [name for name in names if await told(pets, f"Who is {name}?")]
    async with tell_to(pets.database, BOB, pets.means.clock()) as telling:
        rows = await telling.connection.fetch("SELECT entity, display_name FROM confide.person")
    assert finding == [row["display_name"] for row in rows if row["entity"] == str(ALICE)]


@pytest.mark.req("S32")
async def test_everybody_of_a_name_is_found(pets: Confide) -> None:
    await pets.people.name(OTHER, "Alice")
    await pets.remember(statement("I adopted a parrot", by=OTHER, place=ROOM))
    await pets.remember(statement("They met", by=OTHER, place=ROOM, about=[ALICE, OTHER]))
    every = {"I adopted a cat", "I play the cello", "I adopted a parrot", "They met"}
    assert set(await told(pets, "Who is Alice?")) == every
    assert set((await told(pets, "What did Alice adopt?"))[:2]) == {
        "I adopted a cat", "I adopted a parrot",
    }  # fmt: skip


@pytest.mark.req("S32", "A5", "B7")
async def test_a_name_finds_nothing_where_nothing_of_its_bearer_is_heard(confide: Confide) -> None:
    """A memory about somebody tells their id; what they are called is told by their own."""
    await confide.people.name(EVE, "Evangelina")
    await confide.remember(statement("My salary is a secret", by=EVE, place="dm"))
    await confide.remember(statement("Adopted a dog", by=ALICE, place=ROOM, about=[EVE]))
    for question in ("Who is Evangelina?", "Evangelina", "What about Evangelina?"):
        assert await told(confide, question) == [], question
    async with tell_to(confide.database, BOB, confide.means.clock()) as telling:
        assert await telling.connection.fetchval(BEARING, *of_name("Evangelina")) == 0
    await confide.remember(statement("I like tea", by=EVE, place=ROOM))
    assert set(await told(confide, "Who is Evangelina?")) == {"Adopted a dog", "I like tea"}


@pytest.mark.req("S30", "S14")
async def test_a_name_counts_as_the_formula_says(pets: Confide, clock: Clock) -> None:
    """Found by the words of an id, of a name or of both is the same; a name is not counted twice."""
    await pets.people.name(Entity("human", "will"), "Will Power")
    said = [
        ("I adopted a cat", ALICE, ["alice", "discord.123"]),
        ("I adopted a dog", EVE, ["Eve Ångström", "discord.456"]),
        ("I play the cello", ALICE, ["alice", "discord.123"]),
        ("I adopted a horse", Entity("human", "will"), ["Will Power", "will"]),
    ]
    await pets.remember(statement(said[3][0], by=said[3][1], place=ROOM))
    await told(pets, "cello")  # asking shows that Bob is there
    for question in (
        "What did Eve adopt?", "What did Will adopt?", "Did Will and Alice adopt a horse?", "Power",
        "Did Eve, Will, Alice or discord adopt anything?", "Eve Alice Will Power Angstrom",
    ):  # fmt: skip
        vector = embed([question])[0]
        rows = [
            Row(
                id=n, own=frozenset(terms(text)), own_length=len(terms(text)), names=name_terms(names),
                cosine=float(embed([text])[0] @ vector),
            )
            for n, (text, _, names) in enumerate(said)
        ]  # fmt: skip
        wanted = {said[id][0]: relevance for id, relevance in ranked(asked(question), rows)}
        got = await finding(pets, question, BOB, clock())
        found = {one.row["text"]: one.relevance for one, _ in got}
        assert wanted, question
        assert found == pytest.approx(wanted, abs=2e-3), question


@pytest.mark.req("S21", "P10")
async def test_an_erased_person_leaves_no_words_of_their_name(pets: Confide) -> None:
    async def count() -> int:
        async with pets.database.keep() as connection:
            return await connection.fetchval(BEARING, *of_name("Eve"))

    assert await count() == 1
    await pets.erasure.person(EVE, actor=operator_as(EVE), now=True)
    assert await count() == 0


@pytest.mark.req("A15")
async def test_the_doctor_writes_the_words_of_older_names(pets: Confide) -> None:
    async with pets.database.keep() as connection:
        agent = pets.database.agent
        await connection.execute(
            "UPDATE confide.words SET terms = confide.with_keys(terms, p.called, '{}')"
            " FROM confide.person p WHERE p.agent = $1 AND words.agent = $1",
            agent,
        )
        await connection.execute(
            "UPDATE confide.person SET terms_version = NULL, called = NULL WHERE agent = $1", agent
        )
    await pets.people.name(OTHER, "🌸")  # a name without any word is nothing to mend
    assert await told(pets, "Who is Alice?") == []
    found = {one.name: one for one in (await pets.doctor.mend()).findings}
    assert found["names.missing"].fixed == 2
    assert set(await told(pets, "Who is Alice?")) == {"I adopted a cat", "I play the cello"}
    assert (await pets.doctor.examine()).is_well


@pytest.mark.req("S32")
async def test_a_rename_and_a_new_memory_at_once_leave_one_name(pets: Confide) -> None:
    for n in range(8):
        said = statement(f"Word number {n}", by=ALICE, place=ROOM)
        await asyncio.gather(
            pets.people.name(ALICE, f"Alpha{n}"), pets.remember(said), pets.people.name(ALICE, f"Beta{n}")
        )  # fmt: skip
        async with pets.database.keep() as connection:
            bearing = [
                await connection.fetchval(BEARING, *of_name(name))
                for name in (f"Alpha{n}", f"Beta{n}")
            ]
        assert sorted(bearing) == [0, 3 + n]


@pytest.mark.req("S32")
async def test_another_agents_names_find_nothing(pets: Confide, open_confide: Opened) -> None:
    async with open_confide(agent=f"{pets.database.agent}x") as other:
        await other.remember(statement("I adopted a cat", by=ALICE, place=ROOM))
        assert await told(other, "Who is Alice?") == []
