"""Audit: what happened, as the trail says it, and the state of its chain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from confide.surfaces.console import asking, words
from confide.surfaces.console.visit import LABELS, PEOPLE, Page, Visit

if TYPE_CHECKING:
    from confide.keep.trail import Entry

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
        "rows": [_row(one) for one in entries],
        "verified": verified,
    }
    return Page("audit.html", shown, {"entries": entries, "verified": verified})


def _row(one: Entry) -> dict[str, Any]:
    return {
        "at": one.at,
        "actor": one.actor,
        "what": one.what.replace("_", " "),
        "action": one.action,
        "doing": one.doing or "",
        "memory": one.memory_id,
        "owner": one.owner or "",
        "place": (one.place or "").partition("@")[0],
    }


ROUTES: Final = (("GET", "/audit", show),)
