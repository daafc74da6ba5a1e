"""Switches: where the agent listens, learns and tells, per space and place (B19)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from confide.errors import InvalidInput, NotFound
from confide.model import KNOWN_PLATFORMS
from confide.privacy.acting import CallerKind
from confide.privacy.places import MEANING, spaces_around
from confide.surfaces.console import words
from confide.surfaces.console.visit import Page, Visit, go
from confide.verbs.spaces import SpaceRules

if TYPE_CHECKING:
    from starlette.responses import Response

SWITCHES: Final = ("listen", "learn", "tell")
MOST: Final = 4  # spaces on one page; of more, one is chosen


async def show(visit: Visit) -> Page:
    visit.require(CallerKind.CONSOLE)
    spaces: dict[str, dict[str, Any]] = {}
    answer: dict[str, SpaceRules] = {}
    every = [one for one in await visit.confide.world.places() if MEANING[one.place.kind].has_space]
    names = sorted({spaces_around(one.place.space)[-1] for one in every if one.place.space})
    wanted = visit.query("space") or (names[0] if len(names) > MOST else "")
    for known in every:
        place = known.place
        space = spaces_around(place.space)[-1] if place.space else None
        if space is None or (wanted and space != wanted):
            continue
        if space not in spaces:
            answer[space] = await visit.confide.rules.of(space)
            spaces[space] = {"rules": answer[space], "places": []}
        rules = answer[space]
        name = _name(place.id)
        spaces[space]["places"].append(
            {
                "id": name,
                "name": words.place_called(place),
                "kind": words.KINDS[place.kind],
                "icon": words.ICONS.get(place.kind, "hash"),
                "members": known.members,
                "listen": name in rules.listened,
                "learn": rules.learns and name not in rules.not_learned,
                "tell": rules.tells and name not in rules.not_told,
                "needs_review": known.needs_review,
                "place_id": place.id,
            }
        )
    shown = {"title": "Switches", "spaces": spaces, "names": names, "wanted": wanted}
    return Page("switches.html", shown, answer)


async def change(visit: Visit) -> Response:
    visit.require(CallerKind.CONSOLE)
    space, what = visit.sent("space"), visit.sent("what")
    place, is_on = visit.sent("place", ""), visit.sent("to") == "on"
    known = {
        _name(one.place.id)
        for one in await visit.confide.world.places()
        if one.place.space and spaces_around(one.place.space)[-1] == space
    }
    if not known or (place and place not in known):
        raise NotFound("there is no such place")
    if what not in SWITCHES:
        raise InvalidInput("what", f"is none of {', '.join(SWITCHES)}")
    rules = await visit.confide.rules.of(space)
    await visit.confide.rules.decide(space, _changed(rules, what, place, is_on), actor=visit.actor)
    return go("/switches?" + urlencode({"done": "saved", "space": visit.sent("shown", "")}))


def _name(place_id: str) -> str:
    """As the rules of a space name it: the platform's own id."""
    name = place_id.partition("@")[0]
    platform, dot, id = name.partition(".")
    return id if dot and platform in KNOWN_PLATFORMS else name


def _changed(rules: SpaceRules, what: str, place: str, is_on: bool) -> SpaceRules:
    one = frozenset({place})
    match what, bool(place):
        case "listen", True:
            return replace(rules, listened=rules.listened | one if is_on else rules.listened - one)
        case "learn", True:
            return replace(
                rules, not_learned=rules.not_learned - one if is_on else rules.not_learned | one
            )
        case "tell", True:
            return replace(rules, not_told=rules.not_told - one if is_on else rules.not_told | one)
        case "learn", False:
            return replace(rules, learns=is_on)
        case "tell", False:
            return replace(rules, tells=is_on)
        case _:
            raise InvalidInput("place", "listening is switched on per place")


async def reviewed(visit: Visit) -> Response:
    visit.require(CallerKind.CONSOLE)
    await visit.confide.world.reviewed(visit.sent("place"))
    return go("/switches?done=saved")


ROUTES: Final = (
    ("GET", "/switches", show),
    ("POST", "/switches", change),
    ("POST", "/switches/reviewed", reviewed),
)
