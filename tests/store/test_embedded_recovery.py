"""Whatever is killed, the next start finds the data and a working server."""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import pytest

from confide.errors import StoreUnavailable
from confide.store import cluster, embedded, runtime, supervisor
from confide.store.embedded import Server
from confide.store.layout import Layout


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


def ask(server: Server, question: str) -> object:
    async def run() -> object:
        connection = await asyncpg.connect(
            host=server.host,
            port=server.port,
            user=server.superuser,
            password=server.password,
            database="postgres",
        )
        try:
            return await connection.fetchval(question)
        finally:
            await connection.close()

    return asyncio.run(run())


def pid_of(home: Path) -> int:
    pid = embedded.status(home).pid
    assert pid
    return pid


def supervisor_of(home: Path) -> int:
    return int(Path(f"/proc/{pid_of(home)}/stat").read_text().rpartition(")")[2].split()[1])


def data_of(home: Path) -> Path:
    data = Layout(home).data()
    assert data
    return data


def test_a_killed_server_is_started_again_with_its_data(home: Path) -> None:
    with embedded.start(home) as lease:
        ask(lease.server, "create table kept as select 42 as answer")
        os.kill(pid_of(home), signal.SIGKILL)
        with embedded.start(home) as again:
            assert ask(again.server, "select answer from kept") == 42


def test_a_server_that_recovers_from_a_crash_can_be_stopped(home: Path) -> None:
    with embedded.start(home) as lease:
        with pytest.raises((asyncpg.PostgresError, ConnectionError)):
            asyncio.run(crash(lease.server))
        assert embedded.stop(home)


async def crash(server: Server) -> None:
    connection = await asyncpg.connect(
        host=server.host, user=server.superuser, password=server.password, database="postgres"
    )
    os.kill(connection.get_server_pid(), signal.SIGKILL)
    await connection.execute("select 1")


def test_a_server_whose_supervisor_was_killed_is_replaced_once_unused(home: Path) -> None:
    lease = embedded.start(home)
    orphan = pid_of(home)
    os.kill(supervisor_of(home), signal.SIGKILL)
    with embedded.start(home) as other:
        assert ask(other.server, "select 1") == 1
        assert pid_of(home) == orphan
    lease.release()
    with embedded.start(home) as other:
        assert ask(other.server, "select 1") == 1
        assert pid_of(home) != orphan


def test_a_terminated_supervisor_stops_its_server_cleanly(home: Path) -> None:
    embedded.start(home).release()
    os.kill(supervisor_of(home), signal.SIGTERM)
    deadline = time.monotonic() + 60
    while embedded.status(home).is_running:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert not (data_of(home) / "postmaster.pid").exists()


def test_a_killed_user_holds_no_lease(home: Path) -> None:
    code = (
        "import sys, os; from pathlib import Path; from confide.store import embedded\n"
        "lease = embedded.start(Path(sys.argv[1]), idle_seconds=0); os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", code, str(home)], check=False)
    deadline = time.monotonic() + 60
    while embedded.status(home).is_running:
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_process_id_that_another_process_has_now_does_not_matter(home: Path) -> None:
    embedded.start(home).release()
    data = data_of(home)
    old = (data / "postmaster.pid").read_text()
    embedded.stop(home)
    innocent = subprocess.Popen(["sleep", "60"])
    try:
        _, rest = old.split("\n", 1)
        (data / "postmaster.pid").write_text(f"{innocent.pid}\n{rest}")
        assert not embedded.stop(home)
        with embedded.start(home) as lease:
            assert ask(lease.server, "select 1") == 1
        assert embedded.stop(home)
        assert innocent.poll() is None
    finally:
        innocent.kill()
        innocent.wait()


def test_a_socket_that_was_cleaned_away_is_made_again(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded, "RECOVERY_SECONDS", 0.1)
    with embedded.start(home) as lease:
        folder = Path(lease.server.host)
    for path in folder.iterdir():
        path.unlink()
    embedded.stop(home)
    with embedded.start(home) as lease:
        assert ask(lease.server, "select 1") == 1


def test_a_server_that_somebody_started_by_hand_is_not_joined_by_a_second_one(home: Path) -> None:
    data = data_of(home)
    postgres = runtime.program(runtime.bundled()[runtime.current_major()], "postgres")
    uid = data.stat().st_uid
    account = {"user": uid, "group": uid, "extra_groups": []} if runtime.is_root() else {}
    by_hand = subprocess.Popen(
        cluster.server_command(postgres, data, host=str(data.parent / "run"), port=6000),
        cwd=data,
        stderr=subprocess.DEVNULL,
        **account,  # type: ignore[arg-type]
    )
    try:
        assert supervisor.wait_until_ready(by_hand, data)
        with pytest.raises(StoreUnavailable, match="still in use"):
            embedded.start(home)
    finally:
        by_hand.send_signal(signal.SIGINT)
        by_hand.wait()


def test_what_was_left_by_a_killed_creation_is_swept(home: Path) -> None:
    shutil.rmtree(data_of(home))
    (home / "postgres/new-1234").mkdir()
    embedded.start(home).release()
    assert not (home / "postgres/new-1234").exists()


def test_a_backup_that_root_has_put_back_is_used(home: Path) -> None:
    with embedded.start(home) as lease:
        ask(lease.server, "create table kept as select 42 as answer")
    embedded.stop(home)
    backup = home.with_name("backup")
    subprocess.run(["cp", "-r", home, backup], check=True)
    with embedded.start(backup, idle_seconds=0) as lease:
        assert ask(lease.server, "select answer from kept") == 42
    embedded.stop(backup)
