"""The built-in extractor: messages in, facts out. No model, no clock, no network, no surprises.

Split into sentences → leave out small talk → join what belongs together → weigh → write as facts.
A fact keeps the speaker's words; who spoke stands beside it, so "I" is never turned into the wrong name.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from typing import Final

from confide.language.attributes import stated_by_speaker
from confide.model import Entity, Fact, Message, PlaceKind
from confide.providers.builtin.answers import Lent, lent_by
from confide.providers.builtin.as_said import told_in_own_words
from confide.providers.builtin.attributes import attribute_listed, attributes_answered
from confide.providers.builtin.earlier import begins_anew, lent_by_self, names_its_topic
from confide.providers.builtin.lexicon import read
from confide.providers.builtin.sentences import Sentence, as_written, split
from confide.providers.builtin.smalltalk import is_memorable, trimmed, without_jokes
from confide.providers.builtin.statements import (
    Statement,
    Wanted,
    leans_on_a_pronoun,
    statements,
)
from confide.providers.builtin.worth import cues, together, worth
from confide.providers.builtin.write import CLEAR, SAID_OUTRIGHT, attribute_fact, statement_fact

#: Facts of one message; a message that holds more is an article, not something said.
MOST_PER_MESSAGE: Final = 6
#: How many messages back a question can be and still be the one that is answered.
REACH_OF_A_QUESTION: Final = 2
#: How many sentences into a message it still answers the one before.
REACH_OF_AN_ANSWER: Final = 3
#: A question that old was asked in another sitting.
LENDS_FOR: Final = timedelta(minutes=30)
#: Where two people's words may be told together. What is said in a restricted place only its
#: speaker may ask for, so that nobody could ask for what two said.
_SHARED: Final = frozenset(
    {PlaceKind.GROUP, PlaceKind.CONTEXT, PlaceKind.PUBLIC, PlaceKind.ANNOUNCEMENT}
)
NEVER: Final = float("inf")
#: How many messages back somebody's own words still say what they go on about.
REACH_OF_A_TOPIC: Final = 4
#: Beyond this a sentence that states an attribute states something else too.
LONGEST_BARE_ATTRIBUTE: Final = 60


@dataclass(frozen=True, slots=True)
class _Turn:
    message: Message
    sentences: list[Sentence]


@dataclass(frozen=True, slots=True)
class _Weighed:
    """A statement with what it is worth by itself, and in its message."""

    statement: Statement
    points: float
    is_best: bool
    is_worth_it: bool  # the whole message


#: What each message says best about its topic, looked for once.
_Topics = dict[tuple[str, Wanted], Lent | None]


@dataclass(frozen=True, slots=True)
class _Heard:
    """What was said just before: a question, words that an answer may need, and the speaker's own."""

    question: str = ""
    is_asked: bool = False  # by the very last message
    lent: Lent | None = None
    own: Callable[[Wanted], Lent | None] = lambda _wanted: None


@dataclass(frozen=True)
class BuiltinExtractor:
    """Finds what people said that is worth keeping. Made for English."""

    wanted: Collection[str] | None = None  # of these messages only; the others help to understand
    version: str = "builtin-5"

    def attending(self, speaker: Entity, wanted: Collection[str]) -> BuiltinExtractor:
        """Whose session it is makes no difference to it."""
        return replace(self, wanted=wanted)

    def extract(self, messages: Sequence[Message]) -> list[Fact]:
        """Facts from people's turns; agents' turns are read only as the questions they ask."""
        names = {message.speaker: _called(message.speaker) for message in messages}
        turns = [_Turn(message, split(message.text)) for message in messages]
        topics: _Topics = {}
        facts: list[Fact] = []
        for position, turn in enumerate(turns):
            if not turn.message.is_from_agent and self._wants(turn.message):
                before = turns[max(0, position - REACH_OF_A_QUESTION) : position]
                listeners = frozenset[str]().union(
                    *(called for one, called in names.items() if one != turn.message.speaker)
                )
                earlier = turns[max(0, position - REACH_OF_A_TOPIC) : position]
                own = partial(_own_topic, turn.message, earlier, listeners, topics)
                heard = replace(_heard(turn.message, before, names), own=own)
                said = without_jokes([trimmed(one, listeners) for one in turn.sentences])
                turn = _Turn(turn.message, said)
                facts += _facts(turn, heard, listeners)
        return facts

    def _wants(self, message: Message) -> bool:
        return self.wanted is None or message.id in self.wanted


