"""A server that is told to end answers what has begun, closes the memory, and says nothing is wrong."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlparse

import pytest

from confide.store import embedded

COMMAND = [sys.executable, "-m", "confide", "serve", "--port", "0", "--json"]


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
def test_a_server_that_is_told_to_end_answers_first(
    home: Path, agent: str, ending: signal.Signals
) -> None:
    env = os.environ | {"CONFIDE_HOME": str(home), "CONFIDE_AGENT": agent}
    with (
        embedded.start(home, idle_seconds=60),
        subprocess.Popen(
            COMMAND, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process,
    ):
        assert process.stdout is not None
        url = urlparse(json.loads(process.stdout.readline())["url"])
        with socket.create_connection((url.hostname, url.port), timeout=30) as line:
            body = b'{"question": "x", "asker": "human:a", "place": "dm"}'
            line.sendall(
                b"POST /v1/recall HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer cfd_none\r\n"
                b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body)
            )
            line.sendall(body[:10])
            time.sleep(0.5)  # it has begun
            process.send_signal(ending)
            time.sleep(0.5)
            line.sendall(body[10:])
            assert line.recv(100).startswith(b"HTTP/1.1 401")
        _, said = process.communicate(timeout=60)
    assert process.returncode == 0
    lines = [json.loads(one) for one in said.splitlines()]
    assert [one["route"] for one in lines if one["event"] == "answered"] == ["/v1/recall"]
    assert not [one for one in lines if one["level"] in ("warning", "error")], said
