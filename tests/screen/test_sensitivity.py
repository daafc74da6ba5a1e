import pytest
from benchmarks.screening.datasets import LANGUAGES, pairs, statements
from benchmarks.screening.measures import above_public, judged, sensitivity

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
def test_the_examples_of_the_requirement(screen: Screen, text: str, level: str):
    assert screen.look(text).sensitivity == level


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
    screen: Screen,
):
    rows = {row[:2]: row[3:] for row in sensitivity(screen)}
    found, alarms = (float(cell.removesuffix(" %")) for cell in rows["held out", "all"])
    assert found >= 85
    assert alarms <= 15


def test_statements_that_no_weight_ever_saw_are_judged_as_a_person_judged_them(screen: Screen):
    above = {level: share for level, _, share, _ in judged(screen)}
    assert above["personal or sensitive"] >= 65
    assert above["sensitive"] >= 78
    assert above["public"] <= 10


def test_more_caution_takes_more_for_private_and_never_less():
    texts = [text for _, text in statements()]
    low, usual, high = (Screen(caution).look_all(texts) for caution in ("low", "usual", "high"))
    for one, other in ((low, usual), (usual, high)):
        for less, more in zip(one, other, strict=True):
            assert more.sensitivity.rank >= less.sensitivity.rank
        assert sum(map(above_public, one)) < sum(map(above_public, other))


@pytest.mark.parametrize("around", ["{} " + "The train was late again. " * 20, "ok\n{}\nsee you"])
@pytest.mark.parametrize("private", ["I was diagnosed with cancer.", "I was fired."])
def test_harmless_sentences_around_a_private_one_do_not_hide_it(
    screen: Screen, around: str, private: str
):
    assert above_public(screen.look(around.format(private)))


@pytest.mark.parametrize("age", range(4, 18))
@pytest.mark.parametrize(
    "said",
    ["im {}", "I'm {} and bored", "he is {}, almost", "my brother turned {} years old",
     "ich bin {} jahre alt", "j'ai {} ans", "tengo {} años", "tenho {} anos", "{} yo here"],
)  # fmt: skip
def test_a_stated_age_under_eighteen_is_at_least_personal(screen: Screen, said: str, age: int):
    assert above_public(screen.look(said.format(age)))


@pytest.mark.parametrize("number", range(4, 18))
@pytest.mark.parametrize(
    "said", ["I'm {} minutes away", "I'm {}.5 km in", "I'm {}% done", "we support {} languages"]
)
def test_other_small_numbers_are_no_ages(screen: Screen, said: str, number: int):
    seen = screen.look(said.format(number))
    assert not any(finding.kind == "minors" for finding in seen.sensitive)


@pytest.mark.parametrize("said", ["I'm ill", "she is really ill", "He's been ill since Friday",
    "I feel ill today", "mum fell ill", "ill again", "they are all ill at home"])  # fmt: skip
def test_whoever_is_ill_is_rated_so(screen: Screen, said: str):
    assert above_public(screen.look(said))


@pytest.mark.parametrize("said", ["ill {}", "Ill {} tomorrow", "ok ill {} then"])
@pytest.mark.parametrize("does", ["send it", "check", "bring snacks", "call you", "be there"])
def test_ill_without_its_apostrophe_is_no_illness(screen: Screen, said: str, does: str):
    assert not above_public(screen.look(said.format(does)))


def test_a_sentence_without_a_listed_term_says_which_word_weighs_most(screen: Screen):
    (found,) = screen.look("He weeps every night").sensitive
    assert found.reason.startswith("close in meaning")
    assert "“weeps”" in found.reason


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


def test_one_look_and_a_batch_agree(screen: Screen):
    texts = [pair.sensitive for pair in pairs(held_out=False)[:40]] + ["", "   "]
    assert screen.look_all(texts) == [screen.look(text) for text in texts]
