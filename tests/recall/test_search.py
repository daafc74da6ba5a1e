"""What is found through the database: by words, by meaning, by who said it and what came before."""

from __future__ import annotations

from datetime import timedelta

import pytest
from benchmarks.retrieval.plain import Row, signals
from benchmarks.sentences import sentence
from tests.chance import chance

from confide import Confide, audience, operator_as, statement
from confide.model import Entity, Place, PlaceKind, Trust
from confide.privacy.policy import Audience
from confide.providers.wordllama import embed
from confide.recall.audience import tell_to
from confide.recall.context import Context
from confide.recall.ranking import MIX, Voice, share_out, weigh
from confide.store.search import Signals, Sought, look
from confide.store.strength import strength
from confide.store.terms import asked, name_terms, terms

from ..conftest import Clock
from .looking import found as finding

ALICE = "human:alice"
ROOM = "group:friends"


def texts(context: Context) -> list[str]:
    return [told.memory.text for told in context.memories]


async def tell(confide: Confide, *said: str, by: str = ALICE, place: str = "dm", **more) -> None:
    kept = await confide.remember_all([statement(s, by=by, place=place, **more) for s in said])
    assert all(not isinstance(one, Exception) for one in kept)


@pytest.mark.req("S30")
async def test_coordinates_and_commands_are_found_by_their_words(confide: Confide) -> None:
    await tell(confide, "The base is at 120 64 300", "Restart it with systemctl restart minecraft")
    own = audience(ALICE, "dm")
    assert texts(await confide.recall("what is at 120 64 300?", own))[0].startswith("The base")
    assert texts(await confide.recall("systemctl restart?", own))[0].startswith("Restart")


@pytest.mark.req("S14", "S30")
async def test_relevance_and_similarity_are_two_numbers(confide: Confide) -> None:
    await tell(confide, "I adopted a cat from the shelter")
    (told,) = (await confide.recall("Who adopted a cat?", audience(ALICE, "dm"))).memories
    assert 0 < told.relevance <= 1
    assert -1 <= told.similarity <= 1
    assert told.relevance != told.similarity


@pytest.mark.req("S14")
async def test_a_question_about_nothing_known_finds_nothing(confide: Confide) -> None:
    await tell(confide, "I adopted a cat from the shelter", "The train to Lisbon was late")
    own = audience(ALICE, "dm")
    assert texts(await confide.recall("What is the capital of Mongolia?", own)) == []
    assert texts(await confide.recall("?!", own)) == []


@pytest.mark.req("S30")
async def test_what_was_said_just_before_helps_to_find_an_answer(confide: Confide) -> None:
    question = statement("Which colour is your new bicycle?", by="human:bob", place=ROOM)
    answer = statement("Blue", by=ALICE, place=ROOM, before=(question,))
    await confide.remember_all([question, answer])
    asked_there = audience("human:bob", ROOM)
    assert "Blue" in texts(await confide.recall("colour of the bicycle", asked_there))


@pytest.mark.req("S30", "S2")
async def test_a_hidden_message_before_does_not_help_to_find_what_follows(confide: Confide) -> None:
    hidden = statement("The surprise is a zeppelin flight", by=ALICE, place="dm")
    public = "public:general@guild"
    said = statement("I booked it for Friday", by=ALICE, place=public, before=(hidden,))
    await confide.remember_all([hidden, said])
    there = audience("human:bob", public)
    assert texts(await confide.recall("Is a zeppelin flight a surprise?", there)) == []
    assert texts(await confide.recall("What is booked for Friday?", there))


@pytest.mark.req("S30")
async def test_many_words_about_a_crowd_are_kept_and_found(confide: Confide) -> None:
    crowd = [f"human:guest{n}.of.house{n}" for n in range(150)]
    words = " ".join(f"zephyr{n}" for n in range(120))
    await tell(confide, words, about=crowd)
    own = audience(ALICE, "dm")
    for question in ("zephyr1 zephyr2 zephyr3?", "zephyr117 zephyr118 zephyr119?"):
        assert texts(await confide.recall(question, own)) == [words], question
    assert texts(await confide.recall("What about guest0?", own)) == [words]


