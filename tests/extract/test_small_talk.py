"""Nothing is learned from talk that says nothing."""

from pathlib import Path

import pytest
from tests.extract.speech import AGENT, BOB, said

from confide.providers.builtin import BuiltinExtractor

FILE = Path(__file__).parents[2] / "benchmarks" / "extraction" / "small_talk.txt"
LINES = [line for line in FILE.read_text("utf-8").splitlines() if line and line[0] != "#"]


@pytest.mark.req("S13")
def test_no_memory_comes_from_three_hundred_greetings_questions_and_acknowledgements() -> None:
    learned = {
        line: [fact.text for fact in facts]
        for line in LINES
        if (facts := BuiltinExtractor().extract([said("ok", by=BOB, id="m0"), said(line)]))
    }
    assert len(LINES) >= 300
    assert learned == {}


@pytest.mark.req("S13")
def test_small_talk_stays_small_talk_when_it_answers_a_question() -> None:
    question = said("How was your weekend, and what is your time zone?", by=BOB, id="m0")
    learned = [line for line in LINES if BuiltinExtractor().extract([question, said(line)])]
    assert learned == []


@pytest.mark.req("S13", "S11")
def test_what_the_agent_said_is_never_learned() -> None:
    recited = said("Alice lives in Lyon and I love hiking with my sister Anna.", by=AGENT)
    assert BuiltinExtractor().extract([recited]) == []


@pytest.mark.req("S11")
def test_the_agents_question_is_understood_but_not_repeated() -> None:
    question = said("You told me about your divorce. What's your time zone?", by=AGENT, id="m0")
    (fact,) = BuiltinExtractor().extract([question, said("CET")])
    assert fact.attribute == ("time_zone", "CET")
    assert "divorce" not in fact.text + fact.snippet


@pytest.mark.req("A19")
def test_each_fact_carries_the_speaker_who_said_it() -> None:
    talk = [said("I live in Lyon.", id="m1"), said("I live in Oslo.", by=BOB, id="m2")]
    facts = BuiltinExtractor().extract(talk)
    assert [(str(fact.speaker), fact.text) for fact in facts] == [
        ("human:alice", "I live in Lyon."),
        ("human:bob", "I live in Oslo."),
    ]


@pytest.mark.req("S5")
@pytest.mark.parametrize("answer", ["Yep", "idk", "ok", "Sure", "none", "Thanks", "maybe", "no."])
@pytest.mark.parametrize("question", ["What's your favourite game?", "What's your IGN?"])
def test_an_evasive_answer_is_no_value(question: str, answer: str) -> None:
    assert BuiltinExtractor().extract([said(question, by=BOB, id="m0"), said(answer)]) == []
