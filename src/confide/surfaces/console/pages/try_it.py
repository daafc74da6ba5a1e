"""Try: two people side by side in the demo community, told and withheld beside each answer.

Only where `confide serve --demo` plays everybody: elsewhere it would show people's words.
"""

from __future__ import annotations

import re
import uuid
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from confide.errors import InvalidInput, NotFound
from confide.model import Scope
from confide.privacy.acting import CallerKind
from confide.surfaces.chat.play import Play
from confide.surfaces.console import words
from confide.surfaces.console.visit import Page, Visit, go

if TYPE_CHECKING:
    from starlette.responses import Response

    from confide.model import Entity
    from confide.surfaces.chat.shown import Shown

#: Of the demo's story, so that what was said in it can be asked for.
PEOPLE: Final = ("alice", "bob", "carol", "mia")
ROOMS: Final = {
    "dm": "direct chat",
    "group:trip": "trip",
    "public:general@craft": "#general",
    "restricted:mods@craft": "#mods",
    "public:general@redstone": "#general of Redstone",
}
#: What to type first, on the left and on the right.
FIRST: Final = (
    ("My sister is visiting next week.", "Who is visiting?", "When does the train leave?"),
    ("Who is visiting Alice?", "When does the train leave?", "Where is the iron farm?"),
)
#: Before an answer that quotes what it was told.
_QUOTED: Final = re.compile(r"^\[\d+\] ", re.MULTILINE)
MOST_PLAYS: Final = 50
MOST_LINES: Final = 20


@dataclass
class Pane:
    """One of two people who talk to the agent."""

    play: Play
    lines: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])


#: By session. Kept by this process only, and gone with the demo.
_PLAYS: Final[OrderedDict[uuid.UUID, list[Pane]]] = OrderedDict()


async def _panes(visit: Visit) -> list[Pane]:
    visit.require(CallerKind.CONSOLE)
    if not visit.is_demo:
        raise NotFound("there is no such page")
    found = _PLAYS.get(visit.session.id)
    if found is None:
        found = [Pane(Play(visit.confide)), Pane(Play(visit.confide))]
        found[1].play.scene.become("bob")
        await found[1].play.type("/in public:general@craft")
        _PLAYS[visit.session.id] = found
        while len(_PLAYS) > MOST_PLAYS:
            _PLAYS.popitem(last=False)
    return found


async def show(visit: Visit) -> Page:
    panes = await _panes(visit)
    shown = {
        "title": "Try",
        "panes": [await _pane(visit, one, n) for n, one in enumerate(panes)],
        "people": PEOPLE,
        "rooms": ROOMS,
    }
    return Page("try.html", shown, {"panes": [one.lines for one in panes]})


async def _pane(visit: Visit, pane: Pane, n: int) -> dict[str, Any]:
    scene = pane.play.scene
    who, sees = scene.who.id, f"{scene.who.id.capitalize()} alone sees the answer"
    if scene.room != "dm":
        there = await visit.confide.rooms.members(scene.place.id, actor=visit.actor)
        sees = (
            f"{words.plural(len(there), 'person', 'people')} and whoever joins later see the answer"
        )
    said = {one["said"] for one in pane.lines}
    first = [line for line in FIRST[n] if line not in said] if len(said) < len(FIRST[n]) else []
    return {"who": who, "room": scene.room, "sees": sees, "lines": pane.lines, "first": first}


async def say(visit: Visit) -> Response:
    panes = await _panes(visit)
    try:
        pane = panes[int(visit.sent("pane"))]
    except (ValueError, IndexError):
        raise InvalidInput("pane", "is 0 or 1") from None
    who, room = visit.sent("who"), visit.sent("room")
    if who not in PEOPLE or room not in ROOMS:
        raise InvalidInput("who", "is none of the people here")
    play = pane.play
    if play.scene.who.id != who:
        await play.type(f"/as {who}")
    if play.scene.room != room:
        await play.type(f"/in {room}")
    line = visit.sent("line", "")
    if line and not line.startswith("/"):
        done = await play.type(line)
        pane.lines = [*pane.lines, _line(line, done, play)][-MOST_LINES:]
    return go("/try#last")


def _line(said: str, done: Shown, play: Play) -> dict[str, Any]:
    there = ROOMS[play.scene.room]
    return {
        "who": play.scene.who.id,
        "room": play.scene.room,
        "said": said,
        "answer": _QUOTED.sub("", done.answer or "") or ("I will keep it in mind." if done.remembered else ""),
        "notice": "" if done.remembered else done.notice,
        "remembered": list(done.remembered),
        "told": [(one.memory.text, _because(one, play)) for one in done.told],
        "withheld": [(one.text, _why(one, play, there)) for one in done.withheld],
    }  # fmt: skip


def _name(who: Entity, called: str) -> str:
    return words.called(who).capitalize() if called in ("", str(who)) else called


def _because(one: Any, play: Play) -> str:
    name, place = _name(one.memory.owner, one.owner_name), one.memory.origin.place
    said = f"{name} said this in {words.place_called(place)}" if place else f"{name} said this"
    if one.memory.owner == play.scene.who and play.scene.room == "dm":
        return f"{said}, and is alone."
    return f"{said}; everyone who sees the answer may hear it."


def _why(one: Any, play: Play, there: str) -> str:
    """Where it was said, and who would see the answer."""
    name, asker = _name(one.owner, one.owner_name), play.scene.who.id.capitalize()
    where = {Scope.DM: "in a direct chat", Scope.GUILD_PUBLIC: "in a channel of another space"}
    said = f"{name} said this {where.get(one.scope, 'in another room')}"
    if one.scope is Scope.GLOBAL:
        return f"This follows {name} everywhere, and is told only when {name} asks."
    if play.scene.room == "dm":
        return f"{said}; {asker} was not there."
    return f"{said}; others in {there} would see the answer."


async def again(visit: Visit) -> Response:
    """Both begin anew; what was remembered meanwhile is forgotten with the demo."""
    await _panes(visit)
    _PLAYS.pop(visit.session.id, None)
    return go("/try")


ROUTES: Final = (
    ("GET", "/try", show),
    ("POST", "/try", say),
    ("POST", "/try/again", again),
)
