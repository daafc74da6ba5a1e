"""Where an embedded server keeps its things inside CONFIDE_HOME, and what can be wrong there.

<home>/postgres/       ours; for root the server account may pass through, no more
    data-<major>/      the data folder; the highest major is the one in use
    run/  log/         socket and log, the server account's
    password           of the bootstrap superuser
"""

import contextlib
import errno
import os
import re
import secrets
import stat
import sys
import tempfile
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path

from confide.errors import StorageProblem, StoreError, StoreUnavailable
from confide.store import runtime
from confide.store.supervisor import SOCKET_FOLDER

SOCKET_PATH_LIMIT = 103  # bytes; macOS allows 103, Linux 107
SOCKET_NAME = ".s.PGSQL.5432"
NAMELESS = "could not look up effective user ID"


@dataclass(frozen=True, slots=True)
class Layout:
    home: Path

    @property
    def folder(self) -> Path:
        return self.home / "postgres"

    @property
    def log(self) -> Path:
        return self.folder / "log"

    def data(self) -> Path | None:
        """The data folder in use, if there is one yet."""
        majors = [
            int(path.name.removeprefix("data-"))
            for path in self.folder.glob("data-*")
            if re.fullmatch(r"data-\d+", path.name)
        ]
        return self.data_of(max(majors)) if majors else None

    def data_of(self, major: int) -> Path:
        return self.folder / f"data-{major}"

    def password(self) -> str:
        try:
            return (self.folder / "password").read_text().strip()
        except FileNotFoundError as error:
            raise StoreUnavailable(
                f"{self.folder / 'password'} is missing: restore it from a backup of CONFIDE_HOME."
            ) from error

    def ensure_password(self) -> str:
        path = self.folder / "password"
        if not path.exists():
            _write_once(path, secrets.token_urlsafe(32))
        return self.password()

    def server_uid(self) -> int | None:
        """Who the server runs as: the owner of the data, so that moving a home changes nothing."""
        data = self.data()
        if data is None or not runtime.is_root():
            return runtime.server_uid(self.home)
        owner = data.stat().st_uid
        return owner if runtime.is_unallocated(owner) else runtime.server_uid(self.home)

    def socket_folder(self) -> Path:
        """Where clients find the socket."""
        run = self.folder / "run"
        if len(os.fsencode(run / SOCKET_NAME)) <= SOCKET_PATH_LIMIT:
            return run
        record = self.folder / SOCKET_FOLDER
        return Path(record.read_text()) if record.exists() else run

    def prepare(self) -> None:
        """Make the folder, closed to everybody else; change nothing above it."""
        self.home.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._require_own_home()
        self.folder.mkdir(mode=0o700, exist_ok=True)
        self.require_own()

    def prepare_for_server(self) -> None:
        """Make what a server needs; for holders of the start lock."""
        uid = self.server_uid()
        if uid is not None and sys.platform != "win32":
            os.chown(self.folder, 0, uid)
        self.folder.chmod(0o700 if uid is None else 0o710)
        for folder in (self.folder / "run", self.log):
            make_private(folder, uid)
        self._prepare_socket_folder(uid)

    def require_own(self) -> None:
        if sys.platform == "win32":
            return
        self._require_own_home()
        data = self.data()
        for path in (self.folder, data or self.folder):
            owner = path.lstat().st_uid
            servers = path == data and runtime.is_root() and owner in runtime.UNALLOCATED
            if owner != os.geteuid() and not servers:
                raise _of_another(path, owner)

    def _require_own_home(self) -> None:
        """Whoever owns the folder, or a link that leads to it, decides what is in it. Root may."""
        if sys.platform == "win32":
            return
        for found in (self.home.lstat(), self.home.stat()):
            if found.st_uid not in (os.geteuid(), 0):
                raise _of_another(self.home, found.st_uid)

    def _prepare_socket_folder(self, uid: int | None) -> None:
        record = self.folder / SOCKET_FOLDER
        if len(os.fsencode(self.folder / "run" / SOCKET_NAME)) <= SOCKET_PATH_LIMIT:
            return
        # Others can write to the temporary folder, so a recorded one may not be ours any more.
        if record.exists() and is_private(Path(record.read_text()), uid):
            return
        short = Path(tempfile.mkdtemp(prefix="confide-"))
        if len(os.fsencode(short / SOCKET_NAME)) > SOCKET_PATH_LIMIT:
            short.rmdir()
            short = Path(tempfile.mkdtemp(prefix="confide-", dir="/tmp"))
        make_private(short, uid)
        record.unlink(missing_ok=True)
        _write_once(record, str(short))


