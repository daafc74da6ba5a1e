"""Where tests get their randomness: the same seeds in every run, others under `make fuzz`."""

from __future__ import annotations

import os
import time
from random import Random

#: 0 in the default run. `make fuzz` draws one for each round and prints it when a test fails.
FUZZ_SEED = int(os.environ.get("FUZZ_SEED", "0"))
#: When `make fuzz` runs out of the time it was given.
FUZZ_UNTIL = float(os.environ.get("FUZZ_UNTIL", "inf"))


def seeded(number: int) -> int:
    """This test's own seed, shifted by that of the run."""
    return number + FUZZ_SEED * 1_000_003


def chance(number: int) -> Random:
    return Random(seeded(number))


def is_time_over() -> bool:
    return time.time() > FUZZ_UNTIL
