"""What two hot standbys add: `python -m benchmarks.replicas`.

A primary and two standbys on this machine, and the same recalls by turns: answered by the primary alone,
and by the standbys. All three share this machine's cores, so recalls a second can grow only as far as
those allow. The processor time that each server spends on a recall says what machines of their own would do.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any, Final

from tests.replicas.servers import SUPERUSER, Server, cluster

from benchmarks.store import filling
from benchmarks.store.community import AGENT, NOW, Community
from benchmarks.store.measuring import ASKED
from confide import Confide
from confide.privacy.policy import Audience
from confide.recall.audience import audience_in
from confide.store.embedded import Server as Embedded

RAW: Final = Path(__file__).parents[1] / "docs" / "measurements" / "replicas.json"
AT_ONCE: Final = 8


async def measure(memories: int, recalls: int, turns: int) -> dict[str, Any]:
    heard = min(2000, memories // 4)
    community = Community(
        memories, max(20, memories // 100), max(3, memories // 2000), (memories // 2, heard)
    )
    with cluster(2) as (primary, *standbys), tempfile.TemporaryDirectory() as home:
        await primary.provision()
        settings: dict[str, Any] = {
            "agent": AGENT.id, "auto_migrate": True, "auto_gc": False, "learn": False,
            "pool_size": AT_ONCE, "database_url": primary.url,
        }  # fmt: skip
        async with Confide.open(home, **settings):
            await _fill(primary, community)
        for standby in standbys:
            standby.follow(primary)
            standby.start()
        addresses = " ".join(one.url for one in standbys)
        space = community.spaces[1]
        who = audience_in(community.room(space, 0), community.members[space][0])
        async with (
            Confide.open(home, clock=lambda: NOW, **settings) as alone,
            Confide.open(home, clock=lambda: NOW, **settings, replica_urls=addresses) as helped,
        ):
            await alone.recall(ASKED, who)
            await _until_fit(helped, len(standbys))
            return await _by_turns(alone, helped, who, [primary, *standbys], recalls, turns) | {
                "memories": memories, "heard": heard,
            }  # fmt: skip


async def _by_turns(
    alone: Confide, helped: Confide, who: Audience, servers: list[Server], recalls: int, turns: int
) -> dict[str, Any]:
    seen: dict[str, list[list[float]]] = {"alone": [], "helped": []}
    for turn in range(-1, turns):
        for name, confide in (("alone", alone), ("helped", helped)):
            before = [worked(one) for one in servers]
            began = time.perf_counter()
            await _recall(confide, who, recalls)
            rate = recalls / (time.perf_counter() - began)
            spent = [
                (worked(one) - was) / recalls * 1000
                for one, was in zip(servers, before, strict=True)
            ]
            if turn >= 0:
                seen[name].append([rate, *spent])
    middle = {
        name: [statistics.median(one) for one in zip(*rows, strict=True)]
        for name, rows in seen.items()
    }
    (rate, whole, *_), (helped_rate, logging, *reading) = middle["alone"], middle["helped"]
    return {
        "recalls a second, primary alone": round(rate, 1),
        "recalls a second, two standbys": round(helped_rate, 1),
        "ratio on this machine": round(helped_rate / rate, 2),
        "ms of processor a recall, primary alone": round(whole, 3),
        "ms of processor a recall, primary beside standbys": round(logging, 3),
        "ms of processor a recall, both standbys": round(sum(reading), 3),
        # Each standby does half of the reading; whoever is busy first is the limit.
        "ratio on machines of their own": round(whole / max(logging, max(reading)), 2),
        "cores": os.cpu_count(),
        "load": [round(one, 1) for one in os.getloadavg()],
    }


async def _recall(confide: Confide, who: Audience, recalls: int) -> None:
    async def some() -> None:
        for _ in range(recalls // AT_ONCE):
            await confide.recall(ASKED, who)

    await asyncio.gather(*(some() for _ in range(AT_ONCE)))


async def _until_fit(confide: Confide, standbys: int) -> None:
    replicas = confide.database.replicas
    assert replicas is not None
    async with asyncio.timeout(60):
        while sum(one is not None and one.is_fit for one in replicas._standbys.values()) < standbys:  # noqa: ASYNC110
            await asyncio.sleep(0.1)


async def _fill(primary: Server, community: Community) -> None:
    direct = await filling.connect(
        Embedded(host="127.0.0.1", port=primary.port, superuser=SUPERUSER, password="")
    )
    try:
        await filling.fill(direct, AGENT.id, community)
    finally:
        await direct.close()


def worked(server: Server) -> float:
    """Seconds of processor time of all its processes."""
    assert server.process is not None
    found = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(server.process.pid)], capture_output=True, text=True
    )
    return sum(_of(int(pid)) for pid in found.stdout.split())


def _of(pid: int) -> float:
    try:
        parts = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    parse = argparse.ArgumentParser(prog="python -m benchmarks.replicas", description=__doc__)
    parse.add_argument("--memories", type=int, default=20_000)
    parse.add_argument("--recalls", type=int, default=400)
    parse.add_argument("--turns", type=int, default=5)
    parse.add_argument("--raw", type=Path, default=RAW)
    given = parse.parse_args()
    found = asyncio.run(measure(given.memories, given.recalls, given.turns))
    given.raw.parent.mkdir(exist_ok=True)
    given.raw.write_text(json.dumps(found, indent=1) + "\n")
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
