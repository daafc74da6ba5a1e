"""Whether a line asks or tells, also without a question mark."""

from __future__ import annotations

import pytest

from confide.chat.questions import as_question, asks_why, is_question

ASKING = """
is my brother in Oslo · is Bob late · isn't my brother in Oslo · are we late · was Bob here
were they there · am I late · am I allergic to nuts · do you know Bob · do my parents live here
do cats like me · don't I have a dog · does my sister live in Oslo · did Bob call
did it rain yesterday · can you help · could Alice come · will Bob come · will it rain
Will my sister visit next week · would Bob like tea · should I call her · shall we go
may I ask something · must I go · has my sister called · has Bob arrived yet
have I told you about Bella · have you met Bob · had I mentioned it · who am I · who's visiting
who is visiting · whose dog is it · whom did I meet · which car is mine · what's my name
what music do I like · where do I live · when is my birthday · when does she come
why is Bob sad · how old is Bella · tell me about Bella · show me my projects · show my projects
list my projects · list Bob's projects · describe me · describe Bob · summarize my week
remind me what Bob said · explain the plan · name my pets · find my notes
give me everything you know · let me know who is coming · any news about Bob · catch me up
hey, who is visiting · so what do I like · WHO IS VISITING · My sister is visiting, right?
wer bin ich · was weißt du über mich · You know Bob?! · “Is Bob here?”
"""
TELLING = """
My sister is visiting · Show must go on · Shows start at nine · Scans are due on Friday
Will is my brother · Will Smith is my neighbour · Will loves pizza · Will and I went to Oslo
Will be late tomorrow · Have a nice day · Have fun · Has a dog named Max · Has anxiety
Was in Oslo last week · Would love to come · Should be fine · Might go to Oslo · Must buy milk
May is my favourite month · May 5 is my birthday · When I was young I lived in Oslo
What a nice day · How nice! · Do it now · Do this now · Do not call me after nine
Don't call me after nine · Does not matter · Can't wait for Friday · Tell Bob I said hi
List of my pets: Bella · Name is Bob · Remind me to call mum · Remember that I like tea
I like tea · Doe is my last name · Whatever happens I stay · Wasabi is too hot for me
Isabel is my sister · Dodgeball is on Monday · Hello · Canada is cold · Am tired
Whoever visits gets cake · Let me think · Had a great day · So I moved to Oslo
The doctor is in Oslo · Anything goes
"""


def lines(written: str) -> list[str]:
    return [line.strip() for line in written.strip().replace("\n", " · ").split(" · ")]


@pytest.mark.parametrize("line", lines(ASKING))
def test_a_line_that_asks_is_a_question_with_or_without_its_mark(line: str) -> None:
    assert is_question(line)
    assert is_question(as_question(line))


@pytest.mark.parametrize("line", lines(TELLING))
def test_a_line_that_tells_is_no_question_whatever_it_begins_with(line: str) -> None:
    assert not is_question(line)


def test_a_question_gets_its_mark_once() -> None:
    assert as_question("is my brother in Oslo.") == "is my brother in Oslo?"
    assert as_question("is he? I wonder") == "is he? I wonder"


@pytest.mark.parametrize(
    "line",
    ["why did you say that?", "Why do you say that", "how do you know that?", "How do you know",
     "And why did you say that?", "why?", "where did you hear that?", "What makes you think so?",
     "Why don’t you know that?"],
)  # fmt: skip
def test_the_reason_of_the_last_answer_is_asked_for_in_plain_words(line: str) -> None:
    assert asks_why(line)


@pytest.mark.parametrize(
    "line",
    ["why is Bob sad?", "how do you know Bob?", "why did you call?", "who told you about Bob?",
     "I know why", "how?"],
)  # fmt: skip
def test_another_question_does_not_ask_for_that_reason(line: str) -> None:
    assert not asks_why(line)
