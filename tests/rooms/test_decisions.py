"""What a person decides holds before, during and after: nothing that came meanwhile slips through."""

from __future__ import annotations

import unicodedata

import pytest
from tests.conftest import Clock
from tests.learn.speaking import message
from tests.rooms.test_statements import ALICE, BOB, CHAT, is_told, say

from confide import Confide, operator_as
from confide.errors import ConfideError
from confide.privacy import atoms

AS_ALICE = operator_as(ALICE)


async def _observed(confide: Confide, clock: Clock, text: str) -> bool:
    clock.advance(minutes=1)
    said = message(text, by="human:alice", place=CHAT, at=clock.now)
    return (await confide.observe(said)).is_kept


@pytest.mark.req("S21")
async def test_an_opt_out_holds_before_during_and_after(confide: Confide, clock: Clock) -> None:
    await confide.world.join(CHAT, ALICE, BOB)
    before = await say(confide, "The raft is hidden by the bridge")
    assert await _observed(confide, clock, "I mend nets on Mondays")
    await confide.rights.opt_out(ALICE, actor=AS_ALICE)
    for where in ("dm", CHAT):
        assert not await is_told(confide, before.id, BOB, where)
    assert not await _observed(confide, clock, "I sail on Tuesdays")
    with pytest.raises(ConfideError):
        await say(confide, "The anchor lies behind the shed")
    await confide.rights.opt_in(ALICE, actor=AS_ALICE)
    assert await is_told(confide, before.id, BOB, CHAT)
    assert await _observed(confide, clock, "I bake on Wednesdays")
    texts = await _kept(confide)
    assert not any("Tuesdays" in text or "anchor" in text for text in texts), texts


@pytest.mark.req("B8")
async def test_off_the_record_holds_before_during_and_after(confide: Confide, clock: Clock) -> None:
    place = message("-", by="human:alice", place=CHAT, at=clock.now).place
    await confide.world.join(CHAT, ALICE, BOB)
    assert await _observed(confide, clock, "I mend nets on Mondays")
    await confide.learning.off_the_record(ALICE, place)
    assert not await _observed(confide, clock, "I sail on Tuesdays")
    assert (
        await confide.observe(message("I row", by="human:bob", place=CHAT, at=clock.now))
    ).is_kept
    await confide.learning.on_the_record(ALICE, place, actor=AS_ALICE)
    assert await _observed(confide, clock, "I bake on Wednesdays")
    texts = await _kept(confide)
    assert any("Mondays" in text for text in texts)
    assert not any("Tuesdays" in text for text in texts), texts


@pytest.mark.req("K11")
async def test_a_withdrawal_holds_before_during_and_after(confide: Confide) -> None:
    first = await say(confide, "The raft is hidden by the bridge", "dm")
    other = await say(confide, "The anchor lies behind the shed", "dm")
    given = await confide.consents.share(first.id, atoms.entity(BOB), actor=AS_ALICE)
    # What is shared with somebody is told where its settings allow: alone with them it is not.
    assert await _hears(confide, first.id)
    assert not await _hears(confide, other.id)
    assert given.consent_id is not None
    await confide.consents.withdraw(given.consent_id, actor=AS_ALICE)
    meanwhile = await say(confide, "The oars are in the barn", "dm")
    for one in (first, other, meanwhile):
        assert not await _hears(confide, one.id)
    await confide.consents.share(first.id, atoms.entity(BOB), actor=AS_ALICE)
    assert await _hears(confide, first.id)
    for one in (other, meanwhile):
        assert not await _hears(confide, one.id)


async def _hears(confide: Confide, memory: object) -> bool:
    return await is_told(confide, memory, BOB)


@pytest.mark.req("S3")
async def test_a_space_in_another_unicode_form_is_the_same_space(confide: Confide) -> None:
    composed = unicodedata.normalize("NFC", "public:general@café")
    taken_apart = unicodedata.normalize("NFD", composed)
    assert composed != taken_apart
    await confide.world.join(composed, ALICE, BOB)
    said = await say(confide, "The raft is hidden by the bridge", taken_apart)
    assert await is_told(confide, said.id, BOB, composed)
    assert len(await confide.world.places()) == 1


@pytest.mark.req("S3")
async def test_a_thread_makes_its_channel_known_and_one_of_nowhere_stays_unknown(
    confide: Confide,
) -> None:
    said = await say(confide, "The raft is hidden by the bridge", "thread:9@public:gen@g2")
    await confide.world.join("public:gen@g2", BOB)
    assert await is_told(confide, said.id, BOB, "public:gen@g2")
    adrift = await say(confide, "The anchor lies behind the shed", "thread:9@nowhere")
    assert not await is_told(confide, adrift.id, ALICE, "thread:9@nowhere")
    assert await is_told(confide, adrift.id, ALICE), "for its owner alone"


async def _kept(confide: Confide) -> list[str]:
    async with confide.database.keep() as connection:
        rows = await connection.fetch(
            "SELECT text FROM confide.memory WHERE agent = $1"
            " UNION ALL SELECT text FROM confide.message WHERE agent = $1",
            confide.database.agent,
        )
    return [row["text"] for row in rows if row["text"]]
