"""Every value has one written form, and nothing is lost in it."""

from __future__ import annotations

import unicodedata
import uuid
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confide.errors import ConfideError, InvalidInput, NotFound
from confide.model import Account, Entity, Kind, Namespace
from confide.privacy import atoms
from confide.privacy.atoms import ALONE, ANYONE, Atom
from confide.wire.codec import read, written
from confide.wire.forms import FORMS, read_atom, write_atom

ids = st.text(
    st.characters(categories=["L", "N", "P"], exclude_characters="*@#/:"), min_size=1, max_size=20
).map(lambda text: unicodedata.normalize("NFC", text))
entities = st.builds(Entity, st.sampled_from(["human", "dog", "si", "role", "group"]), ids)
grantees = st.one_of(
    st.just(ANYONE),
    entities.map(atoms.entity),
    ids.map(atoms.place),
    ids.map(lambda id: atoms.place(f"ctx:{id}")),
    st.builds(lambda one, other: atoms.place(f"{one}@{other}"), ids, ids),
    ids.map(atoms.space),
)
namespaces = st.builds(
    Namespace,
    st.none() | ids,
    st.none()
    | st.builds(lambda kind, id: f"{kind}:{id}", st.sampled_from(["track", "paper"]), ids),
)
VALUES = {
    Entity: entities,
    Atom: grantees,
    timedelta: st.timedeltas(min_value=timedelta(0)),
    Namespace: namespaces,
    Account: st.builds(Account, ids, ids),
    datetime: st.datetimes(timezones=st.just(UTC)),
    date: st.dates(),
    bytes: st.text().map(str.encode),
    uuid.UUID: st.uuids(),
}


def test_every_written_value_is_tried() -> None:
    assert set(VALUES) == set(FORMS)


@pytest.mark.parametrize("kind", VALUES, ids=lambda kind: kind.__name__)
@pytest.mark.req("K14")
def test_what_is_written_is_read_back(kind: type) -> None:
    @given(VALUES[kind])
    def back(value: object) -> None:
        assert read(written(value, kind), kind) == value

    back()


@given(
    st.one_of(
        grantees,
        st.just(ALONE),
        st.builds(atoms.present, ids, st.integers(0, 99)),
        ids.map(atoms.at_place),
    )
)
def test_every_atom_of_an_explanation_is_read_back(atom: Atom) -> None:
    assert read_atom(write_atom(atom)) == atom


@pytest.mark.parametrize("kind", VALUES, ids=lambda kind: kind.__name__)
def test_any_text_is_read_or_refused_with_its_field(kind: type) -> None:
    @given(st.text(max_size=40))
    def try_it(text: str) -> None:
        assert refused_field(text, kind) in (None, "the_field")

    try_it()


def refused_field(text: str, kind: type) -> str | None:
    try:
        read(text, kind, "the_field")
    except NotFound:
        return None if kind is uuid.UUID else "not found"  # what is no id names nothing
    except InvalidInput as refused:
        return refused.field
    return None


def test_ten_minutes_stay_ten_minutes() -> None:
    for lasts in (
        timedelta(minutes=10),
        timedelta(seconds=90),
        timedelta(hours=36),
        timedelta(days=365),
    ):
        assert read(written(lasts, timedelta), timedelta) == lasts
    assert written(timedelta(minutes=10), timedelta) == "10min"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    who: Entity
    kind: Kind
    others: frozenset[Entity]
    until: datetime | None = None
    counts: dict[str, int]


def test_an_answer_keeps_its_fields_and_ignores_unknown_ones() -> None:
    answer = Answer(
        who=Entity("human", "alice"),
        kind=Kind.EVENT,
        others=frozenset({Entity("human", "bob"), Entity("dog", "bella")}),
        counts={"dm": 2},
    )
    told = written(answer, Answer)
    assert told == {
        "who": "human:alice",
        "kind": "event",
        "others": ["dog:bella", "human:bob"],
        "until": None,
        "counts": {"dm": 2},
    }
    assert read(told | {"new": 1}, Answer) == answer


@pytest.mark.parametrize("told", [3, None, ["human:alice"], {"a": 1}, True])
def test_a_value_of_another_type_is_refused_with_a_sentence(told: object) -> None:
    with pytest.raises(ConfideError, match=r"who: is \w+ instead of text"):
        read(told, Entity, "who")
