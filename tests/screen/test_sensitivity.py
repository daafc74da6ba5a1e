import pytest
from benchmarks.screening.datasets import LANGUAGES, pairs
from benchmarks.screening.measures import sensitivity

from confide.model import Sensitivity
from confide.screen import Screen
from confide.screen.lists import table
from confide.screen.sensitivity import HARMLESS, PASTIME, PERSON, STRONG, WEAK

pytestmark = pytest.mark.req("A7")


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("Prefers dark mode", "public"),
        ("Works as a nurse", "public"),
        ("Has a dog named Max", "public"),
        ("Looking for a new job", "personal"),
        ("Has anxiety", "sensitive"),
        ("Salary is $150k", "sensitive"),
        ("Is pregnant, due August", "sensitive"),
        ("my health is bad", "sensitive"),
        ("my health bar is low", "public"),
        ("I was fired", "personal"),
        ("I fired the furnace", "public"),
    ],
)
def test_the_examples_of_the_requirement(whole_screen: Screen, text: str, level: str):
    assert whole_screen.look(text).sensitivity == level


@pytest.mark.parametrize("given", Sensitivity)
@pytest.mark.parametrize("text", ["Prefers dark mode", "Looking for a new job", "Has anxiety"])
def test_what_is_given_is_raised_and_never_lowered(screen: Screen, text: str, given: Sensitivity):
    found = screen.look(text).sensitivity
    assert screen.look(text, given=given).sensitivity.rank == max(found.rank, given.rank)


def test_six_hundred_sentences_and_more_stand_in_pairs():
    for held_out in (False, True):
        listed = pairs(held_out=held_out)
        assert len(listed) >= 150
        assert {pair.language for pair in listed} == set(LANGUAGES)


def test_no_held_out_sentence_was_used_for_tuning():
    tuning = {pair.sensitive for pair in pairs(held_out=False)}
    assert tuning.isdisjoint(pair.sensitive for pair in pairs(held_out=True))


def test_held_out_sensitive_sentences_are_found_and_their_harmless_twins_are_not(
    whole_screen: Screen,
):
    rows = {row[:2]: row[3:] for row in sensitivity(whole_screen)}
    found, alarms = (float(cell.removesuffix(" %")) for cell in rows["held out", "all"])
    assert found >= 85
    assert alarms <= 15


def test_a_reason_names_the_term_of_the_list_and_its_topic(screen: Screen):
    seen = screen.look("I was fired")
    assert seen.sensitive[0].kind == "work"
    assert seen.sensitive[0].reason.startswith("work: “")


def test_words_of_one_language_are_not_looked_for_in_another(screen: Screen):
    # "ist" is a French word for a disease, "cut" a Brazilian union.
    assert screen.look("Das Haus ist schön und der Garten ist groß").sensitivity == "public"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_topic_of_the_lexicon_has_a_level_and_every_language_all_parts(language: str):
    lexicon = table(f"lexicon_{language}")
    assert set(lexicon) == {STRONG, WEAK, HARMLESS, PASTIME, PERSON}
    assert set(lexicon[STRONG]) | set(lexicon[WEAK]) <= set(table("sensitivity_kinds"))
    assert set(lexicon[STRONG]) == set(table("lexicon_en")[STRONG])


def test_one_look_and_a_batch_agree(whole_screen: Screen):
    texts = [pair.sensitive for pair in pairs(held_out=False)[:40]] + ["", "   "]
    assert whole_screen.look_all(texts) == [whole_screen.look(text) for text in texts]
