"""A file, folder or zip as named parts that can be opened again and again. Bombs are refused."""

from __future__ import annotations

import codecs
import hashlib
import io
import os
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from lzma import LZMAError
from pathlib import Path, PurePosixPath
from typing import IO, Final

from confide.errors import InvalidInput
from confide.imports.said import Wrong

MOST_PARTS: Final = 200_000
MOST_BYTES: Final = 64 * 1024**3  # unpacked
MOST_RATIO: Final = 200  # unpacked to packed; text packs about ten to one
SMALL: Final = 10 * 1024**2  # below this, a ratio harms nobody
HEAD: Final = 256 * 1024
LONGEST_LINE: Final = 4 * 1024**2
CHUNK: Final = 1024 * 1024
PIECE: Final = 64 * 1024
#: What a broken, locked or strangely packed part of a zip raises when it is unpacked.
NOT_UNPACKED: Final = (
    zipfile.BadZipFile, zlib.error, LZMAError, EOFError, NotImplementedError, RuntimeError, KeyError,
    ValueError, OSError,
)  # fmt: skip


class BrokenPart(Exception):
    """A part of a zip that cannot be unpacked further. What came before is read."""


@dataclass(frozen=True, slots=True)
class Files:
    """What was given, by the names inside it. `name` is what the person gave, without its folder."""

    name: str
    parts: tuple[str, ...]
    changed_at: datetime
    path: Path
    archive: zipfile.ZipFile | None = field(default=None, compare=False)

    def open(self, part: str) -> io.BufferedReader:
        """A part in UTF-8 without a byte order mark, also if it is written in UTF-16."""
        file = self._raw(part)
        try:
            mark = file.peek(3)[:3]
        except BrokenPart:
            return file  # whoever reads it meets the same
        if mark.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            return io.BufferedReader(_Recoded(file), PIECE)
        if mark == codecs.BOM_UTF8:
            file.read(len(mark))
        return file

    def _raw(self, part: str) -> io.BufferedReader:
        if self.archive is not None:
            return io.BufferedReader(_Unpacked(self.archive, part), PIECE)
        return open(self.path / part if self.path.is_dir() else self.path, "rb")

    def head(self, part: str) -> bytes:
        found = b""
        try:
            with self.open(part) as file:
                while len(found) < HEAD and (piece := file.read1(PIECE)):
                    found += piece
        except (OSError, BrokenPart):
            pass
        return found[:HEAD]

    def named(self, *names: str) -> list[str]:
        """Parts whose file name is one of these, wherever they lie."""
        return [part for part in self.parts if PurePosixPath(part).name in names]

    def sha256(self) -> bytes:
        """Of the bytes of a file; of a folder, of all names and contents."""
        if not self.path.is_dir():
            return _hash(self.path)
        all_of_it = hashlib.sha256()
        for part in self.parts:
            all_of_it.update(part.encode("utf-8", "surrogateescape") + b"\0")
            all_of_it.update(_hash(self.path / part))
        return all_of_it.digest()

    def size(self) -> int:
        if not self.path.is_dir():
            return self.path.stat().st_size
        return sum((self.path / part).stat().st_size for part in self.parts)


class _Unpacked(io.RawIOBase):
    """A part of a zip. It may not be longer than it says: what a bomb claims is not what it gives."""

    def __init__(self, archive: zipfile.ZipFile, part: str) -> None:
        self._archive, self._part = archive, part
        self._left = archive.getinfo(part).file_size
        self._inner: IO[bytes] | None = None
        self._problem = ""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer)  # pyright: ignore[reportArgumentType]
        piece = self._piece(min(len(view), CHUNK))
        if self._problem:  # also when it is asked again: what follows is no continuation
            raise BrokenPart(self._problem)
        view[: len(piece)] = piece
        return len(piece)

    def _piece(self, size: int) -> bytes:
        try:
            self._inner = self._inner or self._archive.open(self._part)
            piece = self._inner.read(size)
        except NOT_UNPACKED:
            self._problem = self._problem or "is broken inside the zip; download it again"
            return b""
        self._left -= len(piece)
        if self._left < 0:
            self._problem = "is longer than the zip says; the rest is not read"
        return piece

    def close(self) -> None:
        if self._inner is not None:
            self._inner.close()
        super().close()


