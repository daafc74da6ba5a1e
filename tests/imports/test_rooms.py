"""Rooms of an import: who was there by the file's dates, and who hears it once they confirmed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.chance import chance
from tests.conftest import Opened
from tests.imports import exports
from tests.imports.exports import START, as_json, write
from tests.imports.test_importing import ELSEWHERE, bring, told
from tests.learn.speaking import learn

from confide import Confide, Entity, operator_as
from confide.actor import Actor
from confide.errors import InvalidEntity, InvalidInput, NotFound, OnlyAsked
from confide.imports import Room, open_files, recognise
from confide.model import Place, PlaceKind, Scope, Trust
from confide.privacy.acting import CallerKind
from confide.reading import audience, statement
from confide.store import people
from confide.verbs.claims import Standing

ME, ANNA, BEN, EVE = (Entity.parse(f"human:{one}") for one in ("me", "anna", "ben", "eve"))
NAMES = {"Me": ME, "Anna": ANNA, "Ben": BEN}


@pytest.fixture
async def confide(open_confide: Opened) -> AsyncIterator[Confide]:
    async with open_confide(learn=False) as opened:
        yield opened


def at(minute: int) -> datetime:
    return START + timedelta(minutes=minute)


def event(minute: int, who: str, what: str) -> dict[str, str]:
    """A line of a Slack day: somebody joins, leaves, or says something."""
    ts = f"{at(minute).timestamp():.6f}"
    if what in ("join", "leave"):
        return {"type": "message", "subtype": f"channel_{what}", "user": who, "text": "", "ts": ts}
    return {"type": "message", "user": who, "text": what, "ts": ts}


def workspace(events: list[dict[str, str]], members: list[str], **more: bytes) -> dict[str, bytes]:
    users = [
        {"id": id, "profile": {"display_name": name}}
        for id, name in (("UM", "Me"), ("UA", "Anna"), ("UB", "Ben"), ("UC", "Cleo"))
    ]
    return {
        "users.json": as_json(users),
        "channels.json": as_json([{"id": "C1", "name": "tea", "members": members}]),
        "tea/2026-02-20.json": as_json(events),
        **more,
    }


async def claim_of(confide: Confide, who: Entity) -> Any:
    (found,) = await confide.claims.on(who)
    return found


async def confirm(confide: Confide, *who: Entity) -> None:
    for one in who:
        await confide.claims.confirm((await claim_of(confide, one)).id, actor=operator_as(one))


@pytest.mark.req("P8", "A5", "A19")
async def test_whoever_was_there_hears_it_once_they_confirmed_and_nobody_before(
    confide: Confide, tmp_path: Path
) -> None:
    files = exports.slack()
    await bring(confide, write(tmp_path, files, "zip"), names=NAMES)
    await learn(confide)
    questions = {"which tea?": {"oolong", "gunpowder"}, "Lisbon or the cello?": {"Lisbon", "cello"}}

    async def heard(who: Entity, question: str) -> set[str]:
        block = await told(confide, str(who), "dm", question)
        return {word for word in questions[question] if word in block}

    for question, words in questions.items():
        assert await heard(ME, question) == words
        for who in (ANNA, BEN, EVE):
            assert await heard(who, question) == set()
    await confirm(confide, ANNA)
    for question, words in questions.items():
        assert await heard(ME, question) == words
        assert await heard(ANNA, question) == ({"oolong", "gunpowder"} & words), "her chat alone"
        assert await heard(BEN, question) == set()
    await confirm(confide, BEN)
    for question, words in questions.items():
        assert await heard(BEN, question) == ({"Lisbon", "cello"} & words)
        for asker, place in ELSEWHERE:
            if (asker, place) != ("human:anna", "dm"):
                block = await told(confide, asker, place, question)
                assert not any(word in block for word in words), (asker, place)
    # Each in company hears nothing of it.
    for who in (ME, ANNA, BEN):
        assert not await told(confide, str(who), "group:tea", "which tea?")
    await confide.claims.refuse((await claim_of(confide, ANNA)).id, actor=operator_as(ANNA))
    assert await heard(ANNA, "which tea?") == set(), "what came by it ends"
    assert await heard(ME, "which tea?") == {"oolong", "gunpowder"}
    assert (await claim_of(confide, ANNA)).standing is Standing.REFUSED


@pytest.mark.req("B13", "P8")
async def test_members_are_those_of_that_time(confide: Confide, tmp_path: Path) -> None:
    """Random comings and goings: each hears exactly what was said while the file has them there."""
    draw = chance(2500)
    ids = {"UA": ANNA, "UB": BEN}
    for round in range(4):
        inside = {"UM", *draw.sample(["UA", "UB"], draw.randint(0, 2))}
        started = set(inside)
        events, said = list[dict[str, str]](), dict[str, set[str]]()
        for minute in range(100 * round, 100 * round + 40):
            match draw.randrange(3):
                case 0 if out := sorted({"UA", "UB"} - inside):
                    who = draw.choice(out)
                    inside.add(who)
                    events.append(event(minute, who, "join"))
                case 1 if len(inside) > 1:
                    who = draw.choice(sorted(inside - {"UM"}))
                    inside.remove(who)
                    events.append(event(minute, who, "leave"))
                case _:
                    who, word = draw.choice(sorted(inside)), f"topic{minute:03d}"
                    said[word] = set(inside)
                    events.append(event(minute, who, f"We discussed {word} today"))
        path = write(tmp_path / str(round), workspace(events, sorted(inside)), "zip")
        files = open_files(path)
        (room,) = [one for one in recognise(files).read(files) if isinstance(one, Room)]
        assert {s.who.key for s in room.stays if s.since is None} >= {f"slack {w}" for w in started}
        before = await bring(confide, path, names={"Me": ME})
        assert before.new == len(said)
        maps = {"Anna": ANNA, "Ben": BEN}
        known = {one.who.name for one in room.stays}
        await bring(confide, path, names={n: w for n, w in maps.items() if n in known})
        await learn(confide)
        for who in (ANNA, BEN):
            for one in await confide.claims.on(who):
                await confide.claims.confirm(one.id, actor=operator_as(who))
        for word, there in said.items():
            block = await told(confide, "human:me", "dm", f"What about {word}?")
            assert word in block
            for id, who in ids.items():
                block = await told(confide, str(who), "dm", f"What about {word}?")
                # What came by membership ends with it, as in a live room.
                assert (word in block) == (id in there and id in inside), (round, word, id)


@pytest.mark.req("A13", "A12")
async def test_what_a_confirmed_member_hears_is_nobodys_first_hand_word_but_the_importers(
    confide: Confide, tmp_path: Path
) -> None:
    await bring(confide, write(tmp_path, exports.slack(), "zip"), names=NAMES)
    await learn(confide, is_portable=True, is_global_safe=True, is_about_answering=True)
    await confirm(confide, ANNA, BEN)
    for who in (ANNA, BEN):
        context = await confide.recall("tea, Lisbon, cello?", audience(str(who), "dm"))
        assert context.memories
        for one in context.memories:
            assert not context.is_own(one)
            assert one.memory.owner == ME
            assert one.memory.trust is Trust.UNTRUSTED
            assert one.memory.scope is Scope.GROUP
            assert "someone:" not in str(context.as_dict())


@pytest.mark.req("A7", "A8")
async def test_careful_facts_of_a_member_are_theirs_alone_too(
    confide: Confide, tmp_path: Path
) -> None:
    events = [event(1, "UA", "I have anxiety, and my salary is 150k"), event(2, "UB", "I see")]
    path = write(tmp_path, workspace(events, ["UM", "UA", "UB"]), "zip")
    await bring(confide, path, names=NAMES)
    await learn(confide)
    question = "who has anxiety?"
    assert "anxiety" in await told(confide, "human:me", "dm", question)
    assert not await told(confide, "human:anna", "dm", question)
    await confirm(confide, ANNA, BEN)
    assert "anxiety" in await told(confide, "human:anna", "dm", question), "she was there"
    assert "anxiety" not in await told(confide, "human:ben", "dm", question), "no insider"


async def test_the_surprise_party_stays_one(confide: Confide, tmp_path: Path) -> None:
    events = [
        event(1, "UB", "We plan a surprise party for Anna"),
        event(2, "UA", "join"),
        event(3, "UA", "Hi all, I like rhubarb"),
    ]
    path = write(tmp_path, workspace(events, ["UM", "UA", "UB"]), "zip")
    await bring(confide, path, names=NAMES)
    await learn(confide, subjects=("Anna",))
    await confirm(confide, ANNA, BEN)
    assert "surprise" in await told(confide, "human:ben", "dm", "what is planned for Anna?")
    assert "surprise" not in await told(confide, "human:anna", "dm", "what is planned for Anna?")
    assert "rhubarb" in await told(confide, "human:anna", "dm", "rhubarb?")


@pytest.mark.req("B12")
async def test_a_key_lists_nobody_and_its_word_opens_nothing(
    confide: Confide, tmp_path: Path
) -> None:
    key = Actor(ME, CallerKind.PERSONAL)
    path = write(tmp_path, exports.slack(), "zip")
    await bring(confide, path, names=NAMES, actor=key)
    await learn(confide)
    assert {one.scope for one in await confide.memories(ME)} == {Scope.DM}
    assert not await confide.claims.on(ANNA), "there is nothing that a yes would open"
    (about,) = [one for one in await confide.memories(ME) if "gunpowder" in one.text]
    assert ANNA in about.subjects, "it narrows at once"


@pytest.mark.req("B12")
async def test_only_the_person_confirms_by_their_own_act(confide: Confide, tmp_path: Path) -> None:
    await bring(confide, write(tmp_path, exports.slack(), "zip"), names=NAMES)
    claim = (await claim_of(confide, ANNA)).id
    for actor in (
        operator_as(BEN),
        operator_as(ME),
        operator_as(),
        Actor(EVE, CallerKind.PERSONAL),
    ):
        for verb in (confide.claims.confirm, confide.claims.refuse):
            with pytest.raises(NotFound):
                await verb(claim, actor=actor)
    with pytest.raises(OnlyAsked):
        await confide.claims.confirm(claim, actor=Actor(ANNA, CallerKind.PERSONAL))
    assert (await claim_of(confide, ANNA)).standing is Standing.WAITING
    (request,) = await confide.consents.requests(ANNA)
    await confide.consents.answer(request.id, actor=operator_as(ANNA), agrees=True)
    assert (await claim_of(confide, ANNA)).standing is Standing.CONFIRMED


@pytest.mark.req("A5")
async def test_saying_that_somebody_is_another_ends_what_came_by_the_first(
    confide: Confide, tmp_path: Path
) -> None:
    path = write(tmp_path, exports.slack(), "zip")
    await bring(confide, path, names=NAMES)
    await learn(confide)
    await confirm(confide, ANNA)
    assert await told(confide, "human:anna", "dm", "which tea?")
    await bring(confide, path, names={"Anna": EVE})
    assert not await told(confide, "human:anna", "dm", "which tea?")
    assert not await told(confide, "human:eve", "dm", "which tea?")
    await confirm(confide, EVE)
    assert "gunpowder" in await told(confide, "human:eve", "dm", "which tea?")


async def test_a_newer_export_is_heard_by_who_confirmed_before(
    confide: Confide, tmp_path: Path
) -> None:
    first = [event(1, "UA", "I like rhubarb")]
    members = ["UM", "UA"]
    path = write(tmp_path / "a", workspace(first, members), "zip")
    await bring(confide, path, names={"Me": ME, "Anna": ANNA})
    await confirm(confide, ANNA)
    more = [*first, event(9, "UM", "I like quinces")]
    done = await bring(confide, write(tmp_path / "b", workspace(more, members), "zip"))
    assert (done.new, done.known) == (1, 1)
    await learn(confide)
    block = await told(confide, "human:anna", "dm", "who likes rhubarb or quinces?")
    assert "rhubarb" in block
    assert "quinces" in block


@pytest.mark.req("P7", "B5")
async def test_a_file_goes_with_its_rooms_and_the_people_in_them(
    confide: Confide, tmp_path: Path
) -> None:
    done = await bring(confide, write(tmp_path, exports.slack(), "zip"), names={"Me": ME})
    await learn(confide)
    await confide.erasure.source(str(done.batch.id), actor=operator_as(ME), now=True)
    async with confide.database.keep() as connection:
        left = await people.acquaintances(connection, confide.database.agent)
        places = await connection.fetchval(
            "SELECT count(*) FROM confide.place WHERE id LIKE 'import:%'"
        )
    assert {one.means for one in left.values()} == {ME}
    assert places == 0


async def test_an_erased_account_is_in_no_file_any_more(confide: Confide, tmp_path: Path) -> None:
    await bring(confide, write(tmp_path, exports.slack(), "zip"), names=NAMES)
    await learn(confide)
    await confirm(confide, ANNA)
    await confide.erasure.person(ANNA, actor=operator_as(ANNA), now=True)
    async with confide.database.keep() as connection:
        rows = await connection.fetchval(
            "SELECT (SELECT count(*) FROM confide.claim WHERE account = 'human:anna')"
            " + (SELECT count(*) FROM confide.someone WHERE means = 'human:anna')"
            " + (SELECT count(*) FROM confide.place_member WHERE entity = 'human:anna')"
        )
    assert rows == 0
    assert not await told(confide, "human:anna", "dm", "which tea?")


async def test_nobody_speaks_asks_or_joins_in_a_room_of_a_file(
    confide: Confide, tmp_path: Path
) -> None:
    """Whoever guesses what it is called would be a member, or ask as if in it."""
    await bring(confide, write(tmp_path, exports.slack(), "zip"), names=NAMES)
    async with confide.database.keep() as connection:
        rooms = await connection.fetch("SELECT id FROM confide.place WHERE kind = 'group'")
    for row in rooms:
        for written in (f"group:{row['id']}", f"unknown:{row['id']}", f"connection:{row['id']}"):
            with pytest.raises(InvalidEntity):
                audience("human:eve", written)
        place = Place(id=row["id"], kind=PlaceKind.GROUP)
        with pytest.raises(InvalidInput):
            await confide.world.join(place, EVE)
        with pytest.raises(InvalidInput):
            await confide.remember(statement("Hi", by="human:eve", place=place))


@pytest.mark.req("A5")
async def test_a_name_that_two_people_have_is_nobodys(confide: Confide, tmp_path: Path) -> None:
    lines = [
        {"type": "message", "from": "Anna", "from_id": f"user{n}", "id": n, "text": "Hi",
         "date": at(n).isoformat()} for n in (1, 2)
    ]  # fmt: skip
    body = as_json({"name": "x", "type": "private_group", "id": 5, "messages": lines})
    path = write(tmp_path, {"result.json": body}, "file")
    with pytest.raises(InvalidInput, match="several"):
        await bring(confide, path, names={"Anna": ANNA})
    with pytest.raises(InvalidInput, match="nobody"):
        await bring(confide, path, names={"Annabel": ANNA})
    assert not (await confide.sources.list(actor=operator_as())).batches, "nothing was stored"
    done = await bring(confide, path, names={"telegram user1": ANNA})
    assert done.new == 2


def test_a_direct_chat_of_discords_package_lists_its_two_people(tmp_path: Path) -> None:
    files = exports.discord_package()
    files["messages/c0/channel.json"] = as_json(
        {"id": "0", "type": 1, "recipients": ["100", "200"]}
    )
    files["messages/c1/channel.json"] = as_json(
        {"id": "1", "type": 3, "recipients": ["100", "200", "300"]}
    )
    opened = open_files(write(tmp_path, files, "folder"))
    rooms = [one for one in recognise(opened).read(opened) if isinstance(one, Room)]
    assert [(one.id, [s.who.key for s in one.stays]) for one in rooms] == [
        ("c0", ["me", "discord 200"])
    ]
