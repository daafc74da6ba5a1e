"""Read what people and programs write: one syntax for every surface, one error for every mistake."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, TypedDict, TypeGuard, TypeVar, Unpack, cast

from confide.errors import InvalidEntity, InvalidInput
from confide.model import (
    Entity,
    Kind,
    Namespace,
    Place,
    Scope,
    Sensitivity,
    memory_id_of,
)
from confide.privacy import atoms
from confide.privacy.atoms import Atom
from confide.privacy.places import parse_place
from confide.privacy.policy import Audience
from confide.recall.audience import audience_in
from confide.remember.statement import Statement, not_a_statement
from confide.store.database import require_audience
from confide.wire import forms

Name = str | Entity
Choice = TypeVar("Choice", bound=StrEnum)


class Details(TypedDict, total=False):
    """What may be said of a statement beside its text, who said it and where."""

    source: Name | None  # who told it, if that is not `by`
    kind: Kind | str | None
    sensitivity: Sensitivity | str | None
    scope: Scope | str | None
    access: Iterable[Name | Atom] | None
    consent: Iterable[Name] | None
    namespace: Namespace | str | None
    lifetime: timedelta | str | None
    confidence: float
    confidential: bool
    only_for: Iterable[Name] | None
    is_portable: bool
    said_at: datetime | None


class Further(Details, total=False):
    """The same, with the people whom it is about and who are there."""

    about: Iterable[Name]
    present: Iterable[Name]


def statement(
    text: str,
    *,
    by: Name,
    place: str | Place,
    about: Iterable[Name] = (),
    present: Iterable[Name] = (),
    through: Place | None = None,
    **fields: Unpack[Details],
) -> Statement:
    """Something to remember, from written fields."""
    speaker, given = read_entity(by, "by"), cast("dict[str, Any]", fields)
    return Statement(
        text=_written(text, "text"),
        by=speaker,
        place=read_place(place, speaker),
        about=read_entities(about, "about"),
        present=read_entities(present, "present"),
        through=through,
        **{
            _NAMED.get(name, name): _READERS[name](value) if name in _READERS else value
            for name, value in given.items()
            if value is not None
        },
    )


def audience(
    asker: Name,
    place: str | Place,
    *,
    present: Iterable[Name] = (),
    namespace: str | Namespace | None = None,
    purpose: str | None = None,
) -> Audience:
    """Who will see the answer: `audience("human:bob", "public:general@guild")`."""
    who = read_entity(asker, "asker")
    where = read_place(place, who)
    others = read_entities(present, "present")
    if where.kind.value == "direct" and others - {who}:
        raise InvalidInput("present", "a direct chat has one person; use group:ID for more")
    return audience_in(
        where, who, present=others, namespace=read_namespace(namespace), purpose=purpose
    )


def as_statement(
    said: Statement | str | object,
    by: Name | None,
    place: Place | str | None,
    **fields: Unpack[Further],
) -> Statement:
    """A `Statement`, or a text with who said it and where. Nothing is remembered without both."""
    given = {name for name, value in fields.items() if value is not None and value != ()}
    if isinstance(said, Statement):
        if given or by is not None or place is not None:
            raise InvalidInput("statement", "says who said it and where; leave out the rest")
        return said
    if not isinstance(said, str):
        raise not_a_statement(said)
    if by is None:
        raise InvalidInput("by", 'is missing; say who said it, for example by="human:alice"')
    if place is None:
        raise InvalidInput("place", 'is missing; say where it was said, for example place="dm"')
    unknown = sorted(given - FURTHER)
    if unknown:
        raise InvalidInput(unknown[0], f"is unknown; known are {', '.join(sorted(FURTHER))}")
    return statement(said, by=by, place=place, **fields)


def as_audience(
    heard: Audience | object | None, asker: Name | None, place: Place | str | None, **fields: Any
) -> Audience:
    """An `Audience`, or who asks and where the answer appears. There is no default."""
    if heard is None:
        if asker is None and place is None:
            require_audience(heard)
        if asker is None:
            raise InvalidInput("asker", 'is missing; say who asks, for example "human:alice"')
        if place is None:
            raise InvalidInput("place", 'is missing; say where the answer appears, as "dm"')
        return audience(asker, place, **fields)
    if not isinstance(heard, Audience):
        raise InvalidInput(
            "audience",
            f"is {type(heard).__name__} instead of an Audience; pass"
            ' asker="human:alice", place="dm" by name',
        )
    given = (asker, place, *(value or None for value in fields.values()))
    if any(value is not None for value in given):
        raise InvalidInput("audience", "says who asks and where; leave out the rest")
    return heard


def read_entity(value: Name, field: str = "entity") -> Entity:
    return Entity.parse(str(value), field)


def is_list_of_text(value: object) -> TypeGuard[list[str]]:
    if not isinstance(value, list):
        return False
    return all(isinstance(one, str) for one in cast("list[object]", value))


def read_entities(values: Iterable[Name] | object, field: str) -> frozenset[Entity]:
    if isinstance(values, str | Entity) or not isinstance(values, Iterable):
        raise InvalidEntity(field, 'is no list of entities; pass for example ["human:alice"]')
    return frozenset(read_entity(value, field) for value in cast("Iterable[Name]", values))


def read_place(value: str | Place, who: Entity) -> Place:
    return value if isinstance(value, Place) else parse_place(_written(value, "place"), who)


def read_namespace(value: str | Namespace | None) -> Namespace | None:
    """`W`, `W/track:1` or `/track:1`: a workspace, a scope in it, a scope outside any workspace."""
    if value is None or isinstance(value, Namespace):
        return value
    return forms.read_namespace(_written(value, "namespace"))


def read_choice(kind: type[Choice], value: str, field: str) -> Choice:
    try:
        return kind(value)
    except ValueError:
        known = ", ".join(kind)
        raise InvalidInput(field, f"{value!r} is none of {known}") from None


def read_access(value: Name | Atom) -> Atom:
    """`*`, an entity, `ctx:ID`, `space:ID` or `place:ID`."""
    if isinstance(value, Atom):
        return value
    if isinstance(value, Entity):
        return atoms.entity(value)
    return forms.read_grantee(_written(value, "access"), "access")


def read_lifetime(value: str | timedelta) -> timedelta:
    if isinstance(value, timedelta):
        return value
    return forms.read_lasts(_written(value, "lifetime"), "lifetime")


def read_memory_id(value: str | uuid.UUID) -> uuid.UUID:
    return memory_id_of(value)


def _written(value: object, field: str) -> str:
    if not isinstance(value, str):
        raise InvalidInput(field, f"is {type(value).__name__} instead of text; pass a str")
    return value


#: What `statement` takes beside text, by and place.
FURTHER = frozenset(Further.__annotations__)
_NAMED = {"confidential": "is_confidential"}
_READERS: dict[str, Callable[[Any], Any]] = {
    "source": lambda v: read_entity(v, "source"),
    "kind": lambda v: read_choice(Kind, v, "kind"),
    "sensitivity": lambda v: read_choice(Sensitivity, v, "sensitivity"),
    "scope": lambda v: read_choice(Scope, v, "scope"),
    "access": lambda v: frozenset(map(read_access, v)),
    "consent": lambda v: read_entities(v, "consent"),
    "only_for": lambda v: read_entities(v, "only_for"),
    "namespace": read_namespace,
    "lifetime": read_lifetime,
}
