"""Data of an older PostgreSQL moves to the bundled one, and a backup stays."""

import asyncio
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import pytest

from confide.errors import StoreTooNew, StoreTooOld, StoreUnavailable
from confide.store import cluster, embedded, runtime, supervisor
from confide.store import upgrade as upgrading
from confide.store.layout import Layout
from confide.store.upgrade import upgrade

OLD = min(runtime.bundled())


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose data an older PostgreSQL has written."""
    layout = Layout(tmp_path_factory.mktemp("old") / "home")
    layout.prepare()
    layout.prepare_for_server()
    install = runtime.bundled()[OLD]
    data = cluster.create(layout, install).rename(layout.data_of(OLD))
    host = str(layout.socket_folder())
    command = cluster.server_command(
        runtime.program(install, "postgres"), data, host=host, port=5432
    )
    lock = supervisor.open_lock(layout.folder / "other")
    process = supervisor.spawn(command, data, layout.server_uid(), lock)
    assert supervisor.wait_until_ready(process, data)
    asyncio.run(fill(host, layout.password()))
    supervisor.shut_down(process)
    os.close(lock)
    return layout.home


@pytest.fixture
def home(tmp_path: Path, old: Path) -> Iterator[Path]:
    subprocess.run(["cp", "-a", old, tmp_path / "home"], check=True)
    yield tmp_path / "home"
    embedded.stop(tmp_path / "home")


async def fill(host: str, password: str) -> None:
    connection = await asyncpg.connect(
        host=host, user=cluster.SUPERUSER, password=password, database="postgres"
    )
    await connection.execute("create role teller login password 'told'")
    await connection.execute("create database memories owner teller")
    await connection.close()
    connection = await asyncpg.connect(
        host=host, user=cluster.SUPERUSER, password=password, database="memories"
    )
    await connection.execute(
        "create extension vector; create table kept (v vector(2), t text);"
        "alter table kept enable row level security; alter table kept force row level security;"
        "grant select on kept to teller; create policy p on kept to teller using (t = 'seen');"
        "insert into kept values ('[1,2]', 'seen'), ('[3,4]', 'hidden')"
    )
    await connection.close()


async def seen_by_teller(host: str) -> str:
    connection = await asyncpg.connect(
        host=host, user="teller", password="told", database="memories"
    )
    try:
        return await connection.fetchval("select string_agg(t || v::text, ',') from kept")
    finally:
        await connection.close()


def test_an_upgrade_moves_data_roles_and_rules_and_keeps_a_backup(home: Path) -> None:
    with pytest.raises(StoreTooOld, match="confide db upgrade"):
        embedded.start(home)
    backup = upgrade(home)
    assert backup
    assert backup.name.startswith(f"data-{OLD}-backup-")
    assert cluster.major_of(backup) == OLD
    with embedded.start(home) as lease:
        assert asyncio.run(seen_by_teller(lease.server.host)) == "seen[1,2]"
    assert embedded.status(home).data_major == runtime.current_major()
    assert upgrade(home) is None


def test_an_upgrade_that_fails_leaves_the_old_data_in_use(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(upgrading, "sync", fail)
    with pytest.raises(Exception, match="disk is full"):
        upgrade(home)
    monkeypatch.undo()
    assert [path.name for path in (home / "postgres").glob("data-*")] == [f"data-{OLD}"]
    assert list((home / "postgres").glob("new-*")) == []
    assert upgrade(home, old_bin=runtime.bundled()[OLD] / "bin")


def test_an_upgrade_killed_after_the_new_data_is_in_place_counts(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename = Path.rename

    def killed(path: Path, target: Path) -> Path:
        if "backup" in target.name:
            raise KeyboardInterrupt
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", killed)
    with pytest.raises(KeyboardInterrupt):
        upgrade(home)
    monkeypatch.undo()
    with embedded.start(home) as lease:
        assert asyncio.run(seen_by_teller(lease.server.host)) == "seen[1,2]"
    assert (home / "postgres" / f"data-{OLD}").exists()


def test_programs_of_the_wrong_version_are_refused(home: Path) -> None:
    with pytest.raises(StoreUnavailable, match="old_bin"):
        upgrade(home, old_bin=runtime.bundled()[runtime.current_major()] / "bin")
    with pytest.raises(StoreUnavailable, match="old_bin"):
        upgrade(home, old_bin=home)


@pytest.mark.parametrize(("major", "error"), [(13, StoreTooOld), (99, StoreTooNew)])
def test_an_upgrade_without_the_old_programs_says_what_is_missing(
    tmp_path: Path, major: int, error: type[Exception]
) -> None:
    data = tmp_path / "postgres" / f"data-{major}"
    data.mkdir(parents=True)
    (data / "PG_VERSION").write_text(f"{major}\n")
    with pytest.raises(error, match="install"):
        upgrade(tmp_path)


def test_nothing_to_upgrade_is_fine(tmp_path: Path) -> None:
    assert upgrade(tmp_path / "none") is None
