"""Whether one text says what two said, and nothing that neither did. When in doubt both stay.

A merged memory has the label of its parts. So it may reveal nothing about anyone that they did not:
every word that carries content has to come from one of them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from confide.model import Sensitivity
from confide.providers.llm.grounding import invented
from confide.remember.reconcile import is_negated
from confide.store.terms import terms

if TYPE_CHECKING:
    from confide.screen import Screen

LEAST_OF_THE_NEWER: Final = 0.5
MOST_SENTENCES: Final = 2
_SENTENCE_ENDS: Final = re.compile(r"[.!?…]+(?=\s+\S)")
#: Words that join what was said and say nothing themselves.
_JOINING: Final = frozenset(
    terms(
        "especially particularly mainly mostly usually often sometimes always really also both "
        "either together including besides plus particular generally currently now nowadays "
        "previously formerly earlier later recently lately anymore longer already still used "
        "like such well"
    )
)


def why_not(screen: Screen, summary: str, older: str, newer: str, level: Sensitivity) -> str | None:
    """The reason for which both stay, in our words; None if the summary may stand for them."""
    if len(_SENTENCE_ENDS.findall(summary)) >= MOST_SENTENCES:
        return "it has more than two sentences"
    if invented(summary, [older, newer]):
        return "it has a name or number that neither had"
    said = frozenset(terms(older)) | frozenset(terms(newer))
    written = frozenset(terms(summary))
    if written - said - _JOINING:
        return "it has a word that neither had"
    own = frozenset(terms(newer))
    if len(written & own) < LEAST_OF_THE_NEWER * len(own):
        return "it leaves out what the newer one says"
    if is_negated(summary) != is_negated(newer):
        return "it says the opposite of the newer one"
    return _seen(screen, summary, older, newer, level)


def _seen(screen: Screen, summary: str, older: str, newer: str, level: Sensitivity) -> str | None:
    """Screened like new text: it may hold nothing that its parts did not."""
    merged, *parts = screen.look_all([summary, older, newer])
    if merged.secret is not None:
        return "it holds a credential"
    if merged.sensitivity.rank > level.rank:
        return "it is more sensitive than both"
    if merged.pii_risk > max(one.pii_risk for one in parts):
        return "it holds personal data that neither had"
    if merged.instruction is not None:
        return "it reads like an instruction"
    return None
