"""What models cost, from a table that anyone can check."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


def dollars(model: str, read: int, written: int) -> float:
    """The price of these many tokens; an unknown model is dear."""
    name = model.rpartition(":")[2]
    table = _table()
    known = [one for one in table["models"] if name == one or name.startswith(f"{one}-20")]
    per_read, per_written = table["models"][max(known, key=len)] if known else table["unknown"]
    return (read * per_read + written * per_written) / 1_000_000


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads((files("confide.providers") / "data" / "prices.toml").read_text("utf-8"))
