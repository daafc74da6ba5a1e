"""Huge, binary and odd text costs little and breaks nothing."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.chance import chance
from tests.extract.speech import ALICE, BOB, WEDNESDAY, said
from tests.pace import seconds_of_an_idle_core

from confide.model import MAX_TEXT_BYTES
from confide.providers.builtin import BuiltinExtractor, infer_kind, requested, resolve_date

RANDOM = chance(7)
HUGE = {
    "one long word": "a" * MAX_TEXT_BYTES,
    "spaces": " " * MAX_TEXT_BYTES,
    "dots": "." * MAX_TEXT_BYTES,
    "quotes": '"' * MAX_TEXT_BYTES,
    "back-ticks": "`" * MAX_TEXT_BYTES,
    "brackets": "<@[{(" * (MAX_TEXT_BYTES // 5),
    "new lines": "\n" * MAX_TEXT_BYTES,
    "I am": "I am a " * (MAX_TEXT_BYTES // 7),
    "my my": "my " * (MAX_TEXT_BYTES // 3),
    "and that": "remember that a and that " * (MAX_TEXT_BYTES // 25),
    "last last": "last " * (MAX_TEXT_BYTES // 5),
    "openers": "yeah, so, well, " * (MAX_TEXT_BYTES // 16),
    "it is": "it is so really very " * (MAX_TEXT_BYTES // 21),
    "sentences": "I moved to Lyon last week. " * (MAX_TEXT_BYTES // 27),
    "remember spaces": "remember " + "hey, " * (MAX_TEXT_BYTES // 6),
    "prefer": "i prefer " * (MAX_TEXT_BYTES // 9),
    "names": "Anna Bob " * (MAX_TEXT_BYTES // 9),
    "urls": "https://" * (MAX_TEXT_BYTES // 8),
    "underscores": "my ign is " + "_" * (MAX_TEXT_BYTES - 10),
    "binary": "".join(chr(RANDOM.randrange(1, 256)) for _ in range(MAX_TEXT_BYTES)),
    "odd Unicode": "".join(
        chr(RANDOM.randrange(0x300, 0xD7FF)) for _ in range(MAX_TEXT_BYTES // 3)
    ),
    "emoji": "👩‍👩‍👧‍👦" * (MAX_TEXT_BYTES // 25),
    "right to left": "\u202eI live in Lyon\u202c " * (MAX_TEXT_BYTES // 24),
}


@pytest.mark.req("S13", "B10")
@pytest.mark.drawn
@pytest.mark.parametrize("name", HUGE)
def test_a_message_of_the_largest_size_takes_less_than_a_second(name: str) -> None:
    text = HUGE[name]

    def read() -> None:
        BuiltinExtractor().extract([said("What is your name?", by=BOB, id="m0"), said(text)])
        requested(text)
        resolve_date(text, WEDNESDAY)
        infer_kind(text)

    assert seconds_of_an_idle_core(read) < 1.0


@pytest.mark.req("S13")
def test_an_article_does_not_become_a_hundred_memories() -> None:
    assert len(BuiltinExtractor().extract([said(HUGE["sentences"])])) <= 6


@pytest.mark.req("S13")
@settings(deadline=None)
@given(st.lists(st.text(max_size=300), max_size=4))
def test_any_text_gives_facts_whose_snippets_are_in_it(texts: list[str]) -> None:
    talk = [said(text, id=str(at)) for at, text in enumerate(texts)]
    for fact in BuiltinExtractor().extract(talk):
        assert fact.snippet in texts[int(fact.message_id)]
        assert fact.text
        assert 0.5 <= fact.confidence <= 1.0


@pytest.mark.req("S13")
@settings(deadline=None)
@given(st.lists(st.sampled_from(
    ["I live in", "my sister", "Anna", "last Tuesday", ".", "!", "?", "\n", "it", "and", "remember that",
     "my ign is", "Zyx_99", "we decided", "@bob", "İstanbul", "ﬁne", "’", "\u00a0", "```", ">", "if"]
), max_size=30))  # fmt: skip
def test_any_mix_of_known_words_gives_well_formed_facts(words: list[str]) -> None:
    text = " ".join(words)
    for fact in BuiltinExtractor().extract([said(text)]):
        assert fact.snippet in text
        assert fact.sensitivity is None


@pytest.mark.req("S13")
def test_the_same_messages_always_give_the_same_facts() -> None:
    talk = [said("I moved to Lyon last week with my sister Anna. She loves the river.")]
    assert BuiltinExtractor().extract(talk) == BuiltinExtractor().extract(talk)


@pytest.mark.req("S5", "S7")
def test_only_an_attribute_said_outright_is_proposed_for_everywhere() -> None:
    talk = [
        said("my ign is Zyx_99 and honestly I'm so stressed about my exam next week, I can't sleep")
    ]
    facts = BuiltinExtractor().extract(talk)
    safe = [fact.attribute for fact in facts if fact.is_global_safe]
    assert safe == [("in_game_name", "Zyx_99")]
    assert any("stressed" in fact.text and not fact.is_global_safe for fact in facts)


@pytest.mark.req("S13")
@settings(deadline=None)
@given(st.lists(st.sampled_from(
    ["I moved to Lyon last week.", "Who is Anna?", "She loves the river.", "My ign is Zyx_99", "ok",
     "It takes two hours by train.", "We decided to meet on Friday, because of the rain."]
), max_size=8), st.sets(st.integers(0, 7)))  # fmt: skip
def test_whoever_wants_some_messages_gets_what_all_would_have_given_of_them(
    texts: list[str], wanted: set[int]
) -> None:
    """The others are read only to understand these."""
    talk = [said(text, by=(ALICE, BOB)[at % 3 == 1], id=str(at)) for at, text in enumerate(texts)]
    ids = {str(one) for one in wanted}
    every = BuiltinExtractor().extract(talk)
    some = BuiltinExtractor().attending(ALICE, ids).extract(talk)
    assert some == [fact for fact in every if fact.message_id in ids]
