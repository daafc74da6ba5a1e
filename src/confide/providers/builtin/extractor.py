"""The built-in extractor: messages in, facts out. No model, no clock, no network, no surprises.

Split into sentences → leave out small talk → join what belongs together → weigh → write as facts.
A fact keeps the speaker's words; who spoke stands beside it, so "I" is never turned into the wrong name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from confide.model import Fact, Message
from confide.providers.builtin.attributes import attributes_answered, attributes_said
from confide.providers.builtin.lexicon import read
from confide.providers.builtin.remember_requests import requested
from confide.providers.builtin.sentences import Sentence, split
from confide.providers.builtin.smalltalk import is_memorable
from confide.providers.builtin.statements import Statement, statements
from confide.providers.builtin.worth import cues, together, worth
from confide.providers.builtin.write import attribute_fact, statement_fact

#: Facts of one message; a message that holds more is an article, not something said.
MOST_PER_MESSAGE: Final = 6
#: How many messages back a question can be and still be the one that is answered.
REACH_OF_A_QUESTION: Final = 2


class BuiltinExtractor:
    """Finds what people said that is worth keeping. Made for English."""

    version: str = "builtin-1"

    def extract(self, messages: Sequence[Message]) -> list[Fact]:
        """Facts from people's turns; agents' turns are read only as the questions they ask."""
        speakers = frozenset(message.speaker.id.lower() for message in messages)
        facts: list[Fact] = []
        for position, message in enumerate(messages):
            if message.is_from_agent:
                continue
            before = messages[max(0, position - REACH_OF_A_QUESTION) : position]
            facts += _facts(message, _question(message, before), speakers - {message.speaker.id.lower()})
        return facts


def _question(message: Message, before: Sequence[Message]) -> str:
    """The question that the message may answer; only one put by somebody else."""
    for earlier in reversed(before):
        if earlier.speaker == message.speaker:
            break
        asked = [one.text for one in split(earlier.text) if one.is_question]
        if asked:
            return asked[-1]
    return ""


def _facts(message: Message, question: str, listeners: frozenset[str]) -> list[Fact]:
    sentences = split(message.text)
    facts = list(_attribute_facts(message, sentences, question))
    said = frozenset((fact.snippet) for fact in facts)
    for statement in _chosen(message, sentences, question, listeners):
        if len(facts) == MOST_PER_MESSAGE:
            break
        fact = statement_fact(message, statement, listeners)
        if fact.snippet not in said:
            facts.append(fact)
    return facts


def _attribute_facts(message: Message, sentences: list[Sentence], question: str) -> Iterator[Fact]:
    for sentence in sentences:
        if not sentence.is_question:
            for attribute in attributes_said(sentence.text):
                yield attribute_fact(message, sentence, attribute, confidence=1.0)
    if question and sentences:
        for attribute in attributes_answered(question, sentences[0].text):
            yield attribute_fact(message, sentences[0], attribute, confidence=0.8)


def _chosen(
    message: Message, sentences: list[Sentence], question: str, listeners: frozenset[str]
) -> list[Statement]:
    """The statements to keep: those said outright, and all others if the message is worth it."""
    memorable = [one for one in sentences if is_memorable(one, listeners)]
    if not memorable:
        return []
    found = statements(message.text, sentences, memorable)
    outright = [one for one in found if one.is_outright]
    total = together(cues(sentence, listeners) for sentence in memorable)
    total["answers_a_question"] = int(bool(question))
    total["asks"] = int(any(one.is_question for one in sentences))
    if requested(message.text):
        return found
    if worth(total, sum(len(one.text) for one in memorable)) >= read("weights")["enough"]:
        return found
    return outright
