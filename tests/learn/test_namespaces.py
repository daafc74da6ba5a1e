"""Conversations in a workspace, track, project or paper: learned into it, and told in it alone."""

from __future__ import annotations

import itertools
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.chance import chance
from tests.cli.conftest import Run, run
from tests.conftest import Opened
from tests.http.conftest import serving
from tests.learn.speaking import Verbatim, learn, say

from confide import Confide, Entity, operator_as
from confide.model import Kind, Namespace, Scope
from confide.reading import audience, read_namespace
from confide.wire.forms import write_namespace

__all__ = ["run"]

ALICE = Entity.parse("human:alice")
LEVELS = [
    None, "/", "lab", "lab/global", "lab/track:1", "lab/project:1", "lab/paper:1", "lab/track:2",
    "home", "home/track:1", "/track:1", "/paper:7",
]  # fmt: skip
PLACES = ["dm", "group:tea", "public:general@guild", "restricted:mods@guild"]


@pytest.fixture
async def confide(open_confide: Opened) -> AsyncIterator[Confide]:
    async with open_confide(learn=False) as opened:
        yield opened


def hears(asked: str | None, said: str | None) -> bool:
    """P2: a query sees its exact namespace and its ancestors, never siblings."""
    level = read_namespace(asked) or Namespace()
    return (read_namespace(said) or Namespace()) in level.and_ancestors()


@pytest.mark.req("P1", "P2", "S11")
async def test_what_is_said_into_a_namespace_is_told_in_it_and_what_lies_within(
    confide: Confide,
) -> None:
    for n, (level, place) in enumerate(itertools.product(LEVELS, PLACES)):
        await say(
            confide, f"word{n} in the notebook", place=place, namespace=read_namespace(level),
            present=["human:bob"] if place != "dm" else [],
        )  # fmt: skip
    await learn(confide)
    for asked in LEVELS:
        found = await confide.memories(ALICE, namespace=read_namespace(asked), limit=1000)
        words = {one.text.split()[0] for one in found}
        for n, (level, place) in enumerate(itertools.product(LEVELS, PLACES)):
            if level is not None:
                assert (f"word{n}" in words) == hears(asked, level), (asked, level, place)
            elif place != "public:general@guild":  # which the space alone tells
                assert f"word{n}" in words
    for who, place in itertools.product(("human:alice", "human:bob"), PLACES):
        context = await confide.recall("the notebook", audience(who, place, namespace="lab"))
        named = [one.memory for one in context.memories if one.memory.origin.namespace]
        assert not named or (who, place) == ("human:alice", "dm"), "company hears none of it"


@pytest.mark.req("P1", "P3")
async def test_the_same_words_in_two_namespaces_are_two_memories_and_in_one_are_one(
    confide: Confide,
) -> None:
    levels = ["lab", "lab", "lab/global", "lab/track:1", "home"]
    for level in levels:
        await say(confide, "I use nginx", namespace=read_namespace(level))
    await learn(confide)
    kept = [
        one
        for level in ("lab/track:1", "home")
        for one in await confide.memories(ALICE, namespace=read_namespace(level))
    ]
    assert sorted(write_namespace(one.origin.namespace or Namespace()) for one in kept) == [
        "home", "lab", "lab/track:1",
    ]  # fmt: skip
    assert {one.scope for one in kept} == {Scope.DM}


@pytest.mark.req("P2", "S28")
async def test_what_is_said_in_one_namespace_replaces_nothing_in_another(confide: Confide) -> None:
    for level, city in (("lab", "Oslo"), ("home", "Bergen"), (None, "Rome"), ("lab", "Lima")):
        await say(confide, f"I live in {city}", namespace=read_namespace(level))
        await confide.learning.learn(is_everything=True)
        confide.means.clock.advance(minutes=40)  # pyright: ignore[reportFunctionMemberAccess]
    for level, cities in (
        ("lab", {"Lima", "Rome"}),
        ("home", {"Bergen", "Rome"}),
        (None, {"Rome"}),
    ):
        found = await confide.memories(ALICE, namespace=read_namespace(level))
        assert {one.text.rstrip(".").rsplit(" ", 1)[1] for one in found} == cities, level


@pytest.mark.req("S5", "P2")
async def test_nothing_said_in_a_workspace_is_told_everywhere(confide: Confide) -> None:
    await say(confide, "My in-game name is Pixel", namespace=read_namespace("lab"))
    sure = Verbatim(is_global_safe=True, kind=Kind.IDENTITY)
    await confide.learning.make_due()
    await confide.learning.worker(extractor=sure).drain()
    await confide.learning.learn(is_everything=True)
    assert not await confide.memories(ALICE)
    (kept,) = await confide.memories(ALICE, namespace=Namespace("lab"))
    assert kept.scope is Scope.DM


async def test_an_answer_borrows_no_words_from_another_namespace(confide: Confide) -> None:
    """Turns of one place are read together, and a workspace is a conversation of its own."""
    await say(confide, "What is the patient's name?", namespace=read_namespace("clinic"))
    await say(confide, "Coco", namespace=read_namespace("home"))
    seen: list[list[str]] = []

    class Watching(Verbatim):
        def extract(self, messages):  # type: ignore[no-untyped-def]
            seen.append([one.text for one in messages])
            return super().extract(messages)

    await confide.learning.make_due()
    await confide.learning.worker(extractor=Watching()).drain()
    assert sorted(seen) == [["Coco"], ["What is the patient's name?"]]


