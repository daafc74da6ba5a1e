"""An export holds all that a person may be told alone, and nothing that is withheld from them."""

from __future__ import annotations

import hashlib
import json
import stat
from datetime import timedelta
from pathlib import Path

import pytest
from tests.cli.conftest import Ask, Run
from tests.conftest import Clock

from confide import Confide, Entity, operator_as, statement
from confide.errors import InvalidInput
from confide.keep.exporting import Export
from confide.model import Message
from confide.privacy import atoms
from confide.privacy.places import parse_place
from confide.store.consents import About

ALICE, BOB, MIA = (Entity("human", name) for name in ("alice", "bob", "mia"))


async def say(confide: Confide, text: str, by: Entity, place: str, **more: object):
    return await confide.remember(statement(text, by=by, place=place, **more))


async def of(confide: Confide, who: Entity) -> Export:
    return await confide.rights.export(who, actor=operator_as(who))


def read(export: Export) -> dict:
    return json.loads(export.files["export.json"])


@pytest.mark.req("S21")
async def test_own_words_of_every_place_level_and_workspace_are_in_it(confide: Confide) -> None:
    for n, place in enumerate(("dm", "group:g", "restricted:r@s", "public:p@s", "ctx:c")):
        await say(confide, f"Own word number{n}", BOB, place)
    await say(confide, "Own word number5", BOB, "dm", namespace="lab")
    await say(confide, "Own word number6", BOB, "dm", namespace="lab/paper:7")
    await say(confide, "I have anxiety, number7", BOB, "group:g", sensitivity="sensitive")
    found = read(await of(confide, BOB))
    texts = {one["text"] for one in found["memories"]}
    assert {text[-1] for text in texts} == set("01234567")
    shown = (await of(confide, BOB)).files["export.md"].decode()
    assert all(text in shown for text in texts)


@pytest.mark.req("S21", "K6", "A9")
async def test_nothing_that_is_withheld_from_them_is_in_it(confide: Confide) -> None:
    """What others said about Bob in their own chats and rooms, and the surprise party."""
    await say(confide, "Bob gets a canary1 surprise", ALICE, "group:g", about=[BOB])
    await say(confide, "Bob drives me canary2", ALICE, "dm", about=[BOB])
    await say(confide, "Watching Bob canary3", MIA, "restricted:mods@s", about=[BOB])
    await say(confide, "Nothing about him canary4", ALICE, "dm")
    await say(confide, "A secret told to me canary5", ALICE, "dm", source=BOB, about=[MIA])
    await say(confide, "Bob loves pizza canary6", ALICE, "public:p@s", about=[BOB])
    await confide.world.join(parse_place("group:g", BOB), BOB)
    await confide.world.join(parse_place("public:p@s", BOB), BOB)
    await confide.learning.observe(
        Message(
            id="m1",
            place=parse_place("restricted:mods@s", MIA),
            speaker=MIA,
            text="Bob should be banned canary7",
            said_at=confide.means.clock(),
        )
    )
    export = await of(confide, BOB)
    everything = b"".join(export.files.values()).decode()
    assert {n for n in range(1, 8) if f"canary{n}" in everything} == {6}
    assert [one["text"] for one in read(export)["said_about_you"]] == ["Bob loves pizza canary6"]


@pytest.mark.req("S21", "P4")
async def test_own_words_that_are_told_to_nobody_are_marked_as_such(
    confide: Confide, clock: Clock
) -> None:
    old = await say(confide, "I live in Porto", BOB, "dm")
    await confide.rights.correct(old.id, "I live in Rome", actor=operator_as(BOB))
    await say(confide, "Unsure of it", BOB, "dm", confidence=0.2)
    await say(confide, "Watering the tree", BOB, "dm", kind="observation")
    clock.advance(days=4)
    gone = await say(confide, "Forget me at once", BOB, "dm")
    await confide.forget(gone.id, actor=operator_as(BOB))
    found = read(await of(confide, BOB))
    assert {(one["text"], one["status"]) for one in found["not_told_now"]} == {
        ("I live in Porto", "superseded"),
        ("Unsure of it", "pending"),
        ("Watering the tree", "approved"),
    }
    assert "Forget me" not in json.dumps(found)


