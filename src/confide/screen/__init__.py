"""Screening: what a text holds that decides whether it may be kept, and for whom. Pure."""

from confide.language.attributes import Attribute
from confide.screen.findings import Finding, Screening
from confide.screen.promotion import Promotion, asks_for_everywhere, may_be_global
from confide.screen.screen import Screen
from confide.screen.trust import Voice, trust_of

__all__ = [
    "Attribute",
    "Finding",
    "Promotion",
    "Screen",
    "Screening",
    "Voice",
    "asks_for_everywhere",
    "may_be_global",
    "trust_of",
]
