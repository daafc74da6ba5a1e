"""The written form of each value: `read(write(x)) == x`, and one error for every mistake."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Any, Final, Generic, TypeVar

from confide.errors import InvalidInput, NotFound
from confide.model import SOMEONE, Account, Entity, Namespace, Place, PlaceKind, clean_id, shown
from confide.privacy import atoms
from confide.privacy.atoms import ALONE, ANYONE, Atom, AtomKind
from confide.privacy.leaves import Called
from confide.privacy.places import OF_ONE, parse_place, write_place

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Form(Generic[T]):
    """How a value is written in text, and read back."""

    read: Callable[[str, str], T]  # the text, and the name of the field it stands in
    write: Callable[[T], str]
    says: str
    example: str
    longest: int
    format: str | None = None  # JSON Schema's word for it
    told: Callable[[str, str], T] | None = None  # how an answer is read, if not like a request


def read_entity(text: str, field: str = "entity") -> Entity:
    return Entity.parse(text, field)


def who_shown(text: str, field: str = "entity") -> Entity:
    """The inverse of how people are shown: by their id, or by a name that only the asker uses."""
    if text == shown(Entity(SOMEONE, "")):
        return Entity(SOMEONE, "")
    try:
        return read_entity(text, field)
    except InvalidInput:
        return Entity(SOMEONE, text)


def read_day(text: str, field: str = "day") -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise InvalidInput(field, f"{text!r} is no day; write 2026-03-01") from None


# Lasts: how long something holds ------------------------------------------------------------------

_SECOND: Final = timedelta(seconds=1)
#: Largest first, as they are written; a month is 30 days, a year 365.
_UNITS: Final[dict[str, timedelta]] = {
    "y": timedelta(days=365),
    "m": timedelta(days=30),
    "w": timedelta(weeks=1),
    "d": timedelta(days=1),
    "h": timedelta(hours=1),
    "min": timedelta(minutes=1),
    "s": _SECOND,
}
_LASTS: Final = re.compile(r"(\d{1,15}(?:\.\d{1,6})?)\s*(min|[ymwdhs])")
LASTS_SAYS: Final = "12h, 3d, 2w, 6m or 1y; also 90s and 10min."


def read_lasts(text: str, field: str = "lasts") -> timedelta:
    found = _LASTS.fullmatch(text.strip().lower())
    if found is None or ("." in found[1] and found[2] != "s"):
        raise InvalidInput(field, f"{text!r} is no time; write {LASTS_SAYS.split(';')[0]}")
    try:
        if found[2] != "s":
            return int(found[1]) * _UNITS[found[2]]
        seconds, _, fraction = found[1].partition(".")
        return timedelta(seconds=int(seconds), microseconds=int(fraction.ljust(6, "0")))
    except OverflowError:
        raise InvalidInput(field, f"{text!r} is longer than time is counted") from None


def write_lasts(lasts: timedelta) -> str:
    """In the largest unit that says it exactly: nothing is rounded."""
    for unit, length in _UNITS.items():
        if lasts and not lasts % length:
            return f"{lasts // length}{unit}"
    whole, rest = divmod(lasts, _SECOND)
    return f"{whole}.{rest.microseconds:06d}s"


# Atoms: who may hear, and where ------------------------------------------------------------------

_PREFIXES: Final = {
    AtomKind.PLACE: "place:",
    AtomKind.SPACE: "space:",
    AtomKind.PRESENT: "present:",
    AtomKind.AT_PLACE: "@place:",
    AtomKind.AT_SPACE: "@space:",
    AtomKind.AT_SCOPE: "@scope:",
}


def write_atom(atom: Atom) -> str:
    """As people read it in an explanation."""
    match atom.kind:
        case AtomKind.ANYONE:
            return "*"
        case AtomKind.ALONE:
            return "@alone"
        case AtomKind.ENTITY if atom.name.startswith(f"{SOMEONE}:"):
            return shown(Entity(SOMEONE, ""))
        case kind:
            return _PREFIXES.get(kind, "") + atom.name


def read_atom(text: str, field: str = "atom") -> Atom:
    """Any atom, the settings too: what a server showed comes back as it was."""
    if text in ("*", "@alone"):
        return ANYONE if text == "*" else ALONE
    for kind, prefix in _PREFIXES.items():
        if text.startswith(prefix):
            return Atom(kind, text.removeprefix(prefix))
    if text == shown(unnamed := Entity(SOMEONE, "")):
        return atoms.entity(unnamed)
    return atoms.entity(read_entity(text, field))


def read_grantee(text: str, field: str = "grantee") -> Atom:
    """Who may be let in: never a setting or a presence, which nobody gives away."""
    prefix, _, rest = text.partition(":")
    match prefix:
        case "*" if not rest:
            return ANYONE
        case "ctx":
            return atoms.place(f"ctx:{clean_id(rest, field)}")
        case "space":
            return atoms.space("/".join(clean_id(part, field) for part in rest.split("/")))
        case "place":
            name = rest.removeprefix("ctx:")
            parts = "@".join(clean_id(part, field) for part in name.split("@"))
            return atoms.place(f"ctx:{parts}" if name != rest else parts)
        case _:
            return atoms.entity(read_entity(text, field))


def grantee_told(text: str, field: str = "grantee") -> Atom:
    """As a server showed it: a context by its id, and whatever else an atom can be."""
    return atoms.place(text) if text.startswith("ctx:") else read_atom(text, field)


def write_grantee(grantee: Atom) -> str:
    if grantee.kind is AtomKind.PLACE and grantee.name.startswith("ctx:"):
        return grantee.name
    return write_atom(grantee)


# Namespaces, accounts, times, ids ----------------------------------------------------------------

SCOPES: Final = ("track", "project", "paper")


def read_namespace(text: str, field: str = "namespace") -> Namespace:
    """`W`, `W/track:1` or `/track:1`: a workspace, a scope in it, a scope outside any workspace."""
    workspace, _, scope = text.partition("/")
    for part in filter(None, (workspace, scope)):
        clean_id(part, field)
    if scope == "global":
        scope = ""
    elif scope and scope.partition(":")[0] not in SCOPES:
        raise InvalidInput(field, f"{scope!r} is none of track:ID, project:ID, paper:ID, global")
    return Namespace(workspace or None, scope or None)


def write_namespace(namespace: Namespace) -> str:
    scope = f"/{namespace.scope}" if namespace.scope else ""
    return f"{namespace.workspace or ''}{scope}" or "/"


def read_account(text: str, field: str = "account") -> Account:
    platform, colon, id = text.partition(":")
    if not (colon and platform and id):
        raise InvalidInput(field, "is written PLATFORM:ID, for example discord:1234")
    return Account(clean_id(platform, field), clean_id(id, field))


def read_time(text: str, field: str = "at") -> datetime:
    """ISO 8601. Without a zone it is UTC, as everything that is stored."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidInput(
            field, f"{text!r} is no time; write 2026-03-01 or 2026-03-01T09:30:00+01:00"
        ) from None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def read_id(text: str, field: str = "id") -> uuid.UUID:
    """A malformed id names nothing, and is answered like one that does not exist."""
    try:
        return uuid.UUID(text)
    except ValueError:
        raise NotFound(f"there is no such {field.removesuffix('_id')}") from None


