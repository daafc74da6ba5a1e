"""Every declared verb: its answer survives the wire, and its callers are those the table lets in."""

from __future__ import annotations

import dataclasses
from enum import Enum
from typing import Any, get_args, get_origin

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.wire.test_forms import VALUES

from confide.client.elsewhere import read_answer
from confide.declare import Verb, answer_of, answer_writer, fields_of
from confide.model import Place, PlaceKind
from confide.privacy.acting import callers_of
from confide.privacy.leaves import Leaf
from confide.surfaces.http.declared import callers
from confide.verbs import GROUPS, group_called
from confide.wire.codec import answered_by, bare, form_of, is_list, leaf_of, optional
from confide.wire.codec import fields_of as parts_of

VERBS = [
    pytest.param(group, verb, id=f"{name}.{verb.name}")
    for name in GROUPS
    for group in [group_called(name)]
    for verb in group.verbs
]
PLAIN: dict[Any, Any] = {
    str: st.text(min_size=1, max_size=9),
    int: st.integers(0, 9),
    bool: st.booleans(),
    float: st.floats(0, 1),
    type(None): st.none(),
    Any: st.none(),
    Place: st.just(Place(id="ctx:care", kind=PlaceKind.CONTEXT)),
}


def drawn(hint: Any) -> st.SearchStrategy[Any]:
    """Any value of a type that answers are made of."""
    if (inner := optional(hint)) is not None:
        return st.none() | drawn(inner)
    kind = bare(hint)
    if kind in VALUES:
        return VALUES[kind]
    if kind in PLAIN:
        return PLAIN[kind]
    if isinstance(kind, type) and issubclass(kind, Enum):
        return st.sampled_from(list(kind))
    inside = get_args(kind)
    if is_list(kind):
        made = {frozenset: frozenset, tuple: tuple}.get(get_origin(kind), list)
        return st.lists(drawn(inside[0]), max_size=2).map(made)
    if inside:  # a mapping
        return st.dictionaries(drawn(inside[0]), drawn(inside[1]), max_size=2)
    if get_origin(kind) is not None or not parts_of(kind):
        raise TypeError(f"no values for {hint!r}")
    parts = {
        name: drawn(one)
        for name, one in (parts_of(kind) or {}).items()
        if leaf_of(one) is not Leaf.HERE
    }
    return st.builds(kind, **parts)


@pytest.mark.req("K14")
@pytest.mark.parametrize(("group", "verb"), VERBS)
def test_what_a_verb_answers_is_read_back_as_it_was(group: Any, verb: Verb) -> None:
    write = answer_writer(verb, frozenset({Leaf.HERE}))

    @settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(drawn(answer_of(verb)))
    def back(value: Any) -> None:
        assert read_answer(verb, write(value)) == value

    back()


@pytest.mark.req("B12")
@pytest.mark.parametrize(("group", "verb"), VERBS)
def test_only_those_come_in_whom_the_table_of_acts_lets_in(group: Any, verb: Verb) -> None:
    let_in = callers(group, verb)
    assert let_in, "somebody may do it with a key"
    assert verb.act is None or let_in <= callers_of(verb.act)
    assert set(verb.only) <= (callers_of(verb.act) if verb.act else set(verb.only))


@pytest.mark.req("B11")
@pytest.mark.parametrize(("group", "verb"), VERBS)
def test_what_is_ones_own_is_left_blank_where_others_read_along(group: Any, verb: Verb) -> None:
    """Each leaf that is somebody's own can be blank, whatever it holds."""
    blank = frozenset({Leaf.HERE, Leaf.OWN, Leaf.OWN_NUMBERS})
    own = list(_own(answer_of(verb)))

    @settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(drawn(answer_of(verb)))
    def try_it(value: Any) -> None:
        told = answer_writer(verb, blank)(value)
        assert all(not found for name in own for found in _all(told, name)), own

    try_it()


def _own(hint: Any) -> Any:
    kind = bare(optional(hint) or bare(hint))
    if is_list(kind):
        yield from _own(get_args(kind)[0])
    elif dataclasses.is_dataclass(kind) and isinstance(kind, type):
        for name, one in (answered_by(kind) or {}).items():
            if leaf_of(one) in (Leaf.OWN, Leaf.OWN_NUMBERS):
                yield name
            if form_of(one) is None:
                yield from _own(one)


def _all(told: Any, name: str) -> Any:
    if isinstance(told, list):
        for one in told:
            yield from _all(one, name)
    elif isinstance(told, dict):
        for key, one in told.items():
            yield from [one] if key == name else _all(one, name)


@pytest.mark.parametrize(("group", "verb"), VERBS)
def test_every_path_names_fields_that_there_are(group: Any, verb: Verb) -> None:
    named = {one for one in verb.path.replace(":path", "").split("/") if one.startswith("{")}
    assert named <= {f"{{{one.shown}}}" for one in fields_of(verb)}
