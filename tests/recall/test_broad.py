"""Broad questions become several searches; particular ones do not."""

import pytest

from confide.model import Kind
from confide.recall.broad import expand, take_turns

pytestmark = pytest.mark.req("S31")


def kinds(question: str) -> set[Kind]:
    return {kind for search in expand(question) for kind in search.kinds}


@pytest.mark.parametrize(
    "question",
    [
        "Who am I?",
        "What do you know about me?",
        "Tell me everything you know about me!",
        "wer bin ich",
        "Was weißt du über mich?",
        "Qui suis-je ?",
        "¿Quién soy yo?",
        "Quem sou eu?",
        "So, who am I?",
        "Do you know who I am?",
    ],
)
def test_asking_who_one_is_searches_every_kind_about_the_asker(question: str):
    assert kinds(question) == set(Kind)
    assert all(not search.about for search in expand(question))


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("What are my projects?", Kind.TASK),
        ("What am I working on?", Kind.CONTEXT),
        ("what do I have to do", Kind.TASK),
        ("What am I working on right now?", Kind.TASK),
        ("Hey, what are my projects at the moment?", Kind.TASK),
        ("What have I been up to lately?", Kind.CONTEXT),
        ("What's on my plate today?", Kind.TASK),
        ("Remind me what my goals are", Kind.TASK),
        ("what do I do?", Kind.IDENTITY),
        ("What do I do for a living?", Kind.IDENTITY),
        ("What did I do today?", Kind.EVENT),
        ("Who is in my family?", Kind.RELATIONSHIP),
        ("Was sind meine Projekte?", Kind.TASK),
        ("What do I like?", Kind.PREFERENCE),
        ("What are my hobbies?", Kind.PREFERENCE),
        ("How should you answer me?", Kind.PREFERENCE),
        ("Who are my friends?", Kind.RELATIONSHIP),
        ("Tell me about my family", Kind.RELATIONSHIP),
        ("What's new?", Kind.EVENT),
        ("What did we talk about last time?", Kind.EVENT),
    ],
)
def test_asking_for_a_sort_of_thing_searches_its_kinds(question: str, kind: Kind):
    assert kind in kinds(question)
    assert len(kinds(question)) < len(Kind)


@pytest.mark.parametrize(
    "question",
    [
        "Who is Bob?",
        "Tell me about Bob",
        "What do you know about Bob?",
        "Wer ist Bob?",
        "Can you tell me about Bob?",
    ],
)
def test_asking_about_somebody_searches_every_kind_about_them(question: str):
    assert kinds(question) == set(Kind)
    assert {search.about for search in expand(question)} == {frozenset({"bob"})}


@pytest.mark.parametrize(
    "question",
    [
        "Who is my dentist?",
        "Who is the plaintiff in the lawsuit?",
        "Where did I park the car?",
        "What are my sister's projects in Lisbon?",
        "When is Bob's birthday?",
        "What do I do when the server crashes?",
        "What did I do with the keys?",
        "What am I allergic to?",
        "What should I do now?",
        "What do I need to buy today?",
        "What are my projects in Lisbon now?",
        "What is happening in Oslo?",
        "",
        "?!",
    ],
)
def test_a_particular_question_stays_one_search(question: str):
    assert expand(question) == ()


def test_searches_take_turns_and_nothing_comes_twice():
    assert take_turns([[1, 2, 3], [4], [1, 5]]) == [1, 4, 2, 5, 3]


def test_searches_that_find_nothing_are_no_problem():
    assert take_turns([[], []]) == []
    assert take_turns([]) == []
