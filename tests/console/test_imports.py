"""Bringing chats along in the browser: looked at, taken in, and told to nobody else."""

from __future__ import annotations

import pytest
from tests.console.community import ALICE, BOB
from tests.console.conftest import Community
from tests.console.test_signing_in import entered, token_of
from tests.http.conftest import Served
from tests.imports import exports
from tests.imports.exports import zipped


def sent(page: str, do: str, **fields: str) -> dict[str, object]:
    return {
        "data": {"csrf": token_of(page), "do": do, **fields},
        "files": {"file": ("export.zip", zipped(exports.slack()))},
    }


@pytest.mark.req("P8")
@pytest.mark.asyncio(loop_scope="session")
async def test_a_file_is_looked_at_and_brought_in(own_site: Served, fresh: Community) -> None:
    one = await entered(own_site, ALICE)
    page = (await one.get("/import")).text
    looked = await one.post("/import", **sent(page, "look"))  # pyright: ignore
    assert looked.status_code == 200, looked.text
    assert "What would come in" in looked.text
    assert "4 in rooms whose members the file lists" in looked.text
    assert (await one.get("/import.json")).json()["batches"] == []
    done = await one.post("/import", **sent(page, "import", map="Me = human:alice"))  # pyright: ignore
    assert "4 messages new, 0 known already" in done.text
    again = await one.post("/import", **sent(page, "import"))  # pyright: ignore
    assert "0 messages new, 4 known already" in again.text
    (batch,) = (await one.get("/import.json")).json()["batches"]
    assert (batch["file_name"], batch["messages"]) == ("export.zip", 4)
    other = await entered(own_site, BOB)
    assert "export.zip" not in (await other.get("/import")).text
    assert (await other.get("/import.json")).json()["batches"] == []


@pytest.mark.req("B12")
@pytest.mark.asyncio(loop_scope="session")
async def test_only_a_person_imports_and_only_from_their_own_page(site: Served) -> None:
    one, operator = await entered(site, ALICE), await entered(site, None)
    assert (await operator.get("/import")).status_code == 404
    page = (await one.get("/import")).text
    forged = sent(page, "import")
    forged["data"]["csrf"] = "0" * 64  # pyright: ignore
    assert (await one.post("/import", **forged)).status_code == 403  # pyright: ignore
    operator_page = (await operator.get("/overview")).text
    assert (await operator.post("/import", **sent(operator_page, "import"))).status_code == 404  # pyright: ignore
    for fields in ({"map": "nobody"}, {"map": "Eve = human:eve"}, {"from": "icq"}):
        wrong = await one.post("/import", **sent(page, "import", **fields))  # pyright: ignore
        assert wrong.status_code == 422, fields
    # Other forms take no files.
    assert (await one.post("/me/choices", **sent(page, "look"))).status_code == 422  # pyright: ignore
    assert (await one.get("/import.json")).json()["batches"] == []
