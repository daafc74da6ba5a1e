"""A2: what kind of memory a sentence makes. The first rule of `data/kinds.toml` that fits wins."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from confide.model import Kind
from confide.providers.builtin.lexicon import read

#: "He never answers my calls" is no wish.
_OF_OTHERS: Final = re.compile(r"(?:he|she|they|it|nobody|my|our|his|her|their)\b")


_BARE_NOT: Final = re.compile(
    r"\b(ca|do|does|did|is|are|was|were|wo|would|could|should|has|have|had|must)nt\b"
)


@cache
def _rules() -> tuple[tuple[Kind, re.Pattern[str]], ...]:
    return tuple(
        (Kind(rule["kind"]), re.compile(rule["pattern"])) for rule in read("kinds")["rules"]
    )


@cache
def _answering() -> re.Pattern[str]:
    return re.compile(read("patterns")["about_answering"])


@cache
def _introduced() -> re.Pattern[str]:
    return re.compile(read("patterns")["introduced"])


def plain(text: str) -> str:
    """Lower case with straight apostrophes, also those that chats leave out, as the patterns expect it."""
    flat = text.lower().replace("’", "'")
    return _BARE_NOT.sub(r"\1n't", flat) if "nt" in flat else flat


def is_about_answering(text: str) -> bool:
    """Whether the speaker says how the agent should answer ("I prefer short answers")."""
    flat = plain(text)
    return not _OF_OTHERS.match(flat) and bool(_answering().search(flat))


def infer_kind(text: str) -> Kind:
    """The kind of a statement; knowledge when nothing says otherwise."""
    if is_about_answering(text):
        return Kind.PREFERENCE
    if _introduced().fullmatch(text):
        return Kind.IDENTITY
    flat = plain(text)
    for kind, pattern in _rules():
        if pattern.search(flat):
            return kind
    return Kind.KNOWLEDGE
