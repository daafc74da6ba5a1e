"""Agree, withdraw, wait, enter, leave, opt out and in, get a guardian, become one person and two
again, with plain and with sensitive facts, in any order.

After every step the database and the library tell each audience exactly what the reference says.
"""

from __future__ import annotations

import asyncio
import uuid
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from tests.conftest import Clock
from tests.consent.reference import ROOM, Agreed, Reference, Said

from confide import Confide, Entity, audience, operator_as, statement
from confide.errors import InvalidInput
from confide.privacy import atoms
from confide.privacy.disclosure import disclose
from confide.privacy.places import parse_place
from confide.recall.audience import tell_to
from confide.store import memories
from confide.store.consents import About

PEOPLE = [Entity("human", name) for name in ("ann", "ben", "cat", "dan")]
CARE = parse_place("ctx:care", PEOPLE[0])
PURPOSE = "care"
MUM = Entity("human", "mum")
person = st.sampled_from(PEOPLE)
number = st.integers(0, 10)


class Consenting(RuleBasedStateMachine):
    home: Path

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.clock = Clock()
        agent = f"t{uuid.uuid4().hex[:12]}"
        self.opened = Confide.open(self.home, clock=self.clock, agent=agent, consent_days=3)
        self.confide: Confide = self.run(self.opened.__aenter__())
        self.model = Reference(self.clock.now)
        self.merges: dict[frozenset[Entity], uuid.UUID] = {}
        self.children: set[Entity] = set()

    def run(self, work: Any) -> Any:
        return self.runner.run(work)

    def teardown(self) -> None:
        self.run(self.opened.__aexit__(None, None, None))
        self.runner.close()

    @precondition(lambda self: len(self.model.said) < 4)
    @rule(
        speaker=person, subject=st.none() | person, in_room=st.booleans(),
        is_sensitive=st.booleans(),
    )  # fmt: skip
    def say(
        self, speaker: Entity, subject: Entity | None, in_room: bool, is_sensitive: bool
    ) -> None:
        if speaker in self.model.opted_out:
            with pytest.raises(InvalidInput, match="opted out"):
                self.run(self.confide.remember(statement("Heard?", by=speaker, place="dm")))
            return
        if in_room:
            self.model.inside.add(speaker)
            self._came(speaker)
        there = frozenset(self.model.inside) if in_room else frozenset()
        n = len(self.model.said)
        said = statement(
            f"The number is {n}",
            by=speaker,
            place=CARE if in_room else "dm",
            present=there,
            about=[subject] if subject else [],
            sensitivity="sensitive" if is_sensitive else "public",
        )
        done = self.run(self.confide.remember(said))
        self.model.said.append(Said(done.id, speaker, subject, in_room, there, is_sensitive))

    @precondition(lambda self: self.model.said)
    @rule(
        n=number, of_subject=st.booleans(), to=person | st.just(ROOM), standing=st.booleans(),
        purpose=st.sampled_from([None, None, PURPOSE]), days=st.integers(1, 4),
    )  # fmt: skip
    def agree(
        self,
        n: int,
        of_subject: bool,
        to: Entity | str,
        standing: bool,
        purpose: str | None,
        days: int,
    ) -> None:
        one = self.model.said[n % len(self.model.said)]
        who = one.subject if of_subject and one.subject else one.speaker
        subject = who if standing else None
        grantee = atoms.place(CARE.id) if to == ROOM else atoms.entity(to)
        given = self.confide.consents.agreement(
            who, grantee, purpose=purpose, lasts=timedelta(days=days)
        )
        about = About(subject=subject) if subject else About(memory_id=one.id)
        if who in self.children:
            with pytest.raises(InvalidInput, match="guardian"):
                self.run(self.confide.consents.give(given, about, actor=operator_as(who)))
        effect = self.run(
            self.confide.consents.give(given, about, actor=operator_as(self._voice(who)))
        )
        assert given.until is not None
        memory = None if subject else one.id
        self.model.agreed[effect.consent_id] = Agreed(
            who, to, memory, subject, given.until, purpose
        )

    @precondition(lambda self: self.model.agreed)
    @rule(n=number)
    def withdraw(self, n: int) -> None:
        id = list(self.model.agreed)[n % len(self.model.agreed)]
        given = self.model.agreed.pop(id)
        self.run(self.confide.consents.withdraw(id, actor=operator_as(given.who)))

    @rule(child=person)
    def get_a_guardian(self, child: Entity) -> None:
        """What the child agreed to by itself counts no longer."""
        if child in self.children:
            return
        self.run(self.confide.people.appoint_guardian(child, MUM, actor=operator_as()))
        self.children.add(child)
        for id, given in list(self.model.agreed.items()):
            if given.who == child:
                del self.model.agreed[id]

    @rule(who=person)
    def opt_out(self, who: Entity) -> None:
        self.run(self.confide.rights.opt_out(who, actor=operator_as(who)))
        self.model.opted_out.add(who)

    @precondition(lambda self: self.model.opted_out)
    @rule(n=number)
    def opt_in(self, n: int) -> None:
        who = sorted(self.model.opted_out)[n % len(self.model.opted_out)]
        self.run(self.confide.rights.opt_in(who, actor=operator_as(who)))
        self.model.opted_out.discard(who)

    @rule(days=st.integers(1, 3))
    def wait(self, days: int) -> None:
        self.clock.advance(days=days)
        self.model.now = self.clock.now

    @rule(who=person)
    def enter(self, who: Entity) -> None:
        self.run(self.confide.contexts.enter(CARE, who, actor=operator_as()))
        self.model.inside.add(who)
        self._came(who)

    @precondition(lambda self: self.model.inside)
    @rule(n=number)
    def leave(self, n: int) -> None:
        who = sorted(self.model.inside)[n % len(self.model.inside)]
        self.run(self.confide.contexts.leave(CARE, who, actor=operator_as(who)))
        self.model.inside.discard(who)

    @rule(one=person, other=person)
    def become_one(self, one: Entity, other: Entity) -> None:
        pair = frozenset({one, other})
        if len(pair) < 2 or pair in self.merges:
            return
        proposed = self.run(
            self.confide.people.propose_merge(one, other, "same phone", actor=operator_as())
        )
        for who in {self._voice(one), self._voice(other)}:
            self.run(self.confide.people.confirm_merge(proposed.id, actor=operator_as(who)))
        self.merges[pair] = proposed.id
        self.model.merged.add(pair)

    @precondition(lambda self: self.merges)
    @rule(n=number)
    def become_two(self, n: int) -> None:
        pair = sorted(self.merges, key=sorted)[n % len(self.merges)]
        by = operator_as(self._voice(min(pair)))
        self.run(self.confide.people.split(self.merges.pop(pair), actor=by))
        self.model.merged.discard(pair)

    @invariant()
    def everyone_hears_what_the_reference_says(self) -> None:
        if self.model.said:
            self.run(self._compare())

    async def _compare(self) -> None:
        for purpose in (None, PURPOSE):
            for who in PEOPLE:
                heard = await self._told(audience(who, "dm", purpose=purpose))
                expected = {
                    one.id for one in self.model.said if self.model.hears_alone(who, one, purpose)
                }
                assert heard == expected, (who, purpose)
        for who in sorted(self.model.inside):
            heard = await self._told(audience(who, CARE))
            expected = {
                one.id for one in self.model.said if self.model.told_in_room(who, one, None)
            }
            assert heard == expected, (who, "in the room")

    async def _told(self, asked: Any) -> set[uuid.UUID]:
        ids = [one.id for one in self.model.said]
        async with tell_to(self.confide.database, asked, self.clock.now) as telling:
            seen = await memories.told(telling, ids)
        told = disclose(seen, telling.audience, telling.world).told
        assert len(told) == len(seen), "the library and the database disagree"
        return {one.id for one in told}

    def _voice(self, who: Entity) -> Entity:
        return MUM if who in self.children else who

    def _came(self, who: Entity) -> None:
        for one in self.model.said:
            if one.in_room and one.subject == who and who not in one.witnesses:
                one.is_subject_late = True


@pytest.mark.req("K4", "K5", "K6", "K7", "K11", "A5", "A6", "A8", "S21")
@pytest.mark.drawn
def test_in_any_order_nobody_hears_more_or_less_than_the_reference_says(home: Path) -> None:
    Consenting.home = home
    run_state_machine_as_test(
        Consenting,
        settings=settings(
            max_examples=14,
            # Making a failure smaller takes longer than reading it.
            phases=[Phase.explicit, Phase.reuse, Phase.generate],
            stateful_step_count=14,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