def read_room(text: str, field: str = "place") -> Place:
    place = parse_place(text, Entity("human", "nobody"), field)
    if place.kind in OF_ONE:
        raise InvalidInput(field, "nobody joins or leaves a direct chat; use group:ID")
    return place


def read_zoned(text: str, field: str = "at") -> datetime:
    found = read_time(text, field)
    if datetime.fromisoformat(text).tzinfo is None:
        raise InvalidInput(field, "has no time zone; write 2026-03-01T12:00:00Z")
    return found


ZONED: Final = Form(
    read=read_zoned, write=datetime.isoformat, says="A time with its zone, in ISO 8601.",
    example="2026-03-01T09:30:00+00:00", longest=64, format="date-time",
)  # fmt: skip
ENTITY: Final = Form(
    read=read_entity, write=shown, says="Somebody, as `namespace:id`.",
    example="human:alice", longest=160, told=who_shown,
)  # fmt: skip
GRANTEE: Final = Form(
    read=read_grantee, write=write_grantee, example="human:bob", longest=600, told=grantee_told,
    says="Who may hear it: an entity, ctx:ID, space:ID, place:ID or * (anyone).",
)  # fmt: skip
LASTS: Final = Form(
    read=read_lasts, write=write_lasts, says=LASTS_SAYS, example="2w", longest=24
)  # fmt: skip
#: As many as one request holds.
CROWD: Final = 100_000
ROOM: Final = Form(
    read=read_room, write=write_place, says="A place that people join and leave.",
    example="public:general@guild", longest=600,
)  # fmt: skip
#: What is written of a place where its parts are shown one by one.
PARTS: Final[dict[type, dict[str, Any]]] = {
    Place: {
        "id": Annotated[str, Called("place")],
        "kind": PlaceKind,
        "space": str | None,
        "parent": str | None,
    }
}
#: By the type of the value. A field may name another form for its type with `Annotated`.
FORMS: Final[dict[type, Form[Any]]] = {
    Entity: ENTITY,
    Atom: GRANTEE,
    timedelta: LASTS,
    Namespace: Form(
        read=read_namespace, write=write_namespace, says="W, W/track:1 or /paper:7.",
        example="thesis/track:1", longest=300,
    ),
    Account: Form(
        read=read_account, write=str, says="An account, as PLATFORM:ID.",
        example="discord:1234", longest=300,
    ),
    datetime: Form(
        read=read_time, write=datetime.isoformat, says="A time, in ISO 8601.",
        example="2026-03-01T09:30:00+00:00", longest=64, format="date-time",
    ),
    date: Form(
        read=read_day, write=date.isoformat, says="A day, in ISO 8601.",
        example="2026-03-01", longest=10, format="date",
    ),
    bytes: Form(
        read=lambda text, _: text.encode(), write=bytes.decode, says="A file, as text.",
        example="{}", longest=2**31,
    ),
    uuid.UUID: Form(
        read=read_id, write=str, says="An id.",
        example="6f1c2d9e-0b57-4a52-9d1f-3f2a6f6f0c11", longest=36, format="uuid",
    ),
}  # fmt: skip
