"""Whether a line asks or tells, also without a question mark.

In doubt it asks: a question taken for a statement would be remembered as if it were so.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from confide.recall.broad import expand

_PRONOUN = "i|you|he|she|it|we|they|there|this|that|these|those"
_WHOSE = "my|your|his|her|its|our|their|the"
_SUBJECT = rf"(?:{_PRONOUN}|{_WHOSE}|a|an|any|some|every|all|no one|nobody|people|\w+(?:body|one))"
_FINITE = r"(?:is|are|was|were|has|had|does|did|isn't|wasn't|hasn't)"
#: What follows if the subject was left out: "Was in Oslo", "Would love to come", "Is not here".
_NO_SUBJECT = (
    r"(?:in|at|on|with|to|from|for|of|not|never|always|just|still|already|also|very|so|too|probably"
    r"|really|be|been|have|do|go|get|see|try|take|make|come|call|love|like|need|want|wait|buy|bring"
    r"|send|work|stop|keep|and|or|but|as)"
)
#: Will and May are names too: what a person does follows them.
_PERSON_DOES = (
    rf"(?:{_FINITE}|and|said|says|loves?|likes?|lives?|works?|wants?|needs?|went|came|got|hates?"
    r"|prefers?|plays?|thinks?|knows?|told|asked|moved?|visits?|visited|can|could|would|should"
    r"|\d\S*)"
)


def _said(pattern: str) -> Callable[[str], object]:
    return re.compile(rf"(?:{pattern})(?=\W|$)").match


#: For each first word, what the rest of the line looks like if it asks.
_ASKS: Final[dict[str, Callable[[str], object]]] = {
    word: _said(rest)
    for words, rest in (
        ("who whom whose which whats", r".*"),
        ("what", r"(?!an? )(?!.*!$).*"),
        ("how", r"(?!.*!$).*"),
        ("where why", r".*"),
        # "When I was young, …" tells; "when is …", "when does …", "when did …" ask.
        ("when", rf"(?!(?:{_PRONOUN}|{_WHOSE}) ).*"),
        ("am", r"i"),
        ("is are was were", rf"(?!{_NO_SUBJECT}\b)(?:{_SUBJECT}(?=\W|$)|\S+ \S+).*"),
        ("does", rf"(?!not )(?:{_SUBJECT}|\S+ \S+)"),
        ("did", rf"(?!not |it!|that!)(?:{_SUBJECT}|\S+ \S+).*"),
        ("do", rf"(?!it |this |that )(?:{_PRONOUN}|{_WHOSE}|any|all|people|\w+s) \S+"),
        ("can could should would shall",
         rf"(?!{_NO_SUBJECT}\b)(?!\S+ {_FINITE}\b)(?:{_SUBJECT}|\S+ \S+).*"),
        ("will", rf"(?!{_NO_SUBJECT}\b)(?!{_PERSON_DOES}\b)(?!\S+ {_PERSON_DOES}\b)\S+ \S+"),
        ("may might must", rf"(?:{_PRONOUN}|my|our|his|her|their) \S+"),
        ("has", r"(?!an? |no |to |been |not |never |always |lots? |many |got |\d)\S+ \S+"),
        ("had", r"(?:(?!it )(?:i|you|he|she|it|we|they)|my|our|your) \S+"),
        ("have", r"(?:i|you|we|they|these|those|my|our|your|his|her|their|any) \S+"),
        ("tell", r"me|us"),
        ("remind", r"(?:me|us) (?:who|what|where|when|why|how|which|whose|of|about)"),
        ("show", r"me|us|my|our|all|everything|everyone|what|who"),
        ("list", r"me|my|our|all|every|everything|everyone|the|what|who|which|\S+(?:'s|s')"),
        ("name", r"my|our|all|every|some|one|two|three|the"),
        ("find", r"me|my|our|out|all|everything|what|who"),
        ("give", r"me|us"),
        ("let", r"me know (?:if|whether|who|what|where|when|why|how)"),
        ("recall", r"who|what|where|when|why|how|my|our|everything"),
        ("describe explain summarize summarise", r"\S+"),
        ("any", r"(?:news|idea|ideas|plans|word|updates?|thoughts)"),
    )
    for word in words.split()
}  # fmt: skip
_NEGATED: Final = _said(r"(?:i|you|he|she|it|we|they|my|your|our|his|her|their|this|that) \S+")
_FILLING: Final = re.compile(
    r"(?:(?:hey|hi|hello|ok|okay|so|and|but|well|please|also|now|oh|um|hm+|then)[\s,]+)+"
)
_WHY: Final = re.compile(
    r"why (?:did|do|would) you (?:say|tell me|tell us|think|believe|know)(?: that| this| so| it)?"
    r"|(?:how|from where|where) (?:do|did) you (?:know|learn|hear|get|find out)"
    r"(?: that| this| it| about it| about that)?(?: from)?"
    r"|(?:why|how come|how so|says who|who (?:said|says|told you)(?: that| this| so| it)?)"
    r"|what makes you (?:say|think|believe)(?: that| this| so| it)?"
    r"|why not|why (?:don'?t|can'?t|won'?t) you (?:know|say|tell me|tell us)(?: that| this| it)?"
)


def is_question(line: str) -> bool:
    """Whether somebody wants an answer."""
    if line.rstrip("\"'”’)!. ").endswith(("?", "？")):
        return True
    folded = _folded(line)
    first, _, rest = folded.partition(" ")
    if bare := re.fullmatch(r"(who|what|where|when|why|how)'(?:s|re|d|ll|ve)", first):
        return bool(rest) or bare[1] == "why"
    if re.fullmatch(r"(?:is|are|was|were|do|does|did|can|could|will|would|should|has|have|had)n't"
                    r"|can't|won't|don't|ain't", first):  # fmt: skip
        return bool(_NEGATED(rest))
    asks = _ASKS.get(first.strip(",:'"))
    if asks is not None and rest and asks(rest):
        return True
    return folded in ("who", "what", "where", "when", "why", "how") or bool(expand(line))


def asks_why(line: str) -> bool:
    """Whether it asks for the reason of the last answer: "why did you say that?"."""
    return bool(_WHY.fullmatch(_folded(line).rstrip("?!. ")))


def as_question(line: str) -> str:
    """With its mark, so that nobody who reads it later takes it for a statement."""
    return line if "?" in line or "？" in line else f"{line.rstrip('.!… ')}?"


def _folded(line: str) -> str:
    plain = " ".join(line.lower().replace("’", "'").split())
    return _FILLING.sub("", plain, count=1) if _FILLING.match(plain) else plain
