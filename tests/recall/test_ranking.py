"""What answers a question best comes first, and only permitted rows count."""

from datetime import UTC, datetime

import pytest
from benchmarks.retrieval.plain import Row, ranked
from hypothesis import given
from hypothesis import strategies as st

from confide.model import Trust
from confide.recall.ranking import MIX, Voice, settle, share_out, weigh
from confide.store.strength import strength
from confide.store.terms import asked, name_terms, terms


def said(id: int, speaker: str, text: str, before: str = "", **more: object) -> Row:
    return Row(
        id=id,
        own=frozenset(terms(text)),
        own_length=len(terms(text)),
        before=frozenset(terms(before)),
        names=name_terms([speaker]),
        **more,  # type: ignore[arg-type]
    )


ROOM = [
    said(1, "Alice", "I adopted a cat from the shelter"),
    said(2, "Bob", "My sister adopted a greyhound"),
    said(3, "Alice", "The train to Lisbon was late again"),
    said(4, "Bob", "Blue", before="Which colour is your new bicycle?", cosine=0.4),
    said(5, "Carol", "Base is at 120 64 300"),
]


def ids(question: str, rows: list[Row] = ROOM) -> list[int]:
    return [id for id, _ in ranked(asked(question), rows)]


@pytest.mark.req("S30")
def test_a_memory_that_uses_the_words_of_the_question_is_found():
    assert ids("Was the train to Lisbon late?")[0] == 3


@pytest.mark.req("S30")
def test_coordinates_are_found_by_words():
    assert ids("What is at 120 64 300?") == [5]


@pytest.mark.req("S30")
def test_the_person_a_question_names_decides_between_equal_words():
    assert ids("What did Alice adopt?")[0] == 1
    assert ids("What did Bob adopt?")[0] == 2


@pytest.mark.req("S30")
def test_what_was_said_just_before_helps_to_find_an_answer():
    assert ids("What colour is the bicycle?")[0] == 4


@pytest.mark.req("S30")
def test_a_window_that_may_not_be_heard_does_not_help():
    alone = [said(4, "Bob", "Blue", cosine=0.2), *ROOM[:3]]
    assert 4 not in ids("What colour is the bicycle?", alone)


@pytest.mark.req("S14", "S30")
@pytest.mark.parametrize(
    "question",
    [
        "What is the capital of Mongolia?",
        "Where does Dave live?",
        "Which wine does Zoe drink?",
        "?",
    ],
)
def test_a_question_about_nothing_known_finds_nothing(question: str):
    assert ids(question) == []


@pytest.mark.req("S14", "S30")
def test_a_shared_word_that_nothing_comes_near_in_meaning_is_chance():
    cards = said(6, "Alice", "We play cards", cosine=0.1)
    assert ids("Which instrument does she play?", [cards, *ROOM[:3]]) == []
    near = said(6, "Alice", "We play duets on the flute", cosine=0.4)
    assert ids("Which instrument does she play?", [near, *ROOM[:3]])[0] == 6


@pytest.mark.req("S14", "S30")
def test_every_word_of_the_question_is_enough_also_just_before_the_answer():
    blue = said(4, "Bob", "Blue", before="Which colour is your new bicycle?", cosine=0.0)
    assert ids("What colour is the bicycle?", [blue, *ROOM[:3]]) == [4]


FACTS = [
    said(n, "Alice", text)
    for n, text in enumerate(
        [
            "Plays the cello",
            "Works as a nurse",
            "Favourite food is sushi",
            "I am allergic to peanuts",
            "Prefers tea",
            "Lives with her aunt",
            "Beats everybody at chess",
        ]
    )
]


@pytest.mark.req("S14", "S30")
@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What instrument do I play?", 0),
        ("What is my job?", 1),
        ("What do I like to eat?", 2),
        ("What should we not cook for Alice?", 3),
        ("What does Alice drink?", 4),
        ("Where do I live?", 5),
        ("Which games do I like?", 6),
    ],
)
def test_asking_for_a_kind_of_thing_finds_a_thing_of_that_kind(question: str, answer: int):
    assert answer in ids(question, FACTS)


