"""Consents: to whom somebody gave more, until when, and what waits for their yes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from confide.model import memory_id_of
from confide.reading import read_access, read_lifetime
from confide.store.consents import About
from confide.surfaces.console import asking, words
from confide.surfaces.console.pages.me import consent_row
from confide.surfaces.console.visit import PEOPLE, Page, Visit, go

if TYPE_CHECKING:
    from starlette.responses import Response


async def show(visit: Visit) -> Page:
    visit.require(*PEOPLE)
    asking.require_alone(visit)
    names, consents = await asking.names(visit), visit.confide.consents
    given = await consents.given_by(visit.who, actor=visit.actor)
    waiting = await consents.requests(visit.who)
    rows = [consent_row(one, names) for one in given]
    shown = {
        "title": "Consents",
        "name": words.called(visit.who, names),
        "now": [one for one in rows if one["revoked_at"] is None],
        "past": [one for one in rows if one["revoked_at"] is not None],
        "requests": [_request(one, names) for one in waiting],
        "rooms": [(f"place:{one.id}", words.place_named(one.id, one.kind)) for one in await visit.confide.rooms.of(visit.who)],
    }  # fmt: skip
    return Page("consents.html", shown, {"given": given, "requests": waiting})


def _request(one: Any, names: words.Names) -> dict[str, Any]:
    wish = one.wish
    to = f" with {words.atom_called(wish.grantee, names)}" if wish else ""
    return {
        "id": one.id,
        "says": f"{one.act.value}{to}",
        "by": one.asked_by.partition(" as ")[2] or one.asked_by,
        "memory": one.about.memory_id,
        "words": one.asked.words,
        "reason": wish.reason if wish else None,
    }


async def give(visit: Visit) -> Response:
    """Agree to a sharing of all that was said in a place, or of all about oneself."""
    visit.require(*PEOPLE)
    asking.require_alone(visit)
    consents, where = visit.confide.consents, visit.sent("origin", "")
    grantee = read_access(visit.sent("grantee"))
    lasts = read_lifetime(visit.sent("lasts", "")) if visit.sent("lasts", "") else None
    given = consents.agreement(visit.who, grantee, lasts=lasts)
    about = About(origin=where.removeprefix("place:")) if where else About(subject=visit.who)
    await consents.give(given, about, actor=visit.actor, reason=visit.sent("reason", "") or None)
    return go("/consents?done=agreed")


async def withdraw(visit: Visit) -> Response:
    visit.require(*PEOPLE)
    await visit.confide.consents.withdraw(memory_id_of(visit.sent("consent")), actor=visit.actor)
    return go("/consents?done=withdrawn")


async def answer(visit: Visit) -> Response:
    visit.require(*PEOPLE)
    asking.require_alone(visit)
    yes = visit.sent("yes", "")
    id = memory_id_of(yes or visit.sent("no"))
    await visit.confide.consents.answer(id, agrees=bool(yes), actor=visit.actor)
    return go("/consents?done=answered")


ROUTES: Final = (
    ("GET", "/consents", show),
    ("POST", "/consents/give", give),
    ("POST", "/consents/withdraw", withdraw),
    ("POST", "/consents/answer", answer),
)
