"""A copy of the ledger beside the database: if the database is lost, an old backup still learns
from it what was erased since. It has no content and no key; the backup has the key."""

from __future__ import annotations

import json
import os
import secrets
import uuid
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from confide.store.ledger import Erasure

NAME: Final = "erasures.jsonl"
_HASHES: Final = ("target", "whose", "actor")
_TIMES: Final = ("erased_at", "final_at")


def write(home: Path, agent: str, erasures: Sequence[Erasure]) -> None:
    """All of this agent's, in place of what was there; other agents' lines stay. All or nothing."""
    others = [line for line in _lines(home) if line["agent"] != agent]
    own = [{"agent": agent} | asdict(one) for one in erasures]
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = home / f"{NAME}.{secrets.token_hex(4)}"
    file = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(file, "w", encoding="utf-8") as lines:
        for line in (*others, *own):
            lines.write(json.dumps(line, default=_plain) + "\n")
        lines.flush()
        os.fsync(lines.fileno())
    fresh.replace(home / NAME)


def read(home: Path, agent: str) -> list[Erasure]:
    return [_read(line) for line in _lines(home) if line["agent"] == agent]


def _lines(home: Path) -> list[dict[str, Any]]:
    try:
        written = (home / NAME).read_text(encoding="utf-8")
    except FileNotFoundError:
        return []
    return [json.loads(line) for line in written.splitlines()]


def _plain(value: Any) -> str:
    return value.hex() if isinstance(value, bytes) else str(value)


def _read(line: dict[str, Any]) -> Erasure:
    fields: dict[str, Any] = {name: value for name, value in line.items() if name != "agent"}
    for name in _HASHES:
        fields[name] = bytes.fromhex(fields[name]) if fields[name] is not None else None
    for name in _TIMES:
        fields[name] = datetime.fromisoformat(fields[name]) if fields[name] is not None else None
    ids: dict[str, Any] = {name: uuid.UUID(fields[name]) for name in ("id", "key_id")}
    ids["memory_ids"] = [uuid.UUID(one) for one in fields["memory_ids"]]
    return Erasure(**(fields | ids))
