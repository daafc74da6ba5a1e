"""Whom a sentence is about: names as they were said. Who that is, is resolved later (A5)."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from confide.providers.builtin.lexicon import DAYS, MONTHS, first_names, read, tags
from confide.providers.builtin.sentences import Sentence

_MENTION: Final = re.compile(r"(?<![\w.])@([A-Za-z0-9_][\w.\-]{1,31})")
_KIN: Final = (
    r"(?:mom|mum|mother|dad|father|parents|sisters?|brothers?|siblings?|sons?"
    r"|daughters?|kids?|child|children|wife|husband|spouse|partner|girlfriend|boyfriend|fianc[eé]e?|grandma|grandpa"
    r"|grandmother|grandfather|grandparents|uncle|aunt|cousins?|nephew|niece|ex|friends?|best friend|roommate|flatmate"
    r"|boss|manager|colleagues?|co-?workers?|team ?mates?|neighbou?rs?|mentor|therapist|landlord|client"
    r"|dogs?|cats?|puppy|kitten|baby|horse|hamster|rabbit|family|in-laws|mother-in-law|father-in-law)\b"
)
_RELATIVE: Final = re.compile(
    rf"(?<!is )(?<!was )(?<!are )(?<!'s )\b(?P<whose>[Mm]y|[Oo]ur) (?:\w+ ){{0,1}}?(?P<who>{_KIN})"
    r"(?:,? (?:named |called )?(?P<name>[A-Z][a-zé]+))?",
)
_NAMED: Final = re.compile(
    r"\b(?:named|called|name is|name's|Mr\.?|Mrs\.?|Ms\.?|Dr\.?|Prof\.?) ([A-Z][\w'é-]+)"
)
_TITLED: Final = re.compile(r"\b(?:mrs?|ms|prof)\.? ([a-z]{3,})\b")
#: What is said of people (and animals) only, so that a name before it need not be known.
_PERSONAL: Final = re.compile(
    r"(?:^|[,;:.] |\b(?:and|but|also|btw) )([^\W\d_]{3,16})(?:['’]s| is|s) (?:also |still |really )?"
    r"(?:(?:allergic|diabetic|pregnant|deaf|co?eliac|engaged|divorced|retired|asthmatic"
    r"|in hospital|in rehab|in therapy)\b|\d{1,2} (?:years old|now|next|in|today|tomorrow)\b"
    r"|(?:in|at|on) \w+ (?:till|until|for)\b)"
    r"|(?:^|[,;:.] |\b(?:and|but|also|btw) )([^\W\d_]{3,16}) (?:has|suffers from) (?:\w+ )?"
    r"(?:cancer|diabetes|adhd|autism|asthma|depression|anxiety|epilepsy|covid|dementia)\b",
    re.IGNORECASE,
)
_ACTS: Final = (
    "said|says|told|asked|thinks|wants|likes|loves|hates|works|lives|plays|got|went|will|has|had|needs|takes|owns"
    "|handles|is|was|broke|moved|came|gave|wrote|made|met|joined|left|started|knows|speaks|studies"
)
_ACTOR: Final = re.compile(
    rf"(?:^|[,;:.] |\band |\bbut |\bthat )([A-Z][a-zé]{{2,15}})(?:'s)? (?:{_ACTS})\b"
)
#: "I'm Nora" is about whoever says so.
_ONESELF: Final = re.compile(
    r"\b(?:(?:I'm|I’m|I am|I go by)|[Mm]y (?:\w+ )?name(?:'s|’s| is)|(?:[Cc]all|[Cc]alls) me)(?: called)?"
    r" (?P<name>[A-Z][\w'é-]+)"
)
_CAPITAL: Final = re.compile(r"\b[A-Z][a-zé]+\b")


def subjects(sentence: Sentence, listeners: frozenset[str]) -> tuple[str, ...]:
    """Names in the sentence, in order; the speaker is meant when there are none."""
    text = sentence.text
    found: list[tuple[int, str]] = [(m.start(), "@" + m.group(1)) for m in _MENTION.finditer(text)]
    for match in _RELATIVE.finditer(text):
        name = match.group("name")
        is_name = name and name != "I" and name.lower() not in DAYS and name.lower() not in MONTHS
        found.append((match.start(), name if is_name else f"my {match.group('who').lower()}"))
    found += [(m.start(1), m.group(1)) for m in _NAMED.finditer(text)]
    found += [(m.start(1), m.group(1)) for m in _TITLED.finditer(text)]
    found += [
        (m.start(), name)
        for m in _PERSONAL.finditer(text)
        if (name := m[1] or m[2]).lower() not in tags()
    ]
    found += [(m.start(1), m.group(1)) for m in _ACTOR.finditer(text) if _is_person(m)]
    found += [
        (m.start(), m.group())
        for m in _CAPITAL.finditer(text)
        if _is_first_name(m, text, listeners)
    ]
    own = {m.group("name") for m in _ONESELF.finditer(text)}
    names = dict.fromkeys(name.removesuffix("'s") for _, name in sorted(found) if name not in own)
    return tuple(names)


def relation(text: str, name: str) -> str | None:
    """What somebody is to the speaker, where the words say so: "my wife Sarah", "Sarah is my wife"."""
    if name.casefold().startswith(("my ", "our ")):
        return name.casefold().partition(" ")[2][:64]
    who = re.escape(name)
    found = re.search(
        rf"(?i:\b(?:my|our)) (?:\w+ )??(?P<before>{_KIN})(?:,|'s name is| is| was| named| called)?"
        rf" (?:(?:Mrs?|Ms|Dr|Prof)\.? )?{who}\b"
        rf"|\b{who}(?:,| is| was) (?i:my|our) (?:\w+ )??(?P<after>{_KIN})",
        text,
    )
    return (found["before"] or found["after"]).lower() if found else None


def _is_person(match: re.Match[str]) -> bool:
    word = match.group(1).lower()
    return word in first_names() and word not in _words_that_are_names()


def _is_first_name(match: re.Match[str], text: str, listeners: frozenset[str]) -> bool:
    word = match.group().lower()
    if word not in first_names():
        return False
    if _is_address(match, text, listeners):
        return False
    before = text[: match.start()].rstrip().rpartition(" ")[2].lower().strip(",.!?\"'“”()")
    if word in _words_that_are_names():
        return before in ("with", "and", "met", "told", "asked", "named", "called", "friend", "for")
    return not (before in ("in", "to", "from", "near") and word in _places_that_are_names())


def _is_address(match: re.Match[str], text: str, listeners: frozenset[str]) -> bool:
    """ "Thanks, Bob!" speaks to Bob; "Bob left" speaks of him."""
    if match.group().lower() not in listeners:
        return False
    before, after = text[: match.start()].rstrip(), text[match.end() :].lstrip()
    opens = (
        not before or before[-1] in ",!" or before.lower().endswith(("hey", "hi", "thanks", "yeah"))
    )
    return opens and (not after or after[0] in ",!?.:-–—")


@cache
def _words_that_are_names() -> frozenset[str]:
    return frozenset(read("names")["also_words"].split())


@cache
def _places_that_are_names() -> frozenset[str]:
    return frozenset(read("names")["also_places"].split())
