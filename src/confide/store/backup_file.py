"""The file of a backup: one compressed member a table, and a manifest that has the hash of each."""

from __future__ import annotations

import hashlib
import json
import os
import struct
import zipfile
import zlib
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any, Final

from confide.errors import InvalidInput

FORMAT: Final = 1
MANIFEST: Final = "manifest.json"
CHUNK: Final = 1 << 20
#: Parts of a ZIP: before each member, in the list of members, and the end without and with ZIP64.
LOCAL: Final = struct.Struct("<4s2xH18xHH")
LISTED: Final = struct.Struct("<4s24xHHH12x")
ENDS: Final = (22, 22 + 20 + 56)
STREAMED: Final = 0x08


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """The rows of one table of one agent."""

    agent: str
    table: str
    columns: list[str]
    rows: int
    sha256: str

    @property
    def member(self) -> str:
        return f"{self.agent}/{self.table}.copy"


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    made_at: str
    program: str
    migrations: list[str]
    parts: list[Part] = field(default_factory=list[Part])
    format: int = FORMAT

    @property
    def agents(self) -> list[str]:
        return sorted({part.agent for part in self.parts})

    @property
    def fingerprint(self) -> str:
        """Covers every row, so that whoever noted it down knows the file for sure."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()


class Writing:
    """A new file, which nobody else may read and which has its name only once it is whole; or a
    stream, where what was cut off lacks its end and is refused by whoever reads it."""

    def __init__(self, target: Path | IO[bytes]) -> None:
        self._path = target if isinstance(target, Path) else None
        self._part = target.with_name(f"{target.name}.part") if isinstance(target, Path) else None
        self._file: IO[bytes] | None = None if isinstance(target, Path) else target
        self._zip: zipfile.ZipFile | None = None

    def __enter__(self) -> Writing:
        if self._path is not None and self._part is not None:
            self._file = _new_file(self._path, self._part)
        assert self._file is not None
        self._zip = zipfile.ZipFile(self._file, "w", zipfile.ZIP_DEFLATED, compresslevel=6)
        return self

    @contextmanager
    def member(self, name: str) -> Generator[Member, None, None]:
        assert self._zip is not None
        with self._zip.open(name, "w", force_zip64=True) as file:
            yield Member(file)

    def finish(self, manifest: Manifest) -> None:
        assert self._zip is not None
        assert self._file is not None
        about = asdict(manifest) | {"fingerprint": manifest.fingerprint}
        self._zip.writestr(MANIFEST, json.dumps(about, indent=1))
        self._zip.close()
        self._file.flush()
        if self._path is not None and self._part is not None:
            os.fsync(self._file.fileno())
            self._file.close()
            self._part.rename(self._path)

    def __exit__(self, kind: object, *_rest: object) -> None:
        if kind is None or self._file is None or self._zip is None:
            return
        if self._part is None:
            self._zip.fp = None  # closing it would write an end, and the stream would look whole
            return
        with suppress(OSError, ValueError):  # a full disk is no reason to hide what happened
            self._zip.close()
        self._file.close()
        self._part.unlink(missing_ok=True)


def _new_file(path: Path, part: Path) -> IO[bytes]:
    if path.exists():
        raise InvalidInput("file", f"{path} exists already; name another")
    try:
        part.unlink(missing_ok=True)
        number = os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as problem:
        raise InvalidInput(
            "file", f"{path} cannot be written ({problem.strerror}); name another"
        ) from problem
    return os.fdopen(number, "w+b")


class Member:
    """What is written is hashed on its way."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._hash = hashlib.sha256()

    async def write(self, data: bytes) -> None:
        self._hash.update(data)
        self._file.write(data)

    @property
    def sha256(self) -> str:
        return self._hash.hexdigest()


@contextmanager
def opened(
    path: Path | IO[bytes], fingerprint: str | None = None
) -> Generator[tuple[zipfile.ZipFile, Manifest], None, None]:
    """A backup of which every byte is as it was written; anything else is refused."""
    shown = path if isinstance(path, Path) else "what was read"
    try:
        archive = zipfile.ZipFile(path)
    except FileNotFoundError:
        raise InvalidInput("file", f"{shown} does not exist") from None
    except (OSError, zipfile.BadZipFile):
        raise InvalidInput("file", f"{shown} is no backup, or is cut off; use another") from None
    with archive:
        try:
            manifest = _read_manifest(archive)
            _demand_whole(archive, manifest)
            _demand_nothing_else(archive)
        except (
            KeyError,
            TypeError,
            ValueError,
            struct.error,
            zipfile.BadZipFile,
            EOFError,
            zlib.error,
        ):
            raise InvalidInput("file", f"{shown} was changed or damaged; use another") from None
        if fingerprint is not None and fingerprint != manifest.fingerprint:
            raise InvalidInput("fingerprint", "the file is another one than the one you noted")
        yield archive, manifest


def _read_manifest(archive: zipfile.ZipFile) -> Manifest:
    raw: dict[str, Any] = json.loads(archive.read(MANIFEST))
    said = raw.pop("fingerprint")
    raw["parts"] = [Part(**part) for part in raw["parts"]]
    manifest = Manifest(**raw)
    if manifest.format != FORMAT or manifest.fingerprint != said:
        raise ValueError
    return manifest


def _demand_whole(archive: zipfile.ZipFile, manifest: Manifest) -> None:
    members = {part.member: part for part in manifest.parts}
    if sorted(archive.namelist()) != sorted([*members, MANIFEST]):
        raise ValueError
    for name, part in members.items():
        hashed = hashlib.sha256()
        with archive.open(name) as file:
            while chunk := file.read(CHUNK):
                hashed.update(chunk)
        if hashed.hexdigest() != part.sha256:
            raise ValueError


def _demand_nothing_else(archive: zipfile.ZipFile) -> None:
    """A ZIP may have bytes before, between and after its members. Here each byte belongs to one."""
    file, at = archive.fp, 0
    assert file is not None
    members = sorted(archive.infolist(), key=lambda one: one.header_offset)
    for info in members:
        file.seek(at)
        signature, flags, name, extra = LOCAL.unpack(file.read(LOCAL.size))
        if info.header_offset != at or signature != b"PK\x03\x04":
            raise ValueError
        at += LOCAL.size + name + extra + info.compress_size
        if flags & STREAMED:  # a checksum and two sizes follow, of 8 bytes where extra says so
            at += 24 if extra else 16
    if at != archive.start_dir:
        raise ValueError
    file.seek(at)
    for _ in members:
        signature, *lengths = LISTED.unpack(file.read(LISTED.size))
        if signature != b"PK\x01\x02":
            raise ValueError
        file.seek(sum(lengths), os.SEEK_CUR)
    end = file.read(ENDS[-1] + 1)
    if len(end) not in ENDS or end[-22:-18] != b"PK\x05\x06" or archive.comment:
        raise ValueError
