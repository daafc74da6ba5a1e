"""Every change and telling leaves an entry that holds no content, and whose owner can be forgotten."""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable
from typing import Any

import asyncpg
import pytest

from confide import Confide, audience, statement
from confide.actor import Actor, operator_as
from confide.errors import InvalidInput, NotFound
from confide.keep.trail import Entry
from confide.model import Entity, Message, Place, PlaceKind
from confide.privacy import atoms
from confide.privacy.acting import CallerKind
from confide.store.consents import About
from confide.store.trail import forget_names

ALICE, BOB = Entity("human", "alice"), Entity("human", "bob")
KID, MUM = Entity("human", "kid"), Entity("human", "mum")
AS_ALICE, AS_BOB, OPERATOR = operator_as(ALICE), operator_as(BOB), operator_as()
ROOM = Place(id="friends", kind=PlaceKind.GROUP)


async def log(confide: Confide, **asked: Any) -> list[Entry]:
    return await confide.trail.log(actor=OPERATOR, limit=1000, **asked)


async def kept(confide: Confide, text: str = "I keep bees", **fields: Any) -> uuid.UUID:
    given = {"by": "human:alice", "place": "dm"} | fields
    return (await confide.remember(statement(text, **given))).id


async def do_share(confide: Confide) -> None:
    id = await kept(confide)
    await confide.consents.share(id, atoms.entity(BOB), actor=AS_ALICE)
    await confide.consents.unshare(id, atoms.entity(BOB), actor=AS_ALICE)


async def do_guardian(confide: Confide) -> None:
    await confide.people.appoint_guardian(KID, MUM, actor=OPERATOR)
    await confide.people.end_guardian(KID, MUM, actor=OPERATOR)


async def do_opt_out(confide: Confide) -> None:
    await kept(confide)
    await confide.rights.opt_out(ALICE, actor=AS_ALICE)
    await confide.rights.opt_in(ALICE, actor=AS_ALICE)


async def do_merge(confide: Confide) -> None:
    found = await confide.people.propose_merge(ALICE, BOB, "one phone", actor=AS_ALICE)
    await confide.people.confirm_merge(found.id, actor=AS_ALICE)
    await confide.people.split(found.id, actor=AS_ALICE)


async def do_context(confide: Confide) -> None:
    context = Place(id="ctx:care", kind=PlaceKind.CONTEXT)
    await confide.contexts.enter(context, BOB, actor=Actor(ALICE, CallerKind.PLATFORM))
    await confide.contexts.leave(context, BOB, actor=Actor(BOB, CallerKind.PLATFORM))


async def do_forget(confide: Confide) -> None:
    id = await kept(confide)
    await confide.forget(id, actor=AS_ALICE)
    await confide.restore(id, actor=AS_ALICE)
    await confide.forget(id, actor=AS_ALICE, now=True)


async def do_generalize(confide: Confide) -> None:
    id = await kept(confide, "My marriage ended last spring")
    me = operator_as(confide.database.agent_entity)
    made = await confide.insights.generalize([id], "Endings can be kind", actor=me)
    await confide.insights.review(made.id, approves=True, actor=OPERATOR)


async def do_stack(confide: Confide) -> None:
    await confide.stacks.export(Entity("si", "tutor"), actor=OPERATOR)


async def do_learn(confide: Confide) -> None:
    for n in range(3):
        await confide.observe(
            Message(
                id=f"m{n}",
                place=ROOM,
                speaker=ALICE,
                text=f"I live in {('Paris', 'Rome', 'Oslo')[n]}.",
                said_at=confide.means.clock(),
            )
        )
        await confide.learning.learn(is_everything=True)


async def do_places(confide: Confide) -> None:
    await confide.world.join(Place(id="x@s", kind=PlaceKind.PUBLIC, space="s"), ALICE)
    await confide.world.attest(Place(id="x@s", kind=PlaceKind.RESTRICTED, space="s"))
    await confide.world.leave(Place(id="x@s", kind=PlaceKind.RESTRICTED, space="s"), ALICE)
    await confide.world.assign(Entity("role", "vet"), ALICE)
    await confide.learning.off_the_record(ALICE, ROOM)


