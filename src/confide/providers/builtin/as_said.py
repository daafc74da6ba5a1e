"""Step 5 of built-in extraction: what somebody plainly told, where no rule made a fact of it.

The person's own sentences are kept as an event: that they were said is certain, what follows from
them is not. So nothing of it is promoted, portable, or a wish about answers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from confide.model import Fact, Kind, Message
from confide.providers.builtin.answers import Lent
from confide.providers.builtin.kinds import plain
from confide.providers.builtin.lexicon import tags
from confide.providers.builtin.sentences import Sentence
from confide.providers.builtin.smalltalk import content, is_hedged, is_memorable
from confide.providers.builtin.statements import (
    Statement,
    Wanted,
    begins_with_a_pronoun,
    leans_on_a_pronoun,
    points_at_a_thing,
)
from confide.providers.builtin.write import SAID_OUTRIGHT, statement_fact

#: A chat line. Longer messages are stories, whose better sentences other rules choose.
LONGEST: Final = 18
ENOUGH_WORDS: Final = 6
ENOUGH_CONTENT: Final = 2.0
#: An answer may be shorter, but a single word is none without its question.
ENOUGH_OF_AN_ANSWER: Final = 2
MOST_SENTENCES: Final = 3
LEAST_ENGLISH: Final = 0.4
_OF_SOMETHING: Final = frozenset({"self", "we", "time", "relation"})
#: Words of a reply to what somebody else told.
_REPLYING: Final = frozenset({"praise", "thanks"})
_EMPTY: Final = frozenset({"you", "abstract", "hedge"})


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
    if sum(len(one.words) for one in sentences) > LONGEST or any(
        _has(one, _REPLYING) for one in sentences
    ):
        return None
    told = [
        one
        for one in sentences
        if _tells(one, listeners, is_answer=is_answer)
        and not any(one.text in snippet or snippet in one.text for snippet in made)
    ][:MOST_SENTENCES]
    if not told:
        return None
    is_leaning = leans_on_a_pronoun(told[0]) and begins_with_a_pronoun(told[0])
    statement = Statement(
        tuple(told), is_leaning=is_leaning, is_pointing=False, is_outright=False, is_working=False
    )
    lent = own(statement.wants) if statement.wants else None
    if is_leaning and lent is None:
        return None
    return replace(
        statement_fact(message, statement, listeners, (lent,) if lent else ()),
        kind=Kind.EVENT,
        confidence=SAID_OUTRIGHT,
        is_portable=False,
        is_about_answering=False,
    )


def _tells(sentence: Sentence, listeners: frozenset[str], *, is_answer: bool) -> bool:
    return (
        len(sentence.words) >= (ENOUGH_OF_AN_ANSWER if is_answer else ENOUGH_WORDS)
        and not (_has(sentence, _EMPTY) or is_hedged(sentence.text))
        and is_memorable(sentence, listeners)
        and content(plain(sentence.text).strip(" .!"), listeners) >= ENOUGH_CONTENT
        and not points_at_a_thing(sentence)
        and (is_answer or _is_of_something(sentence))
    )


def _is_of_something(sentence: Sentence) -> bool:
    """Of the speaker, somebody, a number or a time, not a truth about the world. Of sentences in
    other languages nobody knows, and they are kept."""
    known = sum(word in tags() for word in sentence.lowered)
    return (
        _has(sentence, _OF_SOMETHING)
        or any(word[0].isupper() for word in sentence.words[1:])
        or any(character.isdigit() for character in sentence.text)
        or known < LEAST_ENGLISH * len(sentence.words)
    )


def _has(sentence: Sentence, lists: frozenset[str]) -> bool:
    return any(lists.intersection(tags().get(word, ())) for word in sentence.lowered)
