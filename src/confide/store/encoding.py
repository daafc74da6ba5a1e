"""How labels, atoms and audiences are written in the database, and read back."""

from __future__ import annotations

import hashlib
import json
import re
import struct
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache, lru_cache
from typing import Any

from confide.model import Entity, Place, PlaceKind
from confide.privacy import atoms
from confide.privacy.atoms import Atom, AtomKind
from confide.privacy.labels import Origin
from confide.privacy.labels import label as label_of
from confide.privacy.places import MEANING
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
    minimal,
)

#: How many listeners an atom tends to cover. The narrowest clause of a label finds it.
BREADTH = {
    AtomKind.ENTITY: 1,
    AtomKind.AT_SCOPE: 1,
    AtomKind.PRESENT: 5,
    AtomKind.PLACE: 10,
    AtomKind.AT_PLACE: 10,
    AtomKind.COLLECTIVE: 20,
    AtomKind.SPACE: 50,
    AtomKind.AT_SPACE: 50,
    AtomKind.ALONE: 10_000,
    AtomKind.ANYONE: 100_000,
}


@lru_cache(maxsize=4096)
def write_label(label: Label) -> tuple[bytes, str]:
    """The key of a label, and its minimal clauses as JSON, narrowest first.

    Many memories have the same few labels, so each is written once.
    """
    clauses = [_write_bare(kind, terms) for kind, terms in minimal(label)]
    # Of two equally narrow clauses the ask one leaves fewer candidates in a direct chat.
    clauses.sort(key=lambda c: (c["breadth"], c["kind"], c["key"]))
    key = hashlib.sha256("".join(sorted(c["key"] for c in clauses)).encode()).digest()
    return key, json.dumps(clauses)


def _write_bare(kind: ClauseKind, terms: frozenset[Term]) -> dict[str, Any]:
    written = sorted(_write_term(term) for term in terms)
    text = json.dumps([kind.value, written])
    return {
        "kind": kind.value,
        "terms": written,
        "breadth": sum(BREADTH[term.atom.kind] for term in terms),
        "key": hashlib.sha256(text.encode()).hexdigest(),
    }


def _write_term(term: Term) -> list[str]:
    until = term.until.isoformat() if term.until else "infinity"
    return [str(term.atom), until, term.purpose or ""]


@lru_cache(maxsize=4096)
def write_clauses(label: Label) -> str:
    """The full label with its owners."""
    return json.dumps(
        sorted(
            [c.kind.value, str(c.owner), sorted(_write_term(term) for term in c.terms)]
            for c in label.clauses
        )
    )


@lru_cache(maxsize=4096)
def read_clauses(written: str) -> Label:
    """Many memories have the same few labels, so each is read once."""
    return Label(
        frozenset(
            Clause(ClauseKind(kind), read_entity(owner), frozenset(_read_term(t) for t in terms))
            for kind, owner, terms in json.loads(written)
        )
    )


def _read_term(raw: list[str]) -> Term:
    atom, until, purpose = raw
    ends = None if until == "infinity" else datetime.fromisoformat(until)
    return Term(Atom.read(atom), ends, purpose or None)


@lru_cache(maxsize=16_384)
def read_entity(written: str) -> Entity:
    """An entity that was checked when it came in. The same few are read again and again."""
    namespace, _, id = written.partition(":")
    return Entity(namespace, id)


def write_viewer(viewer: Viewer) -> str:
    match viewer:
        case Anyone():
            return str(atoms.ANYONE)
        case EveryoneIn(what):
            return str(what)
        case Entity():
            return str(atoms.entity(viewer))


