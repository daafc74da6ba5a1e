"""What is kept of a memory (S9)."""

from __future__ import annotations

import pytest

from confide import Confide, Entity, audience, statement

ALICE = Entity("human", "alice")


@pytest.mark.req("S9")
async def test_a_memory_keeps_its_text_type_level_origin_count_confidence_and_times(
    confide: Confide, clock
) -> None:
    said = statement("I prefer tea", by=ALICE, place="restricted:mods@guild", kind="preference")
    await confide.remember(said)
    clock.advance(hours=1)
    again = await confide.remember(said)
    assert not again.is_new
    await confide.recall("what do I prefer?", audience(ALICE, "dm"))
    (kept,) = await confide.memories(ALICE)
    assert kept.text == "I prefer tea"
    assert (kept.type, kept.scope) == ("semantic", "channel_restricted")
    assert kept.origin.place is not None
    assert (kept.origin.place.id, kept.origin.place.space) == ("mods@guild", "guild")
    assert (kept.source_count, kept.confidence) == (2, 1.0)
    assert kept.created_at < kept.updated_at == clock.now
    assert kept.last_accessed_at == clock.now
