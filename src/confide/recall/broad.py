"""Step 2 of recalling, for broad questions: "who am I?" becomes several searches (S31).

Such a question shares no word with what answers it. Each search here asks for memories of some
kinds about one person; the ordinary search runs beside them, and `take_turns` merges all once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final, TypeVar

from confide.model import Kind
from confide.store.terms import name_terms, words

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Search:
    """Memories of these kinds about one person: ordered by how well they fit and how strong, sure and
    first-hand they are, like any others, with the newest first among equals."""

    kinds: frozenset[Kind]
    about: frozenset[str] = frozenset()  # terms of the person's name; none means the asker


_EVERYTHING: Final = (
    frozenset({Kind.IDENTITY}),
    frozenset({Kind.RELATIONSHIP}),
    frozenset({Kind.PREFERENCE}),
    frozenset({Kind.KNOWLEDGE}),
    frozenset({Kind.TASK, Kind.CONTEXT}),
    frozenset({Kind.EVENT, Kind.OBSERVATION}),
)
# Knowledge is what has no sort of its own. Beside others it is told only if nothing of those is known,
# or if it is near the question in meaning.
_WORK: Final = (frozenset({Kind.TASK}), frozenset({Kind.CONTEXT}), frozenset({Kind.KNOWLEDGE}))
_OCCUPATION: Final = (
    frozenset({Kind.IDENTITY}),
    frozenset({Kind.TASK, Kind.CONTEXT}),
    frozenset({Kind.KNOWLEDGE}),
)
_LIKES: Final = (frozenset({Kind.PREFERENCE}),)
_PEOPLE: Final = (frozenset({Kind.RELATIONSHIP}),)
_LATELY: Final = (frozenset({Kind.EVENT}), frozenset({Kind.CONTEXT, Kind.TASK}))

# What may stand around a broad question without making it a particular one.
_BEFORE: Final = re.compile(
    r"^(?:(?:so|hey|hi|hello|ok|okay|well|please|and|(?:can|could|would) you(?: please)?|remind me"
    r"|do you (?:know|remember)) )+"
)
_AFTER: Final = re.compile(
    r"(?: (?:right now|now|at the moment|at present|currently|these days|nowadays|lately|recently"
    r"|today|this week|this month|again|please|then|so far|in general|overall))+$"
)
# Matched against the whole question as `words` folds it: "Who's" is "who", "weißt" is "weisst".
_MY = (
    r"(?:what|which|who|list|show me|tell me|tell me about)"
    r"(?: (?:is|are|were|do you know about|all))* my"
)
_ABOUT_ASKER: Final = (
    (
        r"who (?:am )?i(?: am)?|describe me|(?:tell me )?(?:about )?myself|tell me about me"
        r"|(?:tell me )?what (?:do|did|have) you (?:know|remember|learn|learned) (?:about|of) me"
        r"|(?:tell me )?(?:what|everything) you (?:know|remember) about me"
        r"|wer bin ich|was weisst du (?:alles )?(?:uber|von) mi(?:ch|r)"
        r"|qui suis je|que sais tu (?:de|sur) moi|quien soy(?: yo)?|que sabes (?:de|sobre) mi"
        r"|quem sou(?: eu)?|(?:o )?que (?:voce )?sabe(?:s)? (?:de|sobre) mim",
        _EVERYTHING,
    ),
    (
        rf"{_MY} (?:current |open |next )?(?:projects?|goals?|plans?|tasks?|todos?|to dos?"
        r"|deadlines?|appointments?|reminders?)"
        r"|what my (?:projects|goals|plans|tasks|deadlines|appointments) are"
        r"|what (?:am |have )?i (?:been )?(?:currently )?(?:working on|up to|doing|busy with|planning)"
        r"|what (?:do|did) i (?:still )?(?:have|need|want) to (?:do|finish|work on|get done)"
        r"|what (?:is )?(?:still )?(?:on my (?:plate|agenda|list|schedule|calendar|mind)|left to do)"
        r"|woran arbeite ich|was muss ich (?:noch )?tun"
        r"|was sind meine (?:projekte|ziele|plane|aufgaben)"
        r"|quels sont mes (?:projets|objectifs)|sur quoi je travaille"
        r"|cuales son mis (?:proyectos|metas|planes)|quais sao (?:os )?meus (?:projetos|planos)",
        _WORK,
    ),
    (
        r"what (?:do )?i do(?: for (?:a living|work|a job))?",
        _OCCUPATION,
    ),
    (
        r"what (?:do|did) i (?:like|love|enjoy|prefer|hate|dislike)(?: to do| doing)?(?: most)?"
        rf"|{_MY} (?:likes|dislikes|preferences?|favou?rites?|hobby|hobbies|interests?|tastes?)"
        r"|how (?:should|do|must) you (?:answer|talk|speak|reply|respond)(?: to)?(?: me)?"
        r"|was mag ich|was sind meine (?:hobbys|vorlieben|interessen)"
        r"|qu est ce que j aime|qu aime je|que me gusta|do que eu gosto",
        _LIKES,
    ),
    (
        rf"{_MY} (?:friends?|family|relatives|colleagues?|coworkers?|team|pets?|siblings|children"
        r"|kids)"
        r"|who (?:do|did) i know|who (?:is |are )?(?:the people )?in my (?:life|family|team)"
        r"|wen kenne ich|wer sind meine (?:freunde|kollegen|verwandten)"
        r"|qui sont mes amis|quienes son mis amigos|quem sao (?:os )?meus amigos",
        _PEOPLE,
    ),
    (
        r"what (?:is )?(?:new|up|happened)(?: lately| recently| with me| today| this week)?"
        r"|what (?:is )?(?:going on|happening)(?: with me| in my life)?"
        r"|what did i do (?:lately|recently|yesterday|today|this week|last week)"
        r"|(?:please )?catch me up|what did (?:we|i) (?:talk|speak|say) (?:about )?"
        r"(?:lately|recently|last time|yesterday|today)"
        r"|was gibt es neues|quoi de neuf|que hay de nuevo|(?:o )?que ha de novo",
        _LATELY,
    ),
)
# Up to three words, since a name has no more, and none that starts a description of somebody.
_NAME = (
    r"(?P<name>(?!(?:is|are|was|the|a|an|my|your|our|this|that|his|her|their|me|it|you|we|they|he"
    r"|she|i)\b)\S+(?: \S+){0,2}?)"
)
_ABOUT_SOMEONE: Final = re.compile(
    rf"(?:who (?:is )?|tell me (?:more )?about |describe "
    rf"|what (?:do you |you )?(?:know|remember) (?:about|of) "
    rf"|wer ist |was weisst du (?:uber|von) |qui est |que sais tu (?:de|sur) "
    rf"|quien es |que sabes (?:de|sobre) |quem e |(?:o )?que (?:voce )?sabe(?:s)? (?:de|sobre) )"
    rf"{_NAME}"
)
_PATTERNS: Final = tuple((re.compile(pattern), kinds) for pattern, kinds in _ABOUT_ASKER)


def expand(question: str) -> tuple[Search, ...]:
    """The searches a broad question stands for; none if it asks for something in particular."""
    whole = " ".join(words(question))
    asked = _BEFORE.sub("", whole)
    for folded in dict.fromkeys([whole, asked, _AFTER.sub("", asked)]):
        for pattern, kinds in _PATTERNS:
            if pattern.fullmatch(folded):
                return tuple(Search(one) for one in kinds)
    someone = _ABOUT_SOMEONE.fullmatch(asked)
    if someone is None:
        return ()
    about = name_terms([someone["name"]])
    return tuple(Search(one, about) for one in _EVERYTHING)


def take_turns(results: Iterable[Sequence[T]]) -> list[T]:
    """The best of each search, then the second of each, so that no kind crowds out others."""
    rounds = zip_longest(*results)
    in_turn = (one for turn in rounds for one in turn if one is not None)
    return list(dict.fromkeys(in_turn))
