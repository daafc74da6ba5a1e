"""What the console says: names, dates and places in words. Reasons are in `reasons.py`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Final, NamedTuple

from confide.model import Entity, PlaceKind, is_someone
from confide.privacy.acting import CallerKind
from confide.privacy.atoms import Atom, AtomKind
from confide.privacy.reasons import place_called as place_called
from confide.privacy.reasons import place_named as place_named

if TYPE_CHECKING:
    from confide.surfaces.callers import Caller

Names = Mapping[Entity, str]
ICONS: Final[Mapping[PlaceKind, str]] = {
    PlaceKind.DIRECT: "chat", PlaceKind.EPHEMERAL: "chat", PlaceKind.GROUP: "people",
    PlaceKind.PUBLIC: "hash", PlaceKind.ANNOUNCEMENT: "hash", PlaceKind.RESTRICTED: "lock",
    PlaceKind.AGE_GATED: "lock", PlaceKind.VOICE: "lock", PlaceKind.STAGE: "lock",
    PlaceKind.THREAD: "thread", PlaceKind.FORUM_POST: "thread", PlaceKind.PRIVATE_THREAD: "thread",
    PlaceKind.CONTEXT: "care", PlaceKind.CONNECTION: "plug",
}  # fmt: skip
KINDS: Final[Mapping[PlaceKind, str]] = {
    PlaceKind.DIRECT: "direct chat", PlaceKind.EPHEMERAL: "reply only one sees",
    PlaceKind.GROUP: "group chat", PlaceKind.PUBLIC: "public channel",
    PlaceKind.ANNOUNCEMENT: "announcements", PlaceKind.RESTRICTED: "restricted",
    PlaceKind.AGE_GATED: "age-gated", PlaceKind.VOICE: "voice", PlaceKind.STAGE: "stage",
    PlaceKind.THREAD: "thread", PlaceKind.FORUM_POST: "forum post",
    PlaceKind.PRIVATE_THREAD: "private thread", PlaceKind.CONTEXT: "context",
    PlaceKind.CONNECTION: "connection", PlaceKind.GUEST: "guest", PlaceKind.THOUGHT: "thought",
    PlaceKind.UNKNOWN: "unknown",
}  # fmt: skip


class SignedInAs(NamedTuple):
    """Who is signed in, for the bar on top."""

    name: str
    sees: str
    initial: str
    is_square: bool


def signed_in(caller: Caller, name: str | None = None, *, is_demo: bool = False) -> SignedInAs:
    name = name or called(caller.entity)
    match caller.kind:
        case CallerKind.CONSOLE if is_demo:
            return SignedInAs("Demo", "you are everybody", "De", True)
        case CallerKind.CONSOLE:
            return SignedInAs("Operator", "numbers and labels, no words", "Op", True)
        case CallerKind.AUDITOR:
            return SignedInAs("Auditor", "labels, no words", "Au", True)
        case CallerKind.ADMIN:
            return SignedInAs("Admin", "numbers, no words", "Ad", True)
        case CallerKind.PERSONAL:
            sees = f"what the key “{caller.connection}” may hear"
            return SignedInAs(name, sees, initial(name), False)
        case _:
            return SignedInAs(name, "your own view", initial(name), False)


def called(who: Entity | None, names: Names | None = None) -> str:
    """Somebody by name, else by id. Whom only a speaker knows is nobody's to name."""
    if who is None:
        return "the operator"
    if names and who in names:
        return names[who]
    if is_someone(who):
        return "somebody"
    return who.id if who.namespace == "human" else str(who)


def person_of(atom: Atom) -> Entity | None:
    """The one whom an atom names, if it names one person."""
    if atom.kind is not AtomKind.ENTITY:
        return None
    namespace, _, id = atom.name.partition(":")
    return Entity(namespace, id)


def atom_called(atom: Atom, names: Names | None = None) -> str:
    """Whom or what an atom names, for people."""
    who = person_of(atom)
    if who is not None:
        return called(who, names)
    match atom.kind:
        case AtomKind.ANYONE:
            return "anyone"
        case AtomKind.COLLECTIVE:
            return f"everyone in {atom.name}"
        case AtomKind.SPACE | AtomKind.AT_SPACE:
            return f"everyone in {atom.name}"
        case AtomKind.PLACE | AtomKind.AT_PLACE:
            return f"everyone in {atom.name.partition('@')[0]}"
        case AtomKind.PRESENT:
            return f"who was in {atom.name.partition('@')[0].partition('#')[0]} then"
        case AtomKind.ALONE:
            return "alone"
        case _:
            return "a workspace"


def initial(name: str) -> str:
    return name.lstrip("@#")[:1].upper() or "?"


def day(at: datetime | date | None) -> str:
    """15 Nov, with the year where it is another one."""
    if at is None:
        return ""
    this_year = datetime.now(UTC).year
    return f"{at.day} {at:%b}" + ("" if at.year == this_year else f" {at.year}")


def weekday(at: datetime) -> str:
    """today, on Tuesday within a week, else on 3 Nov."""
    days = (datetime.now(UTC).date() - at.astimezone(UTC).date()).days
    if days < 2:
        return "yesterday" if days == 1 else "today"
    return f"on {at:%A}" if days < 7 else f"on {day(at)}"


def moment(at: datetime | None) -> str:
    return "" if at is None else f"{day(at)}, {at.astimezone(UTC):%H:%M} UTC"


def number(value: float) -> str:
    return f"{value:,}"


def plural(count: int, one: str, many: str | None = None) -> str:
    """`1 memory`, `2 memories`."""
    return f"{count:,} {one if count == 1 else many or _many(one)}"


def _many(one: str) -> str:
    is_y = one.endswith("y") and one[-2:-1] not in "aeiou"
    return f"{one[:-1]}ies" if is_y else f"{one}s"


def listed(names: list[str]) -> str:
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"