def _called(speaker: Entity) -> frozenset[str]:
    """Names by which others may address somebody: "Mel" for melanie."""
    name = speaker.id.lower()
    return frozenset({name, *(name[:length] for length in range(3, 6) if name.isalpha())})


def _heard(
    message: Message, before: Sequence[_Turn], names: Mapping[Entity, frozenset[str]]
) -> _Heard:
    """The question that the message may answer; only one put by somebody else."""
    question = ""
    for earlier in reversed(before):
        if earlier.message.speaker == message.speaker:
            break
        questions = [one.text for one in earlier.sentences if one.is_question]
        if questions:
            question = questions[-1]
            break
    last = before[-1] if before else None
    if last is None or last.message.speaker == message.speaker:
        return _Heard(question)
    is_asked = any(one.is_question for one in last.sentences)
    if not _is_beside(last, message):
        return _Heard(question, is_asked)
    lent = lent_by(last.message, last.sentences, names[message.speaker])
    return _Heard(question, is_asked, lent)


def _own_topic(
    message: Message,
    before: Sequence[_Turn],
    listeners: frozenset[str],
    known: _Topics,
    wanted: Wanted,
) -> Lent | None:
    """What the speaker said last that tells what, or whom, they are talking about."""
    for earlier in reversed(before):
        if earlier.message.speaker == message.speaker and _is_beside(earlier, message):
            key = earlier.message.id, wanted
            if key not in known:
                known[key] = lent_by_self(earlier.message, earlier.sentences, listeners, wanted)
            # "It" is not looked for behind another matter; somebody may be.
            if known[key]:
                return known[key]
            if not wanted.is_somebody and begins_anew(earlier.sentences, listeners):
                return None
    return None


def _is_beside(earlier: _Turn, message: Message) -> bool:
    """Words are lent within one sitting only."""
    before = earlier.message
    is_there = before.place == message.place and before.platform == message.platform
    return (
        is_there
        and (before.speaker == message.speaker or message.place.kind in _SHARED)
        and abs(message.said_at - before.said_at) <= LENDS_FOR
    )


def _facts(turn: _Turn, heard: _Heard, listeners: frozenset[str]) -> list[Fact]:
    facts = list(_attribute_facts(turn, heard.question))
    covered = {fact.snippet for fact in facts}
    for statement in _chosen(turn, heard, listeners):
        lent = _lent_to(turn, statement, heard, listeners)
        fact = statement_fact(turn.message, statement, listeners, lent)
        # An attribute's own sentence says nothing more, unless it goes on.
        if fact.snippet not in covered or len(fact.snippet) > LONGEST_BARE_ATTRIBUTE:
            facts.append(fact)
    told = [fact for fact in facts if fact.confidence >= CLEAR]
    own = told_in_own_words(
        turn.message,
        turn.sentences,
        listeners,
        is_answer=heard.is_asked,
        made=[fact.snippet for fact in told],
        own=heard.own,
    )
    if own:
        facts = [*told, own]
    return facts[:MOST_PER_MESSAGE]


def _lent_to(
    turn: _Turn, statement: Statement, heard: _Heard, listeners: frozenset[str]
) -> tuple[Lent, ...]:
    """The words that the statement needs: those of the question, and the speaker's own before it."""
    if not _needs_words(statement, listeners):
        return ()
    opening = turn.sentences[:REACH_OF_AN_ANSWER]
    is_answer = statement.sentences[0].start <= opening[-1].start
    asked = heard.lent if is_answer else None
    first = statement.sentences[0]
    if asked and not (leans_on_a_pronoun(first) or asked.is_pointing):
        return (asked,)
    own = heard.own(statement.wants) if statement.wants else None
    if not asked:
        return (own,) if own else ()
    # "They love it" may mean anything named before, and so may a question about "that shade".
    return (own, asked) if own else () if asked.is_pointing else (asked,)


