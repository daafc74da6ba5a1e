"""An export sent to a server: taken in with progress, as on the command line."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import Opened
from tests.http.conftest import Served, serving
from tests.imports import exports
from tests.imports.exports import write
from tests.learn.speaking import learn

from confide import Entity
from confide.client.client import ConfideClient
from confide.errors import InvalidInput
from confide.model import Scope

ME, ANNA = Entity.parse("human:me"), Entity.parse("human:anna")


@pytest.fixture
async def served(open_confide: Opened) -> AsyncIterator[Served]:
    async with open_confide(learn=False) as confide, serving(confide) as one:
        yield one


async def sent(client: Any, body: bytes, **query: Any) -> list[dict[str, Any]]:
    answer = await client.post("/v1/imports", content=body, params=query)
    assert answer.status_code == 200, answer.text
    return [json.loads(line) for line in answer.text.splitlines()]


@pytest.mark.req("P8")
async def test_a_file_is_taken_in_and_says_how_far_it_got(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from confide.keep import imports

    monkeypatch.setattr(imports, "AT_ONCE", 2)
    local = await served.platform()
    body = write(tmp_path, exports.slack(), "zip").read_bytes()
    asked = {"as": "human:me", "name": "export.zip"}
    looked = await sent(local, body, **asked, dry_run=True)
    assert looked[-1]["result"]["levels"] == {"group": 4}
    assert not (await served.confide.sources.list(actor=_operator())).batches
    lines = await sent(local, body, **asked, map=["Me=human:me", "Anna=human:anna"])
    assert [one["messages"] for one in lines[:-1]] == sorted(one["messages"] for one in lines[:-1])
    assert lines[-2] == {"messages": 4, "of": 4}
    assert (lines[-1]["result"]["new"], lines[-1]["result"]["known"]) == (4, 0)
    again = await sent(local, body, **asked)
    assert again[-1]["result"]["batch"]["known"]
    assert again[-1]["result"]["new"] == 0
    await learn(served.confide)
    assert {one.scope for one in await served.confide.memories(ME)} == {Scope.GROUP}
    claims = (await local.get("/v1/claims", params={"as": "human:anna"})).json()["claims"]
    assert [(one["importer"], one["name"], one["standing"]) for one in claims] == [
        ("human:me", "Anna", "waiting")
    ]


@pytest.mark.req("B12")
async def test_a_personal_key_brings_its_owners_chats_for_them_alone(
    served: Served, tmp_path: Path
) -> None:
    own = await served.personal("human:me")
    body = write(tmp_path, exports.slack(), "zip").read_bytes()
    done = await sent(own, body, name="export.zip", map=["Anna=human:anna"])
    assert done[-1]["result"]["new"] == 4
    await learn(served.confide)
    kept = await served.confide.memories(ME)
    assert {one.scope for one in kept} == {Scope.DM}
    assert not await served.confide.claims.on(ANNA)
    other = await own.post("/v1/imports", content=body, params={"as": "human:bob", "name": "a.zip"})
    assert other.status_code in (403, 422)


async def test_what_is_wrong_is_named_and_changes_nothing(served: Served, tmp_path: Path) -> None:
    local = await served.platform()
    for body, query, field in (
        (b"\0\1", {"name": "x.bin"}, "file"),
        (b"PK\x03\x04 broken", {"name": "x.zip", "from": "slack"}, "file"),
        (b"hello", {"name": "a.md", "from": "icq"}, "from"),
        (b"hello", {"name": ".."}, "file"),
        (b"hello", {"name": "a.md", "map": "Anna"}, "map"),
        (b"hello", {}, "name"),
    ):
        answer = await local.post("/v1/imports", content=body, params={"as": "human:me", **query})
        if answer.status_code == 200:  # an empty answer of a format that found nothing
            assert json.loads(answer.text.splitlines()[-1])["result"]["messages"] == 0
            continue
        assert answer.status_code == 422, answer.text
        assert field in answer.text
    unknown = await sent(
        local, b"- I love tea\n", **{"as": "human:me"}, name="a.md", map="Eve=human:eve"
    )
    assert unknown[-1]["error"]["field"] == "map"
    assert not await served.confide.memories(ME)


async def test_the_client_sends_it_and_is_told_how_far_it_got(
    served: Served, tmp_path: Path
) -> None:
    path = write(tmp_path, exports.slack(), "zip")
    key = await served.key("platform", platform="local")
    agent = served.confide.database.agent
    seen: list[tuple[int, int]] = []
    out: list[tuple[int, int]] = []
    async with ConfideClient.open(served.url, key, agent=agent) as client:
        done = await client.imports.bring(
            path, importer=ME, names={"Me": ME},
            sent=lambda n, of: out.append((n, of)), each=lambda n, of: seen.append((n, of)),
        )  # fmt: skip
        size = path.stat().st_size
        assert (done["new"], seen[-1], out[-1]) == (4, (4, 4), (size, size))
        with pytest.raises(InvalidInput, match="map"):
            await client.imports.bring(path, importer=ME, names={"Nobody": ANNA})


def _operator() -> Any:
    from confide import operator_as

    return operator_as()
