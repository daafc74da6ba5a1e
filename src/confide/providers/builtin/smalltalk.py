"""Tells apart what may be a memory from greetings, questions, praise, advice and what is not so."""

from __future__ import annotations

import re
from functools import cache

from confide.providers.builtin.kinds import is_about_answering, plain
from confide.providers.builtin.lexicon import read, tags
from confide.providers.builtin.sentences import Sentence, sentence_at

_EMPTY_TAGS = frozenset({"filler", "praise", "thanks", "abstract"})
#: One thing and when it was.
ENOUGH_CONTENT = 1.5
_AT_ENDS = " .!…,:;*_~-–—\"'"
_WORD = re.compile(r"[\w'’+#-]+")
_NAME = re.compile(r"[\s,]*([A-Z]\w+)(?=[,!:]|\s*[-–—])")
_GOES_ON = re.compile(r"\s+(?:i\b|i'|my\b|we\b|the\b|our\b)", re.IGNORECASE)
_YOU = re.compile(r"\b(?:you|your|yourself|ya)\b")
_SELF = re.compile(r"\b(?:i|my|me|mine|we|our|us)\b")
_SPEECH = re.compile(r"[\"“][^\"”]{12,}[\"”]")


@cache
def _pattern(name: str) -> re.Pattern[str]:
    """A row of patterns.toml as one pattern."""
    row: str | list[str] = read("patterns")[name]
    return re.compile("|".join(f"(?:{one})" for one in row) if isinstance(row, list) else row)


@cache
def _openers() -> re.Pattern[str]:
    words = sorted(read("patterns")["openers"], key=len, reverse=True)
    return re.compile(rf"(?:{'|'.join(map(re.escape, words))})(?=[\s,!.:;\-–—]|$)", re.IGNORECASE)


def after_openers(text: str, listeners: frozenset[str]) -> int:
    """Where the sentence really begins: behind "Yeah, Bob, so ..."."""
    at = 0
    for _ in range(4):
        found = _openers().match(text, at)
        at_next = found.end() if found else at
        name = _NAME.match(text, at_next)
        if name and (found or name.group(1).lower() in listeners):
            at_next = name.end()
        if at_next == at:
            break
        rest = text[at_next:]
        # "So far", "No one" are not openers.
        is_linking = found is not None and found.group().lower().endswith(
            ("and", "but", "plus", "that")
        )
        if found and not name and not is_linking and rest[:1] == " " and not _GOES_ON.match(rest):
            break
        at = at_next + len(rest) - len(rest.lstrip(" ,!.:;-–—"))
    return at


def trimmed(sentence: Sentence, listeners: frozenset[str]) -> Sentence:
    """The sentence without its openers; one that consists of them stays as it is."""
    at = after_openers(sentence.text, listeners)
    rest = sentence.text[at:].strip(_AT_ENDS).lower()
    if not at or not rest or rest in listeners:
        return sentence
    return sentence_at(sentence.text[at:], sentence.start + at)


def without_jokes(sentences: list[Sentence]) -> list[Sentence]:
    """ "I quit my job. jk": what is taken back was not said."""
    taken_back = [at for at, one in enumerate(sentences) if _takes_back(one)]
    return [one for at, one in enumerate(sentences) if not {at, at + 1}.intersection(taken_back)]


def _takes_back(sentence: Sentence) -> bool:
    return len(sentence.words) <= 3 and bool(_pattern("joking").search(plain(sentence.text)))


def may_be_told(sentence: Sentence, listeners: frozenset[str]) -> bool:
    """Whether it is no question, order, small talk, joke, hypothesis or quotation."""
    text = sentence.text[after_openers(sentence.text, listeners) :]
    flat = plain(text).strip(_AT_ENDS)
    return not (
        sentence.is_question
        or is_small_talk(sentence)
        or content(flat, listeners) < 1
        or _is_quotation(sentence.text)
        or is_to_the_listener(flat)
        or _pattern("joking").search(flat)
        or any(_pattern(name).match(flat) for name in ("hypothetical", "reported", "order"))
        or _pattern("imperative").match(flat)
    )


def is_memorable(sentence: Sentence, listeners: frozenset[str], *, is_alone: bool = False) -> bool:
    """Whether the sentence states something that could be remembered at all; `is_alone` if its
    message says nothing else."""
    if _is_quotation(sentence.text):
        return False
    # "Could you keep your answers short?" asks, and says what they wish.
    if sentence.is_question and not (_pattern("asks_how").search(plain(sentence.text))):
        return False
    text = sentence.text[after_openers(sentence.text, listeners) :]
    flat = plain(text).strip(_AT_ENDS)
    if len(flat) < 5 or is_small_talk(sentence) or _pattern("small_talk").fullmatch(flat):
        return False
    if any(_pattern(name).match(flat) for name in ("hypothetical", "reported")):
        return False
    if _pattern("joking").search(flat):
        return False
    if is_to_the_listener(flat) and not (is_about_answering(flat) or is_working(flat)):
        return False
    if _pattern("order").match(flat) and not is_about_answering(flat):
        return False
    if _pattern("imperative").match(flat) and not (
        is_about_answering(flat) or _is_work(flat) or is_working(flat)
    ):
        return False
    if content(flat, listeners) >= ENOUGH_CONTENT or (is_alone and tells_of_somebody(text)):
        return True
    return is_outright(text) or is_working(text)


def is_small_talk(sentence: Sentence) -> bool:
    return bool(_pattern("small_talk").fullmatch(plain(sentence.text).strip(_AT_ENDS)))


def content(flat: str, listeners: frozenset[str]) -> float:
    """How many words say something; a word of time says half."""
    known = tags()
    count = 0.0
    for word in _WORD.findall(flat):
        lists = known.get(word, ())
        if word not in listeners and len(word) > 1 and not _EMPTY_TAGS.intersection(lists):
            count += 0.5 if "time" in lists else 1
    return count


def _is_work(flat: str) -> bool:
    known = tags()
    return sum("work" in known.get(word, ()) for word in _WORD.findall(flat)) >= 1


def is_outright(text: str) -> bool:
    """Whether the sentence is of a form that people use to tell facts about themselves."""
    flat = plain(text).strip(" .!…")
    if _pattern("outright").search(flat) or is_about_answering(flat):
        return True
    if _pattern("of_named").fullmatch(flat):
        return True
    return bool(_pattern("introduced").fullmatch(text))


def tells_of_somebody(text: str) -> bool:
    """ "She likes tulips": told of somebody who must have been named before."""
    return bool(_pattern("of_somebody").fullmatch(plain(text).strip(" .!…")))


def is_working(text: str) -> bool:
    """Whether it is of a form that tells who does what, what was decided, how something works."""
    return bool(_pattern("working").search(plain(text).strip(" .!…")))


def is_hedged(text: str) -> bool:
    return bool(_pattern("hedged").search(plain(text)))


def is_to_the_listener(flat: str) -> bool:
    if _pattern("about_listener").match(flat) and not _speaks_of_self(flat):
        return True
    return bool(_YOU.search(flat)) and not _SELF.search(flat)


def _speaks_of_self(flat: str) -> bool:
    return bool(
        re.search(
            r"\b(?:my|i've|i'm|(?:i|we) (?:just|went|got|had|was|were|did|started|have|also))\b",
            flat[12:],
        )
    )


def _is_quotation(text: str) -> bool:
    quoted = sum(len(found.group()) for found in _SPEECH.finditer(text))
    return quoted > 0.6 * len(text)
