"""The `.json` twin of a page: the answers of its verbs, as every surface writes them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from datetime import date, datetime
from enum import Enum
from typing import Any
from uuid import UUID

from confide.model import Account, Entity, Place, shown
from confide.privacy.atoms import Atom
from confide.privacy.policy import Audience, Clause
from confide.recall.audience import only_seen_by
from confide.store.memory import Memory
from confide.surfaces.cli.clauses import clause_as_json
from confide.surfaces.http.fields import MemoryOut
from confide.wire.forms import write_atom


@dataclasses.dataclass(frozen=True, slots=True)
class Heard:
    """A memory, and who reads the answer: where it was said is not everybody's to know."""

    memory: Memory
    audience: Audience


def heard_by(memories: Any, who: Entity) -> list[Heard]:
    return [Heard(one, only_seen_by(who)) for one in memories]


def plain(value: Any) -> Any:
    """As JSON."""
    match value:
        case None | bool() | int() | float() | str() if not isinstance(value, Enum):
            return value
        case Heard():
            return MemoryOut.of(value.memory, value.audience).model_dump(mode="json")
        case Enum():
            return value.value
        case datetime() | date():
            return value.isoformat()
        case UUID() | Place() | Account():
            return value.id if isinstance(value, Place) else str(value)
        case Entity():
            return shown(value)
        case Atom():
            return write_atom(value)
        case Clause():
            return clause_as_json(value)
        case Mapping():
            return {str(plain(name)): plain(one) for name, one in value.items()}
        case _:
            return _parts(value)


def _parts(value: Any) -> Any:
    if isinstance(value, Memory):
        raise TypeError("say who reads it: Heard(memory, audience)")
    if dataclasses.is_dataclass(value):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return {name: plain(getattr(value, name)) for name in value._fields}  # pyright: ignore[reportAttributeAccessIssue]
    made = [plain(one) for one in value]
    return sorted(made, key=str) if isinstance(value, frozenset | set) else made
