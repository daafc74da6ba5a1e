"""A context is chosen among those that the token or its participants attest (K10)."""

from __future__ import annotations

import pytest
from tests.mcp.conftest import Connect, Keys, call, refused, texts

from confide import Confide, audience, operator_as, statement
from confide.model import Place, PlaceKind
from confide.reading import read_entity

SEAN, VET = read_entity("human:sean"), read_entity("human:vet")
CARE = Place(id="ctx:bella_health", kind=PlaceKind.CONTEXT)
LIMP = "Bella limps a little since Monday."
DIET = "Bella gets the grain-free food."


@pytest.fixture
async def care(confide: Confide) -> None:
    await confide.contexts.enter(CARE, SEAN, VET, actor=operator_as())


@pytest.mark.req("K10", "K16")
@pytest.mark.usefixtures("care")
async def test_only_contexts_that_one_takes_part_in_can_be_entered(
    connect: Connect, keys: Keys
) -> None:
    async with connect(await keys.personal("human:sean")) as client:
        listed = await call(client, "context_list")
        assert [one["context"] for one in listed["contexts"]] == [CARE.id]
        assert (await call(client, "context_enter", context=CARE.id))["context"] == CARE.id
    async with connect(await keys.personal("human:bob")) as client:
        hidden = await refused(client, "context_enter", context=CARE.id)
        assert hidden == await refused(client, "context_enter", context="ctx:absent")
        assert (await call(client, "context_list"))["count"] == 0
        for tool, fields in (("memory_create", {"text": LIMP}), ("memory_recall", {"query": LIMP})):
            assert await refused(client, tool, context=CARE.id, **fields) == hidden


@pytest.mark.req("K7", "K10")
@pytest.mark.usefixtures("care")
async def test_what_is_said_in_a_context_belongs_to_it(
    confide: Confide, connect: Connect, keys: Keys
) -> None:
    async with connect(await keys.personal("human:sean")) as client:
        await call(client, "memory_create", text=DIET, context=CARE.id, sensitivity="public")
    there = audience("human:vet", CARE, present=["human:sean"])
    assert [one.memory.text for one in (await confide.recall(DIET, there)).memories] == [DIET]
    elsewhere = audience("human:vet", "public:dogs@park")
    assert not (await confide.recall(DIET, elsewhere)).memories


@pytest.mark.req("K10", "S24")
@pytest.mark.usefixtures("care")
async def test_what_others_said_in_a_context_is_not_told_to_a_client_that_reads_along(
    confide: Confide, connect: Connect, keys: Keys
) -> None:
    await confide.remember(
        statement(LIMP, by="human:vet", place=CARE, about=["dog:bella"], sensitivity="public")
    )
    secret = await keys.personal("human:sean")
    async with connect(secret) as client:
        assert await texts(client, LIMP, context=CARE.id) == set()
        # Until its owner lets their connections hear what they themselves may hear.
        await confide.keys.open_connections(SEAN, actor=operator_as(SEAN))
        assert await texts(client, LIMP, context=CARE.id) == {LIMP}


@pytest.mark.req("K10")
@pytest.mark.usefixtures("care")
async def test_a_token_for_a_context_is_in_it_and_in_no_other(
    confide: Confide, connect: Connect, keys: Keys
) -> None:
    await confide.contexts.enter(
        Place(id="ctx:other", kind=PlaceKind.CONTEXT), SEAN, actor=operator_as()
    )
    await confide.remember(
        statement(LIMP, by="human:vet", place=CARE, about=["dog:bella"], sensitivity="public")
    )
    token = await keys.token("human:sean", CARE, present=["human:vet"])
    async with connect(token) as client:
        assert await texts(client, LIMP) == {LIMP}
        assert await texts(client, LIMP, context=CARE.id) == {LIMP}
        assert [one["context"] for one in (await call(client, "context_list"))["contexts"]] == [
            CARE.id
        ]
        await refused(client, "context_enter", context="ctx:other")


@pytest.mark.req("K10", "K16")
@pytest.mark.usefixtures("care")
async def test_over_pipes_an_entered_context_holds_until_it_is_left(
    confide: Confide, start: Connect
) -> None:
    async with start("--as", "human:sean", "--profile", "community") as client:
        await call(client, "memory_create", text=DIET)
        assert await texts(client, DIET) == {DIET}
        await call(client, "context_enter", context=CARE.id)
        # What Sean told his own connection is not for the vet, who is in the context.
        assert await texts(client, DIET) == set()
        assert "in private" in await refused(client, "privacy_audit", memory_id="x")
        await call(client, "context_leave")
        assert await texts(client, DIET) == {DIET}
        await call(client, "context_enter", context=CARE.id)
        await confide.contexts.leave(CARE, SEAN, actor=operator_as(SEAN))
        assert await refused(client, "memory_recall", query=DIET) == "there is no such context"


@pytest.mark.req("K10", "K16")
@pytest.mark.usefixtures("care")
@pytest.mark.parametrize("sensitivity", ["public", "personal"])
async def test_ones_own_words_in_a_context_come_back_there(
    connect: Connect, keys: Keys, sensitivity: str
) -> None:
    """The client carried them, so that it may hear them again; another client may not."""
    async with connect(await keys.personal("human:sean")) as client:
        fields = {"context": CARE.id, "sensitivity": sensitivity}
        await call(client, "memory_create", text=DIET, **fields)
        found = await call(client, "memory_recall", query=DIET, context=CARE.id)
        expected = 1 if sensitivity == "public" else 0
        assert found["count"] == expected
    async with connect(await keys.personal("human:vet")) as client:
        found = await call(client, "memory_recall", query=DIET, context=CARE.id)
        assert found["count"] == 0, "a client that did not carry them reads along"
