"""Me: what is known about whoever is signed in, how far it goes, and how they end it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from confide.model import memory_id_of
from confide.privacy.reach import Reach, named_in
from confide.surfaces.console import asking, words
from confide.surfaces.console.twin import heard_by
from confide.surfaces.console.visit import PEOPLE, Page, Visit, go

if TYPE_CHECKING:
    from starlette.responses import Response

    from confide.keep.held import Waiting
    from confide.store.browsing import LinkMade
    from confide.store.consents import Given
    from confide.store.memory import Memory

FIRST: Final = 3
GROUPS: Final = {
    Reach.ALONE: ("You, alone", "told when nobody else sees the answer"),
    Reach.ANYWHERE: ("You, anywhere", "told when you ask"),
    Reach.THERE: ("People who were there", "in that room or alone"),
    Reach.SPACE: ("Anyone in your spaces", "in any of their channels"),
    Reach.ANYONE: ("Anyone", "told to whoever asks"),
}
MADE_BY: Final = {
    "platform": "which you asked the bot for",
    "operator": "which the operator made for you",
    "program": "which the program made for you",
}


async def show(visit: Visit) -> Page:
    visit.require(*PEOPLE)
    confide, who = visit.confide, visit.who
    names = await asking.names(visit)
    levels = await confide.reaches.levels_for(who, asking.own_audience(visit))
    privacy = await confide.rights.state(who)
    alone = await _for_their_eyes(visit) if asking.is_alone(visit) else dict[str, Any]()
    answer = {
        "who": who,
        "reaching": levels,
        "memories": heard_by(await asking.own(visit, limit=100), who),
        "privacy": privacy,
        **alone,
    }
    shown = {
        "title": "Me",
        "name": words.called(who, names),
        "total": sum(one.memories for one in levels),
        "groups": await _groups(visit, levels, names),
        "privacy": privacy,
        "is_silent": privacy.is_opted_out and not privacy.is_global_only,
        "undo_hours": words.plural(confide.settings.undo_hours, "hour"),
        "undo": visit.query("undo"),
        "alone": alone,
        "waiting_rows": [_waiting(one) for one in alone.get("waiting", ()) if one.owner == who],
        "consents": [consent_row(one, names) for one in alone.get("consents", ())],
        "mentions": [row(one.memory, names) for one in alone.get("mentions", ())],
        "links": alone.get("links", ()),
        "signing": _signing(visit, alone.get("links", ())),
    }
    return Page("me.html", shown, answer)


async def _groups(visit: Visit, levels: Any, names: words.Names) -> list[dict[str, Any]]:
    total = sum(one.memories for one in levels)
    return [
        {
            "reach": one.reach,
            "title": GROUPS[one.reach][0],
            "note": GROUPS[one.reach][1],
            "count": one.memories,
            "width": max(1, round(10 * one.memories / total)),
            "memories": [
                row(memory, names)
                for memory in await asking.own(visit, reach=one.reach, limit=FIRST)
            ],
        }
        for one in levels
    ]


async def _for_their_eyes(visit: Visit) -> dict[str, Any]:
    """What a key's model must not read along."""
    confide, who = visit.confide, visit.who
    given = await confide.consents.given_by(who, actor=visit.actor)
    return {
        "consents": [one for one in given if one.revoked_at is None],
        "mentions": heard_by(await confide.mine.mentions(who, limit=10), who),
        "waiting": await confide.review.waiting(actor=visit.actor, limit=20),
        "requests": await confide.consents.requests(who),
        "links": await confide.browser.links(who),
        "opened": await confide.viewing.opened(who),
    }


def row(memory: Memory, names: words.Names) -> dict[str, Any]:
    """One memory in a list: its words, where it was said, and who else may hear it."""
    concerned = {memory.owner, memory.speaker, *memory.subjects}
    others = {words.person_of(atom) for atom in named_in(memory.label)} - concerned - {None}
    return {
        "id": memory.id,
        "text": memory.text,
        "where": words.place_called(memory.origin.place),
        "owner": words.called(memory.owner, names),
        "said_at": memory.said_at,
        "sensitivity": memory.sensitivity.value,
        "others": words.listed(sorted(words.called(one, names) for one in others)),
    }


