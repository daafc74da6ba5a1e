"""A backup's file has no byte that does not belong to it, written to a file or to a stream."""

from __future__ import annotations

import asyncio
import hashlib
import io
import random
from pathlib import Path
from typing import IO, Any, cast

import pytest

from confide.errors import InvalidInput
from confide.store.backup_file import Manifest, Part, Writing, opened


class Pipe(io.RawIOBase):
    """Goes forward only."""

    def __init__(self) -> None:
        self.taken = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.taken += bytes(data)
        return len(data)


def write(target: Path | IO[bytes], *, dies: bool = False) -> None:
    parts: list[Part] = []
    with Writing(target) as file:
        for table, rows in (
            ("memory", b"1\tbees\n" * 400),
            ("evidence", b""),
            ("words", b"2\tx\n"),
        ):
            with file.member(f"bot/{table}.copy") as member:
                asyncio.run(member.write(rows))
            digest = hashlib.sha256(rows).hexdigest()
            parts.append(
                Part(agent="bot", table=table, columns=["a"], rows=rows.count(b"\n"), sha256=digest)
            )
        if dies:
            raise KeyboardInterrupt
        file.finish(Manifest(made_at="2026-11-17", program="1", migrations=[], parts=parts))


@pytest.fixture(params=["file", "stream"])
def whole(request: pytest.FixtureRequest, tmp_path: Path) -> bytes:
    if request.param == "stream":
        pipe = Pipe()
        write(cast(IO[bytes], pipe))
        return bytes(pipe.taken)
    write(tmp_path / "a.confide")
    return (tmp_path / "a.confide").read_bytes()


def test_bytes_before_between_and_after_the_members_are_noticed(whole: bytes) -> None:
    with opened(io.BytesIO(whole)) as (archive, manifest):
        assert manifest.agents == ["bot"]
        starts = sorted(info.header_offset for info in archive.infolist())
        places = [*starts, archive.start_dir, len(whole) - 22, len(whole)]
    luck = random.Random(7)
    for at in [*places, *(luck.randrange(len(whole)) for _ in range(60))]:
        for more in (b"\0", b"PK\x05\x06", luck.randbytes(luck.randrange(1, 300)), whole):
            changed = whole[:at] + more + whole[at:]
            with pytest.raises(InvalidInput, match="file: "), opened(io.BytesIO(changed)):
                pass


def test_a_backup_that_was_cut_off_anywhere_is_noticed(whole: bytes) -> None:
    for end in range(0, len(whole), 7):
        with pytest.raises(InvalidInput, match="file: "), opened(io.BytesIO(whole[:end])):
            pass


def test_a_stream_of_which_the_writer_died_has_no_end() -> None:
    pipe = Pipe()
    with pytest.raises(KeyboardInterrupt):
        write(cast(IO[bytes], pipe), dies=True)
    with pytest.raises(InvalidInput, match="file: "), opened(io.BytesIO(bytes(pipe.taken))):
        pass
