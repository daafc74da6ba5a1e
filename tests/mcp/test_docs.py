"""The documents name every tool and every client there is."""

from __future__ import annotations

from pathlib import Path

from confide.client import ConfideClient
from confide.client.door import Door
from confide.surfaces.mcp.install import CLIENTS
from confide.surfaces.mcp.profiles import every_tool
from confide.surfaces.mcp.server import PROMPT

DOCS = Path(__file__).parents[2] / "docs"


def test_every_tool_and_client_is_in_the_document() -> None:
    text = (DOCS / "mcp.md").read_text(encoding="utf-8")
    for name in (*(tool.name for tool in every_tool()), *CLIENTS, PROMPT.name):
        assert f"`{name}`" in text, name


def test_the_example_of_the_client_is_what_it_has() -> None:
    text = (DOCS / "client.md").read_text(encoding="utf-8")
    client = ConfideClient(Door("https://memory.example", "key"))
    assert "ConfideClient.open(" in text
    assert client.remember
    assert client.recall
