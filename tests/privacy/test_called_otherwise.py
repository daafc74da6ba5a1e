"""Every place of the small worlds, called what it is not: rule, database and oracle agree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from tests.privacy import onlookers, oracle
from tests.privacy.facts import Facts
from tests.privacy.onlookers import Occasion, Person, Scene, spaces_around
from tests.privacy.small_worlds import (
    CHAT_THREAD,
    DECK,
    DESK,
    GENERAL,
    HUSH,
    MODS,
    NEWS,
    THREAD,
    worlds,
)
from tests.privacy.stored import analyze, store_labels, store_memories, store_world
from tests.privacy.test_small_worlds import _agree, distinct

from confide.model import Entity, Place, PlaceKind
from confide.privacy.policy import decide_for, listen
from confide.recall.audience import audience_in
from confide.store.database import Database

THREADS = (PlaceKind.THREAD, PlaceKind.FORUM_POST)
OPEN = (PlaceKind.PUBLIC, PlaceKind.ANNOUNCEMENT)
CALLED: tuple[tuple[Place, Place], ...] = (
    *((one, replace(one, kind=kind)) for one, kind in (
        (GENERAL, PlaceKind.RESTRICTED), (GENERAL, PlaceKind.ANNOUNCEMENT),
        (MODS, PlaceKind.PUBLIC), (MODS, PlaceKind.VOICE), (NEWS, PlaceKind.PUBLIC),
        (NEWS, PlaceKind.AGE_GATED), (DECK, PlaceKind.RESTRICTED), (DESK, PlaceKind.PUBLIC),
    )),
    (DECK, replace(DECK, space="G")),
    (DESK, replace(DESK, space="G", kind=PlaceKind.PUBLIC)),
    (GENERAL, replace(GENERAL, space="G/R")),
    *((one, replace(one, kind=kind, space=None)) for one, kind in (
        (HUSH, PlaceKind.THREAD), (HUSH, PlaceKind.FORUM_POST), (THREAD, PlaceKind.PRIVATE_THREAD),
        (CHAT_THREAD, PlaceKind.PRIVATE_THREAD),
    )),
    *((one, replace(one, space=None, parent_place=above)) for one, above in (
        (THREAD, replace(MODS, kind=PlaceKind.PUBLIC)),
        (THREAD, replace(MODS, kind=PlaceKind.STAGE)),
        (HUSH, replace(GENERAL, kind=PlaceKind.RESTRICTED)),
        (HUSH, replace(GENERAL, kind=PlaceKind.ANNOUNCEMENT)),
    )),
)  # fmt: skip


def _called(known: Place, said: Place, facts: Facts) -> tuple[frozenset[str], frozenset[str]]:
    """The rooms and spaces of a place as it is called. One that opened would be another."""
    rooms, spaces, has_opened = frozenset[str](), spaces_around(said.space), False
    if known.parent is not None:
        above = facts.places[known.parent]
        rooms, around = _called(above, said.parent_place or above, facts)
        spaces, has_opened = spaces | around, above.id not in rooms
    wider = (*OPEN, *THREADS)
    opens = known.kind not in OPEN and said.kind in wider and said.kind is not known.kind
    return (rooms if opens or has_opened else rooms | {known.id}), spaces


def _as_called(asker: Entity, known: Place, said: Place, facts: Facts) -> Occasion:
    rooms, spaces = _called(known, said, facts)
    me = onlookers.person(asker, facts)
    readers = [me, Person(None, rooms=rooms, spaces=spaces)]
    if PlaceKind.ANNOUNCEMENT in (said.kind, said.parent_place and said.parent_place.kind):
        readers.append(Person(None))
    scene = Scene(rooms, spaces, frozenset({(asker, None, None)}), False, None)
    return Occasion(tuple(readers), me, scene, is_silent=False, is_own_thought=False)


def _asked(facts: Facts) -> Iterator[tuple[Entity, Place, Place]]:
    for known, said in CALLED:
        around = [one for one in facts.around(known.id) if one.kind not in THREADS]
        for asker in facts.there[around[0].id]:
            yield asker, known, said


@pytest.mark.slow
@pytest.mark.req("B1", "B2", "B13")
@pytest.mark.parametrize("facts", worlds(), ids=lambda _: "world")
async def test_a_place_called_what_it_is_not_tells_what_both_may_tell(
    database: Database, facts: Facts
) -> None:
    said = distinct()
    labels = list(said)
    async with database.keep() as connection:
        ids = await store_labels(connection, database.agent, labels)
        await store_memories(connection, database.agent, ids, facts.now)
        await store_world(connection, database.agent, facts.world())
    await analyze(database)
    made = [oracle.demands(one.origin, one.consents, facts) for one in said.values()]
    asked = list(_asked(facts))
    assert len(asked) > 15
    for asker, known, called in asked:
        heard = audience_in(called, asker)
        async with database.tell(heard, facts.now) as telling:
            rows = await telling.connection.fetch("SELECT DISTINCT label_id FROM confide.memory")
        assert telling.audience.as_said is not None, (known, called)
        shown = {row["label_id"] for row in rows}
        ears = listen(telling.audience, replace(telling.world, agent=facts.world().agent))
        ruled = [decide_for(ears, one).told for one in labels]
        _agree(said, telling.audience, ruled, [id in shown for id in ids])
        attested = onlookers.occasion(audience_in(known, asker), facts)
        otherwise = _as_called(asker, known, called, facts)
        right = [oracle.told(one, attested) and oracle.told(one, otherwise) for one in made]
        _agree(said, telling.audience, ruled, right)
