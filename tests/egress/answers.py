"""Answers made comparable: what a caller could see of them, with ids by name."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from tests.egress.stores import Store

UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
SECRET = re.compile(r"/sign-in/[\w-]+|cfd_[\w-]+|eyJ[\w-]+\.[\w-]+\.[\w-]+")
HASH = re.compile(r"\b[0-9a-f]{64}\b")


@dataclass(frozen=True)
class Call:
    """One thing that a caller does, before its ids are filled in."""

    what: str  # the route, tool or command
    fields: tuple[tuple[str, Any], ...] = ()

    @classmethod
    def of(cls, what: str, fields: dict[str, Any]) -> Call:
        return cls(what, tuple((name, _frozen(value)) for name, value in fields.items()))

    def given(self, store: Store) -> dict[str, Any]:
        return {name: _filled(value, store) for name, value in self.fields}

    def __str__(self) -> str:
        return f"{self.what} {json.dumps(dict(self.fields), default=dict)}"


@dataclass(frozen=True)
class Difference:
    call: Call
    plain: str
    full: str

    def __str__(self) -> str:
        at = next(
            (n for n, (a, b) in enumerate(zip(self.plain, self.full, strict=False)) if a != b),
            min(len(self.plain), len(self.full)),
        )
        start = max(0, at - 120)
        return f"{self.call}\n    {self.plain[start : at + 200]}\n    {self.full[start : at + 200]}"


def named(text: str, store: Store) -> str:
    """The same text with ids by name, and without what is random by its nature."""
    names = {str(id): f"<{name}>" for name, id in store.ids.items()}
    masked = SECRET.sub("<secret>", HASH.sub("<hash>", text))
    written = UUID.sub(lambda found: names.get(found[0], found[0]), masked)
    return written.replace(store.confide.database.agent, "<agent>")


def _frozen(value: Any) -> Any:
    if isinstance(value, dict):
        return frozenset((name, _frozen(one)) for name, one in value.items())
    return tuple(map(_frozen, value)) if isinstance(value, list | tuple) else value


def _filled(value: Any, store: Store) -> Any:
    if isinstance(value, frozenset):
        return {name: _filled(one, store) for name, one in sorted(value)}
    if isinstance(value, tuple):
        return [_filled(one, store) for one in value]
    if isinstance(value, str) and value.startswith("@") and value[1:] in store.ids:
        return str(store.ids[value[1:]])
    return value
