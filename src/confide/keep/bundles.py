"""A stack as a file: signed, made for one agent, with every clause of every memory."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from confide.errors import InvalidInput, StorageProblem
from confide.model import SOMEONE, Entity, Kind, Sensitivity
from confide.privacy.atoms import Atom
from confide.privacy.policy import Label
from confide.store.encoding import read_clauses, read_entity, write_clauses

FORMAT: Final = "confide-stack-1"
MOST_BYTES: Final = 64 * 1024 * 1024

_SOMEONE: Final = re.compile(rf"{SOMEONE}:[0-9a-f]{{32}}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One memory of a stack; its label is the chain it came through."""

    text: str
    kind: Kind
    sensitivity: Sensitivity
    subjects: frozenset[Entity]
    said_at: datetime
    ends_at: datetime | None
    confidence: float
    label: Label


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    maker: Entity
    to: Entity
    serial: int
    made_at: datetime
    ends_at: datetime
    belongs: frozenset[Atom]  # what the maker's platforms attest of the receiver
    entries: tuple[Entry, ...]


def write_bundle(bundle: Bundle, key: bytes) -> str:
    body = json.dumps(
        {
            "format": FORMAT,
            "from": str(bundle.maker),
            "to": str(bundle.to),
            "serial": bundle.serial,
            "made_at": bundle.made_at.isoformat(),
            "ends_at": bundle.ends_at.isoformat(),
            "belongs": sorted(map(str, bundle.belongs)),
            "entries": [_write_entry(entry, bundle.to) for entry in bundle.entries],
        },
        ensure_ascii=False,
        sort_keys=True,
    )
    return json.dumps({"signature": _sign(body, key), "stack": body}, ensure_ascii=False)


def read_bundle(written: str, key: bytes) -> Bundle:
    """Nothing of a file is believed before its signature holds."""
    if len(written) > MOST_BYTES:
        raise InvalidInput("stack", "the file is too large")
    try:
        outer = json.loads(written)
        body, signature = outer["stack"], outer["signature"]
        is_genuine = hmac.compare_digest(_sign(body, key), signature)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise InvalidInput("stack", "this is no stack that `confide stack export` made") from None
    if not is_genuine:
        raise InvalidInput(
            "stack", "its signature does not hold: it was changed, or signed with another key"
        )
    raw: Mapping[str, Any] = json.loads(body)
    if raw["format"] != FORMAT:
        raise InvalidInput("stack", f"it has format {raw['format']!r}; update confide")
    return Bundle(
        maker=Entity.parse(raw["from"], "stack"),
        to=Entity.parse(raw["to"], "stack"),
        serial=raw["serial"],
        made_at=datetime.fromisoformat(raw["made_at"]),
        ends_at=datetime.fromisoformat(raw["ends_at"]),
        belongs=frozenset(Atom.read(one) for one in raw["belongs"]),
        entries=tuple(_read_entry(one) for one in raw["entries"]),
    )


def signing_key(home: Path) -> bytes:
    """The key that agents of one home share. For an agent elsewhere, copy the file to its home."""
    path = home / "stack.key"
    try:
        home.mkdir(parents=True, exist_ok=True)
        try:
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "w") as file:
                file.write(os.urandom(32).hex())
        except FileExistsError:
            pass
        key = bytes.fromhex(path.read_text().strip())
    except (OSError, ValueError) as problem:
        raise StorageProblem(f"{path.name} in the home folder cannot be used") from problem
    if len(key) < 32:
        raise StorageProblem(f"{path.name} in the home folder is too short; remove it")
    return key


def _sign(body: str, key: bytes) -> str:
    return hmac.new(key, body.encode(), hashlib.sha256).hexdigest()


def _write_entry(entry: Entry, to: Entity) -> dict[str, Any]:
    return {
        "text": entry.text,
        "kind": entry.kind.value,
        "sensitivity": entry.sensitivity.value,
        "subjects": sorted(_under_other_ids(str(one), to) for one in entry.subjects),
        "said_at": entry.said_at.isoformat(),
        "ends_at": entry.ends_at.isoformat() if entry.ends_at else None,
        "confidence": entry.confidence,
        "clauses": _under_other_ids(write_clauses(entry.label), to),
    }


def _under_other_ids(written: str, to: Entity) -> str:
    """People whom only a speaker knows have another id for each agent that hears of them."""
    return _SOMEONE.sub(
        lambda found: f"{SOMEONE}:{hashlib.sha256(f'{found[0]} {to}'.encode()).hexdigest()[:32]}",
        written,
    )


def _subject(written: str) -> Entity:
    return read_entity(written) if _SOMEONE.fullmatch(written) else Entity.parse(written, "stack")


def _read_entry(raw: Mapping[str, Any]) -> Entry:
    return Entry(
        text=raw["text"],
        kind=Kind(raw["kind"]),
        sensitivity=Sensitivity(raw["sensitivity"]),
        subjects=frozenset(map(_subject, raw["subjects"])),
        said_at=datetime.fromisoformat(raw["said_at"]),
        ends_at=datetime.fromisoformat(raw["ends_at"]) if raw["ends_at"] else None,
        confidence=raw["confidence"],
        label=read_clauses(raw["clauses"]),
    )
