"""Chat with a language model on loopback."""

from tests.models.conftest import _nothing_but_loopback, _short_pauses, claude, with_claude

__all__ = ["_nothing_but_loopback", "_short_pauses", "claude", "with_claude"]
