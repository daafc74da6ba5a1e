"""The lists themselves: every term can be found, every pattern compiles, nothing is listed twice."""

import re

import pytest

from confide.language.lists import OWN
from confide.language.words import Terms, words
from confide.screen.languages import LANGUAGES
from confide.screen.lists import table


def terms_of(name: str) -> list[str]:
    listed = table(name)
    if name == "never_global":
        return [term for terms in listed.values() for term in terms]
    return [term for part in listed.values() for terms in part.values() for term in terms]


def example(term: str) -> str:
    """A text that says the term: the last option of each of its words."""
    said = [step.split("|")[-1].replace("*", "").replace("-", " ") for step in term.split()]
    return " ".join(word for word in said if word != "...")


@pytest.mark.req("S6")
@pytest.mark.parametrize("name", ["never_global", *(f"lexicon_{name}" for name in LANGUAGES)])
def test_every_term_is_found_in_a_text_that_says_it(name: str):
    dead = [
        term for term in terms_of(name) if not any(Terms([(term, "")]).find(words(example(term))))
    ]
    assert dead == []


@pytest.mark.req("A14")
def test_every_secret_format_has_a_fixed_beginning_or_a_length():
    for patterns in table("secret_formats")["formats"].values():
        for pattern in patterns:
            assert re.compile(pattern)
            assert not re.fullmatch(pattern, "")


@pytest.mark.req("S5")
@pytest.mark.parametrize(
    "name",
    [
        "games",
        "mods",
        "modpacks",
        "platforms",
        "programming_languages",
        "skills",
        "regions",
        "spoken_languages",
        "time_zones",
    ],
)
def test_no_value_is_listed_twice(name: str):
    canonical = [line.split(" = ")[0] for line in OWN.lines(name)]
    assert len(canonical) == len(set(canonical))
