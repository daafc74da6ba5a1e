"""Tests that read public data are collected only where the data is."""

from benchmarks.retrieval.sets import DATA

collect_ignore = [] if (DATA / "locomo").is_dir() else ["test_retrieval_benchmark.py"]
