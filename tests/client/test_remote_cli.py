"""The command line pointed at a server: the same words, the same output."""

from __future__ import annotations

from pathlib import Path

from tests.client.conftest import ask, here, remote
from tests.http.conftest import Served, serving

from confide import Confide

TEA = "Alice drinks green tea in the morning."


async def test_the_output_is_the_same_here_and_elsewhere(home: Path, agent: str) -> None:
    # Both in the real time, which is the command line's.
    async with Confide.open(home, agent=agent) as confide, serving(confide) as served:
        await _compare(served, home, agent)


async def _compare(served: Served, home: Path, agent: str) -> None:
    far = remote(served.url, await served.key("platform", platform="local"))
    near = here(home, agent)

    async def both(*words: str) -> None:
        at_home, elsewhere = await near(*words), await far(*words)
        assert (elsewhere.stdout, elsewhere.exit_code) == (at_home.stdout, at_home.exit_code), words

    made = await ask(
        far, "remember", TEA, "--by", "human:alice", "--in", "group:tea", "--for", "2w",
        "--kind", "event", "--sensitivity", "public",
    )  # fmt: skip
    assert made["expires_at"]
    await ask(near, "people", "name", "human:alice", "Alice A.")
    await both("recall", TEA, "--as", "human:bob", "--in", "group:tea", "--markdown")
    await both("recall", TEA, "--as", "human:alice", "--in", "dm")
    told = (await ask(far, "tellings", made["id"], "--as", "human:alice"))["tellings"]
    assert {one["place"] for one in told} == {"tea", None}
    for rest in ((), ("--json",)):
        await both("recall", TEA, "--as", "human:alice", "--in", "group:tea", *rest)
        await both("why", "--as", "human:alice", "--in", "group:tea", *rest)
        await both("recall", TEA, "--as", "human:bob", "--in", "dm", *rest)
        await both("memories", "--as", "human:alice", *rest)
        await both("memories", "--as", "human:alice", "--search", "tea", *rest)
        await both("memories", "--as", "human:alice", "--id", made["id"], *rest)
        await both("memories", "--as", "human:bob", "--id", made["id"], *rest)
        await both("memories", "--as", "human:bob", "--mentions", *rest)
        await both("memories", "--as", "human:alice", "--stats", *rest)
        await both(
            "explain",
            made["id"],
            "--as",
            "human:bob",
            "--in",
            "dm",
            "--actor",
            "human:alice",
            *rest,
        )
        await both("tellings", made["id"], "--as", "human:alice", *rest)
        await both("consent", "list", "--as", "human:alice", *rest)
        await both("consent", "requests", "--as", "human:alice", *rest)
        await both("context", "list", "--as", "human:alice", *rest)
        await both("privacy", "status", "--as", "human:alice", *rest)
        await both("people", "list", "--as", "human:alice", *rest)
        await both("audit", "memory", made["id"], "--as", "human:alice", *rest)
    await both("recall", TEA, "--as", "nobody", "--in", "dm")
    await both("recall", TEA, "--as", "human:alice", "--in", "nowhere")
    await both("forget", made["id"], "--as", "human:alice", "--yes")


async def test_an_admins_output_is_the_same_here_and_elsewhere(home: Path, agent: str) -> None:
    async with Confide.open(home, agent=agent, learn=False) as confide, serving(confide) as served:
        local = remote(served.url, await served.key("platform", platform="local"))
        admin = remote(served.url, await served.key("admin"))
        await ask(local, "remember", TEA, "--by", "human:alice", "--in", "public:tea@guild")
        await ask(local, "places", "join", "thread:oolong@tea@guild", "human:bob")
        await ask(local, "request", "access", "--as", "human:alice")
        for rest in ((), ("--json",)):
            for words in (
                ("report",),
                ("gc", "--preview"),
                ("doctor",),
                ("places", "list"),
                ("request", "list"),
                ("generalizations", "list"),
                ("jobs",),
                ("sessions",),
                ("keys", "list"),
                ("audit", "verify"),
                ("worker", "--once"),
            ):
                at_home = await here(home, agent)(*words, *rest)
                there = await admin(*words, *rest)
                assert there.stdout == at_home.stdout, words
                assert there.exit_code == at_home.exit_code == 0, words


async def test_what_needs_the_disk_says_so_and_changes_nothing(served: Served) -> None:
    far = remote(served.url, await served.key("platform", platform="local"))
    for words in (
        ("db", "status"),
        ("stack", "export", "--as", "human:alice", "--out", "x"),
        ("keys", "create", "admin"),
        ("worker", "--once"),
    ):
        done = await far(*words)
        assert done.exit_code in (1, 2), words
        assert done.stdout == ""


async def test_a_personal_key_speaks_for_its_person_alone(served: Served) -> None:
    far = remote(served.url, await served.key("personal", entity="human:alice"))
    await ask(far, "remember", TEA, "--by", "human:alice", "--in", "dm")
    told = await ask(far, "recall", TEA, "--as", "human:alice", "--in", "dm")
    assert [one["text"] for one in told["memories"]] == [TEA]
    for words in (
        ("recall", TEA, "--as", "human:bob", "--in", "dm"),
        ("recall", TEA, "--as", "human:alice", "--in", "public:general@guild"),
        ("remember", TEA, "--by", "human:bob", "--in", "dm"),
        ("memories", "--as", "human:bob"),
        ("consent", "list", "--as", "human:bob"),
        ("privacy", "opt-out", "--as", "human:bob"),
    ):
        refused = await far(*words)
        assert refused.exit_code == 1, words
        assert refused.stdout == ""
        assert TEA not in refused.stderr


async def test_an_admin_sees_the_state_and_no_content(served: Served) -> None:
    far = remote(served.url, await served.key("admin"))
    found = await ask(far, "status")
    assert found["database"]["kind"] == "server"
    assert found["database"]["home"] is None
    assert found["agent"] == served.confide.database.agent, "the server's, not this machine's"
    assert (await far("jobs", "--json")).exit_code == 0
    assert (await far("places", "list", "--json")).exit_code == 0
    refused = await far("recall", TEA, "--as", "human:alice", "--in", "dm")
    assert refused.exit_code == 1


async def test_without_a_key_or_a_server_one_is_told_which_setting_to_mend(
    served: Served,
) -> None:
    keyless = await remote(served.url, "")("memories", "--as", "human:alice")
    assert keyless.exit_code == 2
    assert "CONFIDE_KEY" in keyless.stderr
    nowhere = await remote("http://127.0.0.1:9", "cfd_x")("memories", "--as", "human:alice")
    assert nowhere.exit_code == 1
    assert "CONFIDE_URL" in nowhere.stderr


async def test_a_folder_named_outright_is_used_here(served: Served, home: Path, agent: str) -> None:
    far = remote(served.url, "cfd_wrong")
    done = await far("--home", str(home), "--agent", agent, "memories", "--as", "human:alice")
    assert done.exit_code == 0
