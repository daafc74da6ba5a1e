"""Exports with something broken in them, and what a reader must make of any of them."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

from tests.imports.exports import zipped

from confide.errors import InvalidInput
from confide.imports import FORMATS, LeftOut, Room, Said, Wrong, open_files

PIECES = [b"", b"null", b"[]", b"{}", b'""', b"-1", b"1e999", b"\x00", b"\xff\xfe", b"true", b"\\ud800",
          b'"' + b"x" * 300 + b'"', b"[" * 80, b"\n\n", b"99999999999999999999"]  # fmt: skip


def mutated(body: bytes, rng: random.Random) -> bytes:
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(body) + 1)
        end = min(len(body), at + rng.choice([0, 1, 2, 5, 20, 200]))
        match rng.randrange(4):
            case 0:
                body = body[:at] + rng.choice(PIECES) + body[end:]
            case 1:
                body = body[:at] + body[end:]
            case 2:
                body = body[:at] + bytes([rng.randrange(256)]) + body[at + 1 :]
            case _:
                other = rng.randrange(len(body) + 1)
                body = body[:at] + body[other : other + 40] + body[end:]
    return body


def survives(name: str, files: dict[str, bytes], rng: random.Random) -> None:
    """Read one broken export. Only messages, reasons and places of mistakes may come out."""
    with tempfile.TemporaryDirectory() as folder:
        broken = rng.choice(sorted(files))
        is_packed = rng.random() < 0.2
        for part, body in files.items():
            path = Path(folder, "x", part)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(mutated(body, rng) if part == broken and not is_packed else body)
        given = Path(folder, "x")
        if is_packed:  # then the packing is what is broken
            given = Path(folder, "x.zip")
            given.write_bytes(mutated(zipped(files), rng))
        try:
            opened = open_files(given)
            for one in FORMATS[name].read(opened):
                assert isinstance(one, Said | Room | LeftOut | Wrong)
                if isinstance(one, Room):
                    times = [at for stay in one.stays for at in (stay.since, stay.until) if at]
                    assert one.stays
                    assert all(at.tzinfo is not None for at in times)
                if isinstance(one, Said):
                    assert one.at.tzinfo is not None
                    assert one.text.strip()
        except InvalidInput:
            pass
