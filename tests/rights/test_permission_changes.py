"""S20: a place that closes narrows at once, one that opens never widens, whatever runs meanwhile."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from tests.cli.conftest import Ask, Run

from confide import Confide, Entity, audience, statement
from confide.errors import InvalidInput, NotFound
from confide.keep.syncing import Became, Sight
from confide.model import PlaceKind
from confide.privacy.places import parse_place
from confide.testing import assert_told, assert_withheld

ALICE, BOB, MIA = (Entity("human", name) for name in ("alice", "bob", "mia"))
LOUNGE = "public:lounge@s"


def place(written: str):
    return parse_place(written, ALICE)


async def say(confide: Confide, text: str, where: str, by: Entity = ALICE):
    return await confide.remember(statement(text, by=by, place=where))


async def seen(confide: Confide, *written: str, **more: object):
    return await confide.world.sync([Sight(place(one)) for one in written], **more)


@pytest.mark.req("S20")
async def test_a_place_that_closes_narrows_and_says_how_much(confide: Confide) -> None:
    said = await say(confide, "The well is deep", "public:general@s")
    in_thread = await say(confide, "The rope is long", "thread:t@general@s")
    await confide.world.join(place(LOUNGE), BOB)
    await assert_told(confide, said.id, audience(BOB, LOUNGE))
    preview = await seen(confide, "restricted:general@s", LOUNGE, is_preview=True)
    assert [(one.became, one.memories) for one in preview] == [
        (Became.NARROWED, 2),
        (Became.SAME, 0),
    ]
    await assert_told(confide, said.id, audience(BOB, LOUNGE))
    assert await seen(confide, "restricted:general@s", LOUNGE) == preview
    for one in (said, in_thread):
        await assert_withheld(confide, one.id, audience(BOB, LOUNGE))
    await assert_told(confide, said.id, audience(ALICE, "restricted:general@s"))
    assert (await confide.doctor.examine()).findings == ()


@pytest.mark.req("S20")
async def test_a_place_that_opens_never_widens_and_is_flagged(confide: Confide) -> None:
    said = await say(confide, "The vault is shut", "restricted:mods@s")
    await confide.world.join(place(LOUNGE), BOB)
    (change,) = await seen(confide, "public:mods@s")
    assert (change.became, change.was, change.memories) == (
        Became.OPENED,
        PlaceKind.RESTRICTED,
        1,
    )
    for where in ("public:mods@s", LOUNGE, "dm"):
        await assert_withheld(confide, said.id, audience(BOB, where))
    flagged = [one.place.id for one in await confide.world.places() if one.needs_review]
    assert flagged == ["mods@s"]
    new = await say(confide, "The vault is open", "public:mods@s")
    await assert_told(confide, new.id, audience(BOB, LOUNGE))
    await confide.world.reviewed("mods@s")
    assert not any(one.needs_review for one in await confide.world.places())
    with pytest.raises(NotFound):
        await confide.world.reviewed("mods@s")
    await assert_withheld(confide, said.id, audience(BOB, LOUNGE))


@pytest.mark.req("S20")
async def test_opening_and_closing_again_brings_nothing_back(confide: Confide) -> None:
    """public → restricted → public: what was public once has been narrowed for good."""
    said = await say(confide, "The well is deep", "public:general@s")
    await confide.world.join(place(LOUNGE), BOB)
    for kind in ("restricted", "public", "age-gated", "public"):
        await seen(confide, f"{kind}:general@s")
        await assert_withheld(confide, said.id, audience(BOB, LOUNGE))
        await assert_withheld(confide, said.id, audience(BOB, f"{kind}:general@s"))
    assert (await confide.doctor.examine()).findings == ()


@pytest.mark.req("S20")
async def test_who_left_according_to_the_platform_loses_what_came_by_being_there(
    confide: Confide,
) -> None:
    said = await say(confide, "Watching the gate", "restricted:mods@s", by=MIA)
    here = place("restricted:mods@s")
    await assert_told(confide, said.id, audience(MIA, "dm"))
    (change,) = await confide.world.sync([Sight(here, frozenset({ALICE, BOB}))])
    assert (change.became, change.joined, change.left) == (Became.SAME, 2, 1)
    await assert_withheld(confide, said.id, audience(MIA, "dm"))
    (same,) = await confide.world.sync([Sight(here, frozenset({ALICE, BOB}))])
    assert not same.is_any


@pytest.mark.req("S20")
async def test_places_that_a_platform_knows_no_longer_are_closed(confide: Confide) -> None:
    said = await say(confide, "The well is deep", "public:general@s")
    elsewhere = await say(confide, "The hill is high", "public:general@other")
    await confide.world.join(place(LOUNGE), BOB)
    changes = await seen(confide, LOUNGE, all_of="s")
    assert [(one.place.id, one.became) for one in changes] == [
        ("lounge@s", Became.SAME),
        ("general@s", Became.GONE),
    ]
    await assert_withheld(confide, said.id, audience(BOB, LOUNGE))
    await assert_withheld(confide, said.id, audience(ALICE, "dm"))
    await assert_told(confide, elsewhere.id, audience(ALICE, "public:general@other"))
    assert len(await seen(confide, LOUNGE, all_of="s")) == 1


@pytest.mark.req("S20")
async def test_many_are_reclassified_at_once(confide: Confide) -> None:
    said = [await say(confide, f"Thing {n}", f"public:p{n}@s") for n in range(3)]
    other = await say(confide, "Thing", "public:p@t")
    await confide.world.join(place(LOUNGE), BOB)
    looked = await confide.world.reclassify(PlaceKind.AGE_GATED, space="s", is_preview=True)
    assert {one.became for one in looked} == {Became.NARROWED}
    changes = await confide.world.reclassify(PlaceKind.RESTRICTED, places=["p0@s", "p1@s", "p2@s"])
    assert sum(one.memories for one in changes) == 3
    for one in said:
        await assert_withheld(confide, one.id, audience(BOB, LOUNGE))
    await assert_told(confide, other.id, audience(BOB, "public:p@t"))
    none = await confide.world.reclassify(
        PlaceKind.RESTRICTED, space="s", kind=PlaceKind.ANNOUNCEMENT
    )
    assert none == []


@pytest.mark.req("S20")
async def test_a_bad_reclassification_changes_nothing(confide: Confide) -> None:
    said = await say(confide, "Thing", "public:p@s")
    with pytest.raises(InvalidInput, match="to:"):
        await confide.world.reclassify(PlaceKind.DIRECT, space="s")
    with pytest.raises(InvalidInput, match="space:"):
        await confide.world.reclassify(PlaceKind.RESTRICTED)
    with pytest.raises(InvalidInput, match="space:"):
        await confide.world.reclassify(PlaceKind.RESTRICTED, places=["p@s"], space="s")
    with pytest.raises(NotFound):
        await confide.world.reclassify(PlaceKind.RESTRICTED, places=["p@s", "nowhere@s"])
    await confide.world.join(place(LOUNGE), BOB)
    await assert_told(confide, said.id, audience(BOB, LOUNGE))


@pytest.mark.req("S20", "B7")
async def test_no_recall_after_a_place_closed_tells_what_was_in_it(confide: Confide) -> None:
    """Somebody asks without a pause while the place opens and closes."""
    await confide.world.join(place(LOUNGE), BOB)
    closed: dict[str, bool] = {}
    told_late: list[str] = []
    is_over = asyncio.Event()

    async def asks() -> None:
        while not is_over.is_set():
            already = {word for word, is_closed in closed.items() if is_closed}
            context = await confide.recall("where is the treasure?", audience(BOB, LOUNGE))
            texts = " ".join(told.memory.text for told in context.memories)
            told_late.extend(word for word in already if word in texts)

    async def flips() -> None:
        for n in range(8):
            word = f"cave{n}"
            await seen(confide, "public:general@s")
            closed[word] = False
            await say(confide, f"The treasure is in {word}", "public:general@s")
            await asyncio.sleep(0)
            await seen(confide, "restricted:general@s")
            closed[word] = True
        is_over.set()

    await asyncio.gather(asks(), asks(), flips())
    assert told_late == []
    assert len(closed) == 8
    last = await confide.recall("where is the treasure?", audience(BOB, LOUNGE))
    assert last.memories == ()


@pytest.mark.req("S20")
async def test_what_is_said_while_a_place_closes_is_not_public(confide: Confide) -> None:
    await confide.world.join(place(LOUNGE), BOB)
    for n in range(6):
        await seen(confide, "public:general@s")
        said, _ = await asyncio.gather(
            say(confide, f"Word {n}", "public:general@s"), seen(confide, "restricted:general@s")
        )
        # Whoever spoke last said what the place is; told to closed ears, it stays there.
        await seen(confide, "restricted:general@s")
        await assert_withheld(confide, said.id, audience(BOB, LOUNGE))
    assert (await confide.doctor.examine()).findings == ()


@pytest.mark.req("S20")
def test_the_command_line_syncs_previews_and_reclassifies(
    ask: Ask, run: Run, tmp_path: Path
) -> None:
    ask("remember", "The well is deep", "--by", "human:alice", "--in", "public:general@s")
    file = tmp_path / "places.jsonl"
    lines = [
        {"place": "restricted:general@s", "members": ["human:alice", "human:bob"]},
        {"place": "thread:t@general@s"},
    ]
    file.write_text("\n".join(map(json.dumps, lines)))
    preview = ask("places", "sync", str(file), "--preview")
    assert preview["preview"] is True
    assert [one["kind"] for one in ask("places", "list")["places"]] == ["public"]
    done = ask("places", "sync", str(file))
    assert done["changes"] == preview["changes"]
    assert [one["became"] for one in done["changes"]] == ["narrowed", "new"]
    again = run("places", "sync", "-", input=json.dumps(lines))
    assert "0 changed, 2 as before" in again.stdout
    moved = ask("places", "reclassify", "public", "general@s")
    assert moved["changes"][0]["became"] == "opened"
    assert ask("places", "reviewed", "general@s")["reviewed"] is True


@pytest.mark.req("S20")
@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{", "line 1 is no JSON"),
        ("[1]", "element 1 has no"),
        ('{"place": "nowhere"}', "line 1: "),
        ('{"place": "dm"}', "direct chat"),
        ('{"place": "group:g", "members": "human:a"}', "no list"),
        ('{"place": "group:g", "members": ["martian:a"]}', "unknown namespace"),
        ('{"place": "group:g", "kind": "x"}', "kind is not known"),
        ('{"place": "group:g"}\n{"place": "group:g"}', "twice"),
    ],
)
def test_a_bad_line_is_named_and_nothing_is_changed(
    run: Run, ask: Ask, line: str, says: str
) -> None:
    first = '{"place": "group:first"}\n' if line != "[1]" and line[0] != "[" else ""
    text = line + "\n" + first
    refused = run("places", "sync", "-", input=text)
    assert refused.exit_code == 2
    assert says in refused.stderr
    assert ask("places", "list")["count"] == 0
