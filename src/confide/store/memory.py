"""A stored memory, and the row it lives in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, cast
from uuid import UUID

from confide.model import (
    Entity,
    Kind,
    MemoryType,
    Namespace,
    Place,
    PlaceKind,
    Scope,
    Sensitivity,
    Status,
    Trust,
    is_someone,
    shown,
)
from confide.privacy.atoms import Atom
from confide.privacy.labels import Origin
from confide.privacy.policy import Label
from confide.store.encoding import read_clauses, read_entity, write_clauses


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """Something the agent knows, with the label that says who may hear it."""

    id: UUID
    text: str
    owner: Entity
    origin: Origin
    label: Label
    type: MemoryType
    trust: Trust
    status: Status
    confidence: float
    said_at: datetime
    created_at: datetime
    updated_at: datetime
    reinforced_at: datetime
    last_accessed_at: datetime | None = None
    expires_at: datetime | None = None
    waits_because: str | None = None
    attribute: str | None = None
    source_count: int = 1
    is_opted_out: bool = False
    is_protected: bool = False
    # What the asker calls people whom nobody else knows; the ids of those are shown to nobody.
    names: Mapping[Entity, str] = field(default_factory=dict[Entity, str], compare=False)

    @property
    def kind(self) -> Kind:
        return self.origin.kind

    @property
    def scope(self) -> Scope:
        return self.origin.scope

    @property
    def sensitivity(self) -> Sensitivity:
        return self.origin.sensitivity

    @property
    def speaker(self) -> Entity | None:
        return self.origin.speaker

    @property
    def subjects(self) -> frozenset[Entity]:
        return self.origin.subjects

    @property
    def about(self) -> list[str]:
        """Whom it is about, as its reader may see it: ids, and names of people only they know."""
        known = [str(one) for one in self.subjects if not is_someone(one)]
        return sorted([*known, *(self.names[one] for one in self.subjects if one in self.names)])

    @property
    def told_by(self) -> str | None:
        """Who said it, as its reader may see it."""
        who = self.speaker
        return None if who is None else self.names.get(who, shown(who))

    @property
    def is_first_hand(self) -> bool:
        return self.trust is Trust.SAID


def read_memory(row: Mapping[str, Any], agent: Entity, origin: Origin | None = None) -> Memory:
    """`origin`: of the same row, for who has read it already."""
    return Memory(
        id=row["id"],
        text=row["text"],
        owner=read_entity(row["owner"]),
        origin=origin or read_origin(row, agent),
        label=read_clauses(row["clauses"]),
        type=MemoryType(row["type"]),
        trust=Trust(row["trust"]),
        status=Status(row["status"]),
        confidence=row["confidence"],
        said_at=row["said_at"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        reinforced_at=row["reinforced_at"],
        last_accessed_at=row["last_accessed_at"],
        expires_at=row["ends_at"],
        waits_because=row["waits_because"],
        attribute=row["attribute"],
        source_count=row["source_count"],
        is_opted_out=row["is_opted_out"],
        is_protected=row["is_protected"],
    )


def read_memories(rows: Iterable[Mapping[str, Any]], agent: Entity) -> list[Memory]:
    """Many at once: they come from few origins, and reading one of those takes longest."""
    known: dict[tuple[object, ...], Origin] = {}
    return [read_memory(row, agent, origin_once(row, agent, known)) for row in rows]


def origin_once(
    row: Mapping[str, Any], agent: Entity, known: dict[tuple[object, ...], Origin]
) -> Origin:
    told = tuple(map(_frozen, map(row.__getitem__, _FROM)))
    origin = known.get(told)
    if origin is None:
        origin = known[told] = read_origin(row, agent)
    return origin


#: The columns that an origin is read from.
_FROM: Final = (
    "scope", "owner", "speaker", "place", "place_kind", "place_parent", "space", "epoch", "thread",
    "through", "is_confidential", "only_for",
    "subjects", "present", "sensitivity", "kind", "workspace", "namespace_scope", "is_namespaced",
    "grants", "is_portable", "is_portable_confirmed", "joined_later", "objectors", "inherited",
)  # fmt: skip


def _frozen(value: object) -> object:
    return tuple(cast("list[object]", value)) if isinstance(value, list) else value


def read_origin(row: Mapping[str, Any], agent: Entity) -> Origin:
    return Origin(
        agent=agent,
        scope=Scope(row["scope"]),
        owner=read_entity(row["owner"]),
        speaker=read_entity(row["speaker"]) if row["speaker"] else None,
        place=_read_place(row),
        epoch=row["epoch"],
        thread=row["thread"],
        through=row["through"],
        is_confidential=row["is_confidential"],
        only_for=frozenset(Atom.read(a) for a in row["only_for"]),
        subjects=_entities(row["subjects"]),
        present=_entities(row["present"]),
        sensitivity=Sensitivity(row["sensitivity"]),
        kind=Kind(row["kind"]),
        namespace=_read_namespace(row),
        grants=frozenset(Atom.read(a) for a in row["grants"]),
        is_portable=row["is_portable"],
        is_portable_confirmed=row["is_portable_confirmed"],
        joined_later=_entities(row["joined_later"]),
        objectors=_entities(row["objectors"]),
        inherited=read_clauses(row["inherited"]).clauses,
    )


def origin_columns(origin: Origin) -> dict[str, Any]:
    """The inverse of `read_origin`."""
    n = origin.namespace
    return {
        "owner": str(origin.owner or origin.speaker or origin.agent),
        "speaker": str(origin.speaker) if origin.speaker else None,
        "subjects": _written(origin.subjects),
        "kind": origin.kind.value,
        "scope": origin.scope.value,
        "sensitivity": origin.sensitivity.value,
        "place": origin.place.id if origin.place else None,
        "space": origin.place.space if origin.place else None,
        "epoch": origin.epoch,
        "thread": origin.thread,
        "through": origin.through,
        "is_confidential": origin.is_confidential,
        "only_for": sorted(str(a) for a in origin.only_for),
        "present": _written(origin.present),
        "workspace": n.workspace if n else None,
        "namespace_scope": n.scope if n else None,
        "is_namespaced": n is not None,
        "grants": sorted(str(a) for a in origin.grants),
        "is_portable": origin.is_portable,
        "is_portable_confirmed": origin.is_portable_confirmed,
        "joined_later": _written(origin.joined_later),
        "objectors": _written(origin.objectors),
        "inherited": write_clauses(Label(origin.inherited)),
    }


def _read_place(row: Mapping[str, Any]) -> Place | None:
    if row["place"] is None:
        return None
    kind = PlaceKind(row["place_kind"]) if row["place_kind"] else PlaceKind.UNKNOWN
    return Place(id=row["place"], kind=kind, space=row["space"], parent=row["place_parent"])


def _read_namespace(row: Mapping[str, Any]) -> Namespace | None:
    return Namespace(row["workspace"], row["namespace_scope"]) if row["is_namespaced"] else None


def _entities(written: list[str]) -> frozenset[Entity]:
    return frozenset(read_entity(e) for e in written)


def _written(entities: frozenset[Entity]) -> list[str]:
    return sorted(str(e) for e in entities)
