"""Whether a text is a rule: how to answer and write, or something to do (B18).

A rule about a manner harms nobody and holds at once. A rule that orders an act (run, install, send, open
an address, leave out a check, keep something from the person) may come from a page that a model read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from functools import cache
from typing import Final, NamedTuple

from confide.language.lists import OWN

#: A manner is said in a few sentences.
MOST: Final = 400
_SENTENCE: Final = re.compile(r"[^.!?\n;]+(?:[.!?;](?!\s|$)[^.!?\n;]+)*[.!?;]?")
_BEGINS: Final = re.compile(r"[\s\-–—*•>\"'“(]*")
_LINK: Final = re.compile(
    r"(?:,| -|:| –| —)\s+(?:and |then |or |but |also )*|\s(?:and|then|or|but)\s+"
)


class Rule(StrEnum):
    MANNER = "manner"  # how to answer or write
    ACT = "act"  # something to do, or to leave undone


class _Patterns(NamedTuple):
    lead: re.Pattern[str]
    forbids: re.Pattern[str]
    declares: re.Pattern[str]
    rule: re.Pattern[str]
    address: re.Pattern[str]
    anywhere: re.Pattern[str]
    acts: re.Pattern[str]
    forbidden: re.Pattern[str]
    content: re.Pattern[str]
    manners: re.Pattern[str]
    conventions: re.Pattern[str]


def rule_of(text: str) -> Rule | None:
    """What kind of rule a text is, if it is one. One order to act makes all of it one."""
    sentences = list(_sentences(text))
    if any(_orders_an_act(one) for one in sentences):
        return Rule.ACT
    if len(text) > MOST or not sentences or _patterns().content.search(_flat(text)):
        return None
    return Rule.MANNER if all(_is_about_a_manner(one) for one in sentences) else None


def is_for_always(text: str) -> bool:
    """Whether words say when or how often they hold: "always", "whenever", "before you answer"."""
    return _patterns().rule.search(_flat(text)) is not None


def _orders_an_act(sentence: str) -> bool:
    known = _patterns()
    for begin in _openings(sentence):
        end = _past(known.lead, sentence, begin)
        forbidding = known.forbids.match(sentence, end)
        if forbidding:
            if known.forbidden.match(sentence, _past(known.lead, sentence, forbidding.end())):
                return True
        elif known.acts.match(sentence, end):
            return True
    is_order = not known.declares.match(sentence)
    return is_order and bool(known.anywhere.search(sentence))


def _is_about_a_manner(sentence: str) -> bool:
    known = _patterns()
    if known.address.search(sentence):
        return False
    for begin in _openings(sentence):
        end = _past(known.lead, sentence, begin)
        if known.manners.match(sentence, end) or known.forbids.match(sentence, end):
            return not known.declares.match(sentence)
    return bool(known.conventions.match(sentence))


def _openings(sentence: str) -> Iterator[int]:
    """Where an order may begin: at the start, and unless it tells something after a comma or "and"."""
    yield 0
    if not _patterns().declares.match(sentence):
        yield from (link.end() for link in _LINK.finditer(sentence))


def _past(pattern: re.Pattern[str], text: str, begin: int) -> int:
    while found := pattern.match(text, begin):
        begin = found.end()
    return begin


def _sentences(text: str) -> Iterator[str]:
    for found in _SENTENCE.finditer(_flat(text)):
        sentence = found.group()[_BEGINS.match(found.group()).end() :].strip()  # type: ignore[union-attr]
        if sentence:
            yield sentence


def _flat(text: str) -> str:
    return text.lower().replace("’", "'").replace("`", "")


@cache
def _patterns() -> _Patterns:
    lists = OWN.table("rules")

    def joined(*patterns: str) -> re.Pattern[str]:
        one = "|".join(f"(?:{pattern})" for pattern in patterns)
        filled = one.replace("{address}", f"(?:{lists['address']})")
        return re.compile(filled.replace("{secret}", f"(?:{lists['secret']})"))

    return _Patterns(
        lead=joined(lists["lead"]),
        forbids=joined(lists["forbids"]),
        declares=joined(lists["declares"]),
        rule=joined(lists["rule"]),
        address=joined(lists["address"]),
        anywhere=joined(*lists["anywhere"]),
        acts=joined(*lists["acts"]),
        forbidden=joined(*lists["forbidden"]),
        content=joined(lists["content"]),
        manners=joined(*lists["manners"]),
        conventions=joined(*lists["conventions"], *lists["elsewhere"]),
    )