@pytest.mark.req("S30")
async def test_the_end_of_a_long_text_is_found_too(confide: Confide) -> None:
    many = " ".join(f"word{n}" for n in range(300))
    await tell(confide, f"{many} and at the end a quagga")
    assert texts(await confide.recall("quagga", audience(ALICE, "dm")))


@pytest.mark.req("S14", "S28")
async def test_between_contradicting_memories_the_newer_comes_first(
    confide: Confide, clock: Clock
) -> None:
    await tell(confide, "My favourite colour is green")
    clock.advance(days=2)
    await tell(confide, "My favourite colour is purple")
    found = texts(await confide.recall("What is my favourite colour?", audience(ALICE, "dm")))
    assert found == ["My favourite colour is purple", "My favourite colour is green"]


@pytest.mark.req("S14", "S28")
async def test_first_hand_comes_before_hearsay(confide: Confide) -> None:
    await tell(confide, "Carol lives in Porto", by="human:carol", place=ROOM)
    await tell(confide, "Carol lives in Paris", by="human:bob", place=ROOM, about=["human:carol"])
    found = texts(await confide.recall("Where does Carol live?", audience("human:dora", ROOM)))
    assert found.index("Carol lives in Porto") < found.index("Carol lives in Paris")


@pytest.mark.req("S14")
async def test_nobody_drowns_the_others_by_saying_much(confide: Confide) -> None:
    flood = [f"The meeting is at noon, really, number {n}" for n in range(60)]
    await tell(confide, *flood, by="human:mallory", place=ROOM)
    for person in ("bob", "carol", "dora"):
        said = f"The meeting is at nine, says {person}"
        await tell(confide, said, by=f"human:{person}", place=ROOM)
    found = (await confide.recall("When is the meeting?", audience(ALICE, ROOM))).memories
    speakers = [str(told.memory.speaker) for told in found]
    assert {"human:bob", "human:carol", "human:dora"} <= set(speakers)
    assert speakers.count("human:mallory") <= len(found) / 2


@pytest.mark.req("S31")
async def test_asking_who_one_is_brings_one_of_each_kind(confide: Confide) -> None:
    await tell(confide, "I am a welder from Ghent", kind="identity")
    await tell(confide, "I like liquorice", kind="preference")
    await tell(confide, "Bob is my brother in law", kind="relationship")
    await tell(confide, *(f"I like film number {n}" for n in range(9)), kind="preference")
    found = await confide.recall("Who am I?", audience(ALICE, "dm"))
    kinds = {told.memory.kind.value for told in found.memories}
    assert {"identity", "preference", "relationship"} <= kinds


@pytest.mark.req("S31")
async def test_asking_about_somebody_brings_what_may_be_told_about_them(confide: Confide) -> None:
    await tell(confide, "Keeps bees", by="human:bob", place=ROOM, kind="knowledge")
    await tell(confide, "Is looking for a new job", by="human:bob", place="dm")
    assert texts(await confide.recall("Who is Bob?", audience(ALICE, ROOM))) == ["Keeps bees"]


@pytest.mark.req("A11")
async def test_a_portable_fact_about_bob_is_found_once_in_his_own_chat(confide: Confide) -> None:
    await tell(
        confide, "Bob loves pizza with anchovies", place=ROOM, about=["human:bob"],
        present=["human:bob"], kind="preference", is_portable=True,
    )  # fmt: skip
    found = texts(await confide.recall("What do I like?", audience("human:bob", "dm")))
    assert found == ["Bob loves pizza with anchovies"]
    assert texts(await confide.recall("Do I love pizza?", audience("human:bob", "dm"))) == found


