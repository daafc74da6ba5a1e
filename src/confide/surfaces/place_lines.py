"""Places and who is in them as a platform writes them: JSON lines, or one JSON list."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, cast

from confide.errors import ConfideError, InvalidInput
from confide.keep.syncing import Sight
from confide.model import Entity
from confide.reading import is_list_of_text, read_entities, read_place


def read_sights(text: str) -> list[Sight]:
    """All of them, or an error that names the line; nothing is half read."""
    found: dict[str, Sight] = {}
    for where, one in _elements(text):
        sight = _sight(one, where)
        if sight.place.id in found:
            raise InvalidInput("file", f"{where}: {sight.place.id} is there twice")
        found[sight.place.id] = sight
    return list(found.values())


def _elements(text: str) -> Iterator[tuple[str, Any]]:
    if text.lstrip().startswith("["):
        whole = _json(text, "the list")
        yield from ((f"element {n}", one) for n, one in enumerate(whole, 1))
        return
    for n, line in enumerate(text.splitlines(), 1):
        if line.strip():
            yield f"line {n}", _json(line, f"line {n}")


def _json(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        raise InvalidInput("file", f"{where} is no JSON") from None


def _sight(one: Any, where: str) -> Sight:
    table = cast("dict[str, object]", one) if isinstance(one, dict) else {}
    written = table.get("place")
    if not isinstance(written, str):
        raise InvalidInput("file", f'{where} has no "place", for example "restricted:mods@guild"')
    unknown = sorted(set(table) - {"place", "members"})
    if unknown:
        raise InvalidInput("file", f"{where}: {', '.join(unknown)} is not known here")
    members = table.get("members")
    if members is not None and not is_list_of_text(members):
        raise InvalidInput("file", f"{where}: members is no list of entities")
    try:
        place = read_place(written, Entity("human", "nobody"))
        people = None if members is None else read_entities(members, "members")
    except ConfideError as problem:
        raise InvalidInput("file", f"{where}: {problem}") from None
    if place.kind.value == "direct":
        raise InvalidInput("file", f"{where}: a direct chat has nobody to compare; leave it out")
    return Sight(place, people)
