"""Broken exports by the hundred thousand: `python -m benchmarks.fuzz_imports --count 200000`.

Every reader must answer with messages, reasons and places of mistakes, never with a crash.
"""

from __future__ import annotations

import argparse
import random
import resource
import time

from tests.imports.exports import EVERY
from tests.imports.mutations import survives


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200_000, help="how many broken exports in all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="*", default=list(EVERY), help="formats")
    given = parser.parse_args()
    each = given.count // len(EVERY) + 1
    began = time.perf_counter()
    for name in given.only:
        rng, files = random.Random(f"{name}-{given.seed}"), EVERY[name][0]()
        for _ in range(each):
            survives(name, files, rng)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        taken = time.perf_counter() - began
        print(f"{name}: {each} read, none crashed; {taken:.0f} s, at most {peak} MB", flush=True)


if __name__ == "__main__":
    main()
