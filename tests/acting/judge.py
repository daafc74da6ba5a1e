"""What every audience may be told, before and after a call: by the decision for each memory."""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from tests.acting.scene import BOB, EVE, GROUP, MODS, OLGA, PAT, PUBLIC, ROOMS, TWIN

from confide import Audience, Confide, Entity, audience, statement
from confide.errors import ConfideError
from confide.model import Place, PlaceKind
from confide.privacy.places import IMPORTED
from confide.recall.audience import audience_in
from confide.surfaces.callers import audience_for, identify
from confide.surfaces.mcp.visit import when_anyone_listens

THEMSELVES = (f"{PAT.id} alone", "the caller")
#: Which memories each audience is told.
Told = dict[str, frozenset[uuid.UUID]]


@dataclass(frozen=True, slots=True)
class State:
    told: Told
    texts: dict[uuid.UUID, str]
    places: dict[uuid.UUID, str | None]


def everyone() -> dict[str, Audience]:
    found = {
        f"{who.id} in {name}": audience(who, place, present=[who])
        for who in (PAT, BOB, EVE)
        for name, place in {"public": PUBLIC, "group": GROUP, "mods": MODS}.items()
        if (who, name) != (EVE, "mods")
    }
    found |= {f"{who.id} alone": audience(who, "dm") for who in (PAT, BOB, EVE, TWIN, OLGA)}
    found["anyone"] = when_anyone_listens(PAT)
    found["olga in public"] = audience(OLGA, PUBLIC, present=[OLGA])
    found["elsewhere"] = audience(PAT, "public:lobby@other", present=[PAT])
    for name in ("default", "other"):
        place = Place(id=f"{PAT}/{name}", kind=PlaceKind.CONNECTION)
        found[f"pat's connection {name}"] = audience_in(place, PAT)
    return found


class Judge:
    """Compares what may be told with what could be told before."""

    def __init__(self, confide: Confide, secret: str) -> None:
        self._confide, self._secret = confide, secret
        self._audiences = everyone()
        self._known: set[uuid.UUID] = set()
        self._control: set[tuple[str | None, str]] = set()

    async def begin(self, controls: list[uuid.UUID]) -> State:
        """`controls` were said plainly, in each place that the caller can speak in: what else it says
        there may be told where they are, and nowhere else."""
        state = await self.look()
        self._known = set(state.texts)
        self._control = {
            (state.places[id], name)
            for id in controls
            for name, ids in state.told.items()
            if id in ids
        }
        return state

    def _is_plain(self, place: str | None, name: str) -> bool:
        """Told where plain words of the caller are. A file they bring is theirs alone."""
        is_brought = place is not None and place.startswith(IMPORTED)
        return (place, name) in self._control or (is_brought and name in THEMSELVES)

    async def look(self) -> State:
        async with self._confide.database.keep() as connection:
            rows = await connection.fetch(
                "SELECT id, text, place FROM confide.memory WHERE agent = $1",
                self._confide.database.agent,
            )
        texts = {row["id"]: row["text"] for row in rows}
        places = {row["id"]: row["place"] for row in rows}
        hearing = dict(self._audiences)
        hearing["the caller"] = audience_for(await identify(self._confide, self._secret))
        told = {
            name: frozenset(await self._confide.still_told(list(texts), heard))
            for name, heard in hearing.items()
        }
        return State(told, texts, places)

    def widened(self, before: State, after: State) -> list[str]:
        """What is told now and was not; what was put into others' ears; what is gone for good."""
        found: list[str] = []
        for name, ids in after.told.items():
            for id in ids - before.told[name]:
                is_own = id not in self._known
                if not (is_own and self._is_plain(after.places[id], name)):
                    kind = "said through it: " if is_own else ""
                    found.append(f"{name} is told: {kind}{after.texts[id]}")
            found += [
                f"{name} is told other words of: {before.texts[id]}"
                for id in ids & before.texts.keys()
                if id in self._known and after.texts[id] != before.texts[id]
            ]
        gone = (before.texts.keys() - after.texts.keys()) & self._known
        found += [f"erased for good: {before.texts[id]}" for id in gone]
        return found


async def canaries(confide: Confide, who: Entity, word: str) -> dict[str, frozenset[str]]:
    """Where something new is told that `who` says in each room: what standing consents do."""
    said: dict[uuid.UUID, str] = {}
    for name, place in ROOMS.items():
        try:
            done = await confide.remember(
                statement(f"{word} is in the {name}", by=who, place=place)
            )
        except ConfideError:
            continue
        said[done.id] = name
    return {
        name: frozenset(said[id] for id in await confide.still_told(list(said), heard))
        for name, heard in everyone().items()
    }
