"""Runs the tests that draw their cases, round after round with other seeds, until the time is over.

    python tools/fuzz.py SECONDS [SEED [TESTS…]]

A failure prints the seed, and the command that repeats it."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
import time

NOTHING_LEFT = 5  # pytest's code for "no test ran", when the time ended before the first


def run_round(seed: int, until: float, tests: list[str], workers: str) -> int:
    given = os.environ | {
        "FUZZ_SEED": str(seed),
        "FUZZ_UNTIL": str(until),
        "PYTHONHASHSEED": str(seed),
    }
    command = [sys.executable, "-m", "pytest", "-q", "-m", "drawn", "-n", workers]
    return subprocess.run(
        [*command, f"--hypothesis-seed={seed}", *tests], env=given, check=False
    ).returncode


def main(arguments: list[str]) -> int:
    seconds = float(arguments[0])
    repeated = int(arguments[1]) if arguments[1:] else None
    tests, workers = arguments[2:], os.environ.get("WORKERS", "2")
    until = time.time() + seconds if repeated is None else float("inf")
    rounds = 0
    while rounds == 0 or (repeated is None and time.time() < until):
        seed = repeated or secrets.randbelow(2**31) + 1
        print(f"-- round {rounds + 1}, seed {seed}", flush=True)
        if run_round(seed, until, tests, workers) not in (0, 2, NOTHING_LEFT):
            named = f" TESTS='{' '.join(tests)}'" if tests else ""
            print(f"\nRepeat this with: make fuzz SEED={seed}{named}")
            return 1
        rounds += 1
    print(f"\n{rounds} rounds, and nothing failed.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
