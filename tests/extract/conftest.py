"""Tests that read public data are collected only where the data is."""

from benchmarks.extraction.locomo import FILE

collect_ignore = [] if FILE.exists() else ["test_locomo.py"]
