"""Every tool for every kind of caller, with the reason. A tool that is not on the list fails."""

from __future__ import annotations

from typing import Any

import pytest
from tests.mcp.conftest import Connect, Keys, call

from confide import Confide, statement
from confide.reading import read_entity
from confide.surfaces.mcp.profiles import PROFILES, every_tool
from mcp import Client

TEA = "Alice drinks green tea in the morning."
OTHERS = "Bob collects old maps of the harbour."

#: What each kind of caller gets, and why.
KINDS = {
    "personal": "speaks for one person in a private place of its own",
    "token": "speaks for one asker, in one place, before named viewers",
    "platform": "attests many, so it has to mint a token that says which one asks",
    "auditor": "sees labels through HTTP; tools are for content",
    "admin": "configures; tools are for content",
}
SPEAKS = frozenset({"personal", "token"})
#: Who may use a tool on what is their own, and why not the others.
TOOL_IS_FOR: dict[str, tuple[frozenset[str], str]] = {
    "memory_create": (SPEAKS, "somebody in particular says it"),
    "memory_recall": (SPEAKS, "somebody in particular asks"),
    "recall_user_context": (SPEAKS | {"platform"}, "without an asker, one entity's global (S24)"),
    "memory_forget": (SPEAKS, "owner, speaker or subject forget (A6)"),
    "context_enter": (SPEAKS, "chooses among one's own contexts"),
    "context_leave": (SPEAKS, "goes back to one's own place"),
    "context_list": (SPEAKS, "lists one's own contexts"),
    "privacy_audit": (SPEAKS, "told in private to owner, speaker or subject (K15)"),
    "consent_grant": (SPEAKS, "asks; owner or speaker (K5)"),
    "consent_revoke": (SPEAKS, "takes back one's own (K11)"),
    "memory_generalize": (SPEAKS, "from one's own memories (K12)"),
    "remember": (SPEAKS, "somebody in particular says it"),
    "recall": (SPEAKS, "somebody in particular asks"),
    "update": (SPEAKS, "owners correct (S22)"),
    "forget": (SPEAKS, "owner, speaker or subject forget (A6)"),
    "list": (SPEAKS, "lists one's own"),
}
#: What a call on something of somebody else's, or of nobody, answers. None: nothing is named.
NOT_YOURS = {
    "memory_create": None,
    "memory_recall": "empty",
    "recall_user_context": "empty",
    "memory_forget": "there is no such memory",
    "context_enter": "there is no such context",
    "context_leave": None,
    "context_list": "empty",
    "privacy_audit": "there is no such memory",
    "consent_grant": "there is no such memory",
    "consent_revoke": "there is no such consent",
    "memory_generalize": "there is no such memory",
    "remember": None,
    "recall": "empty",
    "update": "there is no such memory",
    "forget": "there is no such memory",
    "list": None,
}
ABSENT = "5f0c1111-2222-4333-8444-555566667777"


def test_every_tool_is_on_the_lists() -> None:
    names = {tool.name for tool in every_tool()}
    assert names == set(TOOL_IS_FOR) == set(NOT_YOURS)


def fields_of(tool: str, memory: str, entity: str) -> dict[str, Any]:
    return {
        "memory_create": {"text": "Likes the window seat."},
        "memory_recall": {"query": OTHERS},
        "recall_user_context": {"entity": entity, "query": OTHERS},
        "memory_forget": {"memory_id": memory},
        "context_enter": {"context": f"ctx:{memory}"},
        "context_leave": {},
        "context_list": {},
        "privacy_audit": {"memory_id": memory},
        "consent_grant": {"memory_id": memory, "grantee": "human:kim"},
        "consent_revoke": {"consent_id": memory},
        "memory_generalize": {"memory_ids": [memory], "text": "Old maps make people happy."},
        "remember": {"text": "Likes the aisle seat."},
        "recall": {"query": OTHERS},
        "update": {"id": memory, "text": "Maps are dull."},
        "forget": {"id": memory},
        "list": {},
    }[tool]


@pytest.fixture(autouse=True)
async def _registered(keys: Keys) -> None:
    """Ids of a platform that has no key yet would be local ones, and stay so."""
    await keys.platform()