def write_audience(audience: Audience, agent: Entity) -> str:
    scopes = audience.namespace.and_ancestors()
    above = audience.place.parent_place
    return json.dumps(
        {
            "agent": str(atoms.entity(agent)),
            "asker": str(atoms.entity(audience.asker)),
            "place": audience.place.id,
            "kind": audience.place.kind.value,
            "space": audience.place.space or (above.space if above else None),
            "above": above.kind.value if above else None,
            "readers": MEANING[audience.place.kind].readers.name.lower(),
            "viewers": [write_viewer(v) for v in audience.viewers],
            "there": [
                write_viewer(v) for v in audience.viewers if isinstance(v, Entity) and v != agent
            ],
            "scopes": [str(atoms.at_scope(audience.asker, n)) for n in scopes],
            "purpose": audience.purpose,
        }
    )


#: The same few places, spaces and people are in every answer.
_read_atom = lru_cache(maxsize=4096)(Atom.read)


def read_world(raw: Mapping[str, Any], agent: Entity, now: datetime) -> World:
    rows: list[tuple[str, str, str | None, str | None]] = raw["places"] or []
    places = [Place(id=i, kind=PlaceKind(k), space=s, parent=p) for i, k, s, p in rows]
    belongs: dict[str, list[str]] = raw["belongs"] or {}
    return World(
        agent=agent,
        now=now,
        places={place.id: place for place in places},
        belongs={
            read_entity(who): frozenset(map(_read_atom, found)) for who, found in belongs.items()
        },
    )


def read_audience(raw: Mapping[str, Any], said: Audience) -> Audience:
    """The audience as the database knows it: the place as it is now, everyone who is there."""
    place = Place(
        id=raw["place"], kind=PlaceKind(raw["kind"]), space=raw["space"], parent=said.place.parent
    )
    known = replace(said, place=place, viewers=frozenset(map(read_viewer, raw["viewers"])))
    other = raw["as_said"]
    if other is None:
        return known
    named = Place(
        id=other["place"],
        kind=PlaceKind(other["kind"]),
        space=other["space"],
        parent=other["parent"],
    )
    viewers = frozenset(map(read_viewer, other["viewers"]))
    return replace(known, as_said=replace(said, place=named, viewers=viewers))


def read_viewer(written: str) -> Viewer:
    atom = _read_atom(written)
    match atom.kind:
        case AtomKind.ANYONE:
            return Anyone()
        case AtomKind.PLACE | AtomKind.SPACE:
            return EveryoneIn(atom)
        case _:
            return read_entity(atom.name)


def write_vector(vector: Sequence[float]) -> bytes:
    """As the database keeps it: how many numbers, two bytes for nothing, and each as a half."""
    return _halves(len(vector)).pack(len(vector), 0, *vector)


@cache
def _halves(size: int) -> struct.Struct:
    return struct.Struct(f">HH{size}e")


def memory_hash(owner: Entity, origin: Origin, text: str) -> bytes:
    """P3: the same text may exist in two scopes, not twice in one.

    It covers all that its speaker said and where, and nothing that others decided since: a consent
    changes who hears a memory, not which memory it is.
    """
    return hashlib.sha256(f"{_made(owner, origin)}\x1f{normalised(text)}".encode()).digest()


@lru_cache(maxsize=4096)
def _made(owner: Entity, origin: Origin) -> str:
    """The whole label as it was made, who said it, where, of which kind and in which namespace."""
    place = origin.place.id if origin.place else ""
    namespace = repr(tuple(origin.namespace) if origin.namespace else None)
    said = replace(origin, joined_later=frozenset(), objectors=frozenset())
    clauses = write_clauses(label_of(said))
    careful = origin.sensitivity.value  # two of them may make one label
    parts = [str(owner), str(origin.speaker), place, namespace, origin.kind.value, careful, clauses]
    # A thread may become private alone, and what is said in confidence goes no further, also where
    # the clauses are the same.
    parts += [origin.thread] if origin.thread else []
    parts += ["in confidence"] if origin.is_in_confidence else []
    return "\x1f".join(parts)


def normalised(text: str) -> str:
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text)).strip().casefold().rstrip(".!")
