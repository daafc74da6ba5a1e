"""The door of a memory that is open in this process."""

from __future__ import annotations

from collections.abc import Collection
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, cast, get_args, get_origin

from confide.declare import Between, Group, Verb, fields_of
from confide.errors import InvalidInput
from confide.wire.codec import Read, bare, form_of, is_list, optional, reader

if TYPE_CHECKING:
    from confide.means import Means


class Here:
    """Does the work. Whoever opened the store says who acts, and answers for it."""

    def __init__(self, means: Means) -> None:
        self.means = means

    async def call(self, verb: Verb, group: Group, given: dict[str, Any]) -> Any:
        return await verb.do(group, understood(verb, given))


def understood(verb: Verb, given: dict[str, Any]) -> dict[str, Any]:
    """Values as the verb takes them: one may write `"human:alice"` for an entity. What is neither
    is refused before anything is done with it."""
    readers = _readers(verb)
    return {name: readers[name](value, name.rstrip("_")) for name, value in given.items()}


@cache
def _readers(verb: Verb) -> dict[str, Read]:
    return {one.name: _lenient(one.hint) for one in fields_of(verb)}


def _lenient(hint: Any) -> Read:
    if (inner := optional(hint)) is not None:
        one = _lenient(Annotated[inner, *get_args(hint)[1:]] if _marked(hint) else inner)
        return lambda value, field: None if value is None else one(value, field)
    kind = bare(hint)
    if (form := form_of(hint)) is not None:
        # Where text is welcome too, the value itself is what the form reads.
        made = tuple(one for one in get_args(kind) if one is not str) or kind
        return _typed(made, f"text; for example {form.example}", reader(hint))
    if is_list(hint):
        made = {frozenset: frozenset, set: frozenset, tuple: tuple}.get(get_origin(kind), list)
        return _several(_lenient(get_args(kind)[0]), made)
    if kind is int:
        return _number(next((one for one in get_args(hint)[1:] if isinstance(one, Between)), None))
    if kind is float:
        return _typed((int, float), "a number")
    if isinstance(kind, type) and issubclass(kind, Enum):
        return _typed(kind, f"one of {', '.join(str(one.value) for one in kind)}", reader(kind))
    if not isinstance(kind, type) or getattr(kind, "_is_protocol", False):
        return lambda value, _: value
    return _typed(kind, "text" if kind is str else f"a {kind.__name__}")


def _marked(hint: Any) -> bool:
    return get_origin(hint) is Annotated


def _typed(kind: Any, wanted: str, read: Read | None = None) -> Read:
    def one(value: Any, field: str) -> Any:
        if isinstance(value, kind):
            return value
        if read is None or not isinstance(value, str):
            raise InvalidInput(field, f"is {type(value).__name__} instead of {wanted}")
        return read(value, field)

    return one


def _several(one: Read, made: Any) -> Read:
    def several(values: Any, field: str) -> Any:
        if isinstance(values, str) or not isinstance(values, Collection):
            raise InvalidInput(field, f"is {type(values).__name__} instead of several")
        return made(one(value, field) for value in cast("Collection[object]", values))

    return several


def _number(between: Between | None) -> Read:
    def one(value: Any, field: str) -> Any:
        if type(value) is not int:
            raise InvalidInput(field, f"is {type(value).__name__} instead of a whole number")
        if between is not None and not between.least <= value <= between.most:
            raise InvalidInput(field, f"is a number from {between.least} to {between.most}")
        return value

    return one
