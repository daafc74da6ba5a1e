"""What has to be known of people and places before something they said can be kept."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, cast

from confide.model import Entity
from confide.store.connection import Connection
from confide.store.encoding import read_entity
from confide.store.ledger import Marks
from confide.store.queries import query

TIMES: Final = ("kind_at", "members_at", "opened_at")
Spoke = tuple[Entity, str]  # who, and the platform's name of the place


@dataclass(frozen=True, slots=True)
class HeldPlace:
    """A place that is held until the end of the transaction, and who is in it."""

    row: Mapping[str, Any]
    members: frozenset[Entity]

    @property
    def id(self) -> str:
        return self.row["id"]


@dataclass(frozen=True, slots=True)
class Surroundings:
    opted_out: frozenset[Entity] = frozenset()
    off_record: frozenset[Spoke] = frozenset()
    has_standing: bool = False  # whether anybody agreed to anything beyond one memory
    forgotten_with: tuple[Marks, ...] = ()  # the keys that something was suppressed with
    places: dict[str, HeldPlace] = field(
        default_factory=dict[str, HeldPlace]
    )  # by the platform's name


async def look_around(
    connection: Connection, agent: str, people: Iterable[Entity], spoke: Iterable[Spoke]
) -> Surroundings:
    """All of it in one question. Places that are not known yet are missing from the answer."""
    said = list(spoke)
    row = await connection.fetchrow(
        query("memories", "known_before"),
        agent,
        [str(who) for who in people],
        [str(who) for who, _ in said],
        [place for _, place in said],
    )
    keys = zip(row["key_ids"] or (), row["keys"] or (), strict=True)
    return Surroundings(
        opted_out=frozenset(map(read_entity, row["opted_out"])),
        off_record=frozenset(said[n - 1] for n in cast("list[int]", row["off_record"])),
        has_standing=row["has_standing"],
        forgotten_with=tuple(Marks(id, key) for id, key in keys),
        places={
            place["platform_id"]: HeldPlace(
                place | {name: datetime.fromisoformat(place[name]) for name in TIMES},
                frozenset(map(read_entity, place["members"])),
            )
            for place in map(json.loads, row["places"])
        },
    )
