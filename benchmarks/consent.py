"""Measure consent: `python -m benchmarks.consent`. Prints one line a bar, and fails below it."""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from datetime import timedelta

from confide import Confide, Entity, operator_as, statement
from confide.privacy import atoms
from confide.privacy.places import parse_place
from confide.store.consents import About
from confide.testing import temporary

ALICE, BOB = Entity("human", "alice"), Entity("human", "bob")
ROOM = "restricted:lab@town"
MOST_WITHDRAWING, MOST_AUDITING = 5.0, 0.05


async def withdrawing(confide: Confide, memories: int) -> tuple[float, float]:
    """Seconds to give and to withdraw one consent that concerns `memories`, each in one transaction."""
    said = [
        statement(f"In the lab we saw sample {n}", by=ALICE, place=ROOM) for n in range(memories)
    ]
    await confide.remember_all(said)
    origin = parse_place(ROOM, ALICE).id
    given = confide.consents.agreement(ALICE, atoms.entity(BOB), lasts=timedelta(days=1))
    began = time.perf_counter()
    effect = await confide.consents.give(given, About(origin=origin), actor=operator_as(ALICE))
    gave = time.perf_counter() - began
    assert effect.memories == memories, effect
    began = time.perf_counter()
    await confide.consents.withdraw(effect.consent_id, actor=operator_as(ALICE))
    return gave, time.perf_counter() - began


async def auditing(confide: Confide, people: int, rooms: int, rounds: int = 20) -> float:
    """Median seconds to say who can hear one memory."""
    everyone = [Entity("human", f"p{n}") for n in range(people)]
    for n in range(rooms):
        first = n * people // rooms
        room = parse_place(f"group:room{n}" if n % 2 else f"public:room{n}@town", ALICE)
        await confide.world.join(room, *everyone[first : first + 50])
    heard = await confide.remember(
        statement("The kiln is hot", by=everyone[0], place="group:room1", about=[BOB])
    )
    taken: list[float] = []
    for _ in range(rounds):
        began = time.perf_counter()
        await confide.access.audit(heard.id, actor=operator_as())
        taken.append(time.perf_counter() - began)
    return sorted(taken)[len(taken) // 2]


async def measure(memories: int, people: int, rooms: int) -> bool:
    async with temporary() as confide:
        gave, withdrew = await withdrawing(confide, memories)
        audited = await auditing(confide, people, rooms)
    print(f"consent to {memories:,} memories: given in {gave:.2f} s, withdrawn in {withdrew:.2f} s")
    print(f"audit over {people:,} people and {rooms} rooms: {audited * 1000:.1f} ms")
    return withdrew <= MOST_WITHDRAWING and audited <= MOST_AUDITING


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--people", type=int, default=1000)
    parser.add_argument("--rooms", type=int, default=100)
    given = parser.parse_args()
    if not asyncio.run(measure(given.memories, given.people, given.rooms)):
        sys.exit("slower than it may be: 5 s for withdrawing, 50 ms for an audit")


if __name__ == "__main__":
    main()
