"""Commands done by the process that stays: the same answers, and nothing of one call in the next."""

from __future__ import annotations

import json
import os
import shutil
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Ask

import confide
from confide.surfaces.cli.commands import LISTED
from confide.surfaces.cli.resident import answering, asking, shared

NOT_SERVED = 99
CLIENT = (
    "import sys; from confide.surfaces.cli.resident.asking import ask; "
    f"code = ask(sys.argv[1:]); sys.exit({NOT_SERVED} if code is None else code)"
)
ORDINARY = "from confide.surfaces.cli.app import build; build()()"
RESIDENT = (sys.executable, "-I", "-m", "confide.surfaces.cli.resident.answering")
ALICE = ("--as", "human:alice", "--in", "dm")
Done = subprocess.CompletedProcess[str]
Served = Callable[..., Done]


def until(wanted: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + 60
    while not (found := wanted()):
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.05)
    return found


@pytest.fixture(scope="module")
def resident(home: Path) -> Iterator[subprocess.Popen[bytes]]:
    (home / "resident").unlink()
    process = subprocess.Popen([*RESIDENT, str(home), "300"], cwd="/", env={"LANG": "C.UTF-8"})
    until((home / "resident" / "socket").exists)
    yield process
    process.terminate()
    process.wait()
    shutil.rmtree(home / "resident")
    (home / "resident").touch()


def run(words: tuple[str, ...], program: str, env: dict[str, str], **more: Any) -> Done:
    given = {"stdin": subprocess.DEVNULL, "capture_output": True, "text": True, "timeout": 120}
    own = {k: v for k, v in os.environ.items() if not k.startswith("CONFIDE_")} | env
    command = [sys.executable, "-c", program, *words]
    return subprocess.run(command, env=own, check=False, **given | more)


@pytest.fixture
def served(resident: subprocess.Popen[bytes], home: Path, agent: str) -> Served:
    """One command, done by the process that stays or by nobody."""

    def ask(*words: str, env: dict[str, str] | None = None, **more: Any) -> Done:
        own = {"CONFIDE_HOME": str(home), "CONFIDE_AGENT": agent} | (env or {})
        return run(words, CLIENT, own, **more)

    return ask


SAME: tuple[tuple[str, ...], ...] = (
    ("recall", "which tea does Alice like?", *ALICE),
    ("recall", "which tea does Alice like?", *ALICE, "--json"),
    ("recall", "which tea does Alice like?", *ALICE, "--markdown"),
    ("recall", "which tea does Alice like?", "--as", "human:bob", "--in", "public:general@guild"),
    ("memories", "--as", "human:alice"),
    ("memories", "--as", "human:alice", "--json"),
    ("about-me", "--as", "human:alice"),
    ("explain", "{id}", "--as", "human:bob", "--in", "group:tea"),
    ("explain", "{id}", *ALICE, "--json"),
    ("audit", "{id}"),
    ("audit", "log", "--json"),
    ("tellings", "{id}", "--as", "human:alice"),
    ("history", "{id}", "--as", "human:alice"),
    ("privacy", "status", "--as", "human:alice"),
    ("people", "list", "--as", "human:alice"),
    ("places", "list", "--json"),
    ("consent", "list", "--as", "human:alice"),
    ("review", "list", "--as", "human:alice"),
    ("jobs",),
    ("sessions", "--json"),
    ("usage", "--json"),
    ("config", "show"),
    ("config", "show", "--json"),
    ("screen", "My password is hunter2"),
    ("recall", "--help"),
    ("recall", "x", "--as", "nobody", "--in", "dm"),
    ("recall", "x", "--as", "human:al", "--in", "nowhere:1", "--json"),
    ("recall", "x"),
    ("recall", "x", *ALICE, "--no-such-option"),
    ("explain", "not-an-id", *ALICE),
    ("forget", "00000000-0000-4000-8000-000000000000", "--as", "human:alice"),
    ("memories", "--as", "human:alice", "--env-file", "/nowhere"),
)  # fmt: skip


