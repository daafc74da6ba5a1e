"""etcd, three Patroni nodes with PostgreSQL, haproxy and PgBouncer, all on loopback, as processes that
end with this one."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tests.replicas.servers import SUPERUSER, account, free_port, program

from confide.store import runtime
from confide.store.provision import DATABASE, LOGIN

NODES: Final = 3
#: The least that Patroni allows: a leader that is gone is noticed after this many seconds.
TTL: Final = 20
WHERE: Final = f"{Path(sys.prefix) / 'patroni' / 'bin'}:{os.environ.get('PATH', '')}:/usr/sbin"
NODE: Final = """
scope: confide
name: n{n}
restapi: {{listen: "127.0.0.1:{rest}", connect_address: "127.0.0.1:{rest}"}}
etcd3: {{hosts: "127.0.0.1:{etcd}"}}
bootstrap:
  dcs:
    ttl: {ttl}
    loop_wait: 1
    retry_timeout: 3
    maximum_lag_on_failover: 1048576
    synchronous_mode: true
    postgresql:
      use_pg_rewind: true
      parameters: {{max_connections: 100, hot_standby_feedback: "on", wal_log_hints: "on"}}
  initdb: [{{encoding: UTF8}}, {{locale: C}}]
postgresql:
  listen: "127.0.0.1:{port}"
  connect_address: "127.0.0.1:{port}"
  data_dir: {folder}/data{n}
  bin_dir: {bin}
  pgpass: {folder}/pgpass{n}
  authentication:
    superuser: {{username: {superuser}, password: loopback}}
    replication: {{username: replicator, password: loopback}}
    rewind: {{username: rewinder, password: loopback}}
  pg_hba: ["host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust"]
  parameters:
    unix_socket_directories: {folder}
    shared_buffers: 48MB
    io_method: sync
    jit: "off"
"""
PROXY: Final = """
global
    maxconn 500
defaults
    mode tcp
    timeout connect 2s
    timeout client 1h
    timeout server 1h
    timeout check 2s
