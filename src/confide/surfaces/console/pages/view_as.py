"""View as: an answer through somebody else's eyes, and scenarios that are saved from it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from starlette.responses import Response

from confide.errors import InvalidInput, NotFound
from confide.model import Entity, Place, PlaceKind, memory_id_of
from confide.privacy.places import direct
from confide.privacy.policy import Anyone, Audience, EveryoneIn
from confide.reading import read_entities, read_entity
from confide.recall.audience import audience_in
from confide.surfaces.console import asking, reasons, words
from confide.surfaces.console.pages.me import row
from confide.surfaces.console.twin import Heard
from confide.surfaces.console.visit import LABELS, PEOPLE, Page, Visit, go
from confide.verbs.room_counts import Room

if TYPE_CHECKING:
    from confide.verbs.viewing import Judged, Run, Scenario, View

ALONE: Final = "alone"
MOST_NAMED: Final = 60


class Choices:
    """The audiences that a visitor may choose among: rooms they are in, or all for the operator."""

    def __init__(self, rooms: list[Room], people: list[Entity], who: Entity | None) -> None:
        self.rooms = {one.id: one for one in rooms}
        self.people, self.who = people, who

    def askers(self, place: str) -> list[Entity]:
        """Those who are in a room; alone, a person chooses only themselves."""
        room = self.rooms.get(place)
        if room is not None:
            return list(room.people)
        return self.people if self.who is None else [self.who]

    def audience(self, place: str, asker: str, present: list[str]) -> Audience:
        who = read_entity(asker, "asker")
        if place != ALONE and place not in self.rooms:
            raise NotFound("there is no such room")
        others = read_entities(present, "present")
        if {who, *others} - set(self.askers(place)):
            raise NotFound("there is nobody like that in this room")
        if place == ALONE:
            return audience_in(direct(who), who)
        room = self.rooms[place]
        at = Place(id=room.id, kind=room.kind, space=room.space)
        return audience_in(at, who, present=others)


async def choices(visit: Visit, chosen: str) -> Choices:
    if visit.is_person:
        asking.require_alone(visit)
        return Choices(await visit.confide.rooms.of(visit.who), [], visit.who)
    known = await visit.confide.world.places()
    inside = tuple(await visit.confide.rooms.members(chosen, actor=visit.actor))
    rooms = [
        Room(
            id=one.place.id,
            kind=one.place.kind,
            space=one.place.space,
            people=inside if one.place.id == chosen else (),
        )
        for one in known
        if one.place.kind not in (PlaceKind.DIRECT, PlaceKind.CONNECTION, PlaceKind.THOUGHT)
    ]
    return Choices(rooms, await visit.confide.rooms.people(actor=visit.actor), None)


async def show(visit: Visit) -> Page:
    visit.require(*PEOPLE, *LABELS)
    names, wanted = await asking.names(visit), visit.query("place")
    found = await choices(visit, wanted)
    place = wanted or (next(iter(found.rooms), ALONE) if visit.is_person else ALONE)
    if place not in found.rooms:
        place = ALONE
    askers = found.askers(place)
    others = [one for one in askers if one != visit.caller.entity] or askers
    is_new_room = bool(visit.query("choose"))  # who asks there is still to be chosen
    asker = "" if is_new_room else visit.query("asker")
    asker = asker or (str(others[0]) if others else "")
    given = [] if is_new_room else visit.request.query_params.getlist("present")
    present = sorted({one for one in given if one != asker})
    question, view = visit.query("question"), None
    if question and asker:
        view = await _view(visit, found.audience(place, asker, present), question)
    saved = await visit.confide.viewing.scenarios(actor=visit.actor)
    runs = await _runs(visit, found, saved) if visit.query("run") else {}
    places = [
        (ALONE, "alone"),
        *((r.id, words.place_named(r.id, r.kind)) for r in found.rooms.values()),
    ]
    shown = {
        "title": "View as",
        "name": words.called(visit.who, names) if visit.is_person else None,
        "is_person": visit.is_person,
        "places": places,
        "place": place,
        "askers": [(str(one), words.called(one, names)) for one in askers],
        "asker": asker,
        "asker_name": words.called(read_entity(asker), names) if asker else "",
        "others": [(str(one), words.called(one, names), str(one) in present)
                   for one in askers if str(one) != asker][:MOST_NAMED],
        "room_name": dict(places).get(place, ""),
        "people": [words.called(one, names) for one in askers[:4]] if place != ALONE else [],
        "count": len(askers),
        "question": question,
        "view": None if view is None else _shown(view, names, visit),
        "query": urlencode([("place", place), ("asker", asker), ("question", question), *(("present", one) for one in present)]),
        "saved": [_saved(one, runs.get(one.id), names) for one in saved],
        "ran": bool(runs),
    }  # fmt: skip
    return Page("view_as.html", shown, _answer(visit, view, saved, names))


async def _view(visit: Visit, audience: Audience, question: str) -> View:
    viewing = visit.confide.viewing
    if visit.is_person:
        return await viewing.as_person(visit.who, question, audience)
    return await viewing.as_operator(question, audience, actor=visit.actor)


def _sees(view: View, there: str, names: words.Names) -> str:
    named = [words.called(one, names) for one in view.audience.viewers if isinstance(one, Entity)]
    if any(isinstance(one, EveryoneIn | Anyone) for one in view.audience.viewers):
        return f"Everyone in {there} would see the answer, and whoever joins later."
    return f"Only {words.listed(sorted(named))} would see the answer."


def _shown(view: View, names: words.Names, visit: Visit) -> dict[str, Any]:
    there = words.place_called(view.audience.place)
    who = words.called(view.audience.asker, names)
    told = [_judged(one, view.audience, names, visit) for one in view.told]
    context = "\n".join(
        f"[{n}] {one['text']} — {one['owner']}, {one['where']}" for n, one in enumerate(told, 1)
    )
    return {
        "told": told,
        "withheld": [_judged(one, view.audience, names, visit) for one in view.withheld],
        "sees": _sees(view, there, names),
        "would": f"Would {who} in {there} hear this? No: ",
        "context": context,
    }


def _judged(one: Judged, audience: Audience, names: words.Names, visit: Visit) -> dict[str, Any]:
    memory, me = one.memory, visit.caller.entity
    is_own = me in (memory.owner, memory.speaker)
    owns = one.decision.clause is not None and one.decision.clause.owner in (me, visit.caller.agent)
    made = row(memory, names) | {
        "because": reasons.reason(memory, one.decision, audience, names, is_named=me is not None),
        "rule": reasons.rule(one.decision) if (is_own and owns) or me is None else None,
        "hearers": reasons.hearers(memory, memory.owner, names) if is_own else "",
        "short": f"{str(memory.id)[:4]}…",
        "icon": words.ICONS.get(memory.origin.place.kind, "chat")
        if memory.origin.place
        else "chat",
    }
    if me is None:
        made |= {"text": "", "owner": "", "others": ""}
    return made


def _saved(one: Scenario, run: Run | None, names: words.Names) -> dict[str, Any]:
    where = "alone" if one.place == ALONE else f"in {one.place.partition('@')[0]}"
    return {
        "id": one.id,
        "name": f"{words.called(one.asker, names)} {where}",
        "says": f"{len(one.told)} told, {len(one.withheld)} withheld",
        "state": None if run is None else run.is_same,
    }


async def _runs(visit: Visit, found: Choices, saved: list[Scenario]) -> dict[Any, Run]:
    made: dict[Any, Run] = {}
    for one in saved:
        try:
            chosen = found if visit.is_person else await choices(visit, one.place)
            audience = chosen.audience(one.place, str(one.asker), list(one.present))
            made[one.id] = await visit.confide.viewing.run(one, audience)
        except NotFound:
            continue  # they are not in that room any more
    return made


def _answer(
    visit: Visit, view: View | None, saved: list[Scenario], names: words.Names
) -> dict[str, Any]:
    def listed(judged: tuple[Judged, ...]) -> list[dict[str, Any]]:
        if not visit.is_person:
            return [
                {"id": one.memory.id, "sensitivity": one.memory.sensitivity,
                 "scope": one.memory.scope, "because": one.decision.because}
                for one in judged
            ]  # fmt: skip
        heard = asking.own_audience(visit)
        return [
            {"memory": Heard(one.memory, heard), "told": one.decision.told,
             "because": _judged(one, audience, names, visit)["because"]}
            for one in judged
        ]  # fmt: skip

    if view is None:
        return {"told": [], "withheld": [], "scenarios": saved}
    audience = view.audience
    return {"told": listed(view.told), "withheld": listed(view.withheld), "scenarios": saved}


async def save(visit: Visit) -> Response:
    visit.require(*PEOPLE, *LABELS)
    place, asker, present = visit.sent("place"), visit.sent("asker"), visit.all_sent("present")
    found = await choices(visit, place)
    view = await _view(visit, found.audience(place, asker, present), visit.sent("question"))
    await visit.confide.viewing.save(view, place, present, actor=visit.actor)
    back = {"place": place, "asker": asker, "question": visit.sent("question"), "done": "saved",
            "present": present}  # fmt: skip
    return go(f"/view-as?{urlencode(back, doseq=True)}")


async def drop(visit: Visit) -> Response:
    visit.require(*PEOPLE, *LABELS)
    await visit.confide.viewing.drop(memory_id_of(visit.sent("scenario")), actor=visit.actor)
    return go("/view-as?done=removed")


async def download(visit: Visit) -> Response:
    """All saved scenarios as tests: ids and labels, never words."""
    visit.require(*PEOPLE, *LABELS)
    saved = await visit.confide.viewing.scenarios(actor=visit.actor)
    lines = ["# Scenarios saved in the console: ids and labels, never words."]
    for one in saved:
        asked = {"asker": str(one.asker), "place": one.place, "present": list(one.present)}
        lines += [f"- id: {one.id}", f"  audience: {json.dumps(asked)}"]
        for lane, ids in (("told", one.told), ("withheld", one.withheld)):
            lines.append(f"  {lane}:" if ids else f"  {lane}: []")
            for id in ids:
                label = one.labels[id]
                lines.append(f"    - {{memory: {id}, level: {label.level}, scope: {label.scope}}}")
    if not saved:
        lines.append("[]")
    return Response("\n".join(lines) + "\n", media_type="application/yaml")


async def ask_to_open(visit: Visit) -> Page:
    """Break-glass asks for a reason first."""
    visit.require(*LABELS[:1])
    id = memory_id_of(visit.request.path_params["id"])
    audit = await visit.confide.access.audit(id, actor=visit.actor)
    return Page(
        "glass.html", {"title": "Break glass", "id": id, "text": None}, {"id": audit.memory_id}
    )


async def open_glass(visit: Visit) -> Page:
    visit.require(*LABELS[:1])
    id = memory_id_of(visit.request.path_params["id"])
    reason = visit.sent("reason")
    if len(reason) < 5:
        raise InvalidInput("reason", "is too short; its owner will read it")
    text = await visit.confide.viewing.break_glass(id, reason, actor=visit.actor)
    return Page("glass.html", {"title": "Break glass", "id": id, "text": text, "reason": reason})


ROUTES: Final = (
    ("GET", "/view-as", show),
    ("POST", "/view-as/save", save),
    ("POST", "/view-as/drop", drop),
    ("GET", "/view-as/scenarios.yaml", download),
    ("GET", "/glass/{id}", ask_to_open),
    ("POST", "/glass/{id}", open_glass),
)
