"""The built-in extractor: messages in, facts out. No model, no clock, no network, no surprises.

Split into sentences → leave out small talk → join what belongs together → weigh → write as facts.
A fact keeps the speaker's words; who spoke stands beside it, so "I" is never turned into the wrong name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from confide.model import Entity, Fact, Message
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
        speakers = {message.speaker: _called(message.speaker) for message in messages}
        facts: list[Fact] = []
        for position, message in enumerate(messages):
            if message.is_from_agent:
                continue
            before = messages[max(0, position - REACH_OF_A_QUESTION) : position]
            listeners = frozenset().union(
                *(names for one, names in speakers.items() if one != message.speaker)
            )
            facts += _facts(message, _question(message, before), listeners)
        return facts


def _called(speaker: Entity) -> frozenset[str]:
    """Names by which others may address somebody: "Mel" for melanie."""
    name = speaker.id.lower()
    return frozenset({name, *(name[:length] for length in range(3, 6) if name.isalpha())})


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
    """The statements to keep: those said outright, and the better ones of a message worth it."""
    memorable = [one for one in sentences if is_memorable(one, listeners)]
    if not memorable:
        return []
    found = statements(sentences, memorable)
    if requested(message.text):
        return found
    total = together(cues(one, listeners) for one in memorable)
    total["answers_a_question"] = int(bool(question))
    weights = read("weights")
    if worth(total, sum(len(one.text) for one in memorable)) < weights["enough"]:
        return [one for one in found if one.is_outright and not one.is_leaning]
    by_itself = {one: _own_worth(one, listeners) for one in found}
    best = max(found, key=lambda one: (not one.is_leaning, by_itself[one]))
    return [one for one in found if by_itself[one] >= _needed(one, is_best=one is best)]


def _own_worth(statement: Statement, listeners: frozenset[str]) -> float:
    own = together(cues(one, listeners) for one in statement.sentences)
    return worth(own, statement.end - statement.start)


def _needed(statement: Statement, *, is_best: bool) -> float:
    weights = read("weights")
    if statement.is_leaning:
        return weights["enough_leaning"]
    if statement.is_outright:
        return weights["enough_outright"]
    if not statement.is_related:
        return weights["enough_unrelated"]
    return weights["enough_as_best" if is_best else "enough_beside"]
