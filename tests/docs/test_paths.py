"""Each kind of reader follows their page in a fresh environment (the operator: tests/operations)."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from mcp.client.stdio import StdioServerParameters, stdio_client
from tests.docs.following import DOCS, Follower, following, lines
from tests.test_docs import ROOT, Reader, examples

from mcp import Client

COMMAND = re.compile(r"`(confide [a-z][^`\n]*)`")


@pytest.mark.req("B10")
@pytest.mark.parametrize("page", ["README.md", "docs/quickstart.md"])
def test_a_python_developer_gets_what_the_page_shows(page: str, tmp_path: Path) -> None:
    with following(tmp_path) as one:
        reader = Reader(ways={"console": one.shell, "python": one.python})
        followed = [reader.follow(example) for example in examples(ROOT / page)]
    assert len(followed) > 4


@pytest.mark.req("S24")
async def test_a_coding_agent_remembers_and_keeps_projects_apart(tmp_path: Path) -> None:
    page = "tutorial-coding-agent.md"
    made, activated, install, listed = lines(page)
    assert made.startswith("make run")
    assert activated == "source .venv/bin/activate"
    said, asked = re.findall(r'\*"(.+?)"\*', (DOCS / page).read_text("utf-8"))
    here, elsewhere = (tmp_path / name for name in ("project", "other"))
    for folder in (here, elsewhere):
        (folder / ".git").mkdir(parents=True)
    with following(tmp_path) as one:
        assert '"confide": {' in one.shell(install, "y\n")
        assert one.shell(listed).startswith("0 memories")
        await _tool(one, here, "remember", text=said.removeprefix("Remember that "))
        assert "make test" in await _tool(one, here, "recall", query=asked)
        assert "make test" not in await _tool(one, elsewhere, "recall", query=asked)
        (known,) = json.loads(one.shell(f"{listed} --json"))["memories"]
        assert "make test" in known["text"]
        named = COMMAND.findall((DOCS / page).read_text("utf-8"))
        # It is forgotten by then, so there is nothing left to share.
        for command in (each for each in named if "confide share" not in each):
            one.shell(command.replace(" ID ", f" {known['id']} "))
        assert "make test" not in await _tool(one, here, "recall", query=asked)


async def _tool(one: Follower, project: Path, tool: str, **given: Any) -> str:
    """As the client does: what was written into its settings is started in the project's folder."""
    entry = json.loads((one.folder / ".claude.json").read_text())["mcpServers"]["confide"]
    started = StdioServerParameters(
        command=entry["command"], args=entry["args"], env=one.env, cwd=project
    )
    async with Client(stdio_client(started)) as client:
        answer = await client.call_tool(tool, given)
    assert not answer.is_error, answer
    return "".join(getattr(part, "text", "") for part in answer.content)


@pytest.mark.req("S21")
def test_the_owner_of_a_community_sees_who_is_told_what(tmp_path: Path) -> None:
    page = "tutorial-community.md"
    demo, chat, *install, setup, bot = lines(page)
    text = (DOCS / page).read_text("utf-8")
    with following(tmp_path) as one:
        assert "withheld" in one.shell(demo).lower()
        talk = "My sister is visiting\n/as bob\n/in public:general@guild\nwho is visiting?\n/quit\n"
        talked = one.shell(chat, talk)
        assert "I don't know anything about that." in talked
        assert "withheld" in talked
        one.shell('confide remember "I like tea" --by human:mia --in dm')
        section = text.partition("## 3.")[2].partition("## 4.")[0]
        for command in COMMAND.findall(section):
            one.shell(f"{command} --yes" if " forget " in command else command)
        for name, value in re.findall(r"`(CONFIDE_[A-Z_]+)(?:=(\w+))?`", text):
            one.env[name] = value or "human:mia"
        shown = one.shell("confide config show --json")
        assert "human:mia" in shown
        assert [line for line in install if "DISCORD_TOKEN" in line]
        for command in (setup, bot):
            assert "DISCORD_TOKEN" in one.fails(command)
