"""What an ordinary person's month costs with a language model, from the requests that are really sent.

    python -m benchmarks.model_cost

The product's own code asks a server on loopback, which records each request; the tokens in it are
counted with the tokenizer of the built-in embedder (Llama 2), since the provider's is not public.
Nothing here was measured at a provider.
"""

from __future__ import annotations

import asyncio
import json
import threading
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from confide.model import Entity, Message
from confide.privacy.places import parse_place
from confide.providers.llm.extractor import ModelExtractor
from confide.providers.llm.merger import ModelMerger
from confide.providers.llm.model import LanguageModel
from confide.providers.prices import dollars
from confide.providers.wordllama import pieces

WEEKS_A_MONTH = 52 / 12
#: S29: what an ordinary person does in a week.
EXTRACTIONS, STORES, RECALLS, MERGES = 4, 10, 40, 2
ALICE, AGENT = Entity("human", "alice"), Entity("agent", "default")
#: A sitting of ten messages, as people type, and an agent that talks as agents do.
SAID = (
    "hey, quick question about the server",
    "it keeps lagging when more than 6 people are in the nether",
    "yeah I have 8 GB for it, it's a small box in my cupboard",
    "ok lowered view distance to 8, that helped a lot actually",
    "I'm mostly building, redstone is not my thing",
    "we play on bedrock because my sister is on a Switch",
    "evenings usually, I'm in Lisbon so around 20:00",
    "haha true",
    "short answers please, I read this on my phone",
    "thanks, that's it for today!",
)
ANSWERED = (
    "Sure, happy to help with the server! What seems to be the problem, and since when does it happen?",
    "That sounds like the simulation of many chunks at once. The nether is heavier than it looks because "
    "of the many mobs and lava updates. How much memory does the server have, and what is the view distance?",
    "Eight gigabytes should be enough for ten players. I would lower the view distance to 8 first and the "
    "simulation distance to 6, restart, and look at the tick times again. Could you try that?",
    "Great to hear! If it comes back, look at hopper chains and farms next; they cost the most. Do you build "
    "many redstone machines, or is it mostly decorative building?",
    "Then you have an easy life with performance. Decorative builds cost nearly nothing, apart from too many "
    "item frames and armour stands in one place. Which edition do you all play on?",
    "Bedrock makes cross-play simple, that is a good reason. When do you usually play together, so that I can "
    "suggest a good time for the nightly restart?",
    "Then a restart at 05:00 your time disturbs nobody. I can also announce it in the channel half an hour "
    "before, if you like that better.",
    "Right? Is there anything about how I answer that I should do differently?",
    "Will do.",
    "You're welcome, have fun building!",
)
FOUND = {
    "memories": [
        {"message": 7, "speaker": "P1", "summary": "Lowering the view distance to 8 helped a lot against lag "
         "on my server.", "snippet": "lowered view distance to 8, that helped a lot actually", "kind": "event",
         "confidence": 1.0},
        {"message": 11, "speaker": "P1", "summary": "We play on Bedrock because my sister is on a Switch.",
         "snippet": "we play on bedrock because my sister is on a Switch", "kind": "preference",
         "confidence": 1.0, "subjects": ["my sister"]},
        {"message": 13, "speaker": "P1", "summary": "I'm in Lisbon and usually play around 20:00.",
         "snippet": "I'm in Lisbon so around 20:00", "kind": "identity", "confidence": 1.0},
        {"message": 17, "speaker": "P1", "summary": "I want short answers because I read on my phone.",
         "snippet": "short answers please, I read this on my phone", "kind": "preference", "confidence": 1.0,
         "about_answering": True},
    ]
}  # fmt: skip
OLDER, NEWER = (
    "I mostly build and redstone is not my thing.",
    "I mostly build castles; redstone is still not my thing.",
)
TOGETHER = {
    "summary": "I mostly build castles, and redstone is still not my thing.",
    "dialogue": [2],
    "confidence": 1.0,
}


class Cost(NamedTuple):
    """Tokens of one use."""

    read: int
    written: int


def tokens(text: str) -> int:
    return sum(pieces(line) for line in text.splitlines())


async def measured(ask: Any, answer: dict[str, Any]) -> Cost:
    """What one use sends and is sent."""
    sent: list[dict[str, Any]] = []
    written = json.dumps(answer)

    class Requests(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None: ...

        def do_POST(self) -> None:
            sent.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            body = json.dumps(
                {
                    "id": "msg_1", "type": "message", "role": "assistant", "model": "claude",
                    "content": [{"type": "text", "text": written}], "stop_reason": "end_turn",
                    "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1},
                }
            ).encode()  # fmt: skip
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Requests)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        url = f"http://127.0.0.1:{server.server_port}"
        await ask(LanguageModel(name="claude-sonnet-4-6", key="none", url=url))
    finally:
        server.shutdown()
    (body,) = sent
    read = "\n".join(
        part if isinstance(part, str) else json.dumps(part, ensure_ascii=False)
        for part in (*_texts(body.get("system")), *_texts(body["messages"]), *body.get("tools", ()))
    )
    return Cost(tokens(read), tokens(written))


def _texts(said: Any) -> list[str]:
    """The words in what is sent, without the wrapping that is not billed."""
    if isinstance(said, str):
        return [said]
    if isinstance(said, dict):
        return _texts(said.get("text", said.get("content", "")))
    return [text for one in said or () for text in _texts(one)]


async def extraction() -> Cost:
    place, now = parse_place("dm", ALICE), datetime(2026, 3, 1, 20, tzinfo=UTC)
    turns = [
        Message(id=f"{n}{by.id}", place=place, speaker=by, text=text, said_at=now,
                is_from_agent=by == AGENT)
        for n, both in enumerate(zip(SAID, ANSWERED, strict=True))
        for by, text in zip((ALICE, AGENT), both, strict=True)
    ]  # fmt: skip
    return await measured(lambda model: ModelExtractor(model).extract(turns), FOUND)


async def merge() -> Cost:
    said = [OLDER, NEWER]
    return await measured(lambda model: ModelMerger(model).merge(OLDER, NEWER, said), TOGETHER)


def month(extract: Cost, merge: Cost, *, extracts: str, merges: str, embeds: str) -> float:
    embedded = tokens(NEWER) * (STORES + EXTRACTIONS * len(FOUND["memories"]) + RECALLS)
    week = (
        EXTRACTIONS * dollars(extracts, *extract)
        + MERGES * dollars(merges, *merge)
        + dollars(embeds, embedded, 0)
    )
    return week * WEEKS_A_MONTH


async def main() -> None:
    extract, both = await extraction(), await merge()
    print(f"extraction of ten messages: {extract.read} tokens read, {extract.written} written")
    print(f"merge of two memories:      {both.read} tokens read, {both.written} written")
    for extracts, merges in (
        ("claude-sonnet-4-6", "claude-haiku-4-5"),
        ("claude-sonnet-4-6", "claude-sonnet-4-6"),
        ("claude-haiku-4-5", "claude-haiku-4-5"),
    ):
        cost = month(extract, both, extracts=extracts, merges=merges, embeds="voyage-3.5-lite")
        print(f"${cost:.3f} a month: {extracts} extracts, {merges} merges")


if __name__ == "__main__":
    asyncio.run(main())
