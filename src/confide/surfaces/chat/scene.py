"""Who you are, where you are, and who is with you."""

from __future__ import annotations

from dataclasses import dataclass, field

from confide.errors import InvalidInput
from confide.model import Entity, Place
from confide.privacy.places import WRITTEN, parse_place
from confide.privacy.policy import Audience
from confide.reading import audience, read_entity

#: Rooms that are there from the start, so that `/in mods@guild` is enough.
ROOMS = (
    "dm",
    "group:friends",
    "public:general@guild",
    "restricted:mods@guild",
    "public:general@other",
    "ctx:care",
)


@dataclass(slots=True)
class Scene:
    """Changes with `/as`, `/in` and `/with`."""

    who: Entity = field(default_factory=lambda: Entity("human", "alice"))
    room: str = "dm"
    present: dict[str, set[Entity]] = field(default_factory=dict[str, set[Entity]])

    def __post_init__(self) -> None:
        for room in ROOMS:
            self.present.setdefault(room, set())

    def become(self, name: str) -> None:
        """`bob` is `human:bob`."""
        self.who = person(name, "as")
        self._be_there()

    def enter(self, written: str) -> None:
        """A written place, or the short name of a room that is known."""
        room = self._room(written)
        parse_place(room, self.who)
        self.room = room
        self.present.setdefault(room, set())
        self._be_there()

    def bring(self, *names: str) -> list[Entity]:
        """Others who are in this room too."""
        if self.room == "dm":
            raise InvalidInput("with", "a direct chat has one person; go elsewhere with /in first")
        brought = [person(name, "with") for name in names]
        self.present[self.room].update(brought)
        return brought

    def send_away(self, name: str) -> Entity:
        gone = person(name, "leave")
        if gone == self.who:
            raise InvalidInput(
                "leave", f"you are {name} yourself; go elsewhere with /in, or be another with /as"
            )
        if gone not in self.others:
            here = ", ".join(sorted(map(called, self.others))) or "nobody but you"
            raise InvalidInput("leave", f"{name} is not here; here is {here}")
        self.present[self.room].discard(gone)
        return gone

    @property
    def place(self) -> Place:
        return parse_place(self.room, self.who)

    @property
    def others(self) -> frozenset[Entity]:
        here: set[Entity] = set() if self.room == "dm" else self.present[self.room]
        return frozenset(here) - {self.who}

    def audience(self) -> Audience:
        return audience(self.who, self.place, present=self.others)

    @property
    def prompt(self) -> str:
        return f"{called(self.who)} @ {self.room}"

    def _be_there(self) -> None:
        if self.room != "dm":
            self.present[self.room].add(self.who)

    def _room(self, written: str) -> str:
        kind = written.partition(":")[0]
        if written == "dm" or (":" in written and kind in WRITTEN):
            return written
        fits = [room for room in self.present if room.partition(":")[2] == written]
        if len(fits) == 1:
            return fits[0]
        known = ", ".join(self.present)
        raise InvalidInput(
            "in", f"which room is {written!r}? Known: {known}. New: public:ID@SPACE, …"
        )


def person(name: str, field: str) -> Entity:
    return read_entity(name if ":" in name else f"human:{name}", field)


def called(who: Entity) -> str:
    """As one writes it: `bob` is `human:bob`."""
    return who.id if who.namespace == "human" else str(who)
