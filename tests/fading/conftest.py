"""The real program, for its commands."""

from tests.cli.conftest import ask, run

__all__ = ["ask", "run"]
