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
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from confide.errors import InvalidInput
from confide.wire.forms import FORMS, Form

Write = Callable[[Any], Any]
Read = Callable[[Any, str], Any]
PLAIN: Final = (str, bool, int, float)
_SETS: Final = (frozenset, set)
_LISTS: Final = (list, tuple, Sequence, Collection, typing.Sequence)


def written(value: Any, as_type: Any) -> Any:
    """`value` as JSON."""
    return writer(as_type)(value)


def read(told: Any, as_type: Any, field: str = "answer") -> Any:
    """The value that `told` stands for."""
    return reader(as_type)(told, field)


def form_of(hint: Any) -> Form[Any] | None:
    """The written form of a type; one named in `Annotated` wins."""
    if get_origin(hint) is Annotated:
        base, *marks = get_args(hint)
        return next((one for one in marks if isinstance(one, Form)), None) or form_of(base)
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


def fields_of(cls: type) -> dict[str, Any] | None:
    """Names and types of a dataclass or NamedTuple; None for any other type."""
    if not isinstance(cls, type):
        return None
    if dataclasses.is_dataclass(cls):
        hints = get_type_hints(cls, include_extras=True)
        return {one.name: hints[one.name] for one in dataclasses.fields(cls)}
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        hints = get_type_hints(cls, include_extras=True)
        return {name: hints[name] for name in cls._fields}  # pyright: ignore[reportAttributeAccessIssue]
    return None


@cache
def writer(hint: Any) -> Write:
    if (form := form_of(hint)) is not None:
        return form.write
    if (inner := optional(hint)) is not None:
        write = writer(inner)
        return lambda value: None if value is None else write(value)
    hint = bare(hint)
    origin, inside = get_origin(hint), get_args(hint)
    if hint in PLAIN or hint is type(None) or origin is Literal or hint is Any:
        return lambda value: value
    if isinstance(hint, type) and issubclass(hint, Enum):
        return lambda value: value.value
    if origin in _SETS:
        write = writer(inside[0])
        return lambda value: sorted(map(write, value))
    if origin in _LISTS:
        write = writer(inside[0])
        return lambda value: list(map(write, value))
    if origin in (dict, Mapping):
        key, write = writer(inside[0]), writer(inside[1])
        return lambda value: {str(key(k)): write(v) for k, v in value.items()}
    fields = fields_of(hint)
    if fields is None:
        raise TypeError(f"{hint!r} has no written form")
    writers = [(name, name.rstrip("_"), writer(one)) for name, one in fields.items()]
    return lambda value: {shown: write(getattr(value, name)) for name, shown, write in writers}


@cache
def reader(hint: Any) -> Read:
    if (form := form_of(hint)) is not None:
        return _by_form(form)
    if (inner := optional(hint)) is not None:
        one = reader(inner)
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
        return _many(origin if origin in (frozenset, set, list) else tuple, reader(inside[0]))
    if origin in (dict, Mapping):
        return _mapping(reader(inside[0]), reader(inside[1]))
    if fields_of(hint) is None:
        raise TypeError(f"{hint!r} has no written form")
    return _record(hint)


def _by_form(form: Form[Any]) -> Read:
    def one(told: Any, field: str) -> Any:
        if not isinstance(told, str):
            raise InvalidInput(
                field, f"is {_kind(told)} instead of text; for example {form.example}"
            )
        return form.read(told, field)

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
        return made(one(part, field) for part in told)

    return several


def _mapping(key: Read, one: Read) -> Read:
    return lambda told, field: {key(k, field): one(v, f"{field}.{k}") for k, v in told.items()}


def _record(cls: type) -> Read:
    fields = [
        (name, name.rstrip("_"), reader(hint)) for name, hint in (fields_of(cls) or {}).items()
    ]

    def one(told: Any, field: str) -> Any:
        if not isinstance(told, Mapping):
            raise InvalidInput(field, f"is {_kind(told)} instead of an object")
        return cls(
            **{name: read(told[shown], shown) for name, shown, read in fields if shown in told}
        )

    return one


def _kind(told: Any) -> str:
    return type(told).__name__