@pytest.mark.parametrize("words", SAME, ids=" ".join)
def test_a_command_says_the_same_and_ends_the_same(
    words: tuple[str, ...], ask: Ask, served: Served, home: Path, agent: str
) -> None:
    said = ask("remember", "Alice likes jasmine tea", "--by", "human:alice", "--in", "dm")
    typed = tuple(word.replace("{id}", said["id"]) for word in words)
    env = {"CONFIDE_HOME": str(home), "CONFIDE_AGENT": agent, "COLUMNS": "90", "TZ": "Asia/Tokyo"}
    own, elsewhere = run(typed, ORDINARY, env), served(*typed, env=env)
    assert elsewhere.returncode == own.returncode != NOT_SERVED
    assert elsewhere.stderr == own.stderr
    assert elsewhere.stdout == own.stdout


def test_nothing_of_one_call_is_there_for_the_next(served: Served, tmp_path: Path) -> None:
    before = served("config", "show", "--json")
    mine = {
        "CONFIDE_TOP_K": "3",
        "CONFIDE_AGENT": "another",
        "ANTHROPIC_API_KEY": "sk-ant-private-to-one-call",
        "CONFIDE_NAMESPACES": "robot",
        "TZ": "Asia/Tokyo",
    }
    during = json.loads(served("config", "show", "--json", env=mine, cwd=tmp_path).stdout)
    found = {one["name"]: one for one in during["settings"]}
    assert found["top_k"]["value"] == 3
    assert found["anthropic_key"]["source"] == "environment"
    assert served("memories", "--as", "robot:r2", env=mine).returncode == 0
    after = served("config", "show", "--json")
    assert after.stdout == before.stdout
    assert served("memories", "--as", "robot:r2").returncode == 2


def test_the_process_itself_holds_nothing_of_a_call(
    served: Served, resident: subprocess.Popen[bytes]
) -> None:
    word = "Zanzibarbarossa"
    done = served(
        "remember", f"I drink {word}", "--by", "human:al", "--in", "dm", env={"KEYED": word}
    )
    assert done.returncode == 0, done.stderr
    assert word.encode() not in memory_of(resident.pid)


def memory_of(process: int) -> bytes:
    """Whatever can be read of what a process has in its memory for itself."""
    found = b""
    with open(f"/proc/{process}/maps") as maps, open(f"/proc/{process}/mem", "rb", 0) as mem:
        for line in maps:
            span, rights, *_ = line.split()
            if "rw" in rights and "vvar" not in line:
                first, last = (int(part, 16) for part in span.split("-"))
                try:
                    mem.seek(first)
                    found += mem.read(last - first)
                except OSError:
                    continue
    return found


def test_files_are_written_where_the_caller_is_and_for_whom_the_caller_says(
    served: Served, tmp_path: Path
) -> None:
    for number, mask in enumerate((0o027, 0o022)):
        done = served("report", "--out", f"{number}.svg", cwd=tmp_path, umask=mask)
        assert done.returncode == 0, done.stderr
        assert stat.S_IMODE((tmp_path / f"{number}.svg").stat().st_mode) == 0o666 & ~mask


def test_calls_at_one_time_do_not_meet(served: Served, agent: str) -> None:
    def one(number: int) -> str:
        env = {"CONFIDE_AGENT": f"{agent}-{number}"}
        said = served(
            "remember", f"I have {number} bees", "--by", "human:al", "--in", "dm", env=env
        )
        assert said.returncode == 0, said.stderr
        return served("memories", "--as", "human:al", "--json", env=env).stdout

    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(one, range(6)))
    for number, answer in enumerate(answers):
        assert [m["text"] for m in json.loads(answer)["memories"]] == [f"I have {number} bees"]


