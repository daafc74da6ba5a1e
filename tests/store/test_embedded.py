"""The embedded server is private, durable, silent about content, and shared by all who need it."""

import asyncio
import errno
import json
import os
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import pytest

from confide.errors import StorageProblem, StoreTooNew, StoreTooOld, StoreUnavailable
from confide.store import cluster, embedded, layout, runtime
from confide.store.embedded import Lease, Server

ONE_MORE = """
import sys
from pathlib import Path
from confide.store import embedded
lease = embedded.start(Path(sys.argv[1]), idle_seconds=30)
print(embedded.status(Path(sys.argv[1])).pid, flush=True)
sys.stdin.read()
"""


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose data folder exists; copying it is quicker than creating another."""
    home = tmp_path_factory.mktemp("stopped") / "home"
    embedded.start(home).release()
    embedded.stop(home)
    return home


@pytest.fixture
def home(tmp_path: Path, stopped: Path) -> Iterator[Path]:
    subprocess.run(["cp", "-a", stopped, tmp_path / "home"], check=True)
    yield tmp_path / "home"
    embedded.stop(tmp_path / "home")


@pytest.fixture
def new(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "home"
    embedded.stop(tmp_path / "home")


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lease]:
    """One server for all tests that only look at it."""
    home = tmp_path_factory.mktemp("shared") / "home"
    with embedded.start(home) as lease:
        yield lease
    embedded.stop(home)


def ask(server: Server, *questions: str, **changed: str) -> object:
    async def run() -> object:
        reach = {"user": server.superuser, "password": server.password, **changed}
        connection = await asyncpg.connect(
            host=server.host, port=server.port, database="postgres", **reach
        )
        try:
            for question in questions:
                answer = await connection.fetchval(question)
            return answer
        finally:
            await connection.close()

    return asyncio.run(run())


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def wait_until(condition: object) -> None:
    deadline = time.monotonic() + 60
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_0700_parent_stays_0700_and_nothing_inside_is_open(tmp_path: Path) -> None:
    parent = tmp_path / "closed"
    parent.mkdir(mode=0o700)
    home = parent / "home"
    above = {path: mode(path) for path in tmp_path.parents}
    with embedded.start(home, idle_seconds=0) as lease:
        assert ask(lease.server, "select 1") == 1
        assert {path: mode(path) for path in tmp_path.parents} == above
        assert mode(parent) == 0o700
        assert mode(home) == 0o700
        data = layout.Layout(home).data()
        assert data
        for folder in (data, home / "postgres/log", Path(lease.server.host)):
            assert mode(folder) == 0o700
        assert not mode(home / "postgres") & 0o007
        assert mode(home / "postgres/password") == 0o600
    embedded.stop(home)


def test_only_the_password_lets_one_in(shared: Lease) -> None:
    rules = ask(shared.server, "select string_agg(auth_method, ',') from pg_hba_file_rules")
    assert rules == "scram-sha-256"
    assert ask(shared.server, "show listen_addresses") == ""
    with pytest.raises(asyncpg.InvalidPasswordError):
        ask(shared.server, "select 1", password="guess")


def test_another_local_user_cannot_reach_the_socket(shared: Lease) -> None:
    socket = Path(shared.server.host, layout.SOCKET_NAME)
    assert mode(socket.parent) == 0o700
    assert mode(socket) == 0o700
    if runtime.is_root():
        psql = runtime.program(runtime.bundled()[runtime.current_major()], "psql")
        reach = ["--host", shared.server.host, "--username", shared.server.superuser]
        secret = {"PGPASSWORD": shared.server.password}
        tried = subprocess.run(
            [psql, *reach, "postgres"], user=runtime.nobody(), env=secret, capture_output=True
        )
        assert b"Permission denied" in tried.stderr


def test_it_does_not_run_as_root(shared: Lease) -> None:
    pid = ask(shared.server, "select pg_backend_pid()")
    assert isinstance(pid, int)
    with embedded.start(home_of(shared)):
        running = embedded.status(home_of(shared)).pid
    owner = Path(f"/proc/{running}").stat().st_uid
    assert owner != 0
    assert owner == os.geteuid() or runtime.is_unallocated(owner)


def home_of(lease: Lease) -> Path:
    data = ask(lease.server, "select pg_read_file('postmaster.pid')")
    pid = str(data).splitlines()[0]
    return Path(f"/proc/{pid}/cwd").readlink().parent.parent


def test_it_is_durable_and_the_same_on_every_machine(shared: Lease) -> None:
    wanted = {
        "fsync": "on",
        "full_page_writes": "on",
        "synchronous_commit": "on",
        "data_checksums": "on",
        "jit": "off",
        "server_encoding": "UTF8",
        "lc_messages": "C",
        "timezone": "UTC",
    }
    for name, value in wanted.items():
        assert ask(shared.server, f"show {name}") == value
    locale = "select datlocprovider::text || datlocale from pg_database where datname = 'postgres'"
    assert ask(shared.server, locale) == "bC.UTF-8"


def test_pgvector_is_there(shared: Lease) -> None:
    nearest = "select '[1,2]'::vector <-> '[1,2]'::vector"
    assert ask(shared.server, "create extension if not exists vector", nearest) == 0


@pytest.mark.parametrize(
    "statement",
    [
        "insert into kept values ('canary')",
        "select 'canary'::int",
        "select 'canary'::vector",
        "do $$ begin raise warning 'canary'; raise exception 'canary'; end $$",
        "selec canary",
    ],
)
def test_what_fails_leaves_no_text_in_the_log(shared: Lease, statement: str) -> None:
    table = "create table if not exists kept (text text check (length(text) < 3))"
    with pytest.raises(asyncpg.PostgresError):
        ask(shared.server, "create extension if not exists vector", table, statement)
    folder = home_of(shared) / "postgres"
    logs = [*(folder / "log").iterdir(), folder / "startup.log"]
    said = b"".join(path.read_bytes() for path in logs)
    assert b"ready to accept connections" in said
    assert b"canary" not in said


def test_a_crashing_query_is_not_named_in_the_log(home: Path) -> None:
    with embedded.start(home) as lease:
        victim = "select 'canary', pg_sleep(20)"
        with pytest.raises((asyncpg.PostgresError, ConnectionError)):
            asyncio.run(kill_while(lease.server, victim))
        wait_until(lambda: answers(lease.server))
        said = b"".join(path.read_bytes() for path in (home / "postgres/log").iterdir())
        assert b"terminated by signal 9" in said
        assert b"canary" not in said


def answers(server: Server) -> bool:
    try:
        return ask(server, "select 1") == 1
    except (asyncpg.PostgresError, OSError):
        return False


async def kill_while(server: Server, statement: str) -> None:
    connection = await asyncpg.connect(
        host=server.host, user=server.superuser, password=server.password, database="postgres"
    )
    running = asyncio.create_task(connection.execute(statement))
    await asyncio.sleep(0.1)
    os.kill(connection.get_server_pid(), 9)
    await running


def test_processes_that_start_at_once_share_one_server(new: Path) -> None:
    command = [sys.executable, "-c", ONE_MORE, str(new)]
    others = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(4)
    ]
    pids = {process.stdout.readline() for process in others if process.stdout}
    for process in others:
        process.communicate()
    assert len(pids) == 1
    assert pids != {b""}


def test_the_last_lease_released_stops_it(home: Path) -> None:
    first = embedded.start(home, idle_seconds=0)
    second = embedded.start(home, idle_seconds=0)
    first.release()
    time.sleep(0.2)
    assert ask(second.server, "select 1") == 1
    second.release()
    wait_until(lambda: not embedded.status(home).is_running)


def test_it_outlives_its_users_for_the_idle_time(home: Path) -> None:
    embedded.start(home, idle_seconds=1).release()
    assert embedded.status(home).is_running
    wait_until(lambda: not embedded.status(home).is_running)


def test_a_home_can_be_named_by_a_long_path_and_leaves_nothing_behind(tmp_path: Path) -> None:
    home = tmp_path / ("long" * 30) / "home"
    with embedded.start(home) as lease:
        assert ask(lease.server, "select 1") == 1
        assert not lease.server.host.startswith(str(home))
        assert mode(Path(lease.server.host)) == 0o700
    embedded.stop(home)
    assert not Path(lease.server.host).exists()


def test_a_socket_folder_that_somebody_else_made_is_not_used(tmp_path: Path) -> None:
    home = tmp_path / ("long" * 30) / "home"
    planted = tmp_path / "planted"
    planted.mkdir(mode=0o777)
    planted.chmod(0o777)
    (home / "postgres").mkdir(parents=True)
    (home / "postgres/socket-folder").write_text(str(planted))
    with embedded.start(home) as lease:
        assert lease.server.host != str(planted)
    embedded.stop(home)


def test_status_tells_version_and_size(home: Path) -> None:
    assert embedded.status(home / "none").data_major is None
    with embedded.start(home):
        status = embedded.status(home)
    assert status.is_running
    assert status.data_major == runtime.current_major()
    assert status.version.startswith(f"{status.data_major}.")
    assert status.size_bytes > 10_000_000
    assert embedded.stop(home)
    assert not embedded.stop(home)


def test_the_password_is_not_shown(shared: Lease) -> None:
    assert shared.server.password not in repr(shared.server)


def test_programs_that_others_cannot_reach_are_copied_for_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed, copies = tmp_path / "closed", tmp_path / "copies"
    closed.mkdir(mode=0o700)
    install = runtime.bundled()[runtime.current_major()]
    package = closed / install.parent.name
    package.mkdir()
    (closed / f"{package.name}.libs").symlink_to(install.parent.with_name(f"{package.name}.libs"))
    subprocess.run(["cp", "-al", install, package / install.name], check=True)
    monkeypatch.setattr(runtime, "SHARED_PROGRAMS", copies)
    found = runtime.reachable(package / install.name)
    if runtime.is_root():
        assert found.is_relative_to(copies)
        assert mode(found / "bin/postgres") == 0o755
        assert runtime.reachable(package / install.name) == found
        copies.chmod(0o777)
        with pytest.raises(StoreUnavailable, match="changed by other users"):
            runtime.reachable(package / install.name)
    else:
        assert found == package / install.name


def test_a_home_that_is_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for home in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(StorageProblem, match=r"CONFIDE_HOME .* file"):
            embedded.start(home)


def test_a_folder_of_somebody_else_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "postgres").mkdir()
    other = os.geteuid() + 1000
    monkeypatch.setattr(os, "geteuid", lambda: other)
    with pytest.raises(StorageProblem, match=r"CONFIDE_HOME.*belongs to another user"):
        embedded.start(tmp_path)
    assert list((tmp_path / "postgres").iterdir()) == []


@pytest.mark.parametrize("is_link", [False, True])
def test_nothing_is_written_into_the_home_of_another_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_link: bool
) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    if runtime.is_root():
        os.chown(theirs, 12345, 12345)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1000)
    home = theirs
    if is_link:
        home = tmp_path / "link"
        home.symlink_to(theirs)
    told = r"CONFIDE_HOME.*belongs to another user.*run confide as that user"
    with pytest.raises(StorageProblem, match=told) as refused:
        embedded.start(home)
    assert refused.value.field == "CONFIDE_HOME"
    assert list(theirs.iterdir()) == []


@pytest.mark.parametrize(("version", "what"), [(None, "is missing"), ("pony", "holds no version")])
def test_a_data_folder_without_its_version_is_named_with_the_fix(
    new: Path, version: str | None, what: str
) -> None:
    data = new / "postgres" / f"data-{runtime.current_major()}"
    data.mkdir(parents=True)
    if version is not None:
        (data / "PG_VERSION").write_text(version)
    for ask in (embedded.start, embedded.status):
        with pytest.raises(StorageProblem, match=rf"PG_VERSION {what}.*from a\s+backup") as told:
            ask(new)
        assert str(data / "PG_VERSION") in str(told.value)
        assert told.value.field == "CONFIDE_HOME"


@pytest.mark.parametrize(
    ("code", "fix"), [("ENOSPC", "disk is full"), ("EROFS", "read-only"), ("EACCES", "your own")]
)
def test_a_disk_that_cannot_be_written_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, fix: str
) -> None:
    number = getattr(errno, code)

    def fail(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "mkdir", fail)
    with pytest.raises(StorageProblem, match=f"CONFIDE_HOME .*{fix}"):
        embedded.start(tmp_path / "home")
    said = f"initdb: error: could not write: {os.strerror(number)}"
    assert fix in str(layout.explain(tmp_path, "start", said))


def test_a_data_folder_that_cannot_be_completed_leaves_nothing(
    new: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "SUPERUSER", "pg_reserved")
    with pytest.raises(StoreUnavailable, match="could not create its data folder"):
        embedded.start(new)
    assert list((new / "postgres").glob("data-*")) == []
    assert list((new / "postgres").glob("new-*")) == []


@pytest.mark.parametrize(("major", "error"), [(13, StoreTooOld), (99, StoreTooNew)])
def test_data_of_another_major_version_is_refused_with_the_fix(
    new: Path, major: int, error: type[Exception]
) -> None:
    data = new / "postgres" / f"data-{major}"
    data.mkdir(parents=True)
    (data / "PG_VERSION").write_text(f"{major}\n")
    with pytest.raises(error, match="confide db upgrade"):
        embedded.start(new)


def test_an_account_that_may_not_switch_users_is_told_what_to_do(tmp_path: Path) -> None:
    told = pytest.raises(StorageProblem, match=r"ordinary user.*CONFIDE_DATABASE_URL")
    with told, layout.explaining(tmp_path):
        raise PermissionError(1, "Operation not permitted")


def test_a_user_id_without_a_name_is_told_what_to_do(tmp_path: Path) -> None:
    said = "initdb: could not look up effective user ID 12345: user does not exist"
    assert "/etc/passwd" in str(layout.explain(tmp_path, "create its data folder", said))


def test_it_imports_nothing_heavy() -> None:
    code = "import sys, json; import confide.store.supervisor; print(json.dumps(list(sys.modules)))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout
    assert not {"asyncpg", "pydantic", "numpy", "asyncio"} & set(json.loads(loaded))
