"""Why a memory is withheld, as a sentence about people. The clause comes on request."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, Protocol

from confide.model import Entity, Place, PlaceKind, Scope, Sensitivity, shown
from confide.privacy.atoms import AtomKind
from confide.privacy.places import MEANING
from confide.privacy.policy import ClauseKind

if TYPE_CHECKING:
    from confide.privacy.policy import Audience, Clause, Decision

_CHANNELS: Final = (
    PlaceKind.PUBLIC, PlaceKind.ANNOUNCEMENT, PlaceKind.RESTRICTED, PlaceKind.AGE_GATED,
)  # fmt: skip
_DIRECT: Final = (PlaceKind.DIRECT, PlaceKind.EPHEMERAL)
SENSITIVE: Final = "this is sensitive, and is not told when others see the answer"
PERSONAL: Final = "this is personal: it is told where it was said, if those whom it concerns ask"


class Where(Protocol):
    @property
    def place(self) -> Place | None: ...


class Spoken(Protocol):
    """What a reason says of a memory: never its words."""

    @property
    def owner(self) -> Entity: ...
    @property
    def speaker(self) -> Entity | None: ...
    @property
    def scope(self) -> Scope: ...
    @property
    def sensitivity(self) -> Sensitivity: ...
    @property
    def origin(self) -> Where: ...


def reason(
    memory: Spoken,
    decision: Decision,
    audience: Audience,
    name: Callable[[Entity], str] = shown,
    *,
    is_named: bool = True,
) -> str:
    """For a reader who may know where the memory was said, its level and, if `is_named`, by whom."""
    clause = decision.clause
    if clause is None:
        return decision.because
    asker, is_alone = name(audience.asker), MEANING[audience.place.kind].is_alone
    if all(term.atom.kind is AtomKind.AT_SCOPE for term in clause.terms):
        return "it belongs to a workspace, and the question was asked outside of it"
    if memory.sensitivity is Sensitivity.SENSITIVE and not is_alone:
        return SENSITIVE
    if memory.scope is Scope.GLOBAL and clause.kind is ClauseKind.ASK:
        owner = name(memory.owner) if is_named else "its owner"
        return f"this follows {owner} everywhere, and is told only when they ask; here {asker} asks"
    if memory.scope is Scope.SELF_ONLY:
        return "the agent noticed this itself, and keeps it to itself"
    if clause.kind is ClauseKind.ASK and memory.sensitivity is Sensitivity.PERSONAL:
        return PERSONAL
    who = name(memory.speaker or memory.owner) if is_named else None
    return _said(f"{who} said this" if who else "it was said", memory, clause, audience, asker)


def _said(said: str, memory: Spoken, clause: Clause, audience: Audience, asker: str) -> str:
    """Where it was said, against where and to whom it would be told."""
    there, origin = place_called(audience.place), memory.origin.place
    is_alone = MEANING[audience.place.kind].is_alone
    if origin is None or origin.kind in _DIRECT:
        if is_alone:
            return f"{said} in a direct chat, and {asker} is somebody else"
        if audience.place.kind is PlaceKind.CONNECTION:
            return f"{said} in a direct chat; the program behind {there} would read the answer"
        return f"{said} in a direct chat; others in {there} would see the answer"
    room = place_called(origin)
    if memory.scope is Scope.GRANTED:
        return f"{said} in {room}; it was not shared with everyone who would see the answer"
    kinds = {term.atom.kind for term in clause.terms}
    if clause.kind is ClauseKind.ASK:
        return f"{said} in {room}; it is told there, or alone to who was there"
    if AtomKind.PRESENT in kinds and not kinds & {AtomKind.PLACE, AtomKind.SPACE}:
        return f"{said} in {room}, to those who were there then"
    if is_alone:
        where = origin.space if memory.scope is Scope.GUILD_PUBLIC else None
        return f"{said} in {room}, and {asker} is not in {where or room}"
    if memory.scope is Scope.GUILD_PUBLIC:
        return f"{said} in {origin.space or room}; people outside it would see the answer"
    return f"{said} in {room}; people in {there} who are not in {room} would see the answer"


def place_called(place: Place | None) -> str:
    """A room as people write it; its id is the platform's, and all there is."""
    return "an unknown place" if place is None else place_named(place.id, place.kind)


def place_named(id: str, kind: PlaceKind) -> str:
    name = id.partition("@")[0]
    match kind:
        case PlaceKind.DIRECT | PlaceKind.EPHEMERAL:
            return "direct chat"
        case PlaceKind.CONNECTION:
            return name.rpartition("/")[2]
        case PlaceKind.CONTEXT:
            return name.removeprefix("ctx:")
        case _:
            return f"#{name}" if kind in _CHANNELS else name
