"""What a person sees while a file comes in, and before."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from rich.console import Console
from tests.cli.conftest import Run, run
from tests.imports.exports import as_json, write

from confide.keep.imported import SAMPLED, Sample
from confide.surfaces.cli.progress import progress

__all__ = ["run"]


@pytest.mark.req("P8")
@pytest.mark.parametrize("is_bytes", [False, True])
def test_a_bar_shows_how_far_how_fast_and_how_long(is_bytes: bool) -> None:
    written = io.StringIO()
    console = Console(file=written, force_terminal=True, width=120)
    with progress("importing", is_quiet=False, is_bytes=is_bytes, console=console) as reached:
        for done in (0, 500, 1000):
            reached(done, 2000)
    assert "importing" in written.getvalue()
    assert ("1.0/2.0 kB" if is_bytes else "1000/2000") in written.getvalue()
    assert "/s" in written.getvalue()


def test_nothing_is_drawn_where_nobody_looks() -> None:
    written = io.StringIO()
    with progress("importing", is_quiet=False, console=Console(file=written)) as reached:
        reached(1, 2)
    assert not written.getvalue().strip()


def test_a_preview_looks_at_the_whole_file(run: Run, tmp_path: Path) -> None:
    lines = [
        {"id": n, "room": f"room {n % 2}", "by": "Me", "text": f"I like number {n}", "at": "2024-01-01"}
        for n in range(40)
    ] + [{"id": 99, "room": "late", "by": "Me", "text": "I have diabetes", "at": "2025-01-01"}]  # fmt: skip
    path = str(write(tmp_path, {"a.jsonl": b"\n".join(map(as_json, lines))}, "file"))
    typed = ["import", path, "--as", "human:me", "--dry-run"]
    looked = json.loads(run(*typed, "--json").stdout)
    rooms = {one["room"]: one["messages"] for one in looked["in_rooms"]}
    assert rooms == {"room 0": 20, "room 1": 20, "late": 1}
    assert looked["sample"]["sensitivity"]["sensitive"] == 1
    assert "  in room 0: 20" in run(*typed).stdout
    wrong = run(*typed, "--map", "Eve=human:eve")
    assert wrong.exit_code == 2
    assert "nobody in the file is called" in wrong.stderr


def test_a_sample_is_spread_evenly() -> None:
    sample = Sample()
    for n in range(100_000):
        sample.offer(n)  # pyright: ignore[reportArgumentType]
    steps = {b - a for a, b in zip(sample.kept, sample.kept[1:], strict=False)}  # pyright: ignore
    assert len(steps) == 1
    assert SAMPLED / 2 <= len(sample.kept) <= SAMPLED
    assert sample.kept[-1] > 99_000  # pyright: ignore[reportOperatorIssue]
