"""The store's benchmark still runs, finds everything that may be heard, and writes its table."""

from pathlib import Path

import pytest
from benchmarks.store import __main__ as benchmark
from benchmarks.store.table import BEGIN, END, write


@pytest.mark.slow
async def test_the_benchmark_finds_all_that_may_be_heard_and_writes_its_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(benchmark, "IN_BULK", 300)
    report = await benchmark.measure(memories=600, people=20, spaces=4, growth=[200, 400], rounds=2)
    assert [heard.recall_of_permitted for heard in report.heard] == [1.0] * 4
    assert [heard.recall_of_permitted for _, heard, _ in report.grown] == [1.0] * 2
    document = tmp_path / "benchmarks.md"
    document.write_text(f"# Before\n\n{BEGIN}\nold\n{END}\n\nAfter\n")
    table = write(report, document, load=(0.5, 1.5))
    assert document.read_text() == f"# Before\n\n{BEGIN}\n{table}\n{END}\n\nAfter\n"
    assert "| 50" in table
    assert "recall of the permitted: 1.000 (wanted 1.000) ok" in table
    assert "a quiet run" in table
