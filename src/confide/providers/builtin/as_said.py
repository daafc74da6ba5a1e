"""Step 5 of built-in extraction: what somebody plainly told, where no rule made a fact of it.

The person's own sentences are kept as an event: that they were said is certain, what follows from
them is not. So nothing of it is promoted, portable, or a wish about answers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from confide.language.stating import first_person
from confide.language.values import is_distinct
from confide.model import Fact, Kind, Message
from confide.providers.builtin.answers import Lent
from confide.providers.builtin.kinds import plain
from confide.providers.builtin.lexicon import tags
from confide.providers.builtin.sentences import Sentence, sentence_at
from confide.providers.builtin.smalltalk import content, is_hedged, is_memorable, may_be_told
from confide.providers.builtin.statements import (
    Statement,
    Wanted,
    begins_with_a_pronoun,
    leans_on_a_pronoun,
    points_at_a_thing,
)
from confide.providers.builtin.write import SAID_OUTRIGHT, statement_fact

#: A chat message. Longer ones are stories, whose better sentences other rules choose.
LONGEST: Final = 18
ENOUGH_WORDS: Final = 6
ENOUGH_CONTENT: Final = 2.0
#: Short sentences say something together: "Jules. the one with the lute".
ENOUGH_TOGETHER: Final = 3.0
#: An answer may be shorter; a single word is one if it is a number or a name that nobody says otherwise.
ENOUGH_OF_AN_ANSWER: Final = 2
MOST_SENTENCES: Final = 3
LEAST_ENGLISH: Final = 0.4
#: Fewer words are enough of oneself, with a day, a number or a name.
ENOUGH_OF_ONESELF: Final = 4
LONGEST_FACT: Final = 14
_OF_ONESELF: Final = frozenset({"self", "we"})
_OF_SOMETHING: Final = frozenset({"self", "we", "time", "relation", "work", "topic"})
_TIME: Final = frozenset({"time"})
_RELATION: Final = frozenset({"relation"})
SHORTEST_REPLY: Final = 2
#: Words of a reply to what somebody else told.
_REPLYING: Final = frozenset({"praise", "thanks"})
_TO_SOMEBODY: Final = frozenset({"you"})
#: What holds of everybody ("finding balance is crucial") or perhaps not at all.
_EMPTY: Final = frozenset({"abstract", "hedge"})


def told_in_own_words(
    message: Message,
    sentences: Sequence[Sentence],
    listeners: frozenset[str],
    *,
    is_answer: bool,
    made: Sequence[str],
    own: Callable[[Wanted], Lent | None],
) -> Fact | None:
    """The sentences that tell something and that no fact was `made` of, as one memory.

    What begins with a "she" or "it" needs what its speaker said before; `own` looks for that.
    """
    said = [
        one
        for one in map(_before_its_question, sentences)
        if _says(one, listeners) and not _is_in(message.text[one.start : one.end], made)
    ]
    if sum(len(one.words) for one in sentences) > LONGEST or any(map(_replies, sentences)):
        return None
    told = [one for one in said if _tells(one, listeners, is_answer=is_answer)]
    if told or _tell_together(said, listeners):
        told = _with_fragments(told, said)
    if not told:
        return None
    is_leaning = leans_on_a_pronoun(told[0]) and begins_with_a_pronoun(told[0])
    statement = Statement(
        tuple(told), is_leaning=is_leaning, is_pointing=False, is_outright=False, is_working=False
    )
    lent = own(statement.wants) if statement.wants else None
    # Of "she" it would be said of the speaker, and of "it" nobody knows what it means.
    if is_leaning and lent is None:
        return None
    fact = statement_fact(message, statement, listeners, (lent,) if lent else ())
    if _is_sure(told) and lent is None:
        return replace(fact, is_portable=False)
    return replace(
        fact,
        kind=Kind.EVENT,
        confidence=SAID_OUTRIGHT,
        is_portable=False,
        is_about_answering=False,
    )


def _replies(sentence: Sentence) -> bool:
    """Praise is a reply to what somebody else told; a "thanks!" before what one tells is not."""
    return _has(sentence, _REPLYING) and len(sentence.words) > SHORTEST_REPLY


def _is_in(said: str, made: Sequence[str]) -> bool:
    return any(said in snippet or snippet in said for snippet in made)


def _is_sure(told: Sequence[Sentence]) -> bool:
    """One short sentence that its speaker says of themselves is a fact like any other."""
    return (
        len(told) == 1
        and len(told[0].words) <= LONGEST_FACT
        and bool(_OF_ONESELF.intersection(tags().get(told[0].lowered[0], ())))
        and not leans_on_a_pronoun(told[0])
        and not points_at_a_thing(told[0])
    )


def _says(sentence: Sentence, listeners: frozenset[str]) -> bool:
    """Whether it may be kept at all, if something beside it tells."""
    return (
        not (_has(sentence, _REPLYING) or is_hedged(sentence.text) or sentence.is_question)
        and (is_memorable(sentence, listeners) or _is_a_fragment(sentence, listeners))
        and (not points_at_a_thing(sentence) or _says_enough_of_oneself(sentence, listeners))
    )


def _says_enough_of_oneself(sentence: Sentence, listeners: frozenset[str]) -> bool:
    """ "I'm coeliac so no gluten at all, sorry to be that guy"."""
    return _has(sentence, _OF_ONESELF) and _content(sentence, listeners) >= 2 * ENOUGH_CONTENT


def _before_its_question(sentence: Sentence) -> Sentence:
    """Of "my dog has kennel cough, do we need to worry?" what is told."""
    told, comma, asked = sentence.text.rpartition(",")
    if not (comma and sentence.is_question and told.strip()):
        return sentence
    before, question = sentence_at(f"{told}.", sentence.start), sentence_at(asked.strip(), 0)
    is_asked = (
        question.text[:1].isalpha() and sentence_at(question.text.rstrip(" ?!"), 0).is_question
    )
    return before if is_asked and not before.is_question else sentence


def _is_a_fragment(sentence: Sentence, listeners: frozenset[str]) -> bool:
    """A few words that are no small talk and no order: "the one with the lute"."""
    return len(sentence.words) < ENOUGH_WORDS and may_be_told(sentence, listeners)


def _with_fragments(told: list[Sentence], said: list[Sentence]) -> list[Sentence]:
    kept = [one for one in said if one in told or len(one.words) < ENOUGH_WORDS]
    return (
        kept[:MOST_SENTENCES] if set(told) <= set(kept[:MOST_SENTENCES]) else told[:MOST_SENTENCES]
    )


def _tell_together(said: Sequence[Sentence], listeners: frozenset[str]) -> bool:
    return (
        len(said) > 1
        and sum(len(one.words) for one in said) >= ENOUGH_WORDS
        and sum(_content(one, listeners) for one in said) >= ENOUGH_TOGETHER
        and any(map(_is_of_something, said))
    )


def _content(sentence: Sentence, listeners: frozenset[str]) -> float:
    return content(plain(sentence.text).strip(" .!"), listeners)


def _tells(sentence: Sentence, listeners: frozenset[str], *, is_answer: bool) -> bool:
    if is_answer and len(sentence.words) == 1:
        return is_distinct(sentence.words[0], is_capital_telling=False)
    return (
        len(sentence.words) >= _enough(sentence, is_answer=is_answer)
        and not _has(sentence, _EMPTY)
        and (not _has(sentence, _TO_SOMEBODY) or _names_somebody(sentence))
        and _content(sentence, listeners) >= ENOUGH_CONTENT
        and (_is_of_something(sentence) or (is_answer and _is_english(sentence)))
    )


def _names_somebody(sentence: Sentence) -> bool:
    return any(word[0].isupper() and low not in tags() for word, low in
               zip(sentence.words[1:], sentence.lowered[1:], strict=True))  # fmt: skip


def _enough(sentence: Sentence, *, is_answer: bool) -> int:
    if is_answer:
        return ENOUGH_OF_AN_ANSWER
    is_of_oneself = _has(sentence, _OF_ONESELF | _RELATION) and (
        _has(sentence, _TIME) or _has_number_or_name(sentence)
    )
    return ENOUGH_OF_ONESELF if is_of_oneself else ENOUGH_WORDS


def _has_number_or_name(sentence: Sentence) -> bool:
    return any(map(str.isdigit, sentence.text)) or _names_somebody(sentence)


def _is_of_something(sentence: Sentence) -> bool:
    """Of the speaker, somebody, a number or a time, not a truth about the world. Of sentences in
    other languages nobody knows, and they are kept."""
    return (
        _has(sentence, _OF_SOMETHING)
        or any(word[0].isupper() for word in sentence.words[1:])
        or any(character.isdigit() for character in sentence.text)
        or (not _is_english(sentence) and _is_of_oneself_elsewhere(sentence))
    )


def _is_english(sentence: Sentence) -> bool:
    known = sum(word in tags() for word in sentence.lowered)
    return known >= LEAST_ENGLISH * len(sentence.words)


def _is_of_oneself_elsewhere(sentence: Sentence) -> bool:
    """In a language that the lists do not hold: long enough, or in the first person."""
    return len(sentence.words) > ENOUGH_WORDS or not first_person().isdisjoint(sentence.lowered)


def _has(sentence: Sentence, lists: frozenset[str]) -> bool:
    return any(lists.intersection(tags().get(word, ())) for word in sentence.lowered)