listen primary
    bind 127.0.0.1:{primary}
    option httpchk GET /primary
    http-check expect status 200
    default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
{servers}
listen standbys
    bind 127.0.0.1:{standbys}
    option httpchk GET /replica
    http-check expect status 200
    default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
{servers}
"""
POOLER: Final = """
[databases]
{database} = host=127.0.0.1 port={port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {listen}
unix_socket_dir =
auth_type = trust
auth_file = {folder}/users
pool_mode = transaction
default_pool_size = 20
max_client_conn = 200
server_login_retry = 1
query_wait_timeout = 10
"""


class NotUp(Exception):
    """The programs did not get ready in time: nothing was tried."""


@dataclass
class Node:
    """One Patroni and its PostgreSQL: together, one machine."""

    name: str
    port: int
    rest: int
    data: Path
    process: subprocess.Popen[bytes]

    def kill(self) -> None:
        """As losing the machine would: everything at once."""
        roots = [self.process.pid]
        with suppress(OSError, ValueError):
            roots.append(int((self.data / "postmaster.pid").read_text().split()[0]))
        for pid in [pid for root in roots for pid in (root, *_below(root))]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()

    def state(self) -> dict[str, Any]:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.rest}/patroni", timeout=1) as got:
                return json.load(got)
        except OSError:
            return {}


@dataclass
class Parts:
    folder: Path
    nodes: list[Node] = field(default_factory=list)
    others: list[subprocess.Popen[bytes]] = field(default_factory=list)
    url: str = ""  # PgBouncer, which leads to haproxy, which leads to the primary
    standbys_url: str = ""  # haproxy, which leads to any of the standbys

    def leader(self) -> Node | None:
        return next(
            (one for one in self.nodes if one.state().get("role") in ("primary", "master")), None
        )

    def wait(self, standbys: int, seconds: float = 90) -> Node:
        """Until there is a leader and so many standbys stream from it, one of them synchronously."""
        ends = time.monotonic() + seconds
        while time.monotonic() < ends:
            leader = self.leader()
            streaming = leader.state().get("replication", []) if leader else []
            ready = [one for one in streaming if one.get("state") == "streaming"]
            if (
                leader
                and len(ready) >= standbys
                and any(one["sync_state"] == "sync" for one in ready)
            ):
                return leader
            time.sleep(0.3)
        raise NotUp("no leader with a synchronous standby")


@contextmanager
def parts() -> Iterator[Parts]:
    folder = Path(tempfile.mkdtemp(prefix="confide-failover-"))
    folder.chmod(0o755)
    owner = account().get("user")
    if owner is not None:
        os.chown(folder, owner, owner)
    made = Parts(folder)
    try:
        _start(made)
        yield made
    finally:
        for node in made.nodes:
            if node.process.poll() is None:
                node.kill()
        for process in reversed(made.others):
            process.kill()
            process.wait()
        shutil.rmtree(folder, ignore_errors=True)


def _start(made: Parts) -> None:
    folder, etcd, peers = made.folder, free_port(), free_port()
    client = f"http://127.0.0.1:{etcd}"
    peer = f"http://127.0.0.1:{peers}"
    _run(made, "etcd", "--data-dir", folder / "etcd", "--listen-client-urls", client,
         "--advertise-client-urls", client, "--listen-peer-urls", peer,
         "--initial-advertise-peer-urls", peer, "--initial-cluster", f"default={peer}",
         env={"ETCD_UNSUPPORTED_ARCH": "arm64"})  # fmt: skip
    for n in range(NODES):
        port, rest, file = free_port(), free_port(), folder / f"n{n}.yml"
        file.write_text(NODE.format(
            n=n, port=port, rest=rest, etcd=etcd, ttl=TTL, folder=folder, superuser=SUPERUSER,
            bin=Path(program("postgres")).parent,
        ))  # fmt: skip
        process = _run(made, "patroni", file, log=f"n{n}", keeps=False)
        made.nodes.append(Node(f"n{n}", port, rest, folder / f"data{n}", process))
        if n == 0:
            _until(lambda: made.leader() is not None, "the first node", 60)
    primary, standbys, listen = free_port(), free_port(), free_port()
    servers = "\n".join(
        f"    server {one.name} 127.0.0.1:{one.port} check port {one.rest}" for one in made.nodes
    )
    (folder / "haproxy.cfg").write_text(
        PROXY.format(primary=primary, standbys=standbys, servers=servers)
    )
    _run(made, "haproxy", "-db", "-f", folder / "haproxy.cfg")
    (folder / "users").write_text(f'"{LOGIN}" ""\n')
    (folder / "pgbouncer.ini").write_text(
        POOLER.format(database=DATABASE, port=primary, listen=listen, folder=folder)
    )
    _run(made, "pgbouncer", folder / "pgbouncer.ini")
    made.url = f"postgresql://{LOGIN}@127.0.0.1:{listen}/{DATABASE}"
    made.standbys_url = f"postgresql://{LOGIN}@127.0.0.1:{standbys}/{DATABASE}"


def _run(
    made: Parts, name: str, *args: object, env: dict[str, str] | None = None, keeps: bool = True,
    log: str | None = None,
) -> subprocess.Popen[bytes]:  # fmt: skip
    found = shutil.which(name, path=WHERE)
    assert found, f"{name} is not installed: `make failover` installs what is missing"
    with open(made.folder / f"{log or name}.log", "ab") as written:
        process = subprocess.Popen(
            [found, *map(str, args)], stdout=written, stderr=written, cwd=made.folder,
            env={"PATH": WHERE, "LC_ALL": "C", "HOME": str(made.folder)} | (env or {}),
            **account(),
        )  # fmt: skip
    if keeps:
        made.others.append(process)
    return process


def versions() -> dict[str, str]:
    said = {"postgres": f"PostgreSQL {runtime.version()}"}
    for name, flag in (
        ("patroni", "--version"),
        ("etcd", "--version"),
        ("haproxy", "-v"),
        ("pgbouncer", "--version"),
    ):
        found = shutil.which(name, path=WHERE)
        if found:
            ran = subprocess.run([found, flag], capture_output=True, text=True)
            said[name] = (ran.stdout or ran.stderr).splitlines()[0]
    return said


def _until(holds: Any, what: str, seconds: float) -> None:
    ends = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > ends:
            raise NotUp(what)
        time.sleep(0.2)


def _below(pid: int) -> list[int]:
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True)
    children = [int(one) for one in found.stdout.split()]
    return children + [below for one in children for below in _below(one)]
