"""Memories: one's own with search and filters; for the operator labels, without words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from confide.model import Kind, Sensitivity, memory_id_of
from confide.privacy.reach import Reach
from confide.reading import read_choice, read_entity
from confide.surfaces.console import asking, words
from confide.surfaces.console.pages.me import GROUPS, row
from confide.surfaces.console.twin import heard_by
from confide.surfaces.console.visit import LABELS, PEOPLE, Page, Visit, go
from confide.surfaces.http.pages import begins_at, cut

if TYPE_CHECKING:
    from starlette.responses import Response

PAGE: Final = 30


async def show(visit: Visit) -> Page:
    visit.require(*PEOPLE, *LABELS)
    return await (_own(visit) if visit.is_person else _labels(visit))


async def _own(visit: Visit) -> Page:
    names, question = await asking.names(visit), visit.query("question")
    chosen = {name: visit.query(name) for name in ("reach", "kind", "sensitivity")}
    after = None
    if question:
        asking.require_alone(visit)
        found = await visit.confide.mine.search(visit.who, question, limit=PAGE)
    else:
        begin = begins_at(visit.query("cursor") or None)
        listed = await asking.own(
            visit,
            reach=read_choice(Reach, chosen["reach"], "reach") if chosen["reach"] else None,
            kind=read_choice(Kind, chosen["kind"], "kind") if chosen["kind"] else None,
            sensitivity=read_choice(Sensitivity, chosen["sensitivity"], "sensitivity")
            if chosen["sensitivity"]
            else None,
            limit=PAGE + 1,
            offset=begin,
        )
        found, after = cut(listed, begin, PAGE)
    shown = {
        "title": "Memories",
        "name": words.called(visit.who, names),
        "question": question,
        "chosen": chosen,
        "reaches": [(one.value, GROUPS[one][0]) for one in Reach],
        "kinds": [one.value for one in Kind],
        "levels": [one.value for one in Sensitivity],
        "memories": [row(one, names) for one in found],
        "next": "/memories?" + urlencode(chosen | {"cursor": after}) if after else "",
    }
    return Page("memories.html", shown, {"memories": heard_by(found, visit.who), "next": after})


async def _labels(visit: Visit) -> Page:
    wanted = visit.query("of")
    found: Any = ()
    if wanted:
        found = await visit.confide.access.existing(
            read_entity(wanted, "of"), actor=visit.actor, limit=200
        )
    people = await visit.confide.rooms.people(actor=visit.actor)
    shown = {
        "title": "Memories",
        "of": wanted,
        "people": [str(one) for one in people],
        "found": [(one, str(one.id)) for one in found],
    }
    return Page("memory_labels_list.html", shown, {"memories": found})


async def ask_to_correct(visit: Visit) -> Page:
    visit.require(*PEOPLE)
    id = memory_id_of(visit.request.path_params["id"])
    seen = await asking.seen(visit, id)
    shown = {"title": "Correct", "memory": row(seen.memory, {})}
    return Page("correct.html", shown, {"memory": heard_by([seen.memory], visit.who)[0]})


async def correct(visit: Visit) -> Response:
    visit.require(*PEOPLE)
    id = memory_id_of(visit.request.path_params["id"])
    done = await visit.confide.rights.correct(id, visit.sent("text"), actor=visit.actor)
    if done.waits_because:
        return go("/review?done=waits")
    return go(f"/memories/{done.id}?done=corrected")


ROUTES: Final = (
    ("GET", "/memories", show),
    ("GET", "/memories/{id}/correct", ask_to_correct),
    ("POST", "/memories/{id}/correct", correct),
)