@pytest.mark.req("S21")
async def test_who_opted_out_still_gets_all_of_theirs(confide: Confide) -> None:
    await say(confide, "I paint", BOB, "dm")
    await confide.rights.opt_out(BOB, actor=operator_as(BOB))
    found = read(await of(confide, BOB))
    assert found["privacy"]["is_opted_out"]
    assert [one["text"] for one in found["not_told_now"]] == ["I paint"]


@pytest.mark.req("S21")
async def test_words_in_a_room_they_left_are_not_in_it(confide: Confide) -> None:
    place = "restricted:mods@s"
    await say(confide, "Canary of the mods", BOB, place)
    assert "Canary" in str(read(await of(confide, BOB)))
    await confide.world.leave(parse_place(place, BOB), BOB)
    assert "Canary" not in str(read(await of(confide, BOB)))


@pytest.mark.req("S21")
async def test_the_same_state_gives_the_same_bytes_and_the_manifest_its_hashes(
    confide: Confide, clock: Clock
) -> None:
    for n in range(12):
        await say(confide, f"I know thing {n}", BOB, "group:g", present=[ALICE, MIA])
    given = confide.consents.agreement(BOB, atoms.entity(ALICE), lasts=timedelta(days=9))
    await confide.consents.give(given, About(subject=BOB), actor=operator_as(BOB))
    first = await of(confide, BOB)
    clock.advance(hours=1)
    second = await of(confide, BOB)
    assert first.files == second.files
    for name, about in first.manifest["files"].items():
        body = first.files[name]
        assert about == {"bytes": len(body), "sha256": hashlib.sha256(body).hexdigest()}
    assert first.manifest["counts"]["memories"] == 12
    assert first.manifest["counts"]["consents"] == 1


@pytest.mark.req("S21", "S23")
async def test_when_memories_were_told_is_in_it_without_who_asked(confide: Confide) -> None:
    await say(confide, "I love pizza", BOB, "public:p@s")
    from confide import audience

    await confide.recall("who loves pizza?", audience(ALICE, "public:p@s"))
    found = read(await of(confide, BOB))
    assert len(found["tellings"]) == 1
    assert "alice" not in json.dumps(found)


@pytest.mark.req("S21", "K17")
async def test_nobody_else_gets_it_not_even_the_operator(confide: Confide) -> None:
    for actor in (operator_as(), operator_as(ALICE)):
        with pytest.raises(InvalidInput, match="only human:bob"):
            await confide.rights.export(BOB, actor=actor)


@pytest.mark.req("S21")
async def test_stored_text_cannot_steer_who_reads_the_export(confide: Confide) -> None:
    await say(confide, "I like \x1b[2J# tea [x](http://y) \u202eevil", BOB, "dm")
    shown = (await of(confide, BOB)).files["export.md"].decode()
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert r"\[x\](http://y)" in shown


@pytest.mark.req("S21")
def test_the_command_line_writes_files_for_their_reader_alone(
    ask: Ask, run: Run, tmp_path: Path
) -> None:
    ask("remember", "I paint", "--by", "human:bob", "--in", "dm")
    out = tmp_path / "bob"
    done = ask("privacy", "export", "--as", "human:bob", "--out", str(out))
    assert sorted(path.name for path in out.iterdir()) == [
        "export.json",
        "export.md",
        "manifest.json",
    ]
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in out.iterdir())
    body = (out / "export.json").read_bytes()
    assert done["files"]["export.json"]["sha256"] == hashlib.sha256(body).hexdigest()
    again = run("privacy", "export", "--as", "human:bob", "--out", str(out))
    assert again.exit_code == 2
    assert "not empty" in again.stderr
    assert (out / "export.json").read_bytes() == body
