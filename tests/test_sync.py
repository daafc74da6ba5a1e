"""`confide.sync` is made from the asynchronous classes, and works wherever Python runs."""

from __future__ import annotations

import asyncio
import inspect
import threading
from pathlib import Path

import pytest

from confide import Confide as AsyncConfide
from confide import InvalidInput, StoreError, sync
from confide.client import ConfideClient as AsyncClient
from confide.sync import Confide, Twin


def verbs(kind: type) -> dict[str, inspect.Signature]:
    return {
        name: inspect.signature(getattr(kind, name))
        for name in dir(kind)
        if not name.startswith("_")
        and inspect.iscoroutinefunction(inspect.getattr_static(kind, name))
    }


@pytest.mark.req("S10")
@pytest.mark.parametrize(
    ("twin", "original"), [(Confide, AsyncConfide), (sync.ConfideClient, AsyncClient)]
)
def test_every_verb_is_there_with_the_same_arguments(twin: type, original: type) -> None:
    for name, signature in verbs(original).items():
        found = getattr(twin, name)
        assert inspect.signature(found) == signature, name
        assert not inspect.iscoroutinefunction(found), name
        assert inspect.getdoc(found) == inspect.getdoc(getattr(original, name)), name


@pytest.mark.req("B16", "B10", "S10")
def test_five_lines_remember_the_first_thing_said(home: Path, agent: str) -> None:
    with Confide.open(home, agent=agent) as memory:
        said = [{"role": "user", "content": "I'm vegetarian and I live in Ghent"}]
        memory.add(said, by="human:alice", place="dm")
        told = memory.recall("what should I cook for Alice?", asker="human:alice", place="dm")
        assert "vegetarian" in str(told)
        bob = memory.recall("where does Alice live?", asker="human:bob", place="group:tea")
        assert "Ghent" not in str(bob)
        assert isinstance(memory.people, Twin)
        assert memory.people.known("human:alice") is not None
        with pytest.raises(InvalidInput):
            memory.remember("text")


@pytest.mark.req("S10")
async def test_it_works_inside_a_running_loop_and_from_many_threads(home: Path, agent: str) -> None:
    with Confide.open(home, agent=agent) as memory:
        memory.remember("I own a canoe", by="human:alice", place="dm")

        def ask() -> str:
            return str(memory.recall("what do I own?", asker="human:alice", place="dm"))

        assert "canoe" in ask()
        told = await asyncio.gather(*(asyncio.to_thread(ask) for _ in range(4)))
        assert all("canoe" in one for one in told)
    threads = [one for one in threading.enumerate() if one.name == "confide"]
    assert len(threads) == 1


@pytest.mark.req("S10")
def test_a_mistake_inside_the_block_comes_out_and_the_memory_is_closed(
    home: Path, agent: str
) -> None:
    with pytest.raises(ZeroDivisionError), Confide.open(home, agent=agent) as memory:
        raise ZeroDivisionError
    with pytest.raises(StoreError):
        memory.recall("x", asker="human:alice", place="dm")
