import pytest

from confide.language.words import Terms, fold, plain, words
from confide.screen.languages import spoken


def found(term: str, text: str) -> bool:
    return any(Terms([(term, "")]).find(words(text)))


@pytest.mark.req("S6")
def test_a_word_inside_another_word_is_not_that_word():
    assert not found("ban", "UrbanKnight plays the banjo")
    assert found("ban", "they want to ban me")


def test_case_accents_and_typographic_apostrophes_do_not_matter():
    assert found("depresion", "Tengo DEPRESIÓN")
    assert found("don't tell", "Don’t tell them")
    assert fold("Straße") == "strasse"
    assert fold("cœur") == "coeur"


def test_invisible_characters_do_not_hide_a_word():
    assert found("banned", plain("ban\u200bned"))
    assert found("banned", plain("ｂａｎｎｅｄ"))


def test_a_star_stands_for_any_ending_and_a_bar_for_either_word():
    assert found("depress*", "so depressing")
    assert found("lost|lose job", "I lose my job")


def test_light_words_may_stand_inside_a_term_and_others_may_not():
    assert found("lost job", "I lost my old job")
    assert not found("lost job", "I lost weight on the job")


def test_a_gap_spans_at_most_three_words():
    assert found("laid ... off", "they laid half of us off")
    assert not found("laid ... off", "they laid one two three four off")


def test_french_elisions_are_two_words_and_english_contractions_one():
    assert [word.folded for word in words("J'ai peur d'angoisse")] == [
        "j'",
        "ai",
        "peur",
        "d'",
        "angoisse",
    ]
    assert [word.folded for word in words("I don't")] == ["i", "don't"]


def test_spans_point_into_the_text():
    text = "Ich bin müde"
    assert [text[word.start : word.end] for word in words(text)] == ["Ich", "bin", "müde"]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("das ist mein Haus und ich bin hier", "de"),
        ("this is my house and I am here", "en"),
        ("c'est ma maison et je suis ici", "fr"),
        ("esta es mi casa y yo estoy con ellos", "es"),
        ("esta é a minha casa e eu não estou", "pt"),
    ],
)
def test_small_words_tell_the_language(text: str, language: str):
    assert language in spoken(words(text))


def test_a_text_without_small_words_may_be_in_any_language():
    assert len(spoken(words("Burnout"))) == 5
