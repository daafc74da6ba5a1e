"""What `add` is given: messages as chat programs write them, read into who said what where."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from confide.errors import InvalidInput
from confide.model import Entity, Namespace, Place, PlaceKind, clean_text
from confide.privacy.places import OF_ONE, direct, parse_place
from confide.wire import forms

#: Nothing is learned from these, and they are not kept either: a program wrote them.
NOT_SAID: Final = ("system", "developer", "tool", "function")
ROLES: Final = ("user", "assistant", *NOT_SAID)
MOST: Final = 500
Name = str | Entity


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message of a list. `number` is its position there, from 0."""

    number: int
    speaker: Entity | None  # None: the agent
    text: str
    at: datetime | None = None
    id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """A list of messages, understood."""

    turns: tuple[Turn, ...]
    by: Entity | None
    place: Place
    present: frozenset[Entity]
    names: Mapping[Entity, str]  # what those are called whom `people` names
    namespace: Namespace | None = None


def read_exchange(
    messages: Iterable[Mapping[str, Any]],
    *,
    by: Name | None,
    place: str | Place,
    present: Iterable[Name] = (),
    people: Mapping[str, Name] | None = None,
    namespace: Namespace | str | None = None,
) -> Exchange:
    """Who said what. A name proves nothing: `people` says whose it is, or everything is by `by`."""
    raw = _listed(messages)
    who = None if by is None else Entity.parse(_text(by, "by"), "by")
    known = _people(people)
    turns = [one for n, item in enumerate(raw) if (one := _turn(n, item, who, known)) is not None]
    _require_one_name(raw, known)
    where = _place(place, who, turns)
    _require_alone(where, turns)
    return Exchange(
        turns=tuple(turns),
        by=who,
        place=where,
        present=_present(present),
        names={who: name for name, who in known.items()},
        namespace=forms.read_namespace(namespace) if isinstance(namespace, str) else namespace,
    )


def _listed(messages: object) -> Sequence[Any]:
    if isinstance(messages, str | bytes | Mapping) or not isinstance(messages, Iterable):
        raise InvalidInput(
            "messages",
            f"is {type(messages).__name__} instead of a list; pass"
            ' [{"role": "user", "content": "…"}]',
        )
    raw = list(messages)
    if len(raw) > MOST:
        raise InvalidInput("messages", f"has {len(raw)} messages, at most {MOST} are read at once")
    return raw


def _turn(number: int, raw: Any, by: Entity | None, people: Mapping[str, Entity]) -> Turn | None:
    where = f"messages[{number}]"
    if not isinstance(raw, Mapping):
        raise InvalidInput(where, f"is {type(raw).__name__} instead of an object with a role")
    role = raw.get("role")
    if role not in ROLES:
        raise InvalidInput(f"{where}.role", f"{role!r} is none of {', '.join(ROLES)}")
    if role in NOT_SAID:
        return None
    text = _content(raw.get("content"), where)
    if text is None:
        return None
    at, id = raw.get("at"), raw.get("id")
    return Turn(
        number=number,
        speaker=_speaker(raw, by, people, where) if role == "user" else None,
        text=text,
        at=None if at is None else _time(at, f"{where}.at"),
        id=None if id is None else clean_text(_text(id, f"{where}.id"), f"{where}.id"),
    )


def _content(content: object, where: str) -> str | None:
    """The words. A list of parts has its texts; pictures and calls of tools say nothing."""
    if isinstance(content, list):
        texts = [one.get("text") for one in content if isinstance(one, Mapping)]
        content = "\n".join(text for text in texts if isinstance(text, str))
    if content is None or (isinstance(content, str) and not content.strip()):
        return None
    return clean_text(_text(content, f"{where}.content"), f"{where}.content")


def _speaker(
    raw: Mapping[str, Any], by: Entity | None, people: Mapping[str, Entity], where: str
) -> Entity:
    if raw.get("by") is not None:
        return Entity.parse(_text(raw["by"], f"{where}.by"), f"{where}.by")
    name = raw.get("name")
    if name is not None and people:
        if name not in people:
            raise InvalidInput("people", f"does not say who {name!r} is; add them")
        return people[name]
    if by is None:
        raise InvalidInput("by", f"is missing, and {where} does not say who spoke")
    return by


def _require_one_name(raw: Sequence[Mapping[str, Any]], people: Mapping[str, Entity]) -> None:
    """Two names cannot both be the one person that `by` is."""
    said = [one for one in raw if one.get("role") == "user" and one.get("by") is None]
    names = sorted({str(one["name"]) for one in said if one.get("name") is not None})
    if len(names) > 1 and not people:
        raise InvalidInput(
            "people",
            f"is missing: {' and '.join(names[:3])} speak, and a name proves nothing; pass"
            f' people={{"{names[0]}": "human:…"}}',
        )


def _people(people: object) -> dict[str, Entity]:
    if people is None:
        return {}
    if not isinstance(people, Mapping):
        raise InvalidInput("people", 'says who is who; pass {"Anna": "human:anna"}')
    return {str(name): Entity.parse(_text(who, "people"), "people") for name, who in people.items()}


def _place(place: str | Place, by: Entity | None, turns: Collection[Turn]) -> Place:
    if isinstance(place, Place):
        return place
    speaker = by or next((one.speaker for one in turns if one.speaker is not None), None)
    if speaker is None:
        raise InvalidInput("by", "is missing; say whose conversation it is")
    return parse_place(_text(place, "place"), speaker)


def _require_alone(place: Place, turns: Collection[Turn]) -> None:
    speakers = {one.speaker for one in turns if one.speaker is not None}
    if place.kind in OF_ONE and len(speakers) > 1:
        raise InvalidInput("place", "a direct chat has one person; use group:ID for more")
    if place.kind is PlaceKind.DIRECT and speakers - {
        one for one in speakers if direct(one) == place
    }:
        raise InvalidInput("place", "is a direct chat of somebody else than who speaks")


def _present(present: object) -> frozenset[Entity]:
    if isinstance(present, str | Entity) or not isinstance(present, Iterable):
        raise InvalidInput("present", 'is no list of entities; pass for example ["human:bob"]')
    return frozenset(Entity.parse(_text(one, "present"), "present") for one in present)


def _time(value: object, field: str) -> datetime:
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            raise InvalidInput(field, "is no ISO 8601 time, like 2026-03-01T12:00:00Z") from None
    elif isinstance(value, int | float) and not isinstance(value, bool):
        value = datetime.fromtimestamp(value, UTC)
    if not isinstance(value, datetime):
        raise InvalidInput(field, f"is {type(value).__name__} instead of a time")
    return value if value.tzinfo else value.replace(tzinfo=UTC)


def _text(value: object, field: str) -> str:
    if not isinstance(value, str | Entity):
        raise InvalidInput(field, f"is {type(value).__name__} instead of text; pass a str")
    return str(value)