@pytest.mark.req("S14", "S30")
async def test_expired_memories_neither_answer_nor_count(confide: Confide, clock: Clock) -> None:
    await tell(confide, *(f"the kettle is in box {n}" for n in range(8)), kind="observation")
    await tell(confide, "the kettle and the anvil are in the shed", kind="knowledge")
    clock.advance(days=4)
    now = await confide.recall("Where are kettle and anvil?", audience(ALICE, "dm"))
    async with Confide.open(
        confide.settings.home, clock=clock, agent=f"{confide.database.agent}x"
    ) as fresh:
        await tell(fresh, "the kettle and the anvil are in the shed", kind="knowledge")
        alone = await fresh.recall("Where are kettle and anvil?", audience(ALICE, "dm"))
    assert [(t.memory.text, t.relevance) for t in now.memories] == [
        (t.memory.text, t.relevance) for t in alone.memories
    ]


@pytest.mark.req("S13")
async def test_an_erased_memory_leaves_no_words(confide: Confide) -> None:
    kept = await confide.remember(statement("I keep bees", by=ALICE, place="dm"))
    actor = operator_as(Entity.parse(ALICE))
    forgotten = await confide.forget(kept.id, actor=actor, now=True)
    assert forgotten.verified["words"] == 0


@pytest.mark.req("S30", "S20")
async def test_words_follow_their_memory_under_another_label(confide: Confide) -> None:
    room = "public:lounge@guild"
    await tell(confide, "The gearbox of the tractor broke", place=room)
    there = audience("human:bob", "public:general@guild")
    assert texts(await confide.recall("What about the gearbox?", there))
    await confide.world.attest(Place(id="lounge@guild", kind=PlaceKind.RESTRICTED, space="guild"))
    assert texts(await confide.recall("What about the gearbox?", there)) == []


def as_sets(read: Signals) -> dict[bytes, object]:
    """Every signal of each row that shares something with the question."""
    tables = [read.own, read.said, read.own_things, read.said_things, read.names]
    return {
        read.ids[n].tobytes(): (
            int(read.lengths[n]),
            bool(read.is_askers[n]),
            *[tuple(map(bool, one[n])) for one in tables],
        )
        for n in range(len(read.ids))
        if any(one[n].any() for one in tables)
    }


@pytest.mark.req("S30")
@pytest.mark.drawn
async def test_the_database_reads_the_signals_that_the_texts_have(
    confide: Confide, clock: Clock
) -> None:
    drawn = chance(5)
    vocabulary = [
        "train",
        "boat",
        "cat",
        "garden",
        "winter",
        "coffee",
        "paint",
        "violin",
        "Lisbon",
        "market",
    ]
    people = ["ann", "will", "bo"]
    said = []
    for n in range(60):
        words = " ".join(drawn.choices(vocabulary, k=drawn.randrange(1, 7)))
        before = tuple(said[max(0, n - 2) : n]) if drawn.random() < 0.6 else ()
        said.append(
            statement(
                f"{words} {n}", by=f"human:{drawn.choice(people)}", place=ROOM, present=[f"human:{p}" for p in people], before=before,
            )
        )  # fmt: skip
    kept = await confide.remember_all(said)
    ids = [one.id for one in kept]  # type: ignore[union-attr]
    await confide.recall("?", audience("human:ann", ROOM))  # asking shows that one is there
    for text in [
        "Did Will paint the garden?",
        "my cat in winter",
        "Bo",
        "a violin and tea?",
        "Which instrument do I like?",
        "What does Bo drink in the garden?",
        "Which pet, colour, season, drink, instrument and city did Will paint at the market?",
    ]:
        question, vector = asked(text), embed([text])[0]
        cosines = embed([s.text for s in said]) @ vector
        plain = signals(
            question,
            [
                Row(
                    id=ids[n].int, own=frozenset(terms(s.text)), own_length=len(terms(s.text)),
                    before=frozenset(t for b in s.before for t in terms(b.text)),
                    names=name_terms([s.by.id]), is_askers=s.by.id == "ann", cosine=float(cosines[n]),
                )
                for n, s in enumerate(said)
            ],
        )  # fmt: skip
        sought = Sought(question=question, vector=vector.tolist(), noise=MIX.noise)
        who = audience("human:ann", ROOM)
        async with look(confide.database, who, clock(), sought) as looked:
            read = looked.signals
        assert (read.memories, read.askers, read.words) == (
            plain.memories, plain.askers, plain.words,
        )  # fmt: skip
        assert as_sets(read) == as_sets(plain), text
        near = {id.bytes: float(cosine) for id, cosine in zip(ids, cosines, strict=True)}
        for id, cosine in zip(read.ids, read.near, strict=True):
            assert cosine == pytest.approx(near[id.tobytes()], abs=2e-3)
        left_out = set(near) - {id.tobytes() for id in read.ids}
        assert all(near[id] < MIX.noise + 2e-3 for id in left_out)