def _needs_words(statement: Statement, listeners: frozenset[str]) -> bool:
    """Whether the statement does not say what it is about."""
    if statement.points_back:
        return True
    return not (statement.stands or names_its_topic(statement.sentences, listeners))


def _attribute_facts(turn: _Turn, question: str) -> Iterator[Fact]:
    for sentence in turn.sentences:
        if not sentence.is_question:
            written = as_written(turn.message.text, sentence)
            for stated in stated_by_speaker(written):
                yield attribute_fact(turn.message, sentence, stated, SAID_OUTRIGHT)
            if listed := attribute_listed(written):
                yield attribute_fact(turn.message, sentence, listed, CLEAR)
    if question and turn.sentences:
        answer = turn.sentences[0]
        for stated in attributes_answered(question, answer.text):
            yield attribute_fact(turn.message, answer, stated, CLEAR)


def _chosen(turn: _Turn, heard: _Heard, listeners: frozenset[str]) -> list[Statement]:
    """The statements to keep: those said outright, and the better ones of a message worth it."""
    is_alone = len(turn.sentences) == 1
    memorable = [one for one in turn.sentences if is_memorable(one, listeners, is_alone=is_alone)]
    value = next((one for one in turn.sentences[:1] if heard.lent and heard.lent.takes(one)), None)
    if value and value not in memorable:
        memorable.insert(0, value)
    if not memorable:
        return []
    found = statements(turn.sentences, memorable)
    seen = {one.start: cues(one, listeners) for part in found for one in part.sentences}
    seen |= {one.start: cues(one, listeners) for one in memorable if one.start not in seen}
    total = together(seen[one.start] for one in memorable)
    total["answers_a_question"] = int(bool(heard.question))
    total["outright"] = int(any(one.is_outright or one.is_working for one in found))
    total["unrelated"] = int(not any(one.is_related for one in found))
    is_worth_it = worth(total) >= read("weights")["enough"]
    alone = {one: worth(together(seen[part.start] for part in one.sentences)) for one in found}
    best = max(found, key=lambda one: (not one.is_leaning, alone[one]))
    weighed = [_Weighed(one, alone[one], one is best, is_worth_it) for one in found]
    return [
        one.statement
        for one in weighed
        if (heard.question or not one.statement.is_comment)
        and (value in one.statement.sentences or _is_kept(one, turn, heard, listeners))
    ]


def _is_kept(weighed: _Weighed, turn: _Turn, heard: _Heard, listeners: frozenset[str]) -> bool:
    """Whether a statement is worth enough, given what explains it."""
    one, points = weighed.statement, weighed.points
    is_alone = len(turn.sentences) == 1
    lent = _lent_to(turn, one, heard, listeners)
    if is_alone and one.tells_of_somebody and any(words.is_own for words in lent):
        return True
    if not weighed.is_worth_it:
        return points >= _needed_anyway(one)
    needed = _needed(one, is_best=weighed.is_best, is_explained=bool(lent))
    if is_alone and one.is_working and not one.points_back:
        needed = min(needed, read("weights")["enough_by_itself"])
    elif not (lent or one.is_outright or names_its_topic(one.sentences, listeners)):
        needed = max(needed, read("weights")["enough_unnamed"])
    return points >= needed


def _needed(statement: Statement, *, is_best: bool, is_explained: bool) -> float:
    """How much a statement must be worth by itself in a message that is worth remembering."""
    weights = read("weights")
    if is_explained and statement.is_related and (statement.is_leaning or statement.is_pointing):
        return weights["enough_explained"]
    if statement.is_leaning:
        return weights["enough_leaning"]
    if statement.is_pointing:
        return weights["enough_pointing"]
    if statement.is_outright:
        return weights["enough_outright"]
    if statement.speaks_to_the_listener:
        return weights["enough_to_listener"]
    if not statement.is_related:
        return weights["enough_unrelated"]
    if len(statement.sentences) == 1:
        return weights["enough_single" if is_best else "enough_beside"]
    return weights["enough_as_best" if is_best else "enough_beside"]


def _needed_anyway(statement: Statement) -> float:
    """The same in any other message: only what is said outright has a chance."""
    weights = read("weights")
    if statement.is_leaning or not (statement.is_outright or statement.is_working):
        return NEVER
    return weights["enough_outright" if statement.is_outright else "enough_working"]