@pytest.mark.req("S14", "S30")
@pytest.mark.parametrize(
    "question", ["Do I drink beer?", "What car do I drive?", "Which pets do I have?"]
)
def test_a_kind_that_is_not_known_finds_nothing(question: str):
    assert ids(question, FACTS) == []


@pytest.mark.req("S30")
def test_the_word_itself_counts_more_than_its_kind():
    drinks = [said(1, "Alice", "Tea every morning"), said(2, "Alice", "A drink every morning")]
    assert ids("What does Alice drink?", drinks) == [2, 1]


@pytest.mark.req("S14", "S30")
def test_a_long_text_that_happens_to_mention_the_kind_answers_nothing():
    story = (
        "yesterday our noisy neighbours celebrated until midnight, somebody spilled wine, windows"
    )
    long = (
        f"{story} rattled, sirens howled, children cried, nobody slept, everyone complained loudly"
    )
    assert ids("What does Alice drink?", [said(1, "Alice", long)]) == []


@pytest.mark.req("S14")
def test_nothing_stored_finds_nothing():
    assert ids("Who adopted a cat?", []) == []


@pytest.mark.req("S14")
def test_the_first_memory_ever_is_found():
    assert ids("What is Alice looking for?", [said(1, "Alice", "Looking for a new job")]) == [1]


@pytest.mark.req("S14")
def test_asking_nothing_but_a_name_finds_what_is_known_about_that_person():
    assert sorted(ids("What is Alice up to?")) == [1, 3]


@pytest.mark.req("S14")
def test_a_cosine_above_the_threshold_of_the_model_is_enough():
    rows = [said(1, "Alice", "I adore felines", cosine=0.7), ROOM[2]]
    assert ids("Which pets does she fancy?", rows) == [1]


@pytest.mark.req("S14")
def test_what_is_told_beside_the_best_is_nearly_as_relevant():
    (_, best), *others = ranked(asked("Was the train to Lisbon late?"), ROOM)
    assert all(relevance >= best * MIX.beside_best for _, relevance in others)


@pytest.mark.req("S30")
@given(st.permutations(ROOM))
def test_the_order_in_which_rows_arrive_does_not_matter(rows: list[Row]):
    question = asked("What did Alice adopt from the shelter?")
    assert ranked(question, rows) == ranked(question, ROOM)


@pytest.mark.req("S30")
@given(
    st.lists(
        st.builds(
            said,
            st.integers(1, 10**6),
            st.sampled_from(["Ann", "Will", "Bo"]),
            st.text(max_size=60),
            st.text(max_size=60),
            cosine=st.floats(-1, 1),
        ),
        max_size=12,
    ),
    st.text(max_size=80),
)
def test_relevance_is_between_nothing_and_one(rows: list[Row], question: str):
    assert all(0 <= relevance <= 1 for _, relevance in ranked(asked(question), rows))


@pytest.mark.req("S30")
def test_a_rare_word_tells_more_than_a_common_one():
    common = [said(n, "Alice", f"the kettle number {n}") for n in range(10, 60)]
    rows = [*common, said(1, "Alice", "an anvil of iron", cosine=0.4)]
    assert ids("Where are kettle and anvil?", rows)[0] == 1


@pytest.mark.req("S30")
def test_a_word_says_more_about_a_short_text():
    long = " ".join(f"word{n}" for n in range(100))
    rows = [said(1, "Alice", f"anvil {long}"), said(2, "Alice", "anvil of iron")]
    assert ids("anvil", rows) == [2, 1]


