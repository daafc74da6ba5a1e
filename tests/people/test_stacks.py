"""Stacks between agents: filtered, signed, bound to one receiver, and gone when they end."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest
from tests.cli.conftest import Ask, Run
from tests.conftest import Opened

from confide import Confide, Entity, audience, operator_as, statement
from confide.errors import InvalidInput
from confide.privacy import atoms

KIM, SEAN = Entity("human", "kim"), Entity("human", "sean")
LETTERS = "Kim mixes up the letters b and d when reading"
SECRET = "Kim is afraid of the dark cellar"
QUESTION = "which letters are mixed up when reading, and who is afraid of the dark cellar?"


@pytest.fixture
async def other(open_confide: Opened, agent: str) -> AsyncIterator[Confide]:
    """Another agent, who is given a stack."""
    async with open_confide(agent=f"{agent}b") as opened:
        yield opened


async def granted(confide: Confide, to: Entity, **more: object):
    shared = await confide.remember(statement(LETTERS, by=KIM, place="dm"))
    await confide.remember(statement(SECRET, by=KIM, place="dm"))
    return await confide.consents.share(shared.id, atoms.entity(to), actor=operator_as(KIM), **more)


async def thinks_of(confide: Confide, who: Entity | None = None) -> set[str]:
    asker = who or confide.database.agent_entity
    context = await confide.recall(QUESTION, audience(asker, "dm"))
    return {one.memory.text for one in context.memories}


async def exported(confide: Confide, to: Entity, **more: timedelta) -> str:
    written, _ = await confide.stacks.export(to, actor=operator_as(), **more)
    return written


@pytest.mark.req("K8", "K9")
async def test_a_stack_holds_only_what_its_receiver_was_granted_and_is_for_the_receiver_alone(
    confide: Confide, other: Confide
) -> None:
    to = other.database.agent_entity
    await granted(confide, to)
    done = await other.stacks.load(await exported(confide, to), actor=operator_as())
    assert (done.kept, done.left_out) == (1, 0)
    assert await thinks_of(other) == {LETTERS}
    for who in (KIM, SEAN, confide.database.agent_entity):
        assert await thinks_of(other, who) == set(), "every clause of the chain still holds"


@pytest.mark.req("K8")
async def test_the_next_agent_in_the_chain_keeps_the_clauses_of_the_first(
    confide: Confide, other: Confide
) -> None:
    to = other.database.agent_entity
    await granted(confide, to)
    await other.stacks.load(await exported(confide, to), actor=operator_as())
    (mine,) = await other.access.existing(to, actor=operator_as(to))
    third = Entity("si", "third")
    await other.consents.share(mine.id, atoms.entity(third), actor=operator_as(to))
    _, bundle = await other.stacks.export(third, actor=operator_as())
    assert bundle.entries == (), "Kim and the first agent have not agreed"


@pytest.mark.req("K9")
async def test_a_tampered_replayed_expired_or_misdirected_stack_is_refused(
    confide: Confide, other: Confide, clock
) -> None:
    to = other.database.agent_entity
    await granted(confide, to)
    old, new = await exported(confide, to), await exported(confide, to)
    outer = json.loads(new)
    bodies = [
        json.dumps(outer | {"stack": outer["stack"].replace("letters b", "letters x")}),
        json.dumps(outer | {"signature": "0" * 64}),
        json.dumps(outer | {"signature": None}),
        "[]", "{", "not a stack",
    ]  # fmt: skip
    for tampered in bodies:
        with pytest.raises(InvalidInput, match="stack"):
            await other.stacks.load(tampered, actor=operator_as())
    with pytest.raises(InvalidInput, match="made for"):
        await confide.stacks.load(new, actor=operator_as())
    with pytest.raises(InvalidInput, match="only the agent"):
        await other.stacks.load(new, actor=operator_as(SEAN))
    await other.stacks.load(new, actor=operator_as())
    for replayed in (new, old):
        with pytest.raises(InvalidInput, match="already"):
            await other.stacks.load(replayed, actor=operator_as())
    newest = await exported(confide, to)
    clock.advance(days=8)
    with pytest.raises(InvalidInput, match="expired"):
        await other.stacks.load(newest, actor=operator_as())
    assert await thinks_of(other) == set(), "what was taken has ended, too"


@pytest.mark.req("K9", "K11")
async def test_a_consent_that_ends_ends_in_the_stack_and_a_withdrawn_one_with_the_next(
    confide: Confide, other: Confide, clock
) -> None:
    to = other.database.agent_entity
    effect = await granted(confide, to, lasts=timedelta(days=2))
    await other.stacks.load(await exported(confide, to), actor=operator_as())
    clock.advance(days=1)
    assert await thinks_of(other) == {LETTERS}
    await confide.consents.withdraw(effect.consent_id, actor=operator_as(KIM))
    await other.stacks.load(await exported(confide, to), actor=operator_as())
    assert await thinks_of(other) == set()


@pytest.mark.req("K9", "K11")
async def test_a_stack_does_not_outlive_the_consent_it_needs(
    confide: Confide, other: Confide, clock
) -> None:
    to = other.database.agent_entity
    await granted(confide, to, lasts=timedelta(days=2))
    await other.stacks.load(await exported(confide, to), actor=operator_as())
    clock.advance(days=3)
    assert await thinks_of(other) == set()


@pytest.mark.req("K9", "K17")
async def test_only_the_agent_or_its_operator_gives_a_stack_and_only_to_agents(
    confide: Confide,
) -> None:
    with pytest.raises(InvalidInput, match="only the agent"):
        await confide.stacks.export(Entity("si", "b"), actor=operator_as(KIM))
    for nobody in (KIM, confide.database.agent_entity):
        with pytest.raises(InvalidInput, match="no other agent"):
            await confide.stacks.export(nobody, actor=operator_as())


@pytest.mark.req("K9")
def test_on_the_command_line(ask: Ask, run: Run, agent: str, tmp_path: Path) -> None:
    id = ask("remember", LETTERS, "--by", "human:kim", "--in", "dm")["id"]
    ask("remember", SECRET, "--by", "human:kim", "--in", "dm")
    ask("share", id, "--with", f"si:{agent}b", "--as", "human:kim")
    file = str(tmp_path / "b.stack")
    made = ask("stack", "export", "--to", f"si:{agent}b", "--out", file)
    assert (made["memories"], made["serial"]) == (1, 1)
    assert "cellar" not in Path(file).read_text()
    assert ask("stack", "load", file, "--agent", f"{agent}b")["kept"] == 1
    assert run("stack", "load", file, "--agent", f"{agent}b").exit_code == 2
    assert run("stack", "load", str(tmp_path / "none"), "--agent", f"{agent}b").exit_code == 2
