"""Somebody follows a page in an environment of their own: an empty home, no settings, nothing stored."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import httpx
import pytest

from confide.store import embedded

DOCS: Final = Path(__file__).parents[2] / "docs"
FENCE: Final = re.compile(r"^```console[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
#: As `python -m asyncio` takes what is pasted into it.
PASTED: Final = (
    "import ast, asyncio, inspect, sys, types\n"
    "code = compile(sys.stdin.read(), 'page', 'exec', ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)\n"
    "begun = types.FunctionType(code, {'__name__': '__main__'})()\n"
    "if inspect.iscoroutine(begun): asyncio.run(begun)\n"
)


def lines(page: str) -> list[str]:
    """The commands of a page in order, without comments and with what continues them."""
    found: list[str] = []
    for body in FENCE.findall((DOCS / page).read_text("utf-8")):
        for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
            first, *rest = part.splitlines()
            while first.endswith("\\"):
                first = f"{first[:-1]} {rest.pop(0).strip()}"
            found.append(re.sub(r"\s+# .*$", "", first).strip())
    return found


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


@dataclass
class Follower:
    folder: Path
    port: int = field(default_factory=free_port)
    env: dict[str, str] = field(default_factory=dict)
    server: subprocess.Popen[str] | None = None

    def __post_init__(self) -> None:
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("CONFIDE_")} | {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(self.folder),
            "CONFIDE_HOME": str(self.folder / "home"),
            "CONFIDE_PORT": str(self.port),
            "CONFIDE_LEARN": "false",
            "CONFIDE_RESIDENT": "false",
            "COLUMNS": "200",
        }
        self.log = self.folder / "log"

    def shell(self, line: str, said: str | None = None, *, cwd: Path | None = None) -> str:
        return self._run(["bash", "-c", line], said, cwd)

    def python(self, source: str) -> str:
        return self._run([sys.executable, "-c", PASTED], source)

    def fails(self, line: str) -> str:
        done = subprocess.run(
            ["bash", "-c", line], env=self.env, cwd=self.folder, text=True, capture_output=True,
            check=False, timeout=120, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert done.returncode != 0, done.stdout
        return done.stderr

    def serve(self) -> str:
        with self.log.open("w") as log:
            self.server = subprocess.Popen(
                ["confide", "serve"], env=self.env, cwd=self.folder, text=True,
                stdout=subprocess.DEVNULL, stderr=log,
            )  # fmt: skip
        for _ in range(600):
            try:
                return httpx.get(f"http://127.0.0.1:{self.port}/healthz").text
            except httpx.TransportError:
                time.sleep(0.1)
        pytest.fail("the server did not start")

    def _run(self, command: list[str], said: str | None, cwd: Path | None = None) -> str:
        done = subprocess.run(
            command, env=self.env, cwd=cwd or self.folder, text=True, capture_output=True,
            check=False, timeout=300, input=said or "",
        )  # fmt: skip
        assert done.returncode == 0, f"{command[-1]}\n{done.stdout}{done.stderr}"
        return done.stdout


@contextmanager
def following(folder: Path) -> Iterator[Follower]:
    one = Follower(folder)
    try:
        yield one
    finally:
        if one.server is not None:
            one.server.terminate()
            one.server.wait()
        for home in ("home", "drill"):
            embedded.discard(folder / home)