@pytest.mark.req("P1", "P2")
async def test_a_random_conversation_is_listed_counted_and_exported_by_level(
    confide: Confide,
) -> None:
    draw = chance(25)
    said = [(f"fact{n} matters", draw.choice(LEVELS)) for n in range(60)]
    for text, level in said:
        await say(confide, text, namespace=read_namespace(level))
    await learn(confide)
    me = operator_as(ALICE)
    for asked in LEVELS:
        within = read_namespace(asked)
        expected = {text for text, level in said if hears(asked, level)}
        stats = await confide.mine.stats(ALICE, namespace=within)
        assert sum(one.memories for one in stats.counts) == len(expected)
        levels = await confide.reports.of_person(ALICE, actor=me, namespace=within)
        assert sum(one.memories for one in levels) == len(expected)
        exported = await confide.rights.export(ALICE, actor=me, namespace=within or Namespace())
        kept = json.loads(exported.files["export.json"])
        assert {one["text"] for one in kept["memories"]} == expected
        assert {one["text"] for one in kept["messages"]} == expected
    whole = json.loads((await confide.rights.export(ALICE, actor=me)).files["export.json"])
    assert {one["text"] for one in whole["memories"]} == {text for text, _ in said}
    assert {one["text"] for one in whole["messages"]} == {text for text, _ in said}


@pytest.mark.req("P1", "P2")
def test_the_command_line_shows_all_of_a_namespace_and_its_ancestors(
    run: Run, tmp_path: Path
) -> None:
    lines = [
        {"id": str(n), "in": "dm", "by": "human:alice", "text": f"I keep a bee hive number {n}",
         "at": f"2026-03-01T12:0{n}:00Z"} | ({"namespace": level} if level else {})
        for n, level in enumerate(["lab/track:1", "lab", "/", None, "lab/global"])
    ]  # fmt: skip
    file = tmp_path / "chat.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)))
    run("observe", str(file), "--namespace", "lab/track:1", "--wait", "--json")
    for level, numbers in (
        ("lab/track:1", {0, 1, 2, 3, 4}), ("lab/global", {1, 2, 4}), ("lab", {1, 2, 4}),
        ("other", {2}), (None, {2}),
    ):  # fmt: skip
        within = ["--namespace", level] if level else []
        asked = ["--as", "human:alice", *within, "--json"]
        shown = json.loads(run("memories", *asked).stdout)["memories"]
        assert {int(one["text"].rstrip(".").rsplit(" ", 1)[1]) for one in shown} == numbers, level
        counts = json.loads(run("memories", *asked, "--stats").stdout)["counts"]
        assert sum(one["memories"] for one in counts) == len(numbers)
        levels = json.loads(run("report", *asked).stdout)["levels"]
        assert sum(one["memories"] for one in levels) == len(numbers)
        folder = tmp_path / f"{level}".replace("/", "-")
        told = run("privacy", "export", *asked, "--out", str(folder)).stdout
        expected = len(numbers) if level else 5
        assert json.loads(told)["counts"]["memories"] == expected
    assert run("report", "--namespace", "lab").exit_code == 2
    assert run("memories", "--as", "human:alice", "--namespace", "lab/chapter:1").exit_code == 2


@pytest.mark.req("P1", "P2")
async def test_over_http_messages_are_learned_into_a_namespace_and_listed_by_it(
    confide: Confide,
) -> None:
    async with serving(confide) as served:
        local, own = await served.platform(), await served.personal("human:alice")
        for n, (client, level) in enumerate(itertools.product((local, own), ("lab/track:1", None))):
            said = {"id": f"m{n}", "text": f"I keep bee hive number {n}", "namespace": level}
            where = {"by": "human:alice", "in": "group:tea"} if client is local else {}
            done = await client.post("/v1/messages", json=said | where)
            assert done.status_code == 200, done.text
        wrong = await own.post("/v1/messages", json=said | {"namespace": "lab/chapter:1"})
        assert wrong.status_code == 422
        assert "namespace" in wrong.text
        await learn(confide)

        async def listed(path: str, **query: str) -> Any:
            found = await local.get(path, params={"as": "human:alice", **query})
            assert found.status_code == 200, found.text
            return found.json()

        for level, count in (("lab/track:1", 4), ("lab", 2), ("/", 2)):
            found = (await listed("/v1/memories", namespace=level))["memories"]
            assert len(found) == count, level
            assert {one["namespace"] for one in found} <= {"lab/track:1", None}
            stats = await listed("/v1/mine/stats", namespace=level)
            assert sum(one["memories"] for one in stats["counts"]) == count
            report = await listed("/v1/mine/report", namespace=level)
            assert sum(one["memories"] for one in report["levels"]) == count
            exported = await listed("/v1/export", namespace=level)
            assert exported["manifest"]["counts"]["memories"] == count
            hits = await listed("/v1/mine/search", namespace=level, question="bee hive number")
            assert len(hits["memories"]) == count


@pytest.mark.req("P2")
async def test_the_client_says_the_global_level_where_it_was_named(confide: Confide) -> None:
    """Left out, a message in a group would be for the group instead of its speaker alone."""
    from confide.client.client import ConfideClient

    async with (
        serving(confide) as served,
        ConfideClient.open(
            served.url, await served.key("platform", platform="local"), agent=confide.database.agent
        ) as remote,
    ):
        for text, level in (("I like rye", Namespace()), ("I like oats", None)):
            await say(remote, text, at=confide.means.clock(), place="group:tea", namespace=level)  # pyright: ignore[reportArgumentType]
    await learn(confide)
    kept = {one.text: one.scope for one in await confide.memories(ALICE)}
    assert kept == {"I like rye": Scope.DM, "I like oats": Scope.GROUP}
