"""Text becomes terms the same way for what is stored and what is asked."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confide.store.terms import MAX_ASKED, asked, name_terms, term_key, terms, words

pytestmark = pytest.mark.req("S30")


def test_forms_of_a_word_are_found_under_one_term():
    assert set(terms("hike hiked hiking hikes")) == {"hike"}


def test_irregular_forms_are_found_under_their_word():
    assert terms("She bought children shoes") == terms("buy child shoe")


def test_stop_words_are_not_indexed():
    assert terms("What did you say that it was?") == terms("say")


def test_case_accents_and_curly_apostrophes_do_not_matter():
    assert terms("José’s CAFÉ") == terms("jose cafe")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Caroline's dog", ["caroline", "dog"]),
        ("we don't know", ["we", "do", "know"]),
        ("l'eau d'accord", ["eau", "accord"]),
        ("C++ or C#", ["c++", "or", "c#"]),
        ("base at -120 64 300, run /home", ["base", "at", "120", "64", "300", "run", "home"]),
        ("snake_case v3.11", ["snake", "case", "v3", "11"]),
        ("Straße", ["strasse"]),
        ("नमस्ते दुनिया", ["नमस्ते", "दुनिया"]),
        ("火锅", ["火锅"]),
        ("吃火锅", ["吃火", "火锅"]),
        ("用Python写", ["用", "python", "写"]),
    ],
)
def test_words_are_found_in_many_kinds_of_text(text: str, found: list[str]):
    assert words(text) == found


def test_a_german_question_loses_german_stop_words_only_there():
    assert asked("Wo wohnt die Schwester von Ana?").terms == ("wohnt", "schwester", "ana")
    assert "die" in asked("When did the roses die?").terms


@pytest.mark.parametrize(
    ("question", "telling"),
    [
        ("Où habite ma sœur?", "habit"),
        ("¿Dónde vive mi hermana?", "hermana"),
        ("Onde mora a minha irmã?", "irma"),
    ],
)
def test_questions_in_other_languages_keep_their_telling_words(question: str, telling: str):
    assert telling in asked(question).terms
    assert asked(question).is_about_asker


def test_a_stop_word_written_like_a_name_may_be_one():
    assert "will" in asked("When did Will arrive?").names
    assert "will" not in asked("When will Ann arrive?").names
    assert name_terms(["Will Smith"]) == {"will", "smith"}


def test_askers_mean_themselves_by_i_and_my():
    assert asked("Where do I live?").is_about_asker
    assert not asked("Where does Ann live?").is_about_asker


def test_a_pasted_text_is_asked_by_its_first_words():
    assert len(asked(" ".join(f"word{i}" for i in range(500))).terms) == MAX_ASKED


def test_a_term_has_the_same_key_everywhere():
    assert term_key("pizza") == 963902362


@given(st.text(max_size=200))
def test_any_text_gives_terms_and_always_the_same(text: str):
    assert terms(text) == terms(text)
    assert all(term and not term.isspace() for term in terms(text))
    assert set(asked(text).terms) <= name_terms([text])


@given(st.text(max_size=200))
def test_every_term_key_is_a_dimension_of_a_sparse_vector(text: str):
    assert 1 <= term_key(text.replace("\ud800", "")) <= 10**9
