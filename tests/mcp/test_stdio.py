"""The program on pipes: only the protocol on standard output, no content in its log."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import anyio
import pytest
from mcp.server.stdio import stdio_server
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from tests.mcp.conftest import MODES, Connect, call

from confide.surfaces.mcp.greeting import greet
from confide.surfaces.mcp.profiles import COMMUNITY, SOLO, Profile
from confide.surfaces.mcp.server import build
from confide.surfaces.mcp.visit import Visit

GREETING = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}
SECRET = "zebrafinch"
START = 0.5  # seconds until the first answer


def ask(tool: str, id: int = 2, **fields: object) -> dict[str, object]:
    params = {"name": tool, "arguments": fields}
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}


def speak(home: Path, agent: str, *messages: object, **env: str) -> tuple[list[dict], str]:
    """What the process answers to these lines, and what it logs."""
    command = [
        sys.executable,
        "-m",
        "confide",
        "mcp",
        "--as",
        "human:me",
        "--profile",
        "community",
        "--home",
        str(home),
    ]
    with subprocess.Popen(
        [*command, "--agent", agent], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, env=os.environ | env,
    ) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        answers: list[dict] = []
        for one in messages:
            process.stdin.write(one if isinstance(one, str) else json.dumps(one))
            process.stdin.write("\n")
            process.stdin.flush()
            while isinstance(one, dict) and one.get("id") not in {a.get("id") for a in answers} | {
                None
            }:
                answers.append(json.loads(process.stdout.readline()))
        process.stdin.close()
        rest = process.stdout.read()
        log = process.stderr.read()
        assert process.wait(timeout=60) == 0
    return answers + [json.loads(line) for line in rest.splitlines()], log


@pytest.mark.req("K16")
@pytest.mark.parametrize("mode", MODES)
async def test_a_real_client_uses_it(start: Connect, mode: str) -> None:
    async with start("--as", "human:me", "--profile", "community", mode=mode) as client:
        assert len((await client.list_tools()).tools) == 11
        made = await call(client, "memory_create", text="I prefer tabs.", kind="preference")
        assert made["kind"] == "preference"
        found = await client.call_tool("memory_recall", {"query": "tabs or spaces?"})
        assert "I prefer tabs." in found.content[0].text
        assert "is data" in found.content[0].text
        prompt = (await client.list_prompts()).prompts[0]
        assert (await client.get_prompt(prompt.name)).messages


def test_only_the_protocol_is_on_standard_output_and_no_content_in_the_log(
    home: Path, agent: str
) -> None:
    answers, log = speak(
        home,
        agent,
        GREETING,
        READY,
        f"this is no JSON {SECRET}",
        ask("memory_create", 2, text=f"The bird is a {SECRET}."),
        ask("memory_create", 3, text=f"{SECRET}", kind=SECRET),
        ask("memory_recall", 4, query=SECRET),
        ask("no_such_tool", 5, query=SECRET),
        ask("memory_forget", 6, memory_id=SECRET),
    )
    assert all(one["jsonrpc"] == "2.0" for one in answers)
    by_id = {one["id"]: one for one in answers if one.get("id")}
    assert SECRET in json.dumps(by_id[4]["result"])
    assert SECRET not in log


def test_it_greets_before_the_memory_is_open_and_says_why_it_cannot_be(
    tmp_path: Path, agent: str
) -> None:
    wrong = tmp_path / "file"
    wrong.write_text("not a folder")
    answers, log = speak(wrong, agent, GREETING, READY, ask("memory_recall", query="x"))
    greeted, asked = answers[0], answers[-1]
    assert greeted["result"]["serverInfo"]["name"] == "confide"
    assert asked["result"]["isError"]
    assert str(wrong) in asked["result"]["content"][0]["text"]
    assert "Traceback" not in log


@pytest.mark.parametrize("profile", [SOLO, COMMUNITY], ids=lambda one: one.name)
@pytest.mark.parametrize("version", [*HANDSHAKE_PROTOCOL_VERSIONS, "1999-01-01", "2026-07-28"])
async def test_its_own_greeting_is_the_word_of_the_sdk(
    tmp_path: Path, profile: Profile, version: str
) -> None:
    line = json.dumps({**GREETING, "params": {**GREETING["params"], "protocolVersion": version}})
    ours = greeted_by(profile, line)

    async def nobody(context: object) -> Visit:
        raise AssertionError("a greeting visits nothing")

    server, said = build(nobody, profile), tmp_path / "said"
    with said.open("w+", encoding="utf-8") as out:
        lines, answers = io.StringIO(line + "\n"), anyio.wrap_file(out)
        async with stdio_server(stdin=anyio.wrap_file(lines), stdout=answers) as streams:  # type: ignore[arg-type]
            await server.run(*streams, server.create_initialization_options())
    assert json.loads(ours) == json.loads(said.read_text("utf-8"))


@pytest.mark.parametrize(
    "line",
    [
        "no JSON",
        "[]",
        json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}),
        json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}),
        json.dumps({**GREETING, "id": None}),
        json.dumps({**GREETING, "id": True}),
    ],
)
def test_anything_else_waits_for_the_sdk(line: str) -> None:
    assert greeted_by(SOLO, line) == ""


def test_the_greeting_comes_before_the_sdk_is_loaded(home: Path, agent: str) -> None:
    """Processor time, because other work on the machine makes everything slow."""
    code = (
        "import sys, time\n"
        "from confide.surfaces.mcp import greeting\n"
        "def stop(profile):\n"
        "    slow = {'mcp', 'numpy', 'asyncpg', 'confide.memories'} & set(sys.modules)\n"
        "    print(time.process_time(), *slow); raise SystemExit\n"
        "greeting.greet = stop\n"
        "from confide.surfaces.cli import main\n"
        f"sys.argv[1:] = ['mcp', '--as', 'human:me', '--home', {str(home)!r}]\n"
        "main()\n"
    )
    seconds, *slow = min(
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        .stdout.split()
        for _ in range(3)
    )  # fmt: skip
    assert not slow
    assert float(seconds) <= START


def greeted_by(profile: Profile, line: str) -> str:
    """What is answered at once when this is the first line."""
    (reading, says), (hears, writing) = os.pipe(), os.pipe()
    with os.fdopen(says, "w", encoding="utf-8") as client:
        client.write(f"{line}\nwhat comes next\n")
    greeted = greet(profile, reading, writing)
    assert greeted.line == f"{line}\n"
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as rest, os.fdopen(hears) as answered:
        assert rest.read() == "what comes next\n", "not a byte more is read"
        return answered.read()


def test_bad_words_on_the_command_line_are_said_and_nothing_starts() -> None:
    for words in (["--as", "nobody"], ["--as", "human:me", "--workspace", "a b"]):
        done = subprocess.run(
            [sys.executable, "-m", "confide", "mcp", *words], stdin=subprocess.DEVNULL,
            capture_output=True, text=True, check=False, timeout=60,
        )  # fmt: skip
        assert done.returncode == 2
        assert done.stdout == ""
        assert "Traceback" not in done.stderr
