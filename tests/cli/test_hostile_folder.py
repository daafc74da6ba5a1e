"""A cloned repository decides nothing: commands that run in it read no file of it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.req("S17", "B12")

#: Whatever a program or one of its libraries might look for beside itself.
FILES = {
    ".env": "CONFIDE_URL={url}\nCONFIDE_KEY=stolen\nCONFIDE_ANTHROPIC_URL={url}\nANTHROPIC_API_KEY=k\n"
    "CONFIDE_DATABASE_URL=postgresql://x@127.0.0.1:{port}/x\nCONFIDE_HOME={folder}/home\n",
    ".env.local": "CONFIDE_URL={url}\n",
    "config.toml": 'url = "{url}"\nagent = "theirs"\n',
    "confide.toml": 'url = "{url}"\n',
    "confide/config.toml": 'url = "{url}"\n',
    ".config/confide/config.toml": 'url = "{url}"\n',
    "pyproject.toml": '[tool.confide]\nurl = "{url}"\n[tool.logfire]\nbase_url = "{url}"\n',
    "logging.conf": "",
    ".netrc": "machine 127.0.0.1 login x password y\n",
    ".pgpass": "*:*:*:*:theirs\n",
    ".pg_service.conf": "[confide]\nhost=127.0.0.1\nport={port}\n",
    "pg_service.conf": "[confide]\nhost=127.0.0.1\nport={port}\n",
    ".mcp.json": "{{}}",
    ".claude/settings.json": "{{}}",
    "asyncpg.py": "raise SystemExit('a module of the folder was imported')\n",
    "sitecustomize.py": "raise SystemExit('a module of the folder was imported')\n",
    "confide.py": "raise SystemExit('a module of the folder was imported')\n",
    "encodings/idna.py": "raise SystemExit('a module of the folder was imported')\n",
}
#: Runs the program as the installed script does, and writes down which files it opened.
WATCHED = """
import os, sys
here, opened = os.path.realpath(os.getcwd()), []

def watch(event, args):
    if event in ("open", "os.listdir", "os.scandir", "import") and args and isinstance(args[0], (str, bytes)):
        path = os.path.realpath(os.fsdecode(args[0])) if event != "import" else str(args[1] or "")
        if path.startswith(here) and os.path.exists(path):
            opened.append(f"{event} {path}")

sys.addaudithook(watch)
from confide.surfaces.cli import main
sys.argv = ["confide", *sys.argv[1:]]
try:
    main()
finally:
    print("OPENED", opened, file=sys.stderr)
"""
GREETING = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {},
               "clientInfo": {"name": "test", "version": "1"}},
}  # fmt: skip
CREATE = {
    "jsonrpc": "2.0", "id": 2, "method": "tools/call",
    "params": {"name": "memory_create", "arguments": {"text": "I keep bees"}},
}  # fmt: skip
SPOKEN = [
    json.dumps(one)
    for one in (GREETING, {"jsonrpc": "2.0", "method": "notifications/initialized"}, CREATE)
]
COMMANDS = {
    "remember": (["remember", "I keep bees", "--by", "human:alice", "--in", "dm"], []),
    "recall": (["recall", "bees?", "--as", "human:alice", "--in", "dm", "--json"], []),
    "config": (["config", "show", "--json"], []),
    "chat": (["chat", "--here"], ["I keep bees", "what do I keep?"]),
    "chat thrown away": (["chat"], ["I keep bees", "what do I keep?"]),
    "mcp": (["mcp", "--as", "human:alice", "--profile", "community"], SPOKEN),
}


@pytest.fixture
def trap() -> socket.socket:
    """Where the folder would like everything to go."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(0)
        yield listening


@pytest.fixture
def folder(tmp_path: Path, trap: socket.socket) -> Path:
    made = tmp_path / "cloned"
    port = trap.getsockname()[1]
    for name, text in FILES.items():
        path = made / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.format(url=f"http://127.0.0.1:{port}", port=port, folder=made))
    (made / "home").mkdir()
    return made


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_reads_nothing_of_the_folder_it_runs_in(
    home: Path, agent: str, folder: Path, trap: socket.socket, tmp_path: Path, name: str
) -> None:
    words, typed = COMMANDS[name]
    user = {key: value for key, value in os.environ.items() if not key.startswith("XDG_")}
    user |= {"HOME": str(tmp_path), "CONFIDE_HOME": str(home), "CONFIDE_AGENT": agent}
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", WATCHED, *words],
        cwd=folder, env=user, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("".join(f"{line}\n" for line in typed))
    process.stdin.flush()
    told = ""
    while name == "mcp" and '"id":2' not in told:  # it ends with its input, answered or not
        told += process.stdout.readline()
    rest, errors = process.communicate(timeout=120)
    told += rest
    assert process.returncode == 0, errors
    assert "OPENED []" in errors, errors
    with pytest.raises(BlockingIOError):  # nobody came
        trap.accept()
    assert "theirs" not in told
    if name == "mcp":
        assert '"isError":false' in told, told


def test_the_folder_would_be_noticed_if_it_were_read(folder: Path, tmp_path: Path) -> None:
    """The control: a program that does read its `.env`."""
    reading = WATCHED.replace("from confide.surfaces.cli import main", "def main(): open('.env')")
    done = subprocess.run(
        [sys.executable, "-P", "-c", reading],
        cwd=folder, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert "OPENED ['open " in done.stderr