@pytest.mark.req("S14", "S30")
@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What instrument do I play?", "Plays the cello"),
        ("What is my job?", "Works as a nurse"),
        ("What do I like to eat?", "Favourite food is sushi"),
        ("What should we not cook for Alice?", "I am allergic to peanuts"),
        ("What does Alice drink?", "Prefers tea"),
        ("What is my shoe size?", None),
        ("Which phone do I use?", None),
    ],
)
async def test_an_everyday_question_finds_a_fact_in_other_words(
    confide: Confide, question: str, answer: str | None
) -> None:
    facts = ["Plays the cello", "Works as a nurse", "Favourite food is sushi"]
    for text in [*facts, "I am allergic to peanuts", "Prefers tea"]:
        await confide.remember(statement(text, by=ALICE, place="dm"))
    told = await confide.recall(question, audience(ALICE, "dm"))
    texts = [one.memory.text for one in told.memories]
    assert answer in texts if answer else texts == []


@pytest.mark.req("S14")
@pytest.mark.drawn
@pytest.mark.parametrize("talkative", [1, 3, 30])
async def test_what_is_not_read_could_not_have_come_in_among_the_best(
    confide: Confide, clock: Clock, talkative: int
) -> None:
    place, drawn = "public:general@guild", chance(5)
    for kind in ("event", "knowledge"):
        said = [
            statement(
                sentence(drawn, n),
                by=f"human:p{n % 30 if n % 3 == 0 else n % talkative}",
                place=place,
                kind=kind,
            )
            for n in range(120)
        ]
        await confide.remember_all(said)
        clock.advance(days=60)
    for question in ("garden kettle violin", "cat", "the market in winter"):
        for asker in ("human:p0", "human:p3", "human:p27"):
            who = audience(asker, place)
            few, every = [
                [one for one, _ in await finding(confide, question, who, clock(), top_k)]
                for top_k in (5, 200)
            ]
            assert len(every) > len(few) == 5
            voices = [Voice(one.author, one.id, one.relevance) for one in every]
            assert [one.id for one in few] == share_out(voices, asker, 5)


@pytest.mark.req("S14", "S26")
@pytest.mark.parametrize("days", [0, 45, 90, 400])
async def test_what_happened_fades_as_the_formula_says(
    confide: Confide, clock: Clock, days: int
) -> None:
    await tell(confide, "We watched the eclipse", kind="event", lifetime=timedelta(days=1000))
    clock.advance(days=days)
    ((one, weight),) = await finding(confide, "the eclipse", audience(ALICE, "dm"), clock())
    kept = strength(1.0, one.memory.reinforced_at, clock())
    expected = weigh(one.relevance, strength=kept, confidence=1.0, trust=Trust.SAID)
    assert weight == pytest.approx(expected, abs=1e-6)


@pytest.mark.req("B1", "S30")
async def test_words_of_a_window_are_shown_only_where_every_message_may_be_heard(
    confide: Confide, clock: Clock
) -> None:
    public = "public:general@guild"
    private = statement("The combination is in the drawer", by=ALICE, place="dm")
    open_one = statement("Where did I leave it?", by=ALICE, place=public)
    for before in [(private, open_one), (open_one, private)]:
        await confide.remember_all(
            [statement(f"Found it {len(before)} {before[0].text[:5]}", by=ALICE, place=public, before=before)]
        )  # fmt: skip

    async def windows(who: Audience) -> int:
        async with tell_to(confide.database, who, clock()) as telling:
            return await telling.connection.fetchval(
                "SELECT count(*) FROM confide.words WHERE NOT is_own"
            )

    assert await windows(audience("human:bob", public)) == 0
    assert await windows(audience(ALICE, "dm")) == 2
