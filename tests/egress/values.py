"""Values for every field that a caller who acts for a person can fill in, by the field's name.

`@name` is the id of something in the story. A field that is not here fails the walk: a new verb
is walked on the day it is written, or the walk says what it lacks.
"""

from __future__ import annotations

from typing import Any

from tests.egress.stores import ALICE, BOB, EVE, GENERAL, KID, PAT, STRANGER, TEA
from tests.egress.story import PARTY, SAFE

MEMORIES = (
    "@own", "@star", "@own_tea", "@own_general", "@conn", "@mention", "@mention_tea", "@waiting",
    "@gone", "@of_kid", "@of_alice", "@joint", "@h_party", "@h_review", "@h_granted", "@h_waiting", "@h_gone",
    "@h_stranger", "@e_diary", "@e_waiting", "@e_gone", "@e_tea",
)  # fmt: skip
PEOPLE = (PAT, ALICE, STRANGER, KID, EVE)
GRANTEES = (BOB, "*", STRANGER, "space:guild", "place:mods@guild", "ctx:care", "ctx:secret")
ROOMS = ("dm", GENERAL, TEA, "restricted:mods@guild", "group:knitting")
TEXTS = ("I like pears", SAFE, PARTY, "I keep bees in the garden", "Everybody likes warm drinks")

