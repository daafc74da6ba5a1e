"""One person's memory for a coding agent: few tools, preferences everywhere, project facts where they
belong, and the newest word counts."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest
from tests.mcp.conftest import Connect, Keys, call, refused, texts

from confide import Confide, operator_as, statement
from confide.reading import read_entity
from confide.recall.tokens import estimate_tokens
from confide.surfaces.mcp.profiles import SOLO
from confide.surfaces.mcp.server import described
from mcp import Client

ME = "human:alice"
MOST_TOKENS = 1200
NAMES = {"remember", "recall", "update", "forget", "list"}
DM = "Alice is fond of the new bakery downtown."


@pytest.fixture
async def project(connect: Connect, keys: Keys) -> Any:
    """`async with project("web") as client`: the same person's agent in one of their projects."""
    secret = await keys.personal(ME)

    def at(name: str | None = "web", key: str = secret) -> AbstractAsyncContextManager[Client]:
        where = {"Confide-Workspace": name} if name else {}
        return connect(key, **{"Confide-Profile": "solo"}, **where)

    return at


@pytest.mark.req("K16", "S24")
async def test_a_person_gets_the_few_tools_and_a_program_all_of_them(
    start: Connect, tmp_path: Path, agent: str
) -> None:
    async with start("--as", ME, folder=tmp_path) as client:
        assert {one.name for one in (await client.list_tools()).tools} == NAMES
        kept = await call(client, "remember", text="This project uses pnpm.")
        assert kept["kept_for"] == "project"
        assert await texts(client, "does it use pnpm?", "recall") == {"This project uses pnpm."}
    async with start() as client:
        assert "consent_grant" in {one.name for one in (await client.list_tools()).tools}


@pytest.mark.req("K16")
def test_what_a_model_reads_about_the_tools_is_short() -> None:
    told = [described(tool, SOLO.shows_outputs) for tool in SOLO.tools]
    whole = "".join(f"{one.name} {one.description} {one.input_schema}" for one in told)
    # The estimate counts punctuation by the byte; models count about four characters a token.
    assert len(whole) / 4 + estimate_tokens(SOLO.instructions) <= MOST_TOKENS
    assert sum(estimate_tokens(one.description or "") for one in told) <= MOST_TOKENS
    assert not [one for one in told if one.output_schema]


@pytest.mark.req("S24", "P2")
async def test_preferences_are_known_in_the_next_project_and_project_facts_are_not(
    project: Any,
) -> None:
    general = ["I prefer tabs over spaces.", "My editor is Zed.", "The user likes short answers."]
    local = ["The API listens on port 8080.", "We use pnpm here.", "I renamed src/app.py today."]
    async with project("web") as client:
        for text in general:
            assert (await call(client, "remember", text=text))["kept_for"] == "me", text
        for text in local:
            assert (await call(client, "remember", text=text))["kept_for"] == "project", text
        assert len((await call(client, "list"))["memories"]) == 6
    async with project("shop") as client:
        for text in general:
            assert text in await texts(client, text, "recall")
        for text in local:
            assert text not in await texts(client, text, "recall")
        assert {one["text"] for one in (await call(client, "list"))["memories"]} == set(general)


@pytest.mark.req("S24", "P2")
async def test_the_model_can_say_for_what_it_is_kept(project: Any) -> None:
    async with project("web") as client:
        mine = await call(
            client, "remember", text="Python scripts start with uv run.", keep_for="me"
        )
        here = await call(client, "remember", text="I prefer yarn.", keep_for="project")
        assert (mine["kept_for"], here["kept_for"]) == ("me", "project")
    async with project(None) as client:
        alone = await call(client, "remember", text="The API is old.", keep_for="project")
        assert alone["kept_for"] == "me", "outside of projects there is none to keep it for"
    async with project("shop") as client:
        assert "yarn" not in str(await call(client, "list"))
        assert "uv run" in str(await call(client, "list"))