def _of_another(path: Path, owner: int) -> StorageProblem:
    return StorageProblem(
        f"CONFIDE_HOME: {path} belongs to another user (id {owner}): "
        "run confide as that user, or set CONFIDE_HOME to a folder of your own.",
        field="CONFIDE_HOME",
    )


def make_private(folder: Path, uid: int | None) -> None:
    folder.mkdir(mode=0o700, exist_ok=True)
    folder.chmod(0o700)
    runtime.give(folder, uid)


def is_private(folder: Path, uid: int | None) -> bool:
    try:
        found = folder.lstat()
    except FileNotFoundError:
        return False
    owner = os.geteuid() if uid is None and sys.platform != "win32" else uid
    return stat.S_ISDIR(found.st_mode) and found.st_uid == owner and not found.st_mode & 0o077


def _write_once(path: Path, text: str) -> None:
    """All of it or nothing, readable by the owner only."""
    fresh = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    file = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.write(file, text.encode())
        os.fsync(file)
    finally:
        os.close(file)
    fresh.rename(path)


def sync(folder: Path) -> None:
    """Bring a folder that was written without care for power cuts safely to disk."""
    if sys.platform == "win32":
        return
    for parent, _, files in os.walk(folder):
        for name in (".", *files):
            file = os.open(os.path.join(parent, name), os.O_RDONLY)
            try:
                os.fsync(file)
            finally:
                os.close(file)


FIXES = {
    errno.ENOSPC: "the disk is full: free some space, or set CONFIDE_HOME to another disk",
    errno.EDQUOT: "the disk quota is used up: free some space, or set CONFIDE_HOME elsewhere",
    errno.EROFS: "the disk is read-only: set CONFIDE_HOME to a folder that can be written",
    errno.EACCES: "it may not be read or written: set CONFIDE_HOME to a folder of your own",
    errno.EPERM: f"the system forbids it: {runtime.ELSEWHERE}",
    errno.EINVAL: f"the system forbids it: {runtime.ELSEWHERE}",
    errno.ENOTDIR: "a part of this path is a file: set CONFIDE_HOME to a folder",
    errno.EEXIST: "it is a file: set CONFIDE_HOME to a folder",
}


@contextlib.contextmanager
def explaining(home: Path) -> Generator[None, None, None]:
    """Turn what the system says about the folder into what to do about it."""
    try:
        yield
    except OSError as error:
        code = error.errno or 0
        fix = FIXES.get(code, f"{error.strerror}: set CONFIDE_HOME to a folder of your own")
        raise StorageProblem(f"CONFIDE_HOME {home}: {fix}.", field="CONFIDE_HOME") from error


def explain(home: Path, doing: str, output: str) -> StoreError:
    """What a failed PostgreSQL program printed, as an error with a fix."""
    for code in (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES):
        if os.strerror(code) in output:
            return StorageProblem(f"CONFIDE_HOME {home}: {FIXES[code]}.", field="CONFIDE_HOME")
    if NAMELESS in output:
        return StoreUnavailable(
            "The user id confide runs under has no name, which PostgreSQL needs to create its data "
            "folder: add it to /etc/passwd, or set CONFIDE_DATABASE_URL to a server."
        )
    reasons = re.findall(r"(?:error|FATAL|PANIC):\s*(.+)", output)
    reason = reasons[-1].rstrip(".") if reasons else "no reason given"
    return StoreUnavailable(
        f"PostgreSQL could not {doing}: {reason}. Look at {home / 'postgres' / 'log'}, "
        "or set CONFIDE_DATABASE_URL to another server."
    )
