"""What others said about somebody: object, correct, erase, or ask for access. The operator decides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from confide.keep.data_requests import Wanted
from confide.model import memory_id_of
from confide.privacy.acting import CallerKind
from confide.reading import read_choice
from confide.surfaces.console import asking, words
from confide.surfaces.console.pages.me import row
from confide.surfaces.console.visit import PEOPLE, Page, Visit, go

if TYPE_CHECKING:
    from starlette.responses import Response


async def show(visit: Visit) -> Page:
    """One's own requests, and what one may hear that others said."""
    visit.require(*PEOPLE)
    asking.require_alone(visit)
    names, confide = await asking.names(visit), visit.confide
    asked = await confide.data_requests.list(visit.who, actor=visit.actor, with_answered=True)
    mentions = await confide.mine.mentions(visit.who, limit=50)
    shown = {
        "title": "What others said about you",
        "name": words.called(visit.who, names),
        "mentions": [row(one, names) for one in mentions],
        "asked": asked,
        "is_person": True,
    }
    return Page("data_requests.html", shown, {"requests": asked})


async def ask(visit: Visit) -> Response:
    visit.require(*PEOPLE)
    asking.require_alone(visit)
    memory = visit.sent("memory", "")
    await visit.confide.data_requests.ask(
        read_choice(Wanted, visit.sent("what"), "what"),
        visit.who,
        actor=visit.actor,
        memory_id=memory_id_of(memory) if memory else None,
        wanted=visit.sent("text", "") or None,
    )
    return go("/me/ask?done=asked")


async def queue(visit: Visit) -> Page:
    """For the operator: who asks for what, and until when."""
    visit.require(CallerKind.CONSOLE)
    asked = await visit.confide.data_requests.list(actor=visit.actor)
    shown = {"title": "Requests of people", "asked": asked, "mentions": [], "is_person": False}
    return Page("data_requests.html", shown, {"requests": asked})


async def decide(visit: Visit) -> Response:
    visit.require(CallerKind.CONSOLE)
    await visit.confide.data_requests.answer(
        memory_id_of(visit.sent("request")),
        grants=visit.sent("verdict") == "grant",
        reason=visit.sent("reason"),
        actor=visit.actor,
    )
    return go("/requests?done=answered")


ROUTES: Final = (
    ("GET", "/me/ask", show),
    ("POST", "/me/ask", ask),
    ("GET", "/requests", queue),
    ("POST", "/requests", decide),
)
