"""Small servers on 127.0.0.1 that speak the wire formats of Claude and Voyage, and record what arrives."""

from __future__ import annotations

import hashlib
import json
import math
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import MappingProxyType
from typing import Any, NamedTuple


class Answer(NamedTuple):
    """What the server says next."""

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = MappingProxyType({})
    after: float = 0.0
    drip: float = 0.0  # seconds between two pieces of the body


Ask = Callable[[dict[str, Any]], Answer]


@dataclass
class Server:
    """Answers with what is next in `script`, then always with `otherwise`."""

    otherwise: Ask
    script: list[Answer | Ask] = field(default_factory=list)
    seen: list[dict[str, Any]] = field(default_factory=list)
    raw: list[str] = field(default_factory=list)
    url: str = ""

    def text(self) -> str:
        """All that ever arrived, headers too."""
        return "\n".join(self.raw)

    def answer(self, body: dict[str, Any]) -> Answer:
        given = self.script.pop(0) if self.script else self.otherwise
        return given if isinstance(given, Answer) else given(body)


def start(server: Server) -> ThreadingHTTPServer:
    class Requests(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None: ...

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["content-length"])).decode()
            server.raw.append(f"{self.path}\n{self.headers}\n{raw}")
            body = json.loads(raw)
            server.seen.append(body)
            answer = server.answer(body)
            time.sleep(answer.after)
            sent = (
                answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
            )
            try:
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(sent)))
                self.end_headers()
                for piece in _pieces(sent, answer.drip):
                    self.wfile.write(piece)
                    time.sleep(answer.drip)
            except OSError:
                pass  # whoever asked has stopped waiting

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Requests)
    listening.daemon_threads = True
    threading.Thread(target=listening.serve_forever, args=(0.05,), daemon=True).start()
    server.url = f"http://127.0.0.1:{listening.server_port}"
    return listening


def _pieces(sent: bytes, drip: float) -> list[bytes]:
    size = max(1, len(sent) // 20) if drip else max(1, len(sent))
    return [sent[at : at + size] for at in range(0, len(sent), size)]


def message(content: list[dict[str, Any]], stop: str = "end_turn", **more: Any) -> Answer:
    """A message of Claude's."""
    return Answer(
        body={
            "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-sonnet-4-6",
            "content": content, "stop_reason": stop, "stop_sequence": None,
            "usage": {"input_tokens": 1000, "output_tokens": 100},
        }
        | more
    )  # fmt: skip


def typed(given: Any, stop: str = "end_turn") -> Answer:
    """Claude's typed answer, as JSON."""
    return text(json.dumps(given), stop)


def text(words: str, stop: str = "end_turn") -> Answer:
    return message([{"type": "text", "text": words}], stop)


def error(status: int, kind: str = "api_error", **headers: str) -> Answer:
    said = {"type": "error", "error": {"type": kind, "message": "CANARY-IN-ERROR"}}
    return Answer(status, said, {name.replace("_", "-"): value for name, value in headers.items()})


def memory(message: int, summary: str, snippet: str, **more: Any) -> dict[str, Any]:
    """A sound entry of an extraction."""
    return {
        "message": message, "speaker": "P1", "summary": summary, "snippet": snippet,
        "kind": "preference", "confidence": 1.0,
    } | more  # fmt: skip


def lines(body: dict[str, Any]) -> list[dict[str, Any]]:
    """The messages that an extraction was asked about."""
    said = body["messages"][0]["content"]
    written = said if isinstance(said, str) else "".join(one["text"] for one in said)
    return [json.loads(line) for line in written.splitlines() if line.startswith("{")]


def is_new(line: dict[str, Any]) -> bool:
    return "old" not in line and line.get("by") not in (None, "agent")


def repeats(body: dict[str, Any]) -> Answer:
    """Remembers each new message word by word."""
    return typed(
        {
            "memories": [
                memory(one["n"], one["text"], one["text"], speaker=one["by"])
                for one in lines(body)
                if is_new(one)
            ]
        }
    )


def embeddings(body: dict[str, Any], dimensions: int = 1024) -> Answer:
    """Vectors of words: texts that share words are near each other."""
    texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
    return Answer(
        body={
            "object": "list", "model": body["model"], "usage": {"total_tokens": 10 * len(texts)},
            "data": [
                {"object": "embedding", "index": n, "embedding": vector(one, dimensions)}
                for n, one in enumerate(texts)
            ],
        }
    )  # fmt: skip


def vector(words: str, dimensions: int = 1024) -> list[float]:
    found = [0.0] * dimensions
    for word in words.casefold().replace("?", " ").replace(".", " ").split():
        found[int(hashlib.sha256(word.encode()).hexdigest(), 16) % dimensions] += 1.0
    length = math.sqrt(sum(x * x for x in found)) or 1.0
    return [x / length for x in found]


def is_merge(body: dict[str, Any]) -> bool:
    return any("memory" in one for one in lines(body))


def merges(summary: str | Callable[[dict[str, Any]], str], **more: Any) -> Ask:
    """Merges with this summary; whatever else it is asked, it remembers word by word."""

    def answer(body: dict[str, Any]) -> Answer:
        if not is_merge(body):
            return repeats(body)
        said = summary if isinstance(summary, str) else summary(body)
        return typed({"summary": said, "confidence": 1.0, "dialogue": []} | more)

    return answer


def parts(body: dict[str, Any]) -> list[str]:
    """The two memories that a merge was asked about, the older first."""
    return [one["text"] for one in lines(body) if "memory" in one]
