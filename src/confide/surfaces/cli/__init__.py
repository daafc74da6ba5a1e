"""The command line. Each command is a file with `register(app)`; `app.py` lists them."""

from __future__ import annotations


def main() -> None:
    """The `confide` program."""
    import sys

    try:
        from confide.surfaces.cli.app import build

        build()()
    except KeyboardInterrupt:  # also while something is still being imported
        sys.exit(130)
