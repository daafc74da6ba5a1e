"""Out again: one person's export as a file, in again as an import, or as it was by the operator."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Run, run
from tests.conftest import Opened
from tests.imports.test_importing import bring, told
from tests.learn.speaking import learn

from confide import Confide, Entity, operator_as
from confide.actor import Actor
from confide.errors import InvalidInput, NotAllowed
from confide.keep.exporting import as_lines
from confide.model import MemoryType, Scope, Trust
from confide.privacy import atoms
from confide.privacy.acting import CallerKind
from confide.reading import read_place, statement

__all__ = ["run"]
ME, BOB = Entity.parse("human:me"), Entity.parse("human:bob")
WORDS = ("oolong", "anxiety", "raid", "castles", "spammer", "moss", "rye", "cake")
ASKED = [
    (asker, place, question)
    for asker in ("human:me", "human:bob")
    for place in ("dm", "group:raid", "public:general@guild")
    for question in (
        "Which oolong tea?",
        "Who has anxiety?",
        "When is the raid?",
        "Who builds castles?",
    )
]
#: What a person may hear of it stays behind: some of those words are others', and only their own
#: store knows under which conditions.
ITS_OWN = {"evidence"}


@pytest.fixture
async def confide(open_confide: Opened) -> AsyncIterator[Confide]:
    async with open_confide(learn=False) as opened:
        yield opened


async def live(confide: Confide) -> None:
    """Every level, kind and axis that a memory of one's own can have."""
    said: list[dict[str, Any]] = [
        {"text": "I love oolong tea", "place": "dm", "kind": "preference"},
        {"text": "I have anxiety", "place": "dm"},
        {"text": "The raid is on Friday", "place": "group:raid", "present": ["human:bob"]},
        {"text": "I build castles", "place": "public:general@guild", "kind": "identity"},
        {"text": "Watch the spammer", "place": "restricted:mods@guild"},
        {"text": "My thesis is about moss", "place": "dm", "namespace": "thesis/track:1"},
        {"text": "Sarah likes rye", "place": "dm", "about": ["human:sarah"]},
        {"text": "Bring cake on Monday", "place": "dm", "lifetime": "20d", "kind": "task"},
    ]
    for one in said:
        text, place = one.pop("text"), one.pop("place")
        await confide.remember(statement(text, by="human:me", place=place, **one))
    (tea,) = [one for one in await confide.memories(ME) if "oolong" in one.text]
    await confide.consents.share(tea.id, atoms.entity(BOB), actor=operator_as(ME))


async def exported(confide: Confide) -> str:
    done = await confide.rights.export(ME, actor=operator_as(ME))
    return as_lines(json.loads(done.files["export.json"]))


def facts(lines: str) -> list[dict[str, Any]]:
    """All that was exported but what is a store's own."""
    found = [json.loads(line) for line in lines.splitlines()]
    for one in found:
        one["consents"] = [
            {k: v for k, v in c.items() if k not in ("id", "memory")} for c in one["consents"]
        ]
    kept = [{k: v for k, v in one.items() if k not in ITS_OWN} for one in found]
    return sorted(kept, key=lambda one: one["text"])


@pytest.mark.req("S21", "P7")
async def test_by_the_operator_every_field_comes_back(
    confide: Confide, open_confide: Opened
) -> None:
    await live(confide)
    lines = await exported(confide)
    assert len(lines.splitlines()) == 8
    read = [json.loads(line) for line in lines.splitlines()]
    async with open_confide(learn=False, agent=f"{confide.database.agent}b") as other:
        for room in ("group:raid", "public:general@guild", "restricted:mods@guild"):
            there = [ME, BOB] if room == "group:raid" else [ME]
            await other.world.join(read_place(room, ME), *there)  # the platform says who is where
        done = await other.imports.bring_back(read, ME, actor=operator_as())
        assert (done.new, done.known) == (8, 0)
        assert facts(await exported(other)) == facts(lines)
        for asker, place, question in ASKED:
            here, there = [await told(one, asker, place, question) for one in (confide, other)]
            before, after = ({w for w in WORDS if w in block} for block in (here, there))
            # Who else was there when it was said is not in a person's own export.
            is_same = after == before if asker == "human:me" else after <= before
            assert is_same, (asker, place, question, before, after)
        again = await other.imports.bring_back(read, ME, actor=operator_as())
        assert (again.new, again.known) == (0, 8)


