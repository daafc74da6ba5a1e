"""The public question set on the policy, mapped to the product's own types."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from confide.model import Entity, Kind, Namespace, Place, PlaceKind, Scope, Sensitivity
from confide.privacy import atoms
from confide.privacy.atoms import ANYONE, Atom
from confide.privacy.consent import Consent, apply_consents
from confide.privacy.labels import Origin, label
from confide.privacy.policy import (
    Anyone,
    Audience,
    Clause,
    ClauseKind,
    EveryoneIn,
    Label,
    Term,
    Viewer,
    World,
)

NOW = datetime(2026, 1, 1, tzinfo=UTC)
AGENT = Entity("si", "bot")
PREFIXES = {
    "dm-": PlaceKind.DIRECT,
    "eph-": PlaceKind.EPHEMERAL,
    "ctx:": PlaceKind.CONTEXT,
    "mcp-": PlaceKind.CONNECTION,
    "thought": PlaceKind.THOUGHT,
    "unknown": PlaceKind.UNKNOWN,
}


@dataclass(frozen=True)
class Cell:
    id: str
    says: str
    label: Label
    audience: Audience
    world: World
    is_told: bool
    world_name: str


def read_cells(path: Path) -> list[Cell]:
    data = json.loads(path.read_text())
    worlds = {name: _world(raw) for name, raw in data["worlds"].items()}
    return [_cell(row, worlds[row["world"]]) for row in data["cells"]]


def who(name: str) -> Entity:
    return Entity.parse(name) if ":" in name else Entity("human", name)


def _cell(row: dict[str, Any], world: World) -> Cell:
    return Cell(
        row["id"],
        row["says"],
        _label(row, world),
        _audience(row["audience"], world),
        world,
        row["told"],
        row["world"],
    )


def _world(raw: dict[str, Any]) -> World:
    spaces, parents = dict(raw["place_space"]), dict(raw["parent"])
    ids = {p for p, _ in raw["place"]} | set(spaces) | set(parents) | set(raw["public"])
    places = {
        p: Place(id=p, kind=_place_kind(p, raw), space=spaces.get(p), parent=parents.get(p))
        for p in ids
    }
    belongs: dict[Entity, set[Atom]] = {}

    def add(name: str, atom: Atom) -> None:
        belongs.setdefault(who(name), set()).add(atom)

    for p, name in raw["place"]:
        add(name, atoms.place(p))
    for s, name in raw["space"]:
        add(name, atoms.space(s))
    for namespace in ("role", "group"):
        for g, name in raw[namespace]:
            add(name, atoms.entity(Entity(namespace, g)))
    for p, epoch, name in raw["present"]:
        if [p, name] in raw["place"]:
            add(name, atoms.present(p, epoch))
    return World(
        agent=AGENT,
        now=NOW,
        places=places,
        belongs={e: frozenset(found) for e, found in belongs.items()},
    )


def _place_kind(p: str, raw: dict[str, Any]) -> PlaceKind:
    for prefix, kind in PREFIXES.items():
        if p.startswith(prefix):
            return kind
    if p in raw["public"]:
        return PlaceKind.PUBLIC
    return PlaceKind.RESTRICTED if p in dict(raw["place_space"]) else PlaceKind.GROUP


def _place(p: str, world: World) -> Place:
    if p in world.places:
        return world.places[p]
    kinds = [kind for prefix, kind in PREFIXES.items() if p.startswith(prefix)]
    return Place(id=p, kind=kinds[0] if kinds else PlaceKind.GROUP)


def _atom(raw: list[str]) -> Atom:
    match raw:
        case ["*"]:
            return ANYONE
        case ["e", name]:
            return atoms.entity(who(name))
        case ["place", name]:
            return atoms.place(name)
        case ["space", name]:
            return atoms.space(name)
        case [namespace, name]:
            return atoms.entity(Entity(namespace, name))
    raise ValueError(raw)


def _label(row: dict[str, Any], world: World) -> Label:
    m = row["memory"]
    people = {k: who(m[k]) if m[k] else None for k in ("owner", "speaker")}
    origin = Origin(
        agent=AGENT,
        scope=Scope(m["scope"]),
        owner=people["owner"],
        speaker=people["speaker"],
        place=_place(m["place"], world) if m["place"] else None,
        epoch=m["epoch"],
        subjects=frozenset(map(who, m["subjects"])),
        present=frozenset(map(who, m["present"])),
        sensitivity=Sensitivity(m["sens"]),
        kind=Kind(m["kind"]),
        namespace=Namespace(*m["ns"]) if m["ns"] else None,
        grants=frozenset(map(_atom, m["grants"])),
        is_portable=m["portable"],
        is_portable_confirmed=m["yes"],
        joined_later=frozenset(map(who, row["joined_later"])),
        inherited=frozenset(
            Clause(
                ClauseKind(c["kind"]),
                who(c["owner"]),
                frozenset(Term(_atom(a)) for a in c["atoms"]),
            )
            for c in m["inherited"]
        ),
    )
    consents = [
        Consent(grantor=who(c[0]), grantee=_atom(c[1]), where=_atom(c[2]) if len(c) > 2 else None)
        for c in m["consents"]
    ]
    guardians = {who(child): frozenset({who(g)}) for g, child in m["guardians"]}
    return apply_consents(label(origin), consents, guardians)


def _audience(a: dict[str, Any], world: World) -> Audience:
    return Audience(
        asker=who(a["asker"]),
        place=_place(a["place"], world),
        viewers=frozenset(map(_viewer, a["viewers"])),
        namespace=Namespace(*a["ns"]) if a["ns"] else Namespace(),
        purpose=a["purpose"],
    )


def _viewer(raw: list[str]) -> Viewer:
    match raw:
        case ["e", name]:
            return who(name)
        case ["all_place", name]:
            return EveryoneIn(atoms.place(name))
        case ["all_space", name]:
            return EveryoneIn(atoms.space(name))
        case ["any"]:
            return Anyone()
    raise ValueError(raw)
