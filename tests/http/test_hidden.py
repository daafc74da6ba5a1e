"""Hidden and absent look the same: status, body, size and headers."""

from __future__ import annotations

import httpx
import pytest
import pytest_asyncio
from tests.http.conftest import Served, remembered
from tests.http.matrix import ABSENT, GUARDED_BY_ID, Row
from tests.http.rows import Rows
from tests.http.test_authorization import ALICE, asked, opened_for, thing

from confide import operator_as

pytestmark = pytest.mark.asyncio(loop_scope="module")
VARY = {"date", "x-request-id"}


@pytest_asyncio.fixture(loop_scope="module")
async def served(rows: Rows) -> Served:
    return rows.fresh()


def look(answer: httpx.Response) -> tuple[int, bytes, list[tuple[str, int]]]:
    """All that can be seen of an answer; of an id and a date, how long they are."""
    headers = [
        (name, len(value) if name in VARY else hash(value))
        for name, value in answer.headers.items()
    ]
    return answer.status_code, answer.content, headers


@pytest.mark.parametrize("row", GUARDED_BY_ID, ids=lambda row: row.route)
async def test_what_is_anothers_is_answered_like_what_does_not_exist(
    served: Served, row: Row
) -> None:
    await opened_for(served, "human:bob", row, "personal")
    bob = await served.personal("human:bob")
    hidden = await asked(bob, row, await thing(served, row), memory=ABSENT)
    absent = await asked(bob, row, ABSENT, memory=ABSENT)
    assert look(hidden) == look(absent)
    # What no personal key may do is refused before anything is looked up.
    assert hidden.status_code == (404 if "personal" in row.callers else 403)


async def test_a_recall_that_withholds_looks_like_one_that_knows_nothing(served: Served) -> None:
    local, empty = await served.platform(), await served.platform()
    asks = {"question": "where is the treasure buried?", "asker": "human:bob", "place": "dm"}
    before = look(await empty.post("/v1/recall", json=asks))
    await remembered(local, "The treasure is buried under the oak", by=ALICE, place="dm")
    await remembered(local, "The treasure is buried by the sea", by=ALICE, place="group:pirates")
    assert look(await local.post("/v1/recall", json=asks)) == before
    for path in ("/v1/memories", "/v1/review", "/v1/consents", "/v1/contexts", "/v1/people"):
        answer = await local.get(path, params={"as": "human:bob"})
        assert answer.status_code == 200
        assert not next(iter(answer.json().values())), path


async def test_unknown_expired_and_revoked_keys_look_the_same(served: Served) -> None:
    one = await served.key("personal", entity=ALICE)
    key = (await served.confide.keys.list())[0]
    await served.confide.keys.revoke(key.id, actor=operator_as())
    answers = [
        look(await served.client(secret).get("/v1/whoami")) for secret in (one, "cfd_" + "x" * 43)
    ]
    assert answers[0] == answers[1]
    assert answers[0][0] == 401
