"""The program, for tests that act through the command line."""

from tests.cli.conftest import ask, run

__all__ = ["ask", "run"]
