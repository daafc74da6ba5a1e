"""JSON from typed values and back, compiled once per type.

Requests are strict: a field nobody knows is an error. Answers are not: a newer server may say more.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Callable, Collection, Mapping, Sequence
from enum import Enum
from functools import cache
from typing import Annotated, Any, Final, Literal, Union, cast, get_args, get_origin, get_type_hints

from confide.errors import InvalidInput
from confide.privacy.leaves import FLAT, Called, Leaf
from confide.wire.forms import FORMS, PARTS, Form

Write = Callable[[Any], Any]
Read = Callable[[Any, str], Any]
PLAIN: Final = (str, bool, int, float)
_SETS: Final = (frozenset, set)
_LISTS: Final = (list, tuple, Sequence, Collection, typing.Sequence)


def written(value: Any, as_type: Any) -> Any:
    """`value` as JSON."""
    return writer(as_type)(value)


def read(told: Any, as_type: Any, field: str = "answer") -> Any:
    """The value that `told` of an answer stands for."""
    return reader(as_type, is_answer=True)(told, field)


def form_of(hint: Any) -> Form[Any] | None:
    """The written form of a type; one named in `Annotated` wins."""
    if get_origin(hint) is Annotated:
        base, *marks = get_args(hint)
        forms = (cast("Form[Any]", one) for one in marks if isinstance(one, Form))
        return next(forms, None) or form_of(base)
    return FORMS.get(hint) if isinstance(hint, type) else None


def bare(hint: Any) -> Any:
    return get_args(hint)[0] if get_origin(hint) is Annotated else hint


def optional(hint: Any) -> Any | None:
    """What a `X | None` may be beside None; None where it is no such type."""
    hint = bare(hint)
    if get_origin(hint) in (Union, types.UnionType):
        others = [one for one in get_args(hint) if one is not type(None)]
        if len(others) == 1 and len(get_args(hint)) == 2:
            return others[0]
    return None


def fields_of(cls: Any) -> dict[str, Any] | None:
    """Names and types of a dataclass or NamedTuple; None for any other type."""
    if not isinstance(cls, type):
        return None
    cls = cast("type[Any]", cls)
    if dataclasses.is_dataclass(cls):
        hints = get_type_hints(cls, include_extras=True)
        whole = {one.name: hints[one.name] for one in dataclasses.fields(cls)}
        return PARTS.get(cast("type[Any]", cls), whole)
    names: tuple[str, ...] | None = getattr(cls, "_fields", None)
    if names is None:
        return None
    hints = get_type_hints(cls, include_extras=True)
    return {name: hints[name] for name in names}


def is_list(hint: Any) -> bool:
    return get_origin(bare(hint)) in (*_SETS, *_LISTS)


def marks_of(hint: Any) -> tuple[Any, ...]:
    return get_args(hint)[1:] if get_origin(hint) is Annotated else ()


def shown_as(name: str, hint: Any) -> str:
    """What a field is called in JSON; Python reserves some words."""
    inner = optional(hint)
    called = (one for one in (*marks_of(hint), *marks_of(inner)) if isinstance(one, Called))
    found = next(called, None)
    return found.name if found else name.rstrip("_")


def is_flat(hint: Any) -> bool:
    return FLAT in marks_of(hint)


def answered_by(cls: type) -> dict[str, Any] | None:
    """What an answer holds of a value: its fields, and the properties that it names in `ALSO`."""
    fields = fields_of(cls)
    if fields is None:
        return None
    also = {name: getattr(cls, name).fget for name in getattr(cls, "ALSO", ())}
    return fields | {
        name: get_type_hints(one, include_extras=True)["return"] for name, one in also.items()
    }


def leaf_of(hint: Any) -> Leaf | None:
    """Why it may leave, where that is not what its answer as a whole says."""
    return next((one for one in marks_of(hint) if isinstance(one, Leaf)), None)


def _blank(hint: Any) -> Any:
    if optional(hint) is not None:
        return None
    return {} if get_origin(bare(hint)) in (dict, Mapping) else []


@cache
def writer(hint: Any, blank: frozenset[Leaf] = frozenset()) -> Write:
    """How a value is written; leaves for a reason in `blank` are left empty."""
    if leaf_of(hint) in blank:
        nothing = _blank(hint)
        return lambda _: nothing
    if (form := form_of(hint)) is not None:
        return form.write
    if (inner := optional(hint)) is not None:
        write = writer(inner, blank)
        return lambda value: None if value is None else write(value)
    hint = bare(hint)
    origin, inside = get_origin(hint), get_args(hint)
    if hint in PLAIN or hint is type(None) or origin is Literal or hint is Any:
        return lambda value: value
    if isinstance(hint, type) and issubclass(hint, Enum):
        return lambda value: value.value
    if origin in _SETS:
        write = writer(inside[0], blank)
        return lambda value: sorted(map(write, value))
    if origin in _LISTS:
        write = writer(inside[0], blank)
        return lambda value: list(map(write, value))
    if origin in (dict, Mapping):
        key, write = writer(inside[0], blank), writer(inside[1], blank)
        return lambda value: {str(key(k)): write(v) for k, v in value.items()}
    fields = answered_by(cast("type[Any]", hint))
    if fields is None:
        raise TypeError(f"{hint!r} has no written form")
    return _record_writer(fields, blank)


def _record_writer(fields: dict[str, Any], blank: frozenset[Leaf]) -> Write:
    sent = {name: one for name, one in fields.items() if leaf_of(one) not in blank & {Leaf.HERE}}
    plain = [
        (name, shown_as(name, one), writer(one, blank))
        for name, one in sent.items()
        if not is_flat(one)
    ]
    flat = [
        (name, writer(optional(one) or bare(one), blank), _nothing(one))
        for name, one in sent.items()
        if is_flat(one)
    ]
    if not flat:
        return lambda value: {shown: write(getattr(value, name)) for name, shown, write in plain}

    def several(value: Any) -> Any:
        told = {shown: write(getattr(value, name)) for name, shown, write in plain}
        for name, write, nothing in flat:
            inner = getattr(value, name)
            told |= nothing if inner is None else write(inner)
        return told

    return several


def _nothing(hint: Any) -> dict[str, None]:
    return {
        shown_as(*one): None for one in (answered_by(optional(hint) or bare(hint)) or {}).items()
    }


@cache
def reader(hint: Any, is_answer: bool = False) -> Read:
    """How a value is read from a request, or from a server's answer."""
    if (form := form_of(hint)) is not None:
        return _by_form(form, (is_answer and form.told) or form.read)
    if (inner := optional(hint)) is not None:
        one = reader(inner, is_answer)
        return lambda told, field: None if told is None else one(told, field)
    hint = bare(hint)
    origin, inside = get_origin(hint), get_args(hint)
    if hint in PLAIN:
        return _plain(hint)
    if hint is type(None) or hint is Any or origin is Literal:
        return lambda told, _: told
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _choice(hint)
    if origin in (*_SETS, *_LISTS):
        return _many(
            origin if origin in (frozenset, set, list) else tuple, reader(inside[0], is_answer)
        )
    if origin in (dict, Mapping):
        return _mapping(reader(inside[0], is_answer), reader(inside[1], is_answer))
    if fields_of(hint) is None:
        raise TypeError(f"{hint!r} has no written form")
    return _record(cast("type[Any]", hint), is_answer)