VERBS: dict[str, tuple[Callable[[Confide], Awaitable[None]], set[tuple[str, str, str]]]] = {
    "share": (do_share, {("consent", "consent", "added"), ("consent", "memory", "relabelled"),
                         ("withdraw", "consent", "changed"), ("withdraw", "memory", "relabelled")}),
    "guardian": (do_guardian, {("register guardian", "guardian", "added"),
                               ("end guardian", "guardian", "removed")}),
    "opt out": (do_opt_out, {("opt out", "opt_out", "added"), ("opt out", "memory", "silenced"),
                             ("opt in", "opt_out", "removed"),
                             ("opt in", "memory", "no longer silenced")}),
    "merge": (do_merge, {("merge people", "merge", "added"), ("merge people", "merge", "changed"),
                         ("split people", "merge", "changed")}),
    "context": (do_context, {("enter context", "place", "added"),
                             ("enter context", "participant", "added"),
                             ("enter context", "place_member", "added"),
                             ("leave context", "participant", "removed"),
                             ("leave context", "place_member", "changed")}),
    "forget": (do_forget, {("forget", "memory", "deleted"), ("restore", "memory", "restored"),
                           ("forget", "memory", "erased")}),
    "generalize": (do_generalize, {("generalize", "memory", "added"),
                                   ("generalize", "generalization", "added"),
                                   ("review", "generalization", "changed")}),
    "stack": (do_stack, {("export stack", "stack_serial", "added")}),
    "learn": (do_learn, {("learn", "memory", "added"), ("learn", "memory", "superseded"),
                         ("observe", "place", "added")}),
    "places": (do_places, {("join", "place", "added"), ("join", "place_member", "added"),
                           ("join", "space_member", "added"), ("attest", "place", "changed"),
                           ("leave", "place_member", "changed"),
                           ("assign", "collective_member", "added"),
                           ("off the record", "off_record", "added")}),
}  # fmt: skip


@pytest.mark.req("P9", "K15")
@pytest.mark.parametrize("verb", VERBS)
async def test_every_act_leaves_its_entries_and_the_trail_stays_sound(
    confide: Confide, verb: str
) -> None:
    act, expected = VERBS[verb]
    await act(confide)
    assert {(one.doing, one.what, one.action) for one in await log(confide)} >= expected
    assert (await confide.trail.verify()).problems == ()


@pytest.mark.req("P9")
async def test_an_entry_says_when_who_whose_and_what_became_of_it(confide: Confide, clock) -> None:
    id = await kept(confide, "I keep bees", namespace="thesis")
    clock.advance(hours=1)
    await confide.forget(id, actor=AS_ALICE)
    forgotten, remembered = await log(confide, memory_id=id)
    assert (forgotten.actor, forgotten.owner, forgotten.action) == (
        "operator as human:alice",
        "human:alice",
        "deleted",
    )
    assert (remembered.actor, remembered.doing) == ("platform as human:alice", "remember")
    assert (forgotten.at - remembered.at).total_seconds() == 3600
    async with confide.database.keep() as connection:
        rows = await connection.fetch(
            "SELECT workspace, before, after FROM confide.trail WHERE memory_id = $1 ORDER BY seq",
            id,
        )
    assert rows[0]["after"] == rows[1]["before"] != rows[1]["after"]
    assert rows[0]["workspace"] == rows[1]["workspace"] is not None


@pytest.mark.req("S23")
async def test_what_was_told_is_in_the_trail_and_who_asked_is_not(confide: Confide) -> None:
    id = await kept(confide, "The server opens at noon", place="public:general@guild")
    await confide.recall("when does it open?", audience("human:bob", "public:general@guild"))
    told = [one for one in await log(confide, memory_id=id) if one.what == "telling"]
    assert [(one.action, one.owner) for one in told] == [("told, public", "human:alice")]
    assert "bob" not in str(told)


async def test_hearing_ones_own_memory_again_changes_nothing_in_it(confide: Confide) -> None:
    id = await kept(confide)
    await confide.recall("who keeps bees?", audience("human:alice", "dm"))
    actions = [one.action for one in await log(confide, memory_id=id)]
    assert actions == ["told, direct", "added"]


@pytest.mark.req("P9")
async def test_no_content_and_no_name_is_in_the_trail(confide: Confide) -> None:
    await kept(confide, "Quokka plans a move", about=["human:bob"], place="group:friends")
    await confide.recall("Quokka", audience("human:alice", "group:friends"))
    async with confide.database.keep() as connection:
        for table in ("trail", "trail_seal"):
            rows = await connection.fetch(f"SELECT t::text AS row FROM confide.{table} t")
            written = " ".join(row["row"] for row in rows).casefold()
            for word in ("quokka", "move", "alice", "bob", "friends"):
                assert word not in written


