"""Measures the screen; `python -m benchmarks.screening` rewrites the tables in docs/research/screening.md."""