def consent_row(given: Given, names: words.Names) -> dict[str, Any]:
    about = given.about
    if about.memory_id is not None:
        what = "one memory"
    elif about.origin is not None:
        what = f"what was said in {about.origin.partition('@')[0]}"
    else:
        what = f"all about {words.called(about.subject, names)}"
    return {
        "id": given.id,
        "to": words.atom_called(given.consent.grantee, names),
        "what": what + (f", for {given.consent.purpose}" if given.consent.purpose else ""),
        "memory": about.memory_id,
        "until": given.consent.until,
        "granted_at": given.granted_at,
        "revoked_at": given.revoked_at,
        "reason": given.reason,
    }


def _waiting(one: Waiting) -> dict[str, Any]:
    asks = {
        "everywhere": ("May this follow you everywhere?", "No, keep it here"),
        "confidence": ("Is that right?", "No, drop it"),
    }.get(one.reason.value, (f"It waits: {one.waits_because}.", "No, drop it"))
    return {"id": one.id, "text": one.text, "asks": asks[0], "no": asks[1]}


def _signing(visit: Visit, links: list[LinkMade]) -> str:
    at = words.moment(visit.session.started_at)
    used = [one for one in links if one.used_at is not None]
    how = f"With a link {MADE_BY.get(used[0].made_by, '')}, on {at}." if used else f"On {at}."
    others = len(links) - bool(used)
    if not others:
        return f"{how} No other links were made for you in the last 90 days."
    return f"{how} {words.plural(others, 'other link')} made for you in the last 90 days."


async def forget(visit: Visit) -> Response:
    visit.require(*PEOPLE)
    id = memory_id_of(visit.sent("memory"))
    await visit.confide.forget(id, actor=visit.actor)
    return go(f"/me?done=forgotten&undo={id}")


async def undo(visit: Visit) -> Response:
    """Bring back one memory, or all that an erasure took."""
    visit.require(*PEOPLE)
    await visit.confide.erasure.restore(memory_id_of(visit.sent("id")), actor=visit.actor)
    return go("/me?done=restored")


async def choose(visit: Visit) -> Response:
    visit.require(*PEOPLE)
    rights, who, actor = visit.confide.rights, visit.who, visit.actor
    match visit.sent("remember", ""), visit.sent("follow", ""):
        case "off", _:
            await rights.opt_out(who, actor=actor)
        case _, "off":
            await rights.opt_out(who, actor=actor, is_global_only=True)
        case "on", _ if visit.sent("still_not_follow", ""):
            await rights.opt_out(who, actor=actor, is_global_only=True)
        case _:
            await rights.opt_in(who, actor=actor)
    return go("/me?done=saved#choices")


async def export(visit: Visit) -> Response:
    visit.require(*PEOPLE)
    return await asking.exported(visit)


async def ask_to_erase(visit: Visit) -> Page:
    visit.require(*PEOPLE)
    asking.require_alone(visit)
    undo = words.plural(visit.confide.settings.undo_hours, "hour")
    shown = {"title": "Erase everything", "name": words.called(visit.who), "undo_hours": undo}
    return Page("me_erase.html", shown, {"who": visit.who})


async def erase(visit: Visit) -> Response:
    visit.require(*PEOPLE)
    asking.require_alone(visit)
    visit.sent("sure")
    done = await visit.confide.rights.delete(visit.who, actor=visit.actor)
    return go(f"/me?done=erased&undo={done.id}")


ROUTES: Final = (
    ("GET", "/me", show),
    ("POST", "/me/forget", forget),
    ("POST", "/me/undo", undo),
    ("POST", "/me/choices", choose),
    ("GET", "/me/export.zip", export),
    ("GET", "/me/erase", ask_to_erase),
    ("POST", "/me/erase", erase),
)
