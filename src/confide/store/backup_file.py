"""The file of a backup: one compressed member a table, and a manifest that has the hash of each."""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any, Final

from confide.errors import InvalidInput

FORMAT: Final = 1
MANIFEST: Final = "manifest.json"
CHUNK: Final = 1 << 20


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
    parts: list[Part] = field(default_factory=list)
    format: int = FORMAT

    @property
    def agents(self) -> list[str]:
        return sorted({part.agent for part in self.parts})

    @property
    def fingerprint(self) -> str:
        """Covers every row, so that whoever noted it down knows the file for sure."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()


class Writing:
    """A new file, which nobody else may read. It has its name only once it is whole."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._part = path.with_name(f"{path.name}.part")
        self._file: IO[bytes] | None = None
        self._zip: zipfile.ZipFile | None = None

    def __enter__(self) -> Writing:
        if self._path.exists():
            raise InvalidInput("file", f"{self._path} exists already; name another")
        try:
            self._part.unlink(missing_ok=True)
            number = os.open(self._part, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        except OSError as problem:
            raise InvalidInput(
                "file", f"{self._path} cannot be written ({problem.strerror}); name another"
            ) from problem
        self._file = os.fdopen(number, "w+b")
        self._zip = zipfile.ZipFile(self._file, "w", zipfile.ZIP_DEFLATED, compresslevel=6)
        return self

    @contextmanager
    def member(self, name: str) -> Iterator[Member]:
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
        os.fsync(self._file.fileno())
        self._file.close()
        self._part.rename(self._path)

    def __exit__(self, kind: object, *_rest: object) -> None:
        if kind is not None and self._file is not None:
            with suppress(OSError, ValueError):  # a full disk is no reason to hide what happened
                if self._zip is not None:
                    self._zip.close()
            self._file.close()
            self._part.unlink(missing_ok=True)


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
    path: Path, fingerprint: str | None = None
) -> Iterator[tuple[zipfile.ZipFile, Manifest]]:
    """A backup of which every byte is as it was written; anything else is refused."""
    try:
        archive = zipfile.ZipFile(path)
    except FileNotFoundError:
        raise InvalidInput("file", f"{path} does not exist") from None
    except (OSError, zipfile.BadZipFile):
        raise InvalidInput("file", f"{path} is no backup, or is cut off; use another") from None
    with archive:
        try:
            manifest = _read_manifest(archive)
            _demand_whole(archive, manifest)
        except (KeyError, TypeError, ValueError, zipfile.BadZipFile, EOFError, zlib.error):
            raise InvalidInput("file", f"{path} was changed or damaged; use another") from None
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