def order(connection: socket.socket, code: list[object], *words: str) -> bytes:
    """As a client would that somebody else wrote."""
    body = json.dumps(
        {"code": code, "words": words, "environment": {}, "umask": 0o22,
         "written": [["utf-8", "strict", False, False]] * 3}
    ).encode()  # fmt: skip
    socket.send_fds(connection, [shared.NUMBER.pack(len(body))], [0, 0, 1, 2])
    connection.sendall(body)
    return shared.receive(connection, 1)


@pytest.mark.parametrize(
    "words",
    [
        ("mcp", "--as", "human:alice"), ("serve",), ("bot",), ("worker",), ("db", "stop"), ("keys", "list"),
        ("--agent", "x", "mcp", "--as", "human:alice"), ("--version",), ("chat",), (),
    ],
)  # fmt: skip
def test_only_commands_of_a_moment_are_done_whoever_asks(
    words: tuple[str, ...], resident: subprocess.Popen[bytes], home: Path
) -> None:
    assert asking.ask(list(words)) is None
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(home / "resident" / "socket"))
        assert order(connection, shared.code(), *words) == shared.REFUSED
    assert resident.poll() is None


def test_commands_of_a_moment_exist_and_offer_the_memory_to_nobody() -> None:
    assert set(LISTED) > shared.QUICK
    assert not shared.QUICK & {"mcp", "serve", "bot", "worker", "db", "keys", "chat", "console"}


@pytest.mark.parametrize(
    "said", [b"", b"\0", b"\xff\xff\xff\xff", b"\0\0\0\x02{}", b"\0\0\0\x04null"], ids=repr
)
def test_whoever_sends_nonsense_harms_nobody(
    said: bytes, served: Served, home: Path, resident: subprocess.Popen[bytes]
) -> None:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(home / "resident" / "socket"))
        connection.sendall(said)
        connection.shutdown(socket.SHUT_WR)
        assert connection.recv(1) == b""
    assert served("jobs").returncode == 0
    assert resident.poll() is None


def test_another_user_is_not_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket(socket.AF_UNIX) as listener, socket.socket(socket.AF_UNIX) as client:
        listener.bind(str(tmp_path / "s"))
        listener.listen()
        client.connect(str(tmp_path / "s"))
        with listener.accept()[0] as connection:
            assert answering._may_ask(connection)
            with monkeypatch.context() as patch:
                patch.setattr(answering, "_world", lambda process: [process])
                assert not answering._may_ask(connection)  # from inside a sandbox
            monkeypatch.setattr(os, "geteuid", lambda: 12345)
            assert not answering._may_ask(connection)


def test_a_socket_that_is_not_ours_is_told_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "resident"
    folder.mkdir(mode=0o700)
    words = ["recall", "my secret question", *ALICE]
    monkeypatch.setenv("CONFIDE_HOME", str(tmp_path))
    monkeypatch.setenv("CONFIDE_RESIDENT", "true")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / "socket"))
        listener.listen()
        listener.settimeout(0.2)
        assert stat.S_IMODE((folder / "socket").stat().st_mode) & 0o077
        assert asking.ask(words) is None  # others may write to it
        (folder / "socket").chmod(0o600)
        folder.chmod(0o755)
        assert asking.ask(words) is None  # others may enter
        folder.chmod(0o700)
        folder.rename(tmp_path / "real")
        folder.symlink_to(tmp_path / "real")
        assert asking.ask(words) is None  # a link that leads elsewhere
        folder.unlink()
        (tmp_path / "real").rename(folder)
        with pytest.raises(TimeoutError):
            listener.accept()  # not once was it asked
        with monkeypatch.context() as patch:
            patch.setattr(shared, "peer_of", lambda connection: (1, os.geteuid() + 1))
            assert asking.ask(words) is None
        with listener.accept()[0] as connection:  # it was asked, and said nothing
            assert connection.recv(1) == b""


