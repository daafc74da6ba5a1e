"""What each kind of place means (S3): the scope of what is said there, and who reads it."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final, NamedTuple

from confide.errors import InvalidEntity
from confide.model import Entity, Place, PlaceKind, Scope, clean_id
from confide.privacy.place_forms import EXAMPLES


class Readers(StrEnum):
    """Who sees what appears in a place, now and later."""

    ASKER = "the asker alone"
    EVERYONE = "everyone in the place, also those who join later"
    ANYONE = "anyone, also people who are not in the place"
    LISTED = "the listed participants"
    NOBODY = "nobody is known"


class Meaning(NamedTuple):
    scope: Scope | None  # of what is said there; None: as in the parent
    readers: Readers
    is_alone: bool = False  # nobody else can be added
    is_read_along: bool = False  # somebody else's client or model sees what appears there
    is_elsewhere: bool = (
        False  # the agent is not in it: it is no setting, and nothing is kept of it
    )
    has_space: bool = False
    needs_parent: bool = False


MEANING: Final[dict[PlaceKind, Meaning]] = {
    PlaceKind.DIRECT: Meaning(Scope.DM, Readers.ASKER, is_alone=True),
    PlaceKind.EPHEMERAL: Meaning(Scope.DM, Readers.ASKER, is_alone=True),
    PlaceKind.GUEST: Meaning(Scope.DM, Readers.ANYONE, is_elsewhere=True),
    PlaceKind.CONNECTION: Meaning(Scope.DM, Readers.ASKER, is_read_along=True),
    PlaceKind.THOUGHT: Meaning(Scope.SELF_ONLY, Readers.ASKER, is_alone=True),
    PlaceKind.GROUP: Meaning(Scope.GROUP, Readers.EVERYONE),
    PlaceKind.CONTEXT: Meaning(Scope.GROUP, Readers.LISTED),
    PlaceKind.PUBLIC: Meaning(Scope.GUILD_PUBLIC, Readers.EVERYONE, has_space=True),
    PlaceKind.ANNOUNCEMENT: Meaning(Scope.GUILD_PUBLIC, Readers.ANYONE, has_space=True),
    PlaceKind.RESTRICTED: Meaning(Scope.CHANNEL_RESTRICTED, Readers.EVERYONE, has_space=True),
    PlaceKind.AGE_GATED: Meaning(Scope.CHANNEL_RESTRICTED, Readers.EVERYONE, has_space=True),
    PlaceKind.THREAD: Meaning(None, Readers.EVERYONE, needs_parent=True),
    PlaceKind.FORUM_POST: Meaning(None, Readers.EVERYONE, needs_parent=True),
    PlaceKind.VOICE: Meaning(Scope.CHANNEL_RESTRICTED, Readers.EVERYONE, has_space=True),
    PlaceKind.STAGE: Meaning(Scope.CHANNEL_RESTRICTED, Readers.EVERYONE, has_space=True),
    PlaceKind.PRIVATE_THREAD: Meaning(
        Scope.CHANNEL_RESTRICTED, Readers.EVERYONE, needs_parent=True
    ),
    PlaceKind.UNKNOWN: Meaning(Scope.DM, Readers.NOBODY),
}

#: What the rooms of imported files are called; nobody speaks, asks or joins there.
IMPORTED: Final = "import:"
#: Parts of a room: members, presences and epochs are the room's.
THREADS: Final = frozenset({PlaceKind.THREAD, PlaceKind.FORUM_POST})
_OF_ONE: Final = re.compile("(?:^|@)(?:dm|reply|guest):")

#: Scopes a caller may ask for in a place that gives this one: never more than the place gives.
NARROWER: Final[dict[Scope, frozenset[Scope]]] = {
    Scope.SELF_ONLY: frozenset({Scope.SELF_ONLY}),
    Scope.DM: frozenset({Scope.DM, Scope.SELF_ONLY}),
    Scope.GROUP: frozenset({Scope.GROUP, Scope.DM, Scope.SELF_ONLY}),
    Scope.CHANNEL_RESTRICTED: frozenset({Scope.CHANNEL_RESTRICTED, Scope.DM, Scope.SELF_ONLY}),
    Scope.GUILD_PUBLIC: frozenset({Scope.GUILD_PUBLIC, Scope.DM, Scope.SELF_ONLY}),
}


def tells_nothing(kind: PlaceKind) -> bool:
    return MEANING[kind].readers is Readers.NOBODY


def tells_one_person_alone(kind: PlaceKind) -> bool:
    return MEANING[kind].is_alone


def is_elsewhere(kind: PlaceKind) -> bool:
    return MEANING[kind].is_elsewhere


def is_called_after_somebody(place: Place) -> bool:
    """A chat with one person has that person in its id, and so have threads in it."""
    of_one = MEANING[place.kind].readers is Readers.ASKER or is_elsewhere(place.kind)
    return of_one or _OF_ONE.search(place.id) is not None


def is_read_along(kind: PlaceKind) -> bool:
    return MEANING[kind].is_read_along


def scope_of(place: Place, parent: Place | None) -> Scope:
    """What is said in a place inherits from it (S4). A thread without a known parent is unknown."""
    scope = MEANING[place.kind].scope
    if scope is not None:
        return scope
    if parent is None:
        return Scope.DM
    return scope_of(parent, None)


#: How a place is written: `kind:id`, in a space `kind:id@space`, in a parent `kind:id@parent`.
WRITTEN: Final[dict[str, PlaceKind]] = {
    "group": PlaceKind.GROUP,
    "public": PlaceKind.PUBLIC,
    "announcement": PlaceKind.ANNOUNCEMENT,
    "restricted": PlaceKind.RESTRICTED,
    "age-gated": PlaceKind.AGE_GATED,
    "voice": PlaceKind.VOICE,
    "stage": PlaceKind.STAGE,
    "thread": PlaceKind.THREAD,
    "forum-post": PlaceKind.FORUM_POST,
    "private-thread": PlaceKind.PRIVATE_THREAD,
    "ctx": PlaceKind.CONTEXT,
    "connection": PlaceKind.CONNECTION,
    "unknown": PlaceKind.UNKNOWN,
}


def parse_place(text: str, who: Entity, field: str = "place") -> Place:
    """Read a written place. `dm` is the one-to-one chat of `who` with the agent."""
    own = _of_one(text, who, field)
    if own is not None:
        return own
    kind_word, _, rest = text.partition(":")
    kind = WRITTEN.get(kind_word)
    if kind is None or not rest:
        raise InvalidEntity(field, f"{text!r} is no place; write {EXAMPLES}")
    if "#" in rest:  # it marks a place that opened and started anew
        raise InvalidEntity(field, f"{text!r} holds a #; use the platform's id without it")
    if rest.startswith(IMPORTED):
        raise InvalidEntity(field, f"{text!r}: {IMPORTED} is for rooms of imported files")
    name, _, within = rest.partition("@")
    name = clean_id(name, field)
    meaning = MEANING[kind]
    if meaning.has_space or meaning.needs_parent:
        if not within:
            needs = "a space" if meaning.has_space else "a parent"
            raise InvalidEntity(field, f"{text!r} needs {needs}: write {kind_word}:{name}@…")
        if meaning.needs_parent:
            return _inside(name, kind, within, who, field)
        space = clean_space(within, field)
        # The id names the outer space only: a channel given to a role is still the same channel.
        return Place(id=f"{name}@{spaces_around(space)[-1]}", kind=kind, space=space)
    if within:
        raise InvalidEntity(field, f"{text!r}: a {kind_word} lies in no space; leave @{within} out")
    return Place(id=f"ctx:{name}" if kind is PlaceKind.CONTEXT else name, kind=kind)


def _of_one(text: str, who: Entity, field: str) -> Place | None:
    """`dm`, `reply` and `guest`: they are called after who is talking."""
    word, _, space = text.partition("@")
    match word:
        case "dm" if not space:
            return direct(who)
        case "guest" if not space:
            return guest(who)
        case "reply":
            return reply(who, clean_space(space, field) if space else None)
        case _:
            return None


def _inside(name: str, kind: PlaceKind, within: str, who: Entity, field: str) -> Place:
    """A thread. Its parent is an id, or a place with its kind, which becomes known by it."""
    word, colon, _ = within.partition(":")
    if within == "dm" or (colon and word in WRITTEN):
        parent = parse_place(within, who, field)
        return Place(id=f"{name}@{parent.id}", kind=kind, parent=parent.id, parent_place=parent)
    clean = "@".join(clean_id(part, field) for part in within.split("@"))
    return Place(id=f"{name}@{clean}", kind=kind, parent=clean)


def write_place(place: Place) -> str:
    """The inverse of `parse_place`, for whoever the place is of."""
    if place.kind in OF_ONE:
        return f"{OF_ONE[place.kind]}@{place.space}" if place.space else OF_ONE[place.kind]
    word = next((word for word, kind in WRITTEN.items() if kind is place.kind), None)
    if word is None:
        raise InvalidEntity(
            "place", f"a place of kind {place.kind.value} cannot be named from here"
        )
    if place.kind is PlaceKind.CONTEXT:
        return place.id
    if place.parent_place is not None:
        name = place.id.removesuffix(f"@{place.parent_place.id}")
        return f"{word}:{name}@{write_place(place.parent_place)}"
    if place.space is not None and place.parent is None:
        name = place.id.removesuffix(f"@{spaces_around(place.space)[-1]}")
        return f"{word}:{name}@{place.space}"
    return f"{word}:{place.id}"


def clean_space(text: str, field: str = "space") -> str:
    """A space, or one inside it: `guild/verified` are those in `guild` who are verified."""
    return "/".join(clean_id(part, field) for part in text.split("/"))


def spaces_around(space: str) -> tuple[str, ...]:
    """A space and those it lies in, innermost first."""
    parts = space.split("/")
    return tuple("/".join(parts[:n]) for n in range(len(parts), 0, -1))


def direct(who: Entity) -> Place:
    return Place(id=f"dm:{who}", kind=PlaceKind.DIRECT)


def reply(who: Entity, space: str | None = None) -> Place:
    """What only the asker can see; asked for in a space, it may tell what is public there."""
    # Two places: what is talked about in one is not history of the other.
    id = f"reply:{who}@{space}" if space else f"reply:{who}"
    return Place(id=id, kind=PlaceKind.EPHEMERAL, space=space)


def guest(who: Entity) -> Place:
    """A conversation that the agent is not in and was called into by `who` (B17)."""
    return Place(id=f"guest:{who}", kind=PlaceKind.GUEST)


OF_ONE: Final = {
    PlaceKind.DIRECT: "dm",
    PlaceKind.EPHEMERAL: "reply",
    PlaceKind.GUEST: "guest",
}
