"""A4: being asked to remember."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confide.providers.builtin import Request, requested

DAY = timedelta(days=1)
ASKED = {
    "remember that I live in Lyon": [Request("I live in Lyon")],
    "Remember: the door code changes on Monday": [Request("the door code changes on Monday")],
    "please remember that I'm allergic to nuts.": [Request("I'm allergic to nuts.")],
    "Hey, can you remember that my sister is called Anna?": [Request("my sister is called Anna")],
    "remember for two weeks that I'm on holiday": [Request("I'm on holiday", 14 * DAY)],
    "remember for 3 days that the lift is broken": [Request("the lift is broken", 3 * DAY)],
    "Remember for the next hour that I'm in a call": [Request("I'm in a call", DAY / 24)],
    "remember for today that I work from home": [Request("I work from home", DAY)],
    "remember that I like tea and that I hate coffee": [
        Request("I like tea"),
        Request("I hate coffee"),
    ],
    "remember for a week that A is out, that B covers for A and that C is new": [
        Request("A is out", 7 * DAY),
        Request("B covers for A", 7 * DAY),
        Request("C is new", 7 * DAY),
    ],
    "remember:\n- my cat is Miso\n- my dog is Rex": [
        Request("my cat is Miso"),
        Request("my dog is Rex"),
    ],
    "remember just for me that I am looking for a new job": [
        Request("I am looking for a new job", is_private=True)
    ],
    "remember that I owe Tom 20 euros, but keep it between us": [
        Request("I owe Tom 20 euros", is_private=True)
    ],
    "remember everywhere that my ign is Zyx_99": [Request("my ign is Zyx_99", is_everywhere=True)],
    "remember that my ign is Zyx_99 everywhere": [Request("my ign is Zyx_99", is_everywhere=True)],
    "remember privately and everywhere that I sing": [Request("I sing", is_private=True)],
    "Don't forget that the demo is on Friday": [Request("the demo is on Friday")],
    "keep in mind that I use metric units": [Request("I use metric units")],
    "remember that I was in Rome for two weeks": [Request("I was in Rome for two weeks")],
    "remember to always answer in French": [Request("always answer in French")],
    "Remember I prefer dark mode": [Request("I prefer dark mode")],
    "@confide remember that standup is at nine": [Request("standup is at nine")],
}
NOT_ASKED = [
    "",
    "I remember that day",
    "Do you remember that I live in Lyon?",
    "remember when we went to Rome?",
    "Remember me?",
    "remember how we laughed",
    "I can't remember that",
    "remember",
    "remember.",
    "What do you remember about me?",
    "She asked me to remember that",
    "I live in Lyon",
]


@pytest.mark.req("A4")
@pytest.mark.parametrize(("text", "requests"), ASKED.items())
def test_a_request_says_what_how_long_and_for_whom(text: str, requests: list[Request]) -> None:
    assert requested(text) == requests


@pytest.mark.req("A4")
@pytest.mark.parametrize("text", NOT_ASKED)
def test_talk_about_memories_is_no_request(text: str) -> None:
    assert requested(text) == []


@pytest.mark.req("A4")
@given(st.text(max_size=200))
def test_no_text_breaks_it(text: str) -> None:
    requested(text)
    for request in requested(f"remember that {text}"):
        assert request.text in f"remember that {text}" or " " in request.text
