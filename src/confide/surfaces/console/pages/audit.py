"""Audit: what happened, as the trail says it, and the state of its chain."""

from __future__ import annotations

from typing import Final

from confide.surfaces.console import asking, words
from confide.surfaces.console.visit import LABELS, PEOPLE, Page, Visit

MOST: Final = 100


async def show(visit: Visit) -> Page:
    visit.require(*PEOPLE, *LABELS)
    if visit.is_person:
        asking.require_alone(visit)
    trail = visit.confide.trail
    entries = await trail.log(actor=visit.actor, limit=MOST)
    verified = await trail.verify() if not visit.is_person and visit.query("verify") else None
    names = await asking.names(visit)
    shown = {
        "title": "Audit",
        "name": words.called(visit.who, names) if visit.is_person else None,
        "is_person": visit.is_person,
        "rows": entries,
        "verified": verified,
    }
    return Page("audit.html", shown, {"entries": entries, "verified": verified})


ROUTES: Final = (("GET", "/audit", show),)