@pytest.mark.parametrize(
    "unusual",
    [
        {"CONFIDE_RESIDENT": "off"}, {"LD_PRELOAD": ""}, {"PYTHONPATH": "/nowhere"},
        {"CONFIDE_HOME": "/nowhere"}, {"PYTHONWARNINGS": "error"},
    ],
    ids=lambda one: next(iter(one)),
)  # fmt: skip
def test_whatever_is_unusual_means_the_ordinary_way(
    unusual: dict[str, str], resident: object, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONFIDE_HOME", str(home))
    monkeypatch.setenv("CONFIDE_RESIDENT", "true")
    for name, value in unusual.items():
        monkeypatch.setenv(name, value)
    assert asking.ask(["jobs"]) is None


def test_who_ends_the_client_ends_the_command(served: Served, home: Path, agent: str) -> None:
    resident_pid = int(
        subprocess.run(
            ["pgrep", "-f", f"resident.answering {home}"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()[0]
    )
    env = {k: v for k, v in os.environ.items() if not k.startswith("CONFIDE_")}
    env |= {"CONFIDE_HOME": str(home), "CONFIDE_AGENT": agent}
    words = [sys.executable, "-c", CLIENT, "add", "-", "--by", "human:al", "--in", "dm"]
    for number in (15, 9, 1):
        client = subprocess.Popen(words, env=env, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        until(lambda: copies(resident_pid))
        time.sleep(0.3)
        client.send_signal(number)
        client.wait()
        assert client.returncode in (-number, 128 + number)
        until(lambda: not copies(resident_pid))


def copies(process: int) -> str:
    return Path(f"/proc/{process}/task/{process}/children").read_text()


def test_another_program_is_not_asked(
    home: Path, served: Served, resident: subprocess.Popen[bytes]
) -> None:
    for place in range(len(shared.code())):
        other = shared.code()
        other[place] = "another"
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(home / "resident" / "socket"))
            assert order(connection, other, "jobs") == shared.REFUSED
    assert served("jobs").returncode == 0
    assert resident.poll() is None


def test_it_ends_once_the_program_on_the_disk_is_another(home: Path, served: Served) -> None:
    part = Path(confide.__file__).with_name("py.typed")
    before = part.stat()
    os.utime(part)
    try:
        assert served("jobs").returncode == NOT_SERVED
    finally:
        os.utime(part, ns=(before.st_atime_ns, before.st_mtime_ns))
    until(lambda: not (home / "resident" / "socket").exists())


def test_it_stays_for_who_comes_often_and_ends_with_the_server(tmp_path: Path) -> None:
    """As a user has it: nothing is asked for, and nothing is left."""
    env = {"CONFIDE_HOME": str(tmp_path / "home"), "CONFIDE_IDLE_MINUTES": "5"}
    own = {k: v for k, v in os.environ.items() if not k.startswith("CONFIDE_")} | env

    def program(*words: str) -> str:
        command = [sys.executable, "-m", "confide", *words]
        return subprocess.run(command, env=own, capture_output=True, text=True, check=True).stdout

    folder = tmp_path / "home" / "resident"
    try:
        program("remember", "I keep bees", "--by", "human:al", "--in", "dm")
        assert not (folder / "socket").exists()
        first = program("recall", "bees?", "--as", "human:al", "--in", "dm")
        until((folder / "socket").exists)
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert stat.S_IMODE((folder / "socket").stat().st_mode) == 0o600
        done = run(("recall", "bees?", "--as", "human:al", "--in", "dm"), CLIENT, env)
        assert done.returncode == 0
        assert done.stdout.splitlines()[0] == first.splitlines()[0] == "I keep bees"
    finally:
        program("db", "stop")
    until(lambda: not (folder / "socket").exists())


def test_it_ends_when_nobody_asks(
    home: Path, served: Served, resident: subprocess.Popen[bytes]
) -> None:
    """Also beside one that was killed, whose socket is still there."""
    resident.kill()
    resident.wait()
    process = subprocess.Popen([*RESIDENT, str(home), "5"], cwd="/", env={"LANG": "C.UTF-8"})
    until(lambda: served("jobs").returncode == 0)
    assert process.wait(timeout=60) == 0
    assert not (home / "resident" / "socket").exists()