async def secret_of(kind: str, keys: Keys) -> str:
    match kind:
        case "personal":
            return await keys.personal("human:chat.alice")
        case "token":
            return await keys.token("human:chat.alice", "dm")
        case "platform":
            return await keys.platform()
        case _:
            return await keys.of(kind)


@pytest.mark.req("K16", "K17")
@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("kind", KINDS)
async def test_a_caller_can_use_what_the_list_says_and_nothing_else(
    confide: Confide, connect: Connect, keys: Keys, kind: str, profile: str
) -> None:
    theirs = await confide.remember(
        statement(OTHERS, by="human:chat.bob", place="dm", sensitivity="public")
    )
    offered = [tool.name for tool in PROFILES[profile].tools]
    async with connect(await secret_of(kind, keys), **{"Confide-Profile": profile}) as client:
        for tool in offered:
            allowed, reason = TOOL_IS_FOR[tool]
            for memory, entity in ((str(theirs.id), "human:chat.bob"), (ABSENT, "human:chat.no")):
                done = await client.call_tool(tool, fields_of(tool, memory, entity))
                text = done.content[0].text
                assert "maps" not in text.lower() or "window" in text, (tool, kind, reason)
                if kind not in allowed:
                    assert done.is_error, (tool, kind, reason)
                    assert "speaks for nobody" in text
                elif NOT_YOURS[tool] == "empty":
                    assert done.structured_content["count"] == 0
                elif NOT_YOURS[tool] is not None:
                    assert (done.is_error, text) == (True, NOT_YOURS[tool]), (tool, kind, reason)
                else:
                    assert not done.is_error, (tool, kind, text)


@pytest.mark.req("K16")
@pytest.mark.parametrize("kind", KINDS)
async def test_own_memories_are_read_by_who_speaks_for_somebody(
    connect: Connect, keys: Keys, kind: str
) -> None:
    async with connect(await secret_of(kind, keys)) as client:
        if kind in SPEAKS:
            assert (await client.read_resource("confide://memories")).contents
        else:
            with pytest.raises(Exception, match="speaks for nobody"):
                await client.read_resource("confide://memories")


@pytest.mark.req("K16", "S24")
async def test_a_platform_key_hears_only_what_is_global_of_its_own_people(
    confide: Confide, connect: Connect, keys: Keys
) -> None:
    for who in ("human:chat.alice", "human:other.alice"):
        await confide.remember(
            statement(
                "My in-game name is Nightjar.", by=who, place="dm", scope="global", kind="identity"
            )
        )
        await confide.remember(statement(TEA, by=who, place="dm", sensitivity="public"))
    async with connect(await keys.platform()) as client:
        assert await told(client, "human:chat.alice") == 1
        assert await told(client, "human:other.alice") == 0


@pytest.mark.req("K16", "K17")
async def test_one_uses_each_tool_on_what_is_ones_own(
    confide: Confide, connect: Connect, keys: Keys
) -> None:
    alice = read_entity("human:chat.alice")
    for secret in (await secret_of("personal", keys), await secret_of("token", keys)):
        async with connect(secret) as client:
            made = await call(client, "memory_create", text=TEA, sensitivity="public")
            assert (await call(client, "memory_recall", query=TEA))["count"] >= 1
            assert (await call(client, "privacy_audit", memory_id=made["id"]))["is_complete"]
            asked = await call(client, "consent_grant", memory_id=made["id"], grantee="human:kim")
            assert asked["requests"]
            insight = f"Warm drinks help in the morning{'.' * len(secret)}"[:200]
            await client.call_tool(
                "memory_generalize", {"memory_ids": [made["id"]], "text": insight}
            )
            await call(client, "memory_forget", memory_id=made["id"])
            assert (await call(client, "memory_recall", query=TEA))["count"] == 0
    assert not await confide.consents.given_by(alice)


async def told(client: Client, entity: str) -> int:
    found = await call(client, "recall_user_context", entity=entity, query="in-game name, tea")
    assert all("Nightjar" in one["text"] for one in found["memories"])
    return found["count"]