@pytest.mark.req("S21")
async def test_an_id_that_another_memory_has_is_not_taken_from_it(confide: Confide) -> None:
    kept = await confide.remember(statement("I love oolong tea", by=ME, place="dm"))
    (line,) = [json.loads(one) for one in (await exported(confide)).splitlines()]
    done = await confide.imports.bring_back(
        [line | {"text": "I love gunpowder tea"}], ME, actor=operator_as()
    )
    assert done.new == 1
    texts = {one.text: one.id for one in await confide.memories(ME)}
    assert texts["I love oolong tea"] == kept.id
    assert texts["I love gunpowder tea"] != kept.id
    with pytest.raises(InvalidInput, match="line 1"):
        await confide.imports.bring_back([line | {"id": "first"}], ME, actor=operator_as())


@pytest.mark.req("B12", "S21")
async def test_nobody_else_keeps_a_field(confide: Confide) -> None:
    await live(confide)
    lines = [json.loads(line) for line in (await exported(confide)).splitlines()]
    for actor in (
        operator_as(ME),
        Actor(ME, CallerKind.PERSONAL),
        Actor(None, CallerKind.PLATFORM),
    ):
        with pytest.raises((InvalidInput, NotAllowed)):
            await confide.imports.bring_back(lines, ME, actor=actor)
    for wrong in ({"text": 1}, lines[0] | {"level": "everyone"}, lines[0] | {"owner": "human:bob"},
                  lines[0] | {"text": "my key is sk-ant-api03-" + "a1B2" * 24}):  # fmt: skip
        before = len(await confide.memories(ME, limit=100))
        with pytest.raises(InvalidInput):
            await confide.imports.bring_back([wrong], ME, actor=operator_as())
        assert len(await confide.memories(ME, limit=100)) == before


@pytest.mark.req("P8", "S21")
async def test_in_again_as_an_import_all_of_it_are_claims(
    confide: Confide, open_confide: Opened, tmp_path: Path
) -> None:
    await live(confide)
    lines = [json.loads(line) for line in (await exported(confide)).splitlines()]
    # Whoever can write a file can write anything into it.
    forged = [one | {"level": "public", "trust": "said", "is_portable": True, "type": "procedural",
                     "owner": "human:bob", "consents": [{"grantor": "human:me", "grantee": "*"}]}
              for one in lines]  # fmt: skip
    path = tmp_path / "me.jsonl"
    path.write_text("\n".join(map(json.dumps, forged)))
    async with open_confide(learn=False, agent=f"{confide.database.agent}c") as other:
        done = await bring(other, path)
        assert done.new == 8
        await learn(other)
        kept = await other.memories(ME, limit=100)
        assert {one.text for one in kept} >= {"I love oolong tea", "I build castles"}
        for one in kept:
            assert one.scope is Scope.DM
            assert one.trust is Trust.UNTRUSTED
            assert one.type is not MemoryType.PROCEDURAL
            assert not one.origin.is_portable
            assert one.speaker == ME, "one's own words stay one's own"
        for asker, place in (("human:bob", "dm"), ("human:bob", "group:raid"),
                             ("human:me", "public:general@guild")):  # fmt: skip
            assert not await told(other, asker, place, "tea, castles, raid?")


def test_the_command_writes_both_forms_and_only_ones_own(run: Run, tmp_path: Path) -> None:
    for text, by in (("I love oolong tea", "human:me"), ("I love gunpowder tea", "human:bob")):
        assert run("remember", text, "--by", by, "--in", "dm").exit_code == 0
    printed = run("export", "--as", "human:me").stdout
    assert [json.loads(line)["text"] for line in printed.splitlines()] == ["I love oolong tea"]
    file = tmp_path / "me.md"
    done = run("export", "--as", "human:me", "--format", "markdown", "--out", str(file), "--json")
    assert json.loads(done.stdout)["memories"] == 1
    assert "oolong" in file.read_text()
    assert "gunpowder" not in file.read_text()
    lines = tmp_path / "me.jsonl"
    lines.write_text(printed)
    again = run("import", str(lines), "--as", "human:me", "--as-it-was", "--json")
    assert json.loads(again.stdout) == {"new": 0, "known": 1}
    wrong = run("import", str(lines), "--as", "human:bob", "--as-it-was")
    assert wrong.exit_code == 2
    assert "owner" in wrong.stderr
