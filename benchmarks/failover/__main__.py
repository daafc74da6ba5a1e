"""Kill the leader under load: `python -m benchmarks.failover`.

Patroni in synchronous mode with three PostgreSQL servers, etcd, haproxy and PgBouncer, all on loopback.
Recalls are answered by the standbys. The leader's Patroni and PostgreSQL are killed with SIGKILL in the
middle. Fails unless nothing acknowledged was lost or doubled and nothing leaked.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
from pathlib import Path
from typing import Any, Final

from benchmarks.failover.parts import TTL, versions
from benchmarks.failover.run import run, wrong_in

RAW: Final = Path(__file__).parents[2] / "docs" / "measurements" / "failover.json"


def main() -> None:
    parse = argparse.ArgumentParser(prog="python -m benchmarks.failover", description=__doc__)
    parse.add_argument("--runs", type=int, default=3)
    parse.add_argument("--people", type=int, default=6)
    parse.add_argument("--before", type=float, default=8, help="seconds of load before the kill")
    parse.add_argument(
        "--after", type=float, default=8, help="seconds of load after it writes again"
    )
    parse.add_argument("--raw", type=Path, default=RAW)
    given = parse.parse_args()
    runs: list[dict[str, Any]] = []
    for seed in range(given.runs):
        done = asyncio.run(run(given.people, given.before, given.after, seed))
        runs.append(done | {"load": [round(one, 1) for one in os.getloadavg()]})
        print(json.dumps(runs[-1], indent=1), flush=True)
    given.raw.parent.mkdir(exist_ok=True)
    given.raw.write_text(
        json.dumps({"versions": versions(), "ttl": TTL, "runs": runs}, indent=1) + "\n"
    )
    wrong = [found for one in runs if (found := wrong_in(one))]
    print(wrong or "nothing lost, doubled or leaked")
    raise SystemExit(bool(wrong))


if __name__ == "__main__":
    main()
