"""What leaves the machine: nothing with `none`, seen from outside the process, and else only what may."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import Opened
from tests.learn.speaking import say
from tests.models import loopback
from tests.models.loopback import Server, embeddings, merges

from confide import Entity, audience, statement
from confide.chat import Chat
from confide.model import Message
from confide.privacy.places import parse_place

ALICE = Entity("human", "alice")
#: A day with everything that could use a model. Every connection that is not a file is written down.
A_DAY = """
    import asyncio, json, sys
    reached = []
    def watch(event, given):
        if event == "socket.connect" and isinstance(given[1], tuple):
            reached.append(given[1][0])
        if event in ("socket.getaddrinfo", "socket.gethostbyname"):
            reached.append(str(given[0]))
    sys.addaudithook(watch)

    from confide import audience, statement
    from confide.chat import Chat
    from confide.model import Entity, Message
    from confide.privacy.places import parse_place
    from confide.testing import temporary
    from datetime import UTC, datetime

    async def day():
        keys = dict(anthropic_key="sk-test", voyage_key="pa-test", embedder="voyage-3.5-lite",
                    anthropic_url=sys.argv[2], voyage_url=sys.argv[2], external_models=sys.argv[1],
                    model_seconds=2.0, learn=False)
        alice = Entity("human", "alice")
        async with temporary(**keys) as confide:
            chat = Chat(confide)
            for n, text in enumerate(("I love small bases in Valheim", "I keep bees on the roof")):
                await chat.hear(Message(id=str(n), place=parse_place("dm", alice), speaker=alice,
                                        text=text, said_at=datetime.now(UTC)))
            await confide.learning.learn(is_everything=True)
            await confide.remember(statement("I keep many bees on the roof", by=alice, place="dm"))
            await confide.merging.merge()
            await confide.vectors.drain_backlog()
            asked = Message(id="q", place=parse_place("dm", alice), speaker=alice,
                            text="what do I keep?", said_at=datetime.now(UTC))
            answer = await chat.say(asked, lambda: audience(alice, "dm"))
            print(json.dumps({"reached": reached, "answer": answer.text,
                              "known": len(await confide.memories(alice))}))
    asyncio.run(day())
"""


def a_day(rule: str, url: str, folder: Path) -> dict[str, Any]:
    script = folder / "day.py"
    script.write_text(textwrap.dedent(A_DAY))
    done = subprocess.run(
        [sys.executable, str(script), rule, url],
        capture_output=True, text=True, check=True, cwd=folder, timeout=120,
    )  # fmt: skip
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.req("S18", "B10")
def test_with_none_the_process_opens_no_connection_at_all(claude: Server, tmp_path: Path) -> None:
    """Seen by the interpreter's audit hook, below every library, in a process of its own."""
    found = a_day("none", claude.url, tmp_path)
    assert found["reached"] == []
    assert claude.raw == []
    assert "bees" in found["answer"]
    assert found["known"] >= 2


@pytest.mark.req("S18")
def test_the_same_day_reaches_the_providers_with_not_sensitive(
    claude: Server, tmp_path: Path
) -> None:
    """Otherwise the test above would prove nothing."""
    claude.otherwise = lambda body: (
        embeddings(body) if "input" in body
        else loopback.repeats(body) if "Find what is worth" in json.dumps(body["system"])
        else merges("never mind")(body) if loopback.is_merge(body)
        else loopback.text("You keep bees.")
    )  # fmt: skip
    found = a_day("not_sensitive", claude.url, tmp_path)
    assert set(found["reached"]) == {"127.0.0.1"}
    assert found["answer"] == "You keep bees."


SENSITIVE = (
    "I was diagnosed with diabetes last spring",
    "my salary is 150k dollars and I am in debt",
    "I am pregnant, due in August",
    "my therapist says I have anxiety",
    "my IBAN is DE89370400440532013000",
)
SECRETS = ("my aws key is AKIAIOSFODNN7EXAMPLA",)
HARMLESS = ("I love building small bases in Valheim", "I play the cello on Sundays")
TELLTALE = ("diabetes", "diagnos", "salary", "debt", "pregnan", "therapist", "anxiety", "DE8937",
            "AKIA")  # fmt: skip


@pytest.mark.req("S18")
async def test_no_sensitive_text_leaves_by_default_by_any_way(
    open_confide: Opened, claude: Server, voyage: Server, with_claude: dict[str, Any],
    with_voyage: dict[str, Any],
) -> None:  # fmt: skip
    """Extraction, merging, embedding, questions and answers, recorded on the wire."""
    async with open_confide(**(with_voyage | with_claude)) as confide:
        chat = Chat(confide)
        for text in (*SENSITIVE, *SECRETS, *HARMLESS):
            await say(confide, text)
        await confide.learning.learn(is_everything=True)
        for text in SENSITIVE:
            await confide.remember(statement(f"{text}, really", by="human:alice", place="dm"))
        await confide.merging.merge()
        await confide.vectors.drain_backlog()
        for n, text in enumerate((*SENSITIVE, "what do I play?", "how am I?")):
            question = Message(
                id=f"q{n}", place=parse_place("dm", ALICE), speaker=ALICE, text=text,
                said_at=confide.means.clock(),
            )  # fmt: skip
            await chat.say(question, lambda: audience(ALICE, "dm"))
        known = " ".join(one.text for one in await confide.memories(ALICE))
    sent = (claude.text() + voyage.text()).casefold()
    assert "valheim" in sent
    assert "cello" in sent
    assert [word for word in TELLTALE if word.casefold() in sent] == []
    assert "diabetes" in known  # learned all the same, here


@pytest.mark.req("S18")
@pytest.mark.parametrize(("drip", "seconds"), [(0.02, 60), (0.3, 0.5)])
async def test_an_answer_that_comes_slowly_is_waited_for_only_so_long(
    open_confide: Opened, claude: Server, with_claude: dict[str, Any], drip: float, seconds: float
) -> None:
    """A body that drips: a little is waited for; too slow is an outage, and nothing is lost."""
    claude.otherwise = lambda body: loopback.repeats(body)._replace(drip=drip)
    async with open_confide(**(with_claude | {"model_seconds": seconds})) as confide:
        await say(confide, HARMLESS[0])
        await confide.learning.learn(is_everything=True)
        assert len(await confide.memories(ALICE)) == (0 if seconds < 1 else 1)
        assert all(job.failed_because is None for job in await confide.learning.jobs())
        claude.otherwise = loopback.repeats
        await confide.learning.learn(is_everything=True)
        assert [one.text for one in await confide.memories(ALICE)] == [HARMLESS[0]]


@pytest.mark.req("S18")
async def test_vectors_that_come_slowly_keep_no_question_waiting(
    open_confide: Opened, voyage: Server, with_voyage: dict[str, Any]
) -> None:
    voyage.otherwise = lambda body: embeddings(body)._replace(drip=0.4)
    async with open_confide(**(with_voyage | {"model_seconds": 0.5})) as confide:
        await confide.remember(statement(HARMLESS[1], by="human:alice", place="dm"))
        assert await confide.vectors.drain_backlog() == 0
        told = await confide.recall("who plays the cello?", audience(ALICE, "dm"))
        assert [one.memory.text for one in told.memories] == [HARMLESS[1]]
        voyage.otherwise = embeddings
        assert await confide.vectors.drain_backlog() == 1
