"""A group of verbs on a server. A verb that is not offered there says where it runs."""

from __future__ import annotations

from typing import NoReturn

from confide.client.door import Door
from confide.errors import NotAllowed


class Group:
    """Shares the door of its client."""

    def __init__(self, door: Door) -> None:
        self._door = door

    def __getattr__(self, verb: str) -> NoReturn:
        if verb.startswith("_"):
            raise AttributeError(verb)
        not_offered(f"{type(self).__name__.removeprefix('Remote').lower()} {verb}")


class Elsewhere(Group):
    """A group of which no verb is offered."""

    def __init__(self, door: Door, name: str) -> None:
        super().__init__(door)
        self._name = name

    def __getattr__(self, verb: str) -> NoReturn:
        if verb.startswith("_"):
            raise AttributeError(verb)
        not_offered(f"{self._name} {verb}")


def not_offered(what: str) -> NoReturn:
    raise NotAllowed(
        f"{what.replace('_', ' ')} runs where the database is; run it there, without CONFIDE_URL"
    )