def _by_form(form: Form[Any], read: Callable[[str, str], Any]) -> Read:
    def one(told: Any, field: str) -> Any:
        if not isinstance(told, str):
            raise InvalidInput(
                field, f"is {_kind(told)} instead of text; for example {form.example}"
            )
        return read(told, field)

    return one


def _plain(kind: type) -> Read:
    def one(told: Any, field: str) -> Any:
        if kind is float and type(told) is int:
            return float(told)
        if type(told) is not kind:
            raise InvalidInput(field, f"is {_kind(told)} instead of {kind.__name__}")
        return told

    return one


def _choice(kind: type[Enum]) -> Read:
    known = {one.value: one for one in kind}

    def one(told: Any, field: str) -> Any:
        try:
            return known[told]
        except (KeyError, TypeError):
            raise InvalidInput(field, f"{told!r} is none of {', '.join(map(str, known))}") from None

    return one


def _many(made: type, one: Read) -> Read:
    def several(told: Any, field: str) -> Any:
        if isinstance(told, str) or not isinstance(told, Collection):
            raise InvalidInput(field, f"is {_kind(told)} instead of a list")
        return made(one(part, field) for part in cast("Collection[object]", told))

    return several


def _mapping(key: Read, one: Read) -> Read:
    return lambda told, field: {key(k, field): one(v, f"{field}.{k}") for k, v in told.items()}


def _record(cls: type, is_answer: bool) -> Read:
    fields = (fields_of(cls) or {}).items()
    plain = [
        (name, shown_as(name, hint), reader(hint, is_answer))
        for name, hint in fields
        if not is_flat(hint)
    ]
    flat = [
        (name, reader(optional(hint) or bare(hint), is_answer), _first(hint))
        for name, hint in fields
        if is_flat(hint)
    ]

    names = [shown for _, shown, _ in plain]

    def one(told: Any, field: str) -> Any:
        if not isinstance(told, Mapping):
            raise InvalidInput(field, f"is {_kind(told)} instead of an object")
        table = cast("Mapping[str, Any]", told)
        if not is_answer and not flat and (more := [n for n in table if n not in names]):
            raise InvalidInput(f"{field}.{more[0]}", f"is none of {', '.join(names)}")
        known = {
            name: read(table[shown], shown if is_answer else f"{field}.{shown}")
            for name, shown, read in plain
            if shown in table
        }
        for name, read, first in flat:
            known[name] = None if first and table.get(first) is None else read(told, field)
        return cls(**known)

    return one


def _first(hint: Any) -> str | None:
    """By which part one sees whether an optional value is there."""
    inner = optional(hint)
    return None if inner is None else shown_as(*next(iter((fields_of(inner) or {}).items())))


def _kind(told: Any) -> str:
    return type(told).__name__
