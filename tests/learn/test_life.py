"""Any order of joining, leaving, saying, learning, asking, forgetting and clocks that jump, against a
simple model."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from confide import Confide, audience
from confide.actor import operator_as
from confide.model import Entity
from confide.privacy.places import parse_place

from .speaking import learn, message

PEOPLE = [Entity("human", name) for name in ("alice", "bob", "carol")]
ROOMS = ["dm", "group:tea", "restricted:mods@guild", "public:general@guild"]
people, rooms = st.sampled_from(PEOPLE), st.sampled_from(ROOMS)


def lives(home: Path, clock: Any) -> type[RuleBasedStateMachine]:
    class Life(RuleBasedStateMachine):
        """Every text is unique, so what is told says where it was said and by whom."""

        def __init__(self) -> None:
            super().__init__()
            self.loop = asyncio.new_event_loop()
            self.opened = Confide.open(
                home, clock=clock, agent=f"h{uuid.uuid4().hex[:10]}", learn=False
            )
            self.confide = self.run(self.opened.__aenter__())
            self.said: dict[str, tuple[Entity, str]] = {}
            self.waiting: list[str] = []
            self.known: dict[str, uuid.UUID] = {}
            self.members: dict[str, set[Entity]] = {room: set() for room in ROOMS}
            self.count = 0

        def run(self, work: Coroutine[Any, Any, Any]) -> Any:
            return self.loop.run_until_complete(work)

        @rule(who=people, room=rooms)
        def observe(self, who: Entity, room: str) -> None:
            self.count += 1
            text = f"Thing{self.count} zork{self.count} belongs to box {self.count}"
            said = message(text, by=str(who), place=room, at=clock())
            assert self.run(self.confide.observe(said)).is_new
            assert not self.run(self.confide.observe(said)).is_new
            self.said[text] = who, room
            self.waiting.append(text)
            self.members[room].add(who)

        @rule()
        def learn(self) -> None:
            assert self.run(learn(self.confide)) == len(self.waiting)
            for who in PEOPLE:
                for memory in self.run(self.confide.memories(who, limit=100)):
                    self.known.setdefault(memory.text, memory.id)
            self.waiting.clear()

        @rule(who=people, room=st.sampled_from(ROOMS[1:3]))
        def leave(self, who: Entity, room: str) -> None:
            if who in self.members[room]:
                self.run(self.confide.world.leave(parse_place(room, who), who))
                self.members[room].discard(who)

        @rule(who=people, room=st.sampled_from(ROOMS[1:3]))
        def join(self, who: Entity, room: str) -> None:
            self.run(self.confide.world.join(parse_place(room, who), who))
            self.members[room].add(who)

        @rule(hours=st.integers(-72, 72))
        def jump(self, hours: int) -> None:
            """A clock that is set right, or wrong, loses nothing and opens nothing."""
            clock.advance(hours=hours)

        @precondition(lambda self: self.known)
        @rule(data=st.data())
        def forget(self, data: st.DataObject) -> None:
            text = data.draw(st.sampled_from(sorted(self.known)))
            actor = operator_as(self.said[text][0])
            self.run(self.confide.forget(self.known.pop(text), actor=actor, now=True))
            del self.said[text]

        @rule(who=people, room=rooms, data=st.data())
        def recall(self, who: Entity, room: str, data: st.DataObject) -> None:
            if not self.said:
                return
            text = data.draw(st.sampled_from(sorted(self.said)))
            context = self.run(self.confide.recall(text, audience(str(who), room)))
            self.members[room].add(who)
            told = {one.memory.text for one in context.memories}
            assert told <= set(self.said) - set(self.waiting), "only what was learned and stays"
            for one in told:
                assert self.may_hear(who, room, *self.said[one]), (who, room, one)

        def may_hear(self, asker: Entity, here: str, speaker: Entity, there: str) -> bool:
            """The table of scopes, in plain words."""
            if there == "dm":
                return asker == speaker and here == "dm"
            if there.startswith("public"):
                return here != "group:tea" or asker == speaker
            is_in = asker in self.members[there]
            if here == there:
                return is_in and (asker == speaker or there.startswith("group"))
            return here == "dm" and is_in and (asker == speaker or there.startswith("group"))

        @invariant()
        def nothing_is_lost_or_doubled(self) -> None:
            sql = (
                "SELECT (SELECT count(*) FROM confide.message) AS said, (SELECT count(*) FROM"
                " confide.memory) AS kept, (SELECT count(*) FROM confide.memory WHERE"
                " source_count > 1) AS twice"
            )

            async def counted() -> Any:
                async with self.confide.database.keep() as connection:
                    return await connection.fetchrow(sql)

            row = self.run(counted())
            assert row["said"] == self.count
            assert row["kept"] == len(self.said) - len(self.waiting)
            assert row["twice"] == 0

        def teardown(self) -> None:
            self.run(self.opened.__aexit__(None, None, None))
            self.loop.close()

    return Life


@pytest.mark.slow
@pytest.mark.req("S11", "S12", "S13")
@pytest.mark.drawn
def test_no_order_of_events_loses_doubles_or_leaks(home: Path, clock: Any) -> None:
    from hypothesis.stateful import run_state_machine_as_test

    run_state_machine_as_test(
        lives(home, clock),
        settings=settings(
            max_examples=15, stateful_step_count=25, deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )  # fmt: skip
