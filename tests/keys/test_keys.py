"""Keys: made by the operator, shown once, stored as hashes, and one answer for all that are not."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from tests.conftest import Clock, Opened

from confide import Confide, Entity, audience, operator_as, statement
from confide.actor import Actor
from confide.errors import InvalidInput, NotAllowed, NotFound, NotRecognized, OnlyAsked, TooMany
from confide.keep.keys import Made, Wanted
from confide.privacy.acting import CallerKind
from confide.store.keys import KeyKind
from confide.surfaces.callers import (
    actor_for,
    audience_for,
    connection_of,
    identify,
    place_for,
)

ALICE = Entity.parse("human:alice")


async def made(confide: Confide, kind: str, **fields: object) -> Made:
    wanted = Wanted(kind=KeyKind(kind), **fields)  # type: ignore[arg-type]
    return await confide.keys.create(wanted, actor=operator_as())


async def test_a_key_is_recognized_until_it_expires_or_is_revoked(
    confide: Confide, clock: Clock
) -> None:
    one = await made(confide, "personal", entity=ALICE)
    caller = await identify(confide, one.secret)
    assert (caller.kind, caller.entity, caller.key_id) == (CallerKind.PERSONAL, ALICE, one.key.id)
    assert one.key.expires_at - one.key.created_at == timedelta(days=180)
    other = await made(confide, "personal", entity=ALICE)
    await confide.keys.revoke(other.key.id, actor=operator_as())
    clock.advance(days=179, hours=23)
    await identify(confide, one.secret)
    clock.advance(hours=1)
    wrong = {await refusal(confide, secret) for secret in (one.secret, other.secret)}
    wrong |= {await refusal(confide, "cfd_" + "a" * 43), await refusal(confide, "nonsense")}
    assert len(wrong) == 1, "unknown, expired, revoked and malformed are one answer"


async def refusal(confide: Confide, secret: str) -> str:
    with pytest.raises(NotRecognized) as refused:
        await identify(confide, secret)
    return str(refused.value)


async def test_no_secret_is_stored_anywhere(confide: Confide) -> None:
    one = await made(confide, "platform", platform="discord")
    async with confide.database.keep() as connection:
        rows = await connection.fetch("SELECT k::text AS row FROM confide.api_key k")
    assert rows
    assert not any(one.secret in row["row"] for row in rows)
    assert not any(one.secret.removeprefix("cfd_") in row["row"] for row in rows)
    assert one.secret not in repr(await confide.keys.list())


async def test_a_key_of_one_agent_opens_no_other(open_confide: Opened) -> None:
    async with open_confide(agent="keys-one") as one, open_confide(agent="keys-two") as other:
        key = await made(one, "personal", entity=ALICE)
        await refusal(other, key.secret)


async def test_rotating_ends_the_former_secret_at_once_or_after_the_overlap(
    confide: Confide, clock: Clock
) -> None:
    one = await made(confide, "platform", platform="discord")
    second = await confide.keys.rotate(one.key.id, actor=operator_as(), overlap=timedelta(hours=1))
    for secret in (one.secret, second.secret):
        assert (await identify(confide, secret)).key_id == one.key.id
    clock.advance(hours=1)
    await refusal(confide, one.secret)
    third = await confide.keys.rotate(one.key.id, actor=operator_as())
    await refusal(confide, second.secret)
    assert (await identify(confide, third.secret)).key_id == one.key.id


async def test_a_revoked_key_cannot_be_rotated_back_to_life(confide: Confide) -> None:
    one = await made(confide, "platform", platform="discord")
    await confide.keys.revoke(one.key.id, actor=operator_as())
    with pytest.raises(NotFound):
        await confide.keys.rotate(one.key.id, actor=operator_as())
    with pytest.raises(NotFound):
        await confide.keys.revoke(one.key.id, actor=operator_as())


async def test_a_key_that_asks_too_often_waits(confide: Confide, clock: Clock) -> None:
    one = await made(confide, "personal", entity=ALICE, per_minute=2)
    for _ in range(2):
        await identify(confide, one.secret)
    with pytest.raises(TooMany) as refused:
        await identify(confide, one.secret)
    assert refused.value.wait == 30
    clock.advance(seconds=30)
    await identify(confide, one.secret)


async def test_what_is_done_with_keys_is_in_the_trail(confide: Confide) -> None:
    one = await made(confide, "personal", entity=ALICE)
    await confide.keys.rotate(one.key.id, actor=operator_as())
    await confide.keys.open_connections(ALICE, actor=operator_as(ALICE))
    await confide.keys.revoke(one.key.id, actor=Actor(None, CallerKind.ADMIN))
    entries = await confide.trail.log(actor=operator_as())
    assert {(one.actor, one.doing) for one in entries} == {
        ("operator", "make a key"),
        ("operator", "rotate a key"),
        ("operator as human:alice", "open connections"),
        ("admin", "revoke a key"),
    }
    assert one.secret not in repr(entries)


async def test_when_a_key_was_last_used_is_kept(confide: Confide, clock: Clock) -> None:
    one = await made(confide, "personal", entity=ALICE)
    assert (await confide.keys.list())[0].last_used_at is None
    clock.advance(minutes=5)
    await identify(confide, one.secret)
    assert (await confide.keys.list())[0].last_used_at == clock.now


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("platform", {"kind": "platform"}),
        ("platform", {"kind": "platform", "platform": "Dis.cord"}),
        ("platform", {"kind": "admin", "platform": "discord"}),
        ("entity", {"kind": "personal"}),
        ("entity", {"kind": "auditor", "entity": ALICE}),
        ("entity", {"kind": "personal", "entity": Entity.parse("role:tutor")}),
        ("name", {"kind": "admin", "name": "two words"}),
        ("lasts", {"kind": "admin", "lasts": timedelta(0)}),
        ("per_minute", {"kind": "admin", "per_minute": 0}),
    ],
)
async def test_a_malformed_key_is_refused_by_field(
    confide: Confide, field: str, wrong: dict[str, object]
) -> None:
    with pytest.raises(InvalidInput) as refused:
        await made(confide, **wrong)  # type: ignore[arg-type]
    assert refused.value.field == field
    assert await confide.keys.list() == []


async def test_nobody_makes_a_key_for_the_agent_itself(confide: Confide) -> None:
    with pytest.raises(InvalidInput, match="entity"):
        await made(confide, "personal", entity=confide.database.agent_entity)


@pytest.mark.parametrize(
    "proof", [CallerKind.PERSONAL, CallerKind.PLATFORM, CallerKind.ADMIN, CallerKind.AUDITOR]
)
async def test_only_the_operator_makes_keys(confide: Confide, proof: CallerKind) -> None:
    with pytest.raises(NotAllowed):
        await confide.keys.create(Wanted(kind=KeyKind.ADMIN), actor=Actor(None, proof))


PLATFORM_PLACES = {
    "dm": True,
    "group:discord.1": True,
    "public:discord.1@discord.2": True,
    "restricted:discord.1@discord.2": True,
    "thread:discord.3@discord.1": True,
    "thread:discord.3@discord.1@discord.2": True,
    "ctx:discord.care": True,
    "group:slack.1": False,
    "public:discord.1@slack.2": False,
    "public:slack.1@discord.2": False,
    "public:discord.1@guild": False,
    "thread:discord.3@slack.1": False,
    "thread:discord.3@discord.1@slack.2": False,
    "ctx:care": False,
    "ctx:slack.care": False,
    "group:ctx:discord.care": False,
    "group:discordx.1": False,
    "group:dm:human:slack.bob": False,
    "connection:human:discord.1/laptop": False,
    "connection:discord.1": False,
    "group:discord.1:x": False,
    "group:general": False,
    "unknown:slack.1": False,
}


@pytest.mark.parametrize("place", PLATFORM_PLACES)
async def test_a_platform_key_speaks_for_its_own_places_only(confide: Confide, place: str) -> None:
    key = await made(confide, "platform", platform="discord")
    caller = await identify(confide, key.secret)
    if PLATFORM_PLACES[place]:
        assert audience_for(caller, "human:discord.1", place)
    else:
        with pytest.raises(NotAllowed, match=r"place|connection"):
            audience_for(caller, "human:discord.1", place)


async def test_a_platform_key_speaks_for_its_own_people_only(confide: Confide) -> None:
    caller = await identify(confide, (await made(confide, "platform", platform="discord")).secret)
    for who in ("human:slack.1", "human:alice", "human:discord", "human:discordx.1"):
        with pytest.raises(NotAllowed, match="asker"):
            audience_for(caller, who, "dm")
        with pytest.raises(NotAllowed, match="present"):
            audience_for(caller, "human:discord.1", "group:discord.1", [who])
        with pytest.raises(NotAllowed, match="as"):
            actor_for(caller, who)
    with pytest.raises(InvalidInput, match="as"):
        actor_for(caller)  # nobody in particular would be the operator
    assert actor_for(caller, "human:discord.1").kind is CallerKind.PLATFORM


async def test_no_key_asks_or_acts_as_the_agent_which_alone_hears_everything(
    confide: Confide,
) -> None:
    agent = confide.database.agent_entity
    for platform in ("discord", "local"):
        key = await made(confide, "platform", platform=platform)
        caller = await identify(confide, key.secret)
        with pytest.raises(NotAllowed, match="asker"):
            audience_for(caller, agent, "dm")
        with pytest.raises(NotAllowed, match="as"):
            actor_for(caller, agent)
    assert agent in audience_for(caller, "human:alice", "group:g", [agent]).viewers


async def test_ids_without_a_platform_are_local(confide: Confide) -> None:
    local = await identify(confide, (await made(confide, "platform", platform="local")).secret)
    assert audience_for(local, "human:alice", "public:general@guild")
    assert audience_for(local, "human:alice", "thread:7@general@guild")
    for who, place in (
        ("human:discord.1", "dm"),
        ("human:alice", "public:general@discord.guild"),
        ("human:alice", "group:discord.1"),
        ("human:alice", "group:dm:human:bob"),
        ("human:alice", "group:human:bob/default"),
        ("human:alice", "connection:laptop"),
    ):
        with pytest.raises(NotAllowed):
            audience_for(local, who, place)


@pytest.mark.req("S24")
async def test_a_personal_key_is_a_private_place_of_its_own(confide: Confide) -> None:
    laptop = await identify(
        confide, (await made(confide, "personal", entity=ALICE, name="laptop")).secret
    )
    phone = await identify(
        confide, (await made(confide, "personal", entity=ALICE, name="phone")).secret
    )
    elsewhere = await confide.remember(statement("I keep bees", by=ALICE, place="dm"))
    here = await confide.remember(
        statement("I prefer tabs to spaces", by=ALICE, place=connection_of(laptop))
    )
    assert await told(confide, audience_for(laptop)) == {here.id}
    assert await told(confide, audience_for(phone)) == set()
    assert await told(confide, audience(ALICE, "dm")) == {here.id, elsewhere.id}


@pytest.mark.req("S24")
async def test_what_was_learned_elsewhere_is_told_once_the_owner_opens_their_connections(
    confide: Confide,
) -> None:
    key = await made(confide, "personal", entity=ALICE)
    elsewhere = await confide.remember(statement("I keep bees", by=ALICE, place="dm"))
    for not_alice in (operator_as(), operator_as(Entity.parse("human:b"))):
        with pytest.raises(InvalidInput, match="actor"):
            await confide.keys.open_connections(ALICE, actor=not_alice)
    with pytest.raises(OnlyAsked):
        await confide.keys.open_connections(ALICE, actor=Actor(ALICE, CallerKind.PERSONAL))
    assert await told(confide, audience_for(await identify(confide, key.secret))) == set()
    await confide.keys.open_connections(ALICE, actor=operator_as(ALICE))
    opened = audience_for(await identify(confide, key.secret))
    assert await told(confide, opened) == {elsewhere.id}
    await confide.keys.close_connections(ALICE, actor=Actor(ALICE, CallerKind.PERSONAL))
    assert await told(confide, audience_for(await identify(confide, key.secret))) == set()


async def told(confide: Confide, heard: object) -> set[object]:
    asked = [
        await confide.recall(question, heard)  # type: ignore[arg-type]
        for question in ("Do I keep bees?", "Do I prefer tabs to spaces?")
    ]
    return {one.memory.id for context in asked for one in context.memories}


@pytest.mark.req("K17")
async def test_a_personal_key_is_nobody_else(confide: Confide) -> None:
    caller = await identify(confide, (await made(confide, "personal", entity=ALICE)).secret)
    assert actor_for(caller) == actor_for(caller, "human:alice")
    assert replace(actor_for(caller), audience=None) == Actor(
        ALICE, CallerKind.PERSONAL, None, "human:alice/default"
    )
    for wrong in (
        lambda: actor_for(caller, "human:bob"),
        lambda: audience_for(caller, "human:bob"),
        lambda: audience_for(caller, place="dm"),
        lambda: audience_for(caller, place="public:general@guild"),
        lambda: audience_for(caller, present=["human:bob"]),
        lambda: place_for(caller, ALICE, "connection:human:bob/default"),
    ):
        with pytest.raises(NotAllowed):
            wrong()


@pytest.mark.req("K17")
@pytest.mark.parametrize("kind", ["auditor", "admin"])
async def test_keys_without_content_have_no_audience_and_act_as_nobody(
    confide: Confide, kind: str
) -> None:
    caller = await identify(confide, (await made(confide, kind)).secret)
    for wrong in (
        lambda: audience_for(caller, "human:alice", "dm"),
        lambda: place_for(caller, ALICE, "dm"),
        lambda: actor_for(caller, "human:alice"),
    ):
        with pytest.raises(NotAllowed):
            wrong()
    assert actor_for(caller) == Actor(None, CallerKind(kind))
