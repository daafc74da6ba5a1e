"""Providers on loopback; nothing else can be reached."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from typing import Any

import pytest
from tests.models.loopback import Server, embeddings, repeats, start


@pytest.fixture(autouse=True)
def _nothing_but_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection to anywhere else is a failed test."""
    for name in (
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "ALL_PROXY",
        "http_proxy",
        "https_proxy",
        "all_proxy",
    ):
        monkeypatch.delenv(name, raising=False)
    original = socket.socket.connect

    def connect(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6):
            assert address[0] in ("127.0.0.1", "::1"), "something left the machine"
        original(self, address)

    monkeypatch.setattr(socket.socket, "connect", connect)


@pytest.fixture
def claude() -> Iterator[Server]:
    """By default it remembers everything it reads, word by word."""
    server = Server(repeats)
    listening = start(server)
    yield server
    listening.shutdown()
    listening.server_close()


@pytest.fixture
def voyage() -> Iterator[Server]:
    server = Server(embeddings)
    listening = start(server)
    yield server
    listening.shutdown()
    listening.server_close()


@pytest.fixture
def with_claude(claude: Server) -> dict[str, Any]:
    """Settings under which Claude extracts."""
    return {
        "anthropic_key": "sk-test", "anthropic_url": claude.url, "model_seconds": 5.0,
        "learn": False, "retry_seconds": 0.0,
    }  # fmt: skip


@pytest.fixture
def with_voyage(voyage: Server) -> dict[str, Any]:
    """Settings under which Voyage embeds."""
    return {
        "embedder": "voyage-3.5-lite", "voyage_key": "pa-test", "voyage_url": voyage.url,
        "model_seconds": 5.0, "learn": False,
    }  # fmt: skip


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """The SDK's own pauses between two tries, unless the provider says how long."""
    monkeypatch.setattr("anthropic._base_client.INITIAL_RETRY_DELAY", 0.01)
    monkeypatch.setattr("anthropic._base_client.MAX_RETRY_DELAY", 0.02)
