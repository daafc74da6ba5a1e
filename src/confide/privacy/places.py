"""What each kind of place means (S3): the scope of what is said there, and who reads it."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final, NamedTuple

from confide.errors import InvalidEntity
from confide.model import Entity, Place, PlaceKind, Scope, clean_id


class Readers(StrEnum):
    """Who sees what appears in a place, now and later."""

    ASKER = "the asker alone"
    EVERYONE = "everyone in the place, also those who join later"
    LISTED = "the listed participants"
    NOBODY = "nobody is known"


class Meaning(NamedTuple):
    scope: Scope | None  # of what is said there; None: as in the parent
    readers: Readers
    is_alone: bool = False  # nobody else can be added
    is_read_along: bool = False  # somebody else's client or model sees what appears there
    has_space: bool = False
    needs_parent: bool = False


MEANING: Final[dict[PlaceKind, Meaning]] = {
    PlaceKind.DIRECT: Meaning(Scope.DM, Readers.ASKER, is_alone=True),
    PlaceKind.EPHEMERAL: Meaning(Scope.DM, Readers.ASKER, is_alone=True),
    PlaceKind.CONNECTION: Meaning(Scope.DM, Readers.ASKER, is_read_along=True),
    PlaceKind.THOUGHT: Meaning(Scope.SELF_ONLY, Readers.ASKER, is_alone=True),
    PlaceKind.GROUP: Meaning(Scope.GROUP, Readers.EVERYONE),
    PlaceKind.CONTEXT: Meaning(Scope.GROUP, Readers.LISTED),
    PlaceKind.PUBLIC: Meaning(Scope.GUILD_PUBLIC, Readers.EVERYONE, has_space=True),
    PlaceKind.ANNOUNCEMENT: Meaning(Scope.GUILD_PUBLIC, Readers.EVERYONE, has_space=True),
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

_OF_ONE: Final = re.compile("(?:^|@)(?:dm|reply):")

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


def is_called_after_somebody(place: Place) -> bool:
    """A chat with one person has that person in its id, and so have threads in it."""
    of_one = MEANING[place.kind].readers is Readers.ASKER
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
    "restricted": PlaceKind.RESTRICTED,
    "age-gated": PlaceKind.AGE_GATED,
    "announcement": PlaceKind.ANNOUNCEMENT,
    "voice": PlaceKind.VOICE,
    "stage": PlaceKind.STAGE,
    "thread": PlaceKind.THREAD,
    "forum-post": PlaceKind.FORUM_POST,
    "private-thread": PlaceKind.PRIVATE_THREAD,
    "ctx": PlaceKind.CONTEXT,
    "connection": PlaceKind.CONNECTION,
    "unknown": PlaceKind.UNKNOWN,
}
EXAMPLES: Final = "dm, group:ID, restricted:ID@SPACE, public:ID@SPACE, thread:ID@PARENT or ctx:ID"


def parse_place(text: str, who: Entity, field: str = "place") -> Place:
    """Read a written place. `dm` is the one-to-one chat of `who` with the agent."""
    if text == "dm":
        return direct(who)
    kind_word, _, rest = text.partition(":")
    kind = WRITTEN.get(kind_word)
    if kind is None or not rest:
        raise InvalidEntity(field, f"{text!r} is no place; write {EXAMPLES}")
    if "#" in rest:  # it marks a place that opened and started anew
        raise InvalidEntity(field, f"{text!r} holds a #; use the platform's id without it")
    name, _, within = rest.partition("@")
    name = clean_id(name, field)
    meaning = MEANING[kind]
    if meaning.has_space or meaning.needs_parent:
        if not within:
            needs = "a space" if meaning.has_space else "a parent"
            raise InvalidEntity(field, f"{text!r} needs {needs}: write {kind_word}:{name}@…")
        for part in within.split("@"):
            clean_id(part, field)
        if meaning.needs_parent:
            return Place(id=f"{name}@{within}", kind=kind, parent=within)
        return Place(id=f"{name}@{clean_id(within, field)}", kind=kind, space=within)
    if within:
        raise InvalidEntity(field, f"{text!r}: a {kind_word} lies in no space; leave @{within} out")
    return Place(id=f"ctx:{name}" if kind is PlaceKind.CONTEXT else name, kind=kind)


def direct(who: Entity) -> Place:
    return Place(id=f"dm:{who}", kind=PlaceKind.DIRECT)
