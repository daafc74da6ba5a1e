"""The command line. Each command is a file with `register(app)`; `app.py` lists them."""

from __future__ import annotations


def main() -> None:
    """The `confide` program."""
    from confide.surfaces.cli.app import build

    build()()
