"""Every group of verbs: typed methods, each with its act and its route. Surfaces are made from them.

Each module is imported when one of its verbs is needed.
"""

from __future__ import annotations

from importlib import import_module
from typing import Final

from confide.declare import Group, Verb

#: Where each group is, by what it is called.
GROUPS: Final = {
    "people": "confide.verbs.people:People",
    "world": "confide.verbs.places:Places",
    "rules": "confide.verbs.spaces:Rules",
    "access": "confide.keep.auditing:Access",
    "told": "confide.recall.why:Tellings",
    "browser": "confide.verbs.browser:Browser",
    "reaches": "confide.verbs.reach:Reaches",
    "claims": "confide.verbs.claims:Claims",
    "fading": "confide.keep.fading:Fading",
    "keys": "confide.keep.keys:Keys",
    "tokens": "confide.recall.audience_tokens:AudienceTokens",
    "learning": "confide.remember.listening:Listening",
    "doctor": "confide.keep.doctor:Doctor",
    "upkeep": "confide.keep.gc:Upkeep",
    "vectors": "confide.keep.embedding:Vectors",
    "reports": "confide.keep.reporting:Reports",
    "contexts": "confide.keep.contexts:Contexts",
    "review": "confide.keep.reviewing:Reviewing",
    "insights": "confide.keep.generalizing:Insights",
    "rights": "confide.keep.rights:Rights",
    "data_requests": "confide.keep.data_requests:DataRequests",
    "erasure": "confide.keep.erasing:Erasures",
    "trail": "confide.keep.trail:Trail",
}


def group_called(name: str) -> type[Group]:
    module, _, cls = GROUPS[name].partition(":")
    return getattr(import_module(module), cls)


def verb_called(name: str) -> Verb:
    """By its full name, such as `people.known`."""
    group, _, verb = name.partition(".")
    return getattr(group_called(group), verb).verb
