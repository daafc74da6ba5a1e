"""The memory of a server elsewhere, with the same verbs as `Confide`."""

from confide.client.client import ConfideClient

__all__ = ["ConfideClient"]
