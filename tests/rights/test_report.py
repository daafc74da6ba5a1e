"""Reports: counts for the operator, to each person counts of what they may hear, and no words."""

from __future__ import annotations

import json
import xml.etree.ElementTree as xml
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.cli.conftest import Ask, Run
from tests.conftest import Clock, Opened

from confide import Confide, Entity, audience, operator_as, statement
from confide.errors import InvalidInput
from confide.keep.reporting import Leaks, Overview, read_leaks, write_leaks
from confide.model import Message, PlaceKind, Scope
from confide.privacy.places import parse_place
from confide.surfaces.charts import stacked_bars

ALICE, BOB = Entity("human", "alice"), Entity("human", "bob")
OPERATOR = operator_as()
CANARY = "zanzibar"


async def say(confide: Confide, text: str, by: Entity = ALICE, place: str = "dm", **more: object):
    return await confide.remember(statement(text, by=by, place=place, **more))


def metric(found: Overview, name: str) -> tuple[int, int]:
    return next((one.part, one.whole) for one in found.metrics if one.name == name)


@pytest.mark.req("S25")
async def test_memories_are_counted_by_day_and_level(confide: Confide, clock: Clock) -> None:
    for _ in range(2):
        await say(confide, f"I paint on {clock.now.date()}")
        await say(confide, f"I sing on {clock.now.date()}", place="public:p@s")
        clock.advance(days=1)
    found = await confide.reports.overview(actor=OPERATOR)
    assert [(one.day.day, one.scope, one.memories) for one in found.made] == [
        (1, Scope.DM, 1),
        (1, Scope.GUILD_PUBLIC, 1),
        (2, Scope.DM, 1),
        (2, Scope.GUILD_PUBLIC, 1),
    ]
    clock.advance(days=40)
    assert (await confide.reports.overview(actor=OPERATOR)).made == ()


@pytest.mark.req("S25", "S5")
async def test_what_is_global_and_came_from_a_closed_place_is_counted(confide: Confide) -> None:
    said = {"scope": "global", "kind": "identity"}
    await say(confide, "My in-game name is StoneFox", **said)
    await say(confide, "My time zone is UTC+2", place="restricted:mods@s", **said)
    await say(confide, "My user name is stonefox", place="public:p@s", **said)
    found = await confide.reports.overview(actor=OPERATOR)
    assert {(one.kind, one.memories) for one in found.everywhere} == {
        (PlaceKind.DIRECT, 1),
        (PlaceKind.RESTRICTED, 1),
    }


@pytest.mark.req("S25")
async def test_a_person_sees_their_own_levels_and_nothing_of_what_is_hidden(
    confide: Confide,
) -> None:
    await say(confide, "I paint")
    await say(confide, "I sing", place="public:p@s")
    before = await confide.reports.of_person(ALICE, actor=operator_as(ALICE))
    assert {(one.scope, one.memories) for one in before} == {
        (Scope.DM, 1),
        (Scope.GUILD_PUBLIC, 1),
    }
    await say(confide, "Alice is late", BOB, about=[ALICE])
    await say(confide, "Unsure", confidence=0.1)
    assert await confide.reports.of_person(ALICE, actor=operator_as(ALICE)) == before


@pytest.mark.req("S25", "K17")
async def test_nobody_sees_anothers_numbers(confide: Confide) -> None:
    for actor in (OPERATOR, operator_as(BOB)):
        with pytest.raises(InvalidInput):
            await confide.reports.of_person(ALICE, actor=actor)
    with pytest.raises(InvalidInput):
        await confide.reports.overview(actor=operator_as(ALICE))


@pytest.mark.req("P11")
async def test_the_hit_rate_counts_questions_with_and_without_an_answer(
    confide: Confide,
) -> None:
    await say(confide, "My boat is called Pelican")
    for words in ("what is my boat called?", "quantum chromodynamics", "zebra stripes"):
        await confide.recall(words, audience(ALICE, "dm"))
    found = await confide.reports.overview(actor=OPERATOR)
    assert metric(found, "retrieval hit rate") == (1, 3)


@pytest.mark.req("P11", "A15")
async def test_upkeep_clears_what_was_counted_long_ago(confide: Confide, clock: Clock) -> None:
    await confide.recall("zebra stripes", audience(ALICE, "dm"))
    clock.advance(days=89)
    await confide.recall("zebra stripes", audience(ALICE, "dm"))
    clock.advance(days=2)
    await confide.upkeep.gc()
    found = await confide.reports.overview(actor=OPERATOR, days=366)
    assert metric(found, "retrieval hit rate") == (0, 1)