@pytest.mark.req("S24")
async def test_a_token_keeps_to_the_level_it_is_for(connect: Connect, keys: Keys) -> None:
    given = {"Confide-Profile": "solo"}
    async with connect(await keys.token(ME, "dm", namespace="web"), **given) as client:
        kept = await call(client, "remember", text="I prefer tabs.", keep_for="me")
        assert kept["kept_for"] == "project"
    async with connect(await keys.token(ME, "dm"), **given) as client:
        assert await texts(client, "I prefer tabs.", "recall") == set()


@pytest.mark.req("A13")
async def test_remember_replaces_what_it_supersedes_and_says_so(project: Any) -> None:
    async with project("web") as client:
        old = await call(client, "remember", text="The dev server runs on port 3000.")
        new = await call(client, "remember", text="The dev server runs on port 4000 now.")
        assert [one["id"] for one in new["replaced"]] == [old["id"]]
        assert "3000" in new["replaced"][0]["text"]
        found = await texts(client, "dev server port", "recall")
        assert found == {"The dev server runs on port 4000 now."}
        beside = await call(client, "remember", text="The admin page runs on port 9000.")
        assert beside["replaced"] == []
        assert len((await call(client, "list"))["memories"]) == 2
        again = await call(client, "remember", text="The dev server runs on port 3000.")
        assert [one["id"] for one in again["replaced"]] == [new["id"]], "and back"


@pytest.mark.req("A13")
async def test_a_long_text_is_not_taken_back_by_one_sentence(project: Any) -> None:
    """It says more than what changed; nor does it take back the rest of what was said."""
    notes = "The dev server runs on port 3000. " + "Each page has a test of its own. " * 20
    async with project("web") as client:
        await call(client, "remember", text=notes)
        new = await call(client, "remember", text="The dev server no longer runs on port 3000.")
        assert new["replaced"] == []
        await call(client, "remember", text="The page has a test.")
        again = notes.replace("3000", "4000") + "The page no longer has a test."
        assert (await call(client, "remember", text=again))["replaced"] == []
        assert len((await call(client, "list"))["memories"]) == 4


@pytest.mark.req("A13", "B12")
async def test_only_what_was_said_through_this_connection_is_replaced(
    project: Any, keys: Keys, confide: Confide
) -> None:
    other = await keys.personal(ME, "laptop")
    alice = read_entity(ME)
    await confide.remember(statement("The port is 1000.", by=ME, place="dm", sensitivity="public"))
    async with project("web", other) as client:
        await call(client, "remember", text="The port is 3000.")
    async with project("shop") as client:
        await call(client, "remember", text="The port is 2000.")
    await confide.keys.open_connections(alice, actor=operator_as(alice))
    async with project("web") as client:
        assert (await call(client, "remember", text="The port is 4000."))["replaced"] == []
    async with project("web", other) as client:
        assert "The port is 3000." in await texts(client, "The port is 3000.", "recall")


@pytest.mark.req("A13", "B12")
async def test_update_by_id_replaces_here_and_asks_elsewhere(
    project: Any, confide: Confide
) -> None:
    alice = read_entity(ME)
    dm = await confide.remember(statement(DM, by=ME, place="dm", sensitivity="public"))
    async with project("web") as client:
        old = await call(client, "remember", text="Tests need Docker.")
        new = await call(client, "update", id=old["id"], text="Tests need Podman.")
        assert new["replaces"] == old["id"]
        assert await texts(client, "What do tests need?", "recall") == {"Tests need Podman."}
        hidden = await refused(client, "update", id=str(dm.id), text="I hate it.")
        absent = await refused(client, "update", id="nothing", text="I hate it.")
        assert hidden == absent == "there is no such memory"
        assert not await confide.consents.requests(alice)
        await confide.keys.open_connections(alice, actor=operator_as(alice))
        assert "Request" in await refused(client, "update", id=str(dm.id), text="I hate it.")
        assert await texts(client, DM, "recall") == {DM}, "until the person says yes"


@pytest.mark.req("K16")
async def test_forget_ends_it_in_every_project(project: Any) -> None:
    async with project("web") as client:
        kept = await call(client, "remember", text="I prefer tabs over spaces.")
    async with project("shop") as client:
        assert (await call(client, "forget", id=kept["id"]))["undo_until"]
        assert (await call(client, "list"))["memories"] == []
