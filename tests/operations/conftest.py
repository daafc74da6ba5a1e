"""A PostgreSQL that an administrator runs, with an empty database in it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

import pytest

from confide.store import embedded, runtime


@dataclass(frozen=True)
class Server:
    """`env` is the administrator's: psql finds the server by it."""

    folder: Path
    env: dict[str, str] = field(default_factory=dict)

    def shell(self, line: str, *, fails: bool = False, **more: str) -> str:
        """A line as the page has it; its output, or its error where it has to fail."""
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", line],
            env=self.env | more, cwd=self.folder, text=True, capture_output=True, check=False,
            timeout=120,
        )  # fmt: skip
        assert (done.returncode != 0) == fails, f"{line}\n{done.stdout}{done.stderr}"
        return done.stderr if fails else done.stdout

    def url(self, user: str, password: str, database: str = "confide") -> str:
        where = f"host={quote(self.env['PGHOST'], safe='')}&port={self.env['PGPORT']}"
        return f"postgresql://{user}:{password}@/{database}?{where}"


@pytest.fixture
def server() -> Iterator[Server]:
    folder = Path(tempfile.mkdtemp(prefix="confide-test-"))
    programs = [Path(sys.executable).parent, runtime.bundled()[runtime.current_major()] / "bin"]
    with embedded.start(folder / "server", idle_seconds=60, is_kept=False) as lease:
        env = {name: value for name, value in os.environ.items() if not name.startswith("CONFIDE_")}
        found = lease.server
        env |= {
            "PATH": os.pathsep.join([*map(str, programs), os.environ["PATH"]]),
            "PGHOST": str(found.host),
            "PGPORT": str(found.port),
            "PGUSER": found.superuser,
            "PGPASSWORD": found.password,
            "HOME": str(folder),
            "CONFIDE_HOME": str(folder / "home"),
            "CONFIDE_LEARN": "false",
        }
        yield Server(folder, env)
    embedded.discard(folder / "server")
    shutil.rmtree(folder, ignore_errors=True)
