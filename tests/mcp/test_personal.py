"""A connection with a personal identity is a private place of its own (S24)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.mcp.conftest import MODES, Connect, Keys, call, refused, texts

from confide import Confide, operator_as, statement
from confide.reading import read_entity

TEA = "Alice drinks green tea in the morning."
NAME = "My in-game name is Nightjar."
JOB = "Alice is fond of the new bakery downtown."


async def say(confide: Confide, text: str, **fields: object) -> str:
    given = {"by": "human:alice", "place": "dm", "sensitivity": "public"} | fields
    done = await confide.remember(statement(text, **given))  # type: ignore[arg-type]
    return str(done.id)


@pytest.mark.req("S24", "K16")
@pytest.mark.parametrize("mode", MODES)
async def test_it_tells_what_was_remembered_through_it(
    connect: Connect, keys: Keys, mode: str
) -> None:
    async with connect(await keys.personal("human:alice"), mode=mode) as client:
        await call(client, "memory_create", text=TEA)
        assert await texts(client, "what does Alice drink?") == {TEA}
        found = await call(client, "recall_user_context", entity="human:alice", query="tea?")
        assert found["count"] == 1


@pytest.mark.req("S24")
async def test_it_does_not_tell_what_was_learned_on_other_platforms(
    confide: Confide, connect: Connect, keys: Keys
) -> None:
    await say(confide, JOB)
    await say(confide, TEA, place="public:general@guild")
    async with connect(await keys.personal("human:alice")) as client:
        assert await texts(client, JOB) == set()
        assert await texts(client, TEA) == set()


@pytest.mark.req("S24")
async def test_its_owner_can_turn_that_on_and_off_again(
    confide: Confide, connect: Connect, keys: Keys
) -> None:
    alice = read_entity("human:alice")
    await say(confide, JOB)
    async with connect(await keys.personal("human:alice")) as client:
        await confide.keys.open_connections(alice, actor=operator_as(alice))
        assert await texts(client, JOB) == {JOB}
        await confide.keys.close_connections(alice, actor=operator_as(alice))
        assert await texts(client, JOB) == set()


@pytest.mark.req("S24", "S5")
async def test_it_tells_what_follows_its_owner_everywhere(
    confide: Confide, connect: Connect, keys: Keys
) -> None:
    await say(confide, NAME, scope="global", kind="identity")
    async with connect(await keys.personal("human:alice")) as client:
        found = await call(client, "memory_recall", query="what is my in-game name?")
        assert "Nightjar" in found["memories"][0]["text"]
    async with connect(await keys.personal("human:bob")) as client:
        assert await texts(client, "what is the in-game name?") == set()


@pytest.mark.req("S24", "P2")
async def test_each_project_folder_is_a_workspace_of_its_own(connect: Connect, keys: Keys) -> None:
    secret = await keys.personal("human:alice")
    async with connect(secret, **{"Confide-Workspace": "thesis"}) as client:
        await call(client, "memory_create", text=TEA)
        assert await texts(client, TEA) == {TEA}
    async with connect(secret, **{"Confide-Workspace": "garden"}) as client:
        assert await texts(client, TEA) == set()
    async with connect(secret) as client:
        assert await texts(client, TEA) == set()
        await call(client, "memory_create", text=JOB)
    async with connect(secret, **{"Confide-Workspace": "garden"}) as client:
        assert await texts(client, JOB) == {JOB}


@pytest.mark.req("S24")
async def test_another_persons_connection_of_the_same_name_is_another_place(
    connect: Connect, keys: Keys
) -> None:
    async with connect(await keys.personal("human:alice")) as client:
        await call(client, "memory_create", text=TEA)
    async with connect(await keys.personal("human:bob")) as client:
        assert await texts(client, TEA) == set()
        await call(client, "memory_create", text="Bob was here.")
        assert await texts(client, TEA) == set()


@pytest.mark.req("S24", "K16")
async def test_a_connection_without_identity_tells_only_what_is_global(
    confide: Confide, start: Connect
) -> None:
    await say(confide, JOB)
    await say(confide, TEA, place="public:general@guild")
    await say(confide, NAME, scope="global", kind="identity")
    await say(
        confide, "The library opens at nine.", by="human:bob", place="group:g",
        access=["*"], consent=["human:bob"],
    )  # fmt: skip
    async with start() as client:
        for asked in (JOB, TEA, "what is my in-game name?", "when does the library open?"):
            found = await call(client, "recall_user_context", entity="human:alice", query=asked)
            assert all("Nightjar" in one["text"] for one in found["memories"])
        found = await call(
            client, "recall_user_context", entity="human:alice", query="in-game name?"
        )
        assert found["count"] == 1
        assert "speaks for nobody" in await refused(client, "memory_recall", query=JOB)
        assert "speaks for nobody" in await refused(client, "memory_create", text=JOB)


@pytest.mark.req("S24")
async def test_over_pipes_the_folder_it_was_started_in_is_the_workspace(
    start: Connect, tmp_path: Path
) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    for folder in (one, one / "deep", other):
        folder.mkdir()
    (one / ".git").mkdir()
    async with start("--as", "human:alice", "--profile", "community", folder=one) as client:
        await call(client, "memory_create", text=TEA)
    async with start(
        "--as", "human:alice", "--profile", "community", folder=one / "deep"
    ) as client:
        assert await texts(client, TEA) == {TEA}
    async with start("--as", "human:alice", "--profile", "community", folder=other) as client:
        assert await texts(client, TEA) == set()
        assert "there is no such memory" in str(await _error(client, "confide://memories/x"))


@pytest.mark.req("K17", "K18")
async def test_the_agents_own_connection_is_never_alone(
    confide: Confide, start: Connect, agent: str
) -> None:
    await say(confide, JOB)
    me = confide.database.agent_entity
    await confide.keys.open_connections(me, actor=operator_as(me))
    async with start("--as", str(me)) as client:
        assert await texts(client, JOB) == set()
        assert JOB not in str(await client.read_resource("confide://memories"))


async def _error(client: object, uri: str) -> Exception:
    with pytest.raises(Exception) as caught:
        await client.read_resource(uri)  # type: ignore[attr-defined]
    return caught.value


@pytest.mark.req("K16", "K18")
async def test_the_agents_own_connection_tells_what_it_remembered_there_and_nothing_else(
    confide: Confide, start: Connect
) -> None:
    agent = str(confide.database.agent_entity)
    await say(confide, JOB)
    await say(confide, "Alice seems tired today.", by=agent)
    async with start("--as", agent) as client:
        assert await texts(client, "What do I know of Alice?") == set(), "its client reads along"
        await call(client, "memory_create", text=TEA, sensitivity="public")
        assert await texts(client, "What does Alice drink in the morning?") == {TEA}
    async with start("--as", "human:alice", "--profile", "community") as client:
        assert await texts(client, "What does Alice drink in the morning?") == set()