@pytest.mark.req("P11", "B8")
async def test_questions_off_the_record_are_not_even_counted(confide: Confide) -> None:
    await say(confide, "My boat is called Pelican")
    place = parse_place("dm", ALICE)
    await confide.learning.off_the_record(ALICE, place)
    await confide.recall("what is my boat called?", audience(ALICE, "dm"))
    found = await confide.reports.overview(actor=OPERATOR)
    assert metric(found, "retrieval hit rate") == (0, 0)


@pytest.mark.req("P11", "P10")
async def test_deletion_compliance_counts_what_is_gone_and_what_should_be(
    open_confide: Opened, clock: Clock
) -> None:
    async with open_confide(auto_gc=False, learn=False) as confide:
        one, other = await say(confide, "I paint"), await say(confide, "I sing")
        await confide.forget(one.id, actor=operator_as(ALICE), now=True)
        await confide.forget(other.id, actor=operator_as(ALICE))
        found = await confide.reports.overview(actor=OPERATOR)
        assert metric(found, "deletion compliance") == (1, 1)
        clock.advance(days=5)
        found = await confide.reports.overview(actor=OPERATOR)
        assert metric(found, "deletion compliance") == (1, 2)
        await confide.doctor.mend()
        found = await confide.reports.overview(actor=OPERATOR)
        assert metric(found, "deletion compliance") == (2, 2)


@pytest.mark.req("P11")
async def test_extraction_precision_counts_what_reviewers_rejected(
    open_confide: Opened, clock: Clock
) -> None:
    async with open_confide(learn=False, silence_minutes=1) as confide:
        place = parse_place("dm", ALICE)
        for n, text in enumerate(("I love pizza.", "I live in Porto.")):
            message = Message(id=str(n), place=place, speaker=ALICE, text=text, said_at=clock.now)
            await confide.observe(message)
        clock.advance(hours=1)
        await confide.learning.learn()
        found = await confide.reports.overview(actor=OPERATOR)
        kept, whole = metric(found, "extraction precision")
        assert kept == whole > 1
        async with confide.database.keep() as connection:
            await connection.execute(
                "UPDATE confide.memory SET status = 'rejected' WHERE agent = $1 AND id = ("
                " SELECT memory_id FROM confide.evidence WHERE agent = $1 LIMIT 1)",
                confide.database.agent,
            )
        found = await confide.reports.overview(actor=OPERATOR)
        assert metric(found, "extraction precision") == (whole - 1, whole)


@pytest.mark.req("P11")
def test_what_the_last_leak_test_found_is_remembered(tmp_path: Path) -> None:
    assert read_leaks(tmp_path) is None
    leaks = Leaks(datetime(2026, 3, 1, tzinfo=UTC), 5000, 0, 0)
    write_leaks(tmp_path, leaks)
    assert read_leaks(tmp_path) == leaks
    (tmp_path / "leaktest.json").write_text('{"at": 7}')
    assert read_leaks(tmp_path) is None


@pytest.mark.req("S25")
def test_charts_are_well_formed_and_add_up() -> None:
    drawn = stacked_bars("A & B <b>", ["x<y", "z"], {"one": [3, 0], "two": [1, 4]})
    root = xml.fromstring(drawn)
    bars = [bar for bar in root.iter("{http://www.w3.org/2000/svg}rect") if len(bar)]
    assert len(bars) == 3
    tall = {bar[0].text: float(bar.attrib["height"]) for bar in bars}
    assert tall["x<y: 3 one"] == pytest.approx(3 * tall["x<y: 1 two"], abs=0.2)
    assert xml.fromstring(stacked_bars("Nothing", [], {})) is not None


@pytest.mark.req("S25", "P11")
def test_the_command_line_prints_and_draws(ask: Ask, run: Run, tmp_path: Path) -> None:
    ask("remember", f"I paint {CANARY}", "--by", "human:alice", "--in", "dm")
    ask("recall", "what do I paint?", "--as", "human:alice", "--in", "dm")
    told = ask("report")
    assert told["made"][0]["scope"] == "dm"
    assert {"name": "retrieval hit rate", "part": 1, "whole": 1, "value": 1.0} in told["metrics"]
    page, chart = tmp_path / "report.html", tmp_path / "alice.svg"
    shown = run("report", "--out", str(page))
    assert shown.exit_code == 0
    assert "retrieval hit rate" in shown.stdout
    assert "100.0 %" in shown.stdout
    own = run("report", "--as", "human:alice", "--out", str(chart))
    assert own.exit_code == 0
    xml.parse(chart)
    everything = page.read_text() + chart.read_text() + shown.stdout + own.stdout
    assert CANARY not in everything + json.dumps(told)
    assert "hit rate" not in own.stdout
    assert run("report", "--out", str(tmp_path / "x.png")).exit_code == 2