#: Of a field, the first value is the usual one.
VALUES: dict[str, tuple[Any, ...]] = {
    "about": ([KID], [STRANGER], [PAT], [ALICE]),
    "access": ([ALICE], ["*"], [STRANGER]),
    "account": ("local:17",),
    "agrees": (False, True),
    "alias": ("Al", "Paddy"),
    "all_of": ("guild",),
    "answered": (True, False),
    "at": ("2026-03-01T12:30:00Z",),
    "because": ("same phone",),
    "claim": ("@merge", "@h_merge"),  # nobody imports a file in the story
    "confidence": (0.9, 0.2),
    "confidential": (True, False),
    "only_for": ([ALICE], [STRANGER], ["role:nurse"]),
    "consent": ([PAT],),
    "consent_id": ("@consent", "@consent_conn", "@h_share", "@h_standing", "@h_room", "@e_consent"),
    "context": ("care", "secret", "nowhere"),
    "cursor": ("Y29uZmlkZS1wYWdlOjI=",),
    "ended": (False,),
    "entity": PEOPLE,
    "erasure_id": ("@erasure", "@h_party"),
    "dry_run": (True, False),
    "from": ("jsonl",),
    "from_agent": (False, True),
    "grantee": GRANTEES,
    "grants": (["*"], [ALICE]),
    "guardian": (ALICE,),
    "id": ("m-1", "h-1", "e-1"),
    "in": ROOMS,
    "is_global_only": (True, False),
    "is_on": (True,),
    "kind": ("identity", "preference", "event"),
    "lasts": ("2w",),
    "learn": ("later", "now"),
    "lifetime": ("2w",),
    "limit": (50, 2, 1),
    "manner": ("helpful", "certain"),
    "map": ("Al=human:pat4",),
    "memories": (list(MEMORIES),),
    "memory": MEMORIES,
    "memory_id": MEMORIES,
    "merge": ("@merge", "@h_merge", "@e_merge"),
    "message_id": ("m-1", "h-1", "e-1"),
    "messages": tuple([{"role": "user", "content": one}] for one in TEXTS),
    "name": ("Patty",),
    "namespace": ("thesis", "thesis/track:1"),
    "note": ("made from my own",),
    "now": (False, True),
    "of": (PAT, STRANGER, KID, ALICE),
    "one": (PAT,),
    "other": ("human:pat4", STRANGER, ALICE),
    "people": ({}, {"Patty": PAT}, {"Al": ALICE}),
    "person": PEOPLE,
    "place": ROOMS,
    "places": (["general@guild"],),
    "present": ([], [BOB], [STRANGER]),
    "preview": (True,),
    "purpose": ("party", "moderation", "custody", "therapy"),
    "question": ("what do I keep?", "party at eight?", "who knits?", "what did Alice say of Pat?"),
    "reason": ("unsure",),
    "relation": ("friend of",),
    "request_id": ("@ask", "@h_ask", "@e_ask"),
    "role": ("guest",),
    "said_at": ("2026-03-01T12:30:00Z",),
    "said_in": ROOMS,
    "rules": ({},),
    "scope": ("dm", "global", "guild_public"),
    "sensitivity": ("public", "sensitive"),
    "since": ("2026-03-01T00:00:00Z",),
    "source": (ALICE, "local", STRANGER),
    "sources": (["@own"], ["@own", "@star"], ["@h_party"], ["@e_diary"]),
    "space": ("guild", "nowhere"),
    "text": TEXTS,
    "to_agent": (True, False),
    "tokens": (2000, 60),
    "top_k": (5, 1, 40),
    "what": ("access", "object", "erase", "correct"),
    "where": (GENERAL, "restricted:mods@guild"),
    "who": (PAT,),
    "with": ([], [ALICE], [STRANGER]),
}
#: Fields that mean something else on some routes.
OF_ROUTE: dict[tuple[str, str], tuple[Any, ...]] = {
    ("POST /v1/consents", "about"): PEOPLE,
    ("POST /v1/memories/{memory_id}/consent-requests", "of"): ([ALICE], [STRANGER], []),
    ("POST /v1/consents", "reason"): ("as we said",),
    ("POST /v1/memories/{memory_id}/consent-requests", "reason"): ("as we said",),
}
#: What waits for review, and what else could be taken for it.
WAITING = (
    "@waiting",
    "@h_waiting",
    "@waiting_here",
    "@e_waiting",
    "@h_granted",
    "@own",
    "@mention",
)
OF_ROUTE |= {
    (route, "memory_id"): WAITING
    for route in (
        "GET /v1/review/{memory_id}", "PUT /v1/review/{memory_id}",
        "POST /v1/review/{memory_id}/approve", "POST /v1/review/{memory_id}/move",
        "POST /v1/review/{memory_id}/reject", "POST /v1/review/{memory_id}/take-back",
    )
}  # fmt: skip
#: Whole calls that matter together.
TOGETHER: dict[str, tuple[dict[str, Any], ...]] = {
    "POST /v1/memories": (
        {"text": SAFE, "access": [ALICE], "consent": [PAT]},
        *(
            {"text": "We meet at the mill", "about": [of], "access": [to], "consent": consent}
            for of, to in ((ALICE, BOB), (KID, BOB), (STRANGER, EVE))
            for consent in ([PAT], [PAT, of], [PAT, EVE])
        ),
        {"text": "Kid's name is Robin", "about": [KID], "scope": "global", "kind": "identity"},
        {"text": "Zoe plays Minecraft", "about": [STRANGER], "scope": "global"},
        {"text": "My in-game name is Nightjar", "scope": "global", "kind": "identity"},
    ),
    "POST /v1/consents": (
        {"about": STRANGER, "grantee": "*"},
        {"said_in": "restricted:mods@guild", "grantee": BOB},
        {"said_in": "group:knitting", "grantee": BOB},
        {"about": KID, "grantee": BOB, "of": KID},
        {"about": STRANGER, "grantee": BOB, "of": "human:small"},
    ),
    "POST /v1/requests": (
        *({"what": "erase", "memory": one} for one in MEMORIES),
        {"what": "correct", "memory": "@h_party", "text": "There is no party"},
        {"what": "correct", "memory": "@mention", "text": "Pat likes pasta"},
    ),
    "POST /v1/review/{memory_id}/move": ({"memory_id": "@waiting", "namespace": "thesis"},),
    "POST /v1/erasures": ({"person": PAT}, {"source": "local"}, {"person": KID}, {"place": "dm"}),
    "POST /v1/erasures/preview": (
        {"person": PAT}, {"source": "local"}, {"source": ALICE}, {"person": KID}, {"place": "dm"},
    ),
}  # fmt: skip
