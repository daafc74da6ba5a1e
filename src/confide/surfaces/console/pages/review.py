"""Review: what waits, decided one by one or many at once, with a way back while nobody saw it."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from confide.errors import ConfideError, InvalidInput
from confide.keep.held import Reason
from confide.model import Scope, memory_id_of
from confide.privacy.acting import CallerKind
from confide.reading import read_choice
from confide.surfaces.console import asking, words
from confide.surfaces.console.pages.overview import WHY
from confide.surfaces.console.visit import PEOPLE, Page, Visit, go

if TYPE_CHECKING:
    from starlette.responses import Response

    from confide.keep.held import Decided, Waiting

MOST: Final = 50


def _require(visit: Visit, *kinds: CallerKind) -> None:
    """Words that wait are for their readers' eyes alone: a key's model would read along."""
    visit.require(*kinds)
    if visit.is_person:
        asking.require_alone(visit)


async def show(visit: Visit) -> Page:
    _require(visit, *PEOPLE, CallerKind.CONSOLE)
    reason = visit.query("reason")
    names = await asking.names(visit)
    found = await visit.confide.review.waiting(
        actor=visit.actor,
        reason=read_choice(Reason, reason, "reason") if reason else None,
        limit=MOST,
    )
    if visit.is_person:
        found = [await _with_words(visit, one) for one in found]
    shown = {
        "title": "Review",
        "name": words.called(visit.who, names) if visit.is_person else None,
        "is_person": visit.is_person,
        "rows": [_row(one, visit, names) for one in found],
        "reasons": list(WHY.items()),
        "reason": reason,
        "undo": [str(memory_id_of(id)) for id in visit.request.query_params.getlist("undo")][:MOST],
    }
    return Page("review.html", shown, {"waiting": found})


async def _with_words(visit: Visit, one: Waiting) -> Waiting:
    """A reviewer reads the words they decide on; that they did is in the trail."""
    with suppress(ConfideError):
        return one if one.text else await visit.confide.review.show(one.id, actor=visit.actor)
    return one


def _row(one: Waiting, visit: Visit, names: words.Names) -> dict[str, Any]:
    return {
        "id": one.id,
        "text": one.text or "",
        "owner": words.called(one.owner, names) if visit.is_person else "somebody",
        "is_own": one.owner == visit.caller.entity,
        "is_wide": one.scope not in (Scope.DM, Scope.SELF_ONLY),
        "where": _where(one.place) if visit.is_person else "",
        "level": one.sensitivity.value,
        "why": one.waits_because,
        "since": one.since,
        "confidence": round(100 * one.confidence),
    }


def _where(place: str | None) -> str:
    """A direct chat is called after its person: that is its id, not its name."""
    name = (place or "dm").partition("@")[0]
    return "direct chat" if name == "dm" or name.startswith("dm:") else name


async def decide(visit: Visit) -> Response:
    """One button decides on one, or on all that are chosen."""
    _require(visit, *PEOPLE, CallerKind.CONSOLE)
    review, actor = visit.confide.review, visit.actor
    one = visit.sent("approve", "") or visit.sent("reject", "")
    verdict = "approve" if visit.sent("approve", "") else "reject"
    ids = [one] if one else visit.all_sent("id")
    if not one:
        verdict = visit.sent("verdict")
    if not ids:
        raise InvalidInput("id", "choose at least one")
    done = await review.each(
        [memory_id_of(id) for id in ids],
        lambda id: (review.approve if verdict == "approve" else review.reject)(id, actor=actor),
    )
    return _after(done, "approved" if verdict == "approve" else "rejected", can_undo=True)


async def undo(visit: Visit) -> Response:
    """Take back what one has just decided, one or many."""
    _require(visit, *PEOPLE, CallerKind.CONSOLE)
    review, actor = visit.confide.review, visit.actor
    ids = [memory_id_of(id) for id in visit.all_sent("id")]
    if not ids:
        raise InvalidInput("id", "choose at least one")
    done = await review.each(ids, lambda id: review.take_back(id, actor=actor))
    return _after(done, "taken-back")


def _after(done: list[Decided | ConfideError], says: str, *, can_undo: bool = False) -> Response:
    """Back to the list. What was refused to all is said; the others were decided on."""
    refused = [problem for problem in done if isinstance(problem, ConfideError)]
    if refused and len(refused) == len(done):
        raise refused[0]
    ids = [("undo", one.id) for one in done if not isinstance(one, ConfideError)]
    if refused:
        says = "some"
    return go("/review?" + urlencode([("done", says), *(ids if can_undo else ())]))


async def edit(visit: Visit) -> Response:
    _require(visit, *PEOPLE)
    id, text = memory_id_of(visit.sent("id")), visit.sent("text")
    await visit.confide.review.edit(id, text, actor=visit.actor)
    return go("/review?done=edited")


async def narrow(visit: Visit) -> Response:
    """Only for its owner: then the owner frees it."""
    _require(visit, *PEOPLE)
    await visit.confide.review.move(
        memory_id_of(visit.sent("id")), actor=visit.actor, scope=Scope.DM
    )
    return go("/review?done=saved")


ROUTES: Final = (
    ("GET", "/review", show),
    ("POST", "/review/decide", decide),
    ("POST", "/review/undo", undo),
    ("POST", "/review/edit", edit),
    ("POST", "/review/narrow", narrow),
)