@pytest.mark.req("P9")
async def test_nobody_at_work_can_change_or_remove_an_entry(confide: Confide) -> None:
    await kept(confide)
    for statement_ in (
        "UPDATE confide.trail SET action = 'x'",
        "DELETE FROM confide.trail",
        "TRUNCATE confide.trail",
        "UPDATE confide.trail_seal SET entries = 1",
        "DELETE FROM confide.trail_seal",
        "UPDATE confide.trail_name SET name = 'human:eve'",
        "INSERT INTO confide.trail (agent, seq, at, proof, what, action)"
        " OVERRIDING SYSTEM VALUE VALUES (confide.this_agent(), 1, now(), 'key', 'memory', 'x')",
    ):
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            async with confide.database.keep() as connection:
                await connection.execute(statement_)
    for begin in ("confide_owner", "confide_migrate"):
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            async with confide.database._transaction(
                f"BEGIN; SET LOCAL ROLE confide_migrate; SET LOCAL ROLE {begin}"
            ) as connection:
                await connection.execute("DELETE FROM confide.trail")


async def test_another_agents_trail_is_not_seen(open_confide, agent: str) -> None:
    async with open_confide() as mine, open_confide(agent=f"{agent}b") as other:
        await kept(mine)
        assert await log(other) == []


@pytest.mark.req("P9")
async def test_a_person_sees_their_own_entries_and_no_one_elses_name(confide: Confide) -> None:
    mine = await kept(confide)
    theirs = await kept(confide, "I play chess", by="human:bob")
    there = {"place": "group:choir", "present": ["human:alice"]}
    about = await kept(confide, "Alice sings", by="human:bob", about=["human:alice"], **there)
    await confide.forget(about, actor=AS_ALICE)
    seen = await confide.trail.log(actor=AS_ALICE)
    assert {one.memory_id for one in seen} - {None} == {mine, about}
    assert theirs not in {one.memory_id for one in seen}
    assert "bob" not in str(seen)
    assert {one.number for one in seen} == {None}
    with pytest.raises(NotFound):
        await confide.trail.log(actor=AS_ALICE, of=BOB)
    with pytest.raises(InvalidInput):
        await confide.trail.accept(actor=AS_ALICE)


@pytest.mark.req("P9")
async def test_after_erasure_the_chain_verifies_and_points_to_nobody(confide: Confide) -> None:
    id = await kept(confide)
    hers = await kept(confide, "I play chess", by="human:bob")
    await confide.trail.verify()
    await confide.forget(id, actor=AS_ALICE, now=True)
    async with confide.database.keep(by=AS_ALICE, doing="forget") as connection:
        await forget_names(connection, confide.database.agent, ["human:alice"])
    verified = await confide.trail.verify()
    assert verified.is_sound
    entries = await log(confide)
    assert "alice" not in str(entries)
    assert {one.owner for one in entries if one.memory_id == id} == {"somebody erased"}
    assert {one.owner for one in entries if one.memory_id == hers} == {"human:bob"}


async def test_a_name_that_looks_like_sql_stays_a_name(confide: Confide) -> None:
    odd = Entity("human", "o'br\\';--")
    id = await kept(confide, by=odd)
    await confide.forget(id, actor=operator_as(odd))
    assert (await log(confide))[0].actor == f"operator as {odd}"
    assert (await confide.trail.verify()).is_sound


@pytest.mark.req("P9", "K6")
@pytest.mark.parametrize("does", ["speaks", "opts out", "withdraws"])
async def test_what_others_said_of_somebody_shows_in_none_of_their_entries(
    confide: Confide, does: str
) -> None:
    """Bob's own act touches memories that he does not know of: the surprise party stays one."""
    hidden = [
        await kept(confide, "A party for Bob", place="group:friends", about=[BOB]),
        await kept(confide, "Bob is tired", about=[BOB]),
    ]
    standing = confide.consents.agreement(BOB, atoms.entity(KID))
    given = await confide.consents.give(standing, About(subject=BOB), actor=AS_BOB)
    match does:
        case "speaks":
            await kept(confide, "Hello there", by="human:bob", place="group:friends")
        case "opts out":
            await confide.rights.opt_out(BOB, actor=AS_BOB)
        case _:
            await confide.consents.withdraw(given.consent_id, actor=AS_BOB)
    assert any(one.memory_id in hidden for one in await log(confide))
    seen = await confide.trail.log(actor=AS_BOB, limit=1000)
    assert not [one for one in seen if one.memory_id in hidden]
