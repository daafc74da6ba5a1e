"""Wrong types: found by pyright before a program runs, and refused with a sentence when it runs."""

from __future__ import annotations

import json
import subprocess
import sys
import typing
import uuid
from datetime import UTC, datetime, timedelta
from enum import Enum
from pathlib import Path
from typing import Any, cast, get_args

import pytest
from tests.wire.test_answers import VERBS

from confide.actor import operator_as
from confide.client.elsewhere import Elsewhere
from confide.declare import Door, Field, Group, Source, Verb, fields_of
from confide.door.here import Here
from confide.errors import InvalidInput
from confide.keep.syncing import Sight
from confide.model import Account, Entity, Namespace, Place, PlaceKind
from confide.privacy.atoms import ANYONE, Atom
from confide.privacy.policy import Audience
from confide.reading import audience
from confide.wire.codec import bare, is_list, optional

ALICE = Entity("human", "alice")
#: One right value of each type that a verb takes.
RIGHT: dict[Any, Any] = {
    Entity: ALICE,
    Place: Place(id="g", kind=PlaceKind.GROUP),
    Account: Account("local", "7"),
    Namespace: Namespace(),
    Atom: ANYONE,
    Audience: audience(ALICE, "dm"),
    uuid.UUID: uuid.UUID(int=7),
    datetime: datetime(2026, 3, 1, tzinfo=UTC),
    timedelta: timedelta(days=1),
    type(operator_as()): operator_as(ALICE),
    Sight: Sight(Place(id="g", kind=PlaceKind.GROUP)),
    str: "words",
    int: 1,
    float: 0.5,
    bool: True,
}


class Nothing:
    """A value of no use for anything; also what is not to be touched."""

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"{name} was used before the values were looked at")


def right(hint: Any) -> Any:
    kind = bare(optional(hint) or hint)
    if is_list(kind):
        return [right(get_args(kind)[0])]
    kinds = [one for one in get_args(kind) if one is not str] or [kind]
    if isinstance(kinds[0], type) and issubclass(kinds[0], Enum):
        return next(iter(kinds[0]))
    return RIGHT[kinds[0]] if kinds[0] in RIGHT else kinds[0]()


def is_typed(field: Field) -> bool:
    """Callables, such as a progress bar, are for who runs it here."""
    kind = bare(optional(field.hint) or field.hint)
    return (
        field.source is not Source.HERE and kind is not Any and typing.get_origin(kind) is not dict
    )


@pytest.mark.req("K14")
@pytest.mark.parametrize("far", [False, True], ids=["here", "elsewhere"])
@pytest.mark.parametrize(("group", "verb"), VERBS)
async def test_each_argument_of_each_verb_refuses_another_type_and_nothing_is_done(
    group: type[Group], verb: Verb, far: bool
) -> None:
    untouched = cast("Any", Nothing())
    door: Door = Elsewhere(untouched) if far else Here(untouched)
    made = object.__new__(group)
    made.door = door
    for wrong in filter(is_typed, fields_of(verb)):
        needed = {
            one.name: right(one.hint)
            for one in fields_of(verb)
            if one.is_needed and one is not wrong and not one.is_many
        }
        first: list[Any] = []
        if wrong.is_many:  # what stands before it can be said by its place only
            before = fields_of(verb)[: fields_of(verb).index(wrong)]
            first = [needed.pop(one.name) for one in before] + [Nothing()]
        given = needed if wrong.is_many else needed | {wrong.name: Nothing()}
        with pytest.raises(InvalidInput, match="instead of") as refused:
            await getattr(made, verb.name)(*first, **given)
        assert refused.value.field == wrong.name.rstrip("_")


#: Programs of somebody who mixed types up; each line that is wrong ends in `# wrong`.
PROGRAM = """
from confide import Confide, ConfideClient, Entity, Message, operator_as, statement

ALICE = Entity("human", "alice")


async def use(confide: {made}) -> None:
    await confide.remember("Tea.", by=ALICE, place="dm", lifetime="2w")
    await confide.remember("Tea.", by=ALICE, place="dm", lifetme="2w")  # wrong
    await confide.remember("Tea.", by=7, place="dm")  # wrong
    await confide.recall("Tea?", asker=ALICE, place="dm")
    await confide.recall("Tea?", asker=ALICE, place=ALICE)  # wrong
    await confide.observe("Tea.")  # wrong
    await confide.world.join("group:g", ALICE, "human:bob")
    await confide.world.join("group:g", 7)  # wrong
    await confide.world.sync("group:g")  # wrong
    await confide.rules.decide("guild", {{"learns": False}}, actor=operator_as(ALICE))  # wrong
    await confide.people.name(ALICE, "Al")
    await confide.people.name("human:alice", 7)  # wrong
    await confide.keys.list(who="human:alice")  # wrong
    known = await confide.world.places()
    known.append("group:g")  # wrong
    await confide.review.approve("Tea.", actor=ALICE)  # wrong
    statement("Tea.", by=ALICE, place="dm", confidence="high")  # wrong
"""


@pytest.mark.slow
@pytest.mark.req("K14")
def test_pyright_finds_each_wrong_type_here_and_on_a_server(tmp_path: Path) -> None:
    files = [tmp_path / f"{made.lower()}.py" for made in ("Confide", "ConfideClient")]
    for file, made in zip(files, ("Confide", "ConfideClient"), strict=True):
        file.write_text(PROGRAM.format(made=made), encoding="utf-8")
    asked = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable]
    done = subprocess.run([*asked, *map(str, files)], capture_output=True, text=True, timeout=200)
    found = {
        (Path(one["file"]), one["range"]["start"]["line"])
        for one in json.loads(done.stdout)["generalDiagnostics"]
        if one["severity"] == "error"
    }
    planted = {
        (file, number)
        for file in files
        for number, line in enumerate(file.read_text(encoding="utf-8").split("\n"))
        if line.endswith("# wrong")
    }
    assert len(planted) == 24
    assert found == planted