class _Recoded(io.RawIOBase):
    """UTF-16 as UTF-8, some at a time."""

    def __init__(self, inner: io.BufferedReader) -> None:
        self._inner = inner
        self._decoder = codecs.getincrementaldecoder("utf-16")("replace")
        self._waiting = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer)  # pyright: ignore[reportArgumentType]
        while not self._waiting:
            raw = self._inner.read1(PIECE)
            self._waiting = self._decoder.decode(raw, final=not raw).encode("utf-8", "replace")
            if not raw:
                break
        piece, self._waiting = self._waiting[: len(view)], self._waiting[len(view) :]
        view[: len(piece)] = piece
        return len(piece)

    def close(self) -> None:
        self._inner.close()
        super().close()


def open_files(given: Path) -> Files:
    """What a person named, ready to be read. A zip is not unpacked."""
    try:
        if given.is_dir():
            return _folder(given)
        changed = datetime.fromtimestamp(given.stat().st_mtime, UTC)
        if zipfile.is_zipfile(given):
            archive = zipfile.ZipFile(given)
            return Files(given.name, _sound(archive), changed, given, archive)
        return Files(given.name, (given.name,), changed, given)
    except OSError as problem:
        raise InvalidInput("file", f"cannot be read ({problem.strerror}); check its name") from None
    except NOT_UNPACKED:
        raise InvalidInput("file", "is a broken zip; download it again") from None


def _folder(given: Path) -> Files:
    parts: list[str] = []
    newest = 0.0
    for folder, _, names in os.walk(given):  # links to folders are not followed
        for name in names:
            path = Path(folder, name)
            if path.is_symlink() or not path.is_file():
                continue
            newest = max(newest, path.stat().st_mtime)
            parts.append(path.relative_to(given).as_posix())
            if len(parts) > MOST_PARTS:
                raise InvalidInput("file", f"has more than {MOST_PARTS:,} files; give a part of it")
    return Files(given.name, tuple(sorted(parts)), datetime.fromtimestamp(newest, UTC), given)


def _sound(archive: zipfile.ZipFile) -> tuple[str, ...]:
    """The names of a zip's files. One that tries tricks is refused as a whole."""
    entries = [one for one in archive.infolist() if not one.filename.endswith("/")]
    if len(entries) > MOST_PARTS:
        raise InvalidInput("file", f"has more than {MOST_PARTS:,} parts; give a part of it")
    seen: set[str] = set()
    total = 0
    for one in entries:
        path = PurePosixPath(one.filename.replace("\\", "/"))
        is_odd = not path.parts or "\0" in one.filename or ":" in path.parts[0]
        if is_odd or path.is_absolute() or ".." in path.parts:
            raise InvalidInput("file", "a part of the zip has a path that leads outside it")
        if one.filename in seen:
            raise InvalidInput("file", f"has two parts called {path.name[:80]!r}")
        seen.add(one.filename)
        total += one.file_size
        is_bomb = one.file_size > SMALL and one.file_size > MOST_RATIO * max(1, one.compress_size)
        if is_bomb or total > MOST_BYTES:
            raise InvalidInput("file", "unpacks to far more than it is; it is not read")
        if one.flag_bits & 1:
            raise InvalidInput("file", "is locked with a password; unlock it first")
    return tuple(sorted(seen))


def _hash(path: Path) -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def lines(files: Files, part: str) -> Iterator[tuple[int, str | Wrong]]:
    """Lines with their numbers, or what is wrong with one: no message is longer than 4 MB."""
    number = 0
    try:
        with files.open(part) as file:
            while line := file.readline(LONGEST_LINE + 1):
                number += 1
                if len(line) <= LONGEST_LINE:
                    yield number, _decoded(line, f"{part}, line {number}")
                    continue
                while line and not line.endswith(b"\n"):
                    line = file.readline(CHUNK)
                problem = "is longer than 4 MB; no message is"
                yield number, Wrong(f"{part}, line {number}", "line", problem)
    except BrokenPart as problem:
        yield number, Wrong(part, "file", f"{problem} ({number} lines were read)")


def _decoded(line: bytes, where: str) -> str | Wrong:
    try:
        return line.decode()
    except UnicodeDecodeError:
        return Wrong(where, "line", "is not UTF-8; save the file as UTF-8 and give it again")