@pytest.mark.req("S14")
def test_strong_sure_and_first_hand_memories_weigh_more():
    best = weigh(0.5, strength=1, confidence=1, trust=Trust.SAID)
    assert best == pytest.approx(0.5)
    assert weigh(0.5, strength=0.2, confidence=1, trust=Trust.SAID) < best
    assert weigh(0.5, strength=1, confidence=0.5, trust=Trust.SAID) < best
    assert weigh(0.5, strength=1, confidence=1, trust=Trust.HEARSAY) < best


def voices(*said: tuple[str, int, float]) -> list[Voice[int]]:
    return [Voice(author, memory, relevance) for author, memory, relevance in said]


FLOOD = [("mallory", 1, 0.9), ("mallory", 2, 0.9), ("mallory", 3, 0.8)]


@pytest.mark.req("S14")
def test_one_author_fills_at_most_half_when_others_have_something_to_say():
    ranked = voices(*FLOOD, ("bob", 4, 0.7), ("carol", 5, 0.7))
    assert share_out(ranked, asker="alice", limit=4) == [1, 2, 4, 5]


@pytest.mark.req("S14")
def test_an_author_fills_the_rest_when_nobody_else_has_anything():
    ranked = voices(*FLOOD, ("bob", 4, 0.7))
    assert share_out(ranked, asker="alice", limit=4) == [1, 2, 4, 3]


@pytest.mark.req("S14")
def test_what_hardly_fits_is_nothing_to_say():
    ranked = voices(*FLOOD, ("bob", 4, 0.3))
    assert share_out(ranked, asker="alice", limit=3) == [1, 2, 3]


@pytest.mark.req("S14")
def test_askers_may_fill_their_own_recall():
    ranked = voices(("alice", 1, 0.9), ("alice", 2, 0.9), ("alice", 3, 0.8), ("bob", 4, 0.8))
    assert share_out(ranked, asker="alice", limit=3) == [1, 2, 3]


@pytest.mark.req("S14", "S26")
def test_what_happened_fades_by_half_in_ninety_days_and_what_lasts_does_not():
    then, now = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 4, 1, tzinfo=UTC)
    assert strength(1.0, then, now) == pytest.approx(0.5)
    assert strength(1.0, then, now, fades=False) == 1
    assert strength(1.0, now, then) == 1


@pytest.mark.req("S14", "S28")
def test_of_two_that_contradict_the_better_one_takes_the_better_place():
    def of_one_matter(a: int, b: int) -> bool:
        return a % 10 == b % 10

    assert settle([11, 2, 21, 3], of_one_matter, better=lambda n: n) == [21, 2, 11, 3]


MEMORIES = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9)), max_size=14)
PAIRS = st.sets(st.tuples(st.integers(0, 13), st.integers(0, 13)))


@pytest.mark.req("S14", "S28")
@given(MEMORIES, PAIRS)
def test_after_settling_nothing_stands_below_what_it_contradicts_and_betters(
    memories: list[tuple[int, int]], pairs: set[tuple[int, int]]
):
    numbered = list(enumerate(memories))

    def contradict(one: tuple[int, tuple[int, int]], other: tuple[int, tuple[int, int]]) -> bool:
        return (one[0], other[0]) in pairs

    settled = settle(numbered, contradict, better=lambda one: one[1])
    assert sorted(settled) == numbered
    for low, one in enumerate(settled):
        assert not any(one[1] > other[1] and contradict(one, other) for other in settled[:low])
    assert settle(settled, contradict, better=lambda one: one[1]) == settled


@pytest.mark.req("S14", "S28")
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9)), max_size=14))
def test_settling_moves_only_what_contradicts_and_the_best_of_a_matter_takes_its_best_place(
    memories: list[tuple[int, int]],
):
    settled = settle(memories, lambda a, b: a[0] == b[0] != 0, better=lambda one: one[1])
    assert [one[0] for one in settled] == [one[0] for one in memories]
    for matter in range(6):
        said = [standing for of, standing in memories if of == matter]
        told = [standing for of, standing in settled if of == matter]
        assert told == (sorted(said, reverse=True) if matter else said)
