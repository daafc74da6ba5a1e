"""Random towns: what platforms say arrives late, twice and out of order, and everybody asks.

`python -m tests.rooms.playing 500000` compares so many decisions of the oracle, the rule in Python
and row-level security, and prints what it found.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

from tests.conftest import Clock
from tests.rooms.chronicle import Chronicle, Spot, Words
from tests.rooms.judging import Judge

from confide import Confide, Entity, audience, statement
from confide.model import Message
from confide.privacy.policy import decide_for, listen
from confide.recall.audience import tell_to
from confide.store.memory import read_memories
from confide.store.queries import query

PEOPLE = ("ann", "ben", "cleo", "dov")
GENERAL, NEWS = Spot("public", "general", "g"), Spot("announcement", "news", "g")
CHAT, CARE = Spot("group", "chat"), Spot("ctx", "care")
MODS, MEMBERS = Spot("restricted", "mods", "g"), Spot("public", "members", "g/verified")
PLAIN = (CHAT, CARE, GENERAL, NEWS, MODS, MEMBERS)
#: Every way that each place is ever called, by its platform or by somebody who is mistaken.
KINDS = {
    GENERAL: (GENERAL, Spot("restricted", "general", "g")),
    NEWS: (NEWS, Spot("public", "news", "g"), Spot("restricted", "news", "g")),
    MODS: (MODS, Spot("public", "mods", "g"), Spot("voice", "mods", "g")),
    MEMBERS: (MEMBERS, Spot("restricted", "members", "g"), Spot("public", "members", "g")),
    CHAT: (CHAT,),
    CARE: (CARE,),
}
THREADS = (
    ("thread", "t1", CHAT), ("thread", "t2", GENERAL), ("forum-post", "t3", GENERAL),
    ("thread", "t4", MODS), ("private-thread", "t5", GENERAL), ("private-thread", "t6", MODS),
    ("thread", "t7", MEMBERS), ("thread", "t8", NEWS),
)  # fmt: skip
SPACES = ("g", "g/verified")
ROLE = "role:nurse"
#: Towns of a few places, in which more of the same happens, and towns of all.
FOCUS = ((CHAT, CARE), (GENERAL, MODS), PLAIN, (MEMBERS, NEWS), (CHAT,))
HOURS = 12  # of what is stated and said; few, so that much happens at one time


@dataclass
class Tally:
    """What was decided, and each disagreement."""

    worlds: int = 0
    decisions: int = 0
    told: int = 0
    stale: int = 0  # decisions about a place that was called what it is not
    acts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        acts = ", ".join(f"{count:,} × {name}" for name, count in self.acts.most_common())
        return (
            f"{self.decisions:,} decisions in {self.worlds} towns, {self.told:,} told, {self.stale:,}"
            f" about places that were called something else.\n{acts}\n"
            f"told that should not be: {sum('LEAK' in one for one in self.wrong)}, "
            f"withheld that should be told: {sum('WITHHELD' in one for one in self.wrong)}, "
            f"rule and database differ: {sum('DIFFER' in one for one in self.wrong)}"
        )


class Town:
    def __init__(self, confide: Confide, clock: Clock, seed: int, tally: Tally) -> None:
        self.confide, self.clock, self.chance, self.tally = confide, clock, Random(seed), tally
        self.start = clock.now
        self.places = FOCUS[seed % len(FOCUS)]
        self.threads = [one for one in THREADS if one[2] in self.places]
        self.chronicle = Chronicle()
        self.judge = Judge(self.chronicle)
        self.keys: dict[str, Any] = {}  # of words: the memory's id, or the message's
        self.log: list[str] = []

    @property
    def hour(self) -> float:
        return (self.clock.now - self.start) / timedelta(hours=1)

    def when(self, hour: float) -> datetime:
        return self.start + timedelta(hours=hour)

    async def live(self, acts: int, questions: int) -> None:
        self.clock.advance(hours=HOURS)
        for n in range(acts):
            self.clock.advance(seconds=1)
            await self.act(n)
        for _ in range(questions):
            await self.ask()
        self.tally.worlds += 1

    # What happens

    async def act(self, n: int) -> None:
        draw = self.chance.random()
        if draw < 0.42:
            await self.say(n)
        elif draw < 0.80:
            await self.state()
        else:
            await self.state_of_space_or_kind()

    async def state(self) -> None:
        """Somebody came or left; sometimes it is said twice."""
        verb = "join" if self.chance.random() < 0.55 else "leave"
        spot, who, at = self.spot(), self.chance.choice(PEOPLE), self.moment()
        for _ in range(2 if self.chance.random() < 0.15 else 1):
            self.note(verb, spot.written, who, at)
            getattr(self.chronicle, verb)(spot, who, at)
            world = getattr(self.confide.world, verb)
            await world(spot.written, f"human:{who}", at=self.when(at))

    async def state_of_space_or_kind(self) -> None:
        at, draw = self.moment(), self.chance.random()
        if draw < 0.25:
            verb, who = (
                self.chance.choice(("assign", "assign", "unassign")),
                self.chance.choice(PEOPLE),
            )
            self.note(verb, ROLE, who, at)
            getattr(self.chronicle, verb)(ROLE, who, at)
            await getattr(self.confide.world, verb)(ROLE, f"human:{who}", at=self.when(at))
            return
        if draw < 0.6:
            verb = self.chance.choice(("join_space", "leave_space"))
            space, who = self.chance.choice(SPACES), self.chance.choice(PEOPLE)
            self.note(verb, space, who, at)
            getattr(self.chronicle, verb)(space, who, at)
            await getattr(self.confide.world, verb)(space, f"human:{who}", at=self.when(at))
            return
        spot = self.spot(stale=1.0)
        self.note("attest", spot.written, at)
        self.chronicle.place(spot, at)
        await self.confide.world.attest(spot.written, at=self.when(at))

    async def say(self, n: int) -> None:
        chance = self.chance
        spot, by = self.spot(stale=0.2), chance.choice(PEOPLE)
        said_at = self.moment() if chance.random() < 0.5 else None
        named = chance.sample(PEOPLE, chance.choice((0, 0, 0, 1)))
        code, secret = f"w{n}", chance.random() < 0.15
        only = (
            chance.sample((ROLE, *PEOPLE), chance.choice((1, 2))) if chance.random() < 0.15 else []
        )
        if chance.random() < 0.25:
            await self.observe(spot, by, code, said_at, named, secret, only)
            return
        about = frozenset(chance.sample(PEOPLE, chance.choice((0, 1, 1, 2))))
        rest: dict[str, Any] = {
            "about": about,
            "sensitivity": chance.choice(("public", "public", "personal", "sensitive")),
            "is_confidential": secret,
            "is_portable": chance.random() < 0.2,
            "only_for": only,
        }
        self.note("say", code, spot.written, by, said_at, named, rest)
        self.chronicle.say(spot, by, code, now=self.hour, said_at=said_at, named=named, **rest)
        done = await self.confide.remember(
            statement(
                f"The kite called {code} is painted green.",
                by=f"human:{by}",
                place=spot.written,
                about=[f"human:{one}" for one in about],
                present=[f"human:{one}" for one in named],
                kind="preference",
                sensitivity=rest["sensitivity"],
                confidential=secret,
                only_for=[_entity(one) for one in only],
                is_portable=rest["is_portable"],
                said_at=None if said_at is None else self.when(said_at),
            )
        )
        assert done.memory.sensitivity.value == rest["sensitivity"]
        self.keys[code] = done.id

    async def observe(
        self,
        spot: Spot,
        by: str,
        code: str,
        said_at: float | None,
        named: list[str],
        secret: bool,
        only: list[str],
    ) -> None:
        self.note("observe", code, spot.written, by, said_at, named, secret, only)
        hour = self.hour if said_at is None else said_at
        self.chronicle.say(
            spot,
            by,
            code,
            now=self.hour,
            said_at=hour,
            named=named,
            only_for=only,
            is_confidential=secret,
            is_message=True,
        )
        place = statement("-", by=f"human:{by}", place=spot.written).place
        kept = await self.confide.observe(
            Message(
                id=code, place=place, speaker=Entity("human", by), text=f"The kite {code} is mine",
                said_at=self.when(hour), present=frozenset(Entity("human", n) for n in named),
                is_confidential=secret, only_for=frozenset(map(_entity, only)),
            )
        )  # fmt: skip
        assert kept.is_kept, kept.because
        self.keys[code] = code

    # What is asked

    async def ask(self) -> None:
        chance = self.chance
        asker = chance.choice(PEOPLE)
        alone = (Spot("dm", asker), Spot("reply", asker), Spot("reply", asker, "g"),
                 Spot("reply", asker, "g/verified"), Spot("guest", asker))  # fmt: skip
        spot = chance.choice(alone) if chance.random() < 0.4 else self.spot(stale=0.25)
        named = chance.sample(PEOPLE, chance.choice((0, 0, 0, 1)))
        if spot.kind in ("dm", "reply", "guest"):
            named = []
        asked = self.judge.ask(asker, spot, named, now=self.hour)
        right = {one.code: self.judge.told(one, asked) for one in self.chronicle.words}
        where = spot.kind + (f"@{spot.space}" if spot.space else "")
        written = where if spot.kind in ("dm", "reply", "guest") else spot.written
        heard = audience(f"human:{asker}", written, present=[f"human:{one}" for one in named])
        self.note("ask", asker, written, named)
        by_rule, by_database = await self.answers(heard)
        self.tally.stale += len(right) * (len(asked) > 1)
        for one in self.chronicle.words:
            key = self.keys[one.code]
            self.count(one, right[one.code], by_rule.get(key, key in by_database),
                       key in by_database, f"{asker} in {written} with {named}")  # fmt: skip

    async def answers(self, heard: Any) -> tuple[dict[Any, bool], set[Any]]:
        """What the rule says of each memory, and what row-level security shows."""
        database = self.confide.database
        async with tell_to(database, heard, self.clock.now) as telling:
            rows = await telling.connection.fetch(
                "SELECT id, NULL::integer[] AS labels FROM confide.memory"
                " UNION ALL SELECT NULL, confide.told_labels()"
            )
            ears = listen(telling.audience, telling.world)
        shown = {row["id"] for row in rows if row["id"] is not None}
        labels = (
            next(row["labels"] for row in rows if row["labels"] is not None)
            if any(row["labels"] is not None for row in rows)
            else []
        )
        async with database.keep() as connection:
            ids = [one for one in self.keys.values() if not isinstance(one, str)]
            kept = read_memories(
                await connection.fetch(query("memories", "kept_many"), database.agent, ids),
                database.agent_entity,
            )
            said = await connection.fetch(
                "SELECT message_id, label_id FROM confide.message WHERE agent = $1", database.agent
            )
        shown |= {row["message_id"] for row in said if row["label_id"] in labels}
        is_silent = telling.audience.place.kind.value == "unknown"
        return {one.id: not is_silent and decide_for(ears, one.label).told for one in kept}, shown

    def count(self, one: Words, right: bool, ruled: bool, shown: bool, where: str) -> None:
        self.tally.decisions += 1
        self.tally.told += right
        what = "LEAK" if shown and not right else "WITHHELD" if right and not shown else None
        if ruled != shown:
            what = "DIFFER" if what is None else f"{what} and DIFFER"
        if what:
            self.tally.wrong.append(
                f"{what}: {one.code} by {one.by} ({one.scope} of {one.room.key}, there were"
                f" {sorted(one.present)}), asked by {where}\n  " + "\n  ".join(self.log)
            )

    # Draws

    def spot(self, stale: float = 0.1) -> Spot:
        """A place by its present name, or by one that it had or never had."""
        chance = self.chance
        if self.threads and chance.random() < 0.35:
            kind, name, around = chance.choice(self.threads)
            parent = self.named(around, stale / 2)
            if name == "t2" and chance.random() < stale:
                kind = "private-thread"
            known = self.chronicle.rooms.get(Spot(kind, name, parent=parent).key)
            if known and chance.random() > stale and known.kind != "unknown":
                kind = known.kind
            return Spot(kind, name, parent=parent)
        return self.named(chance.choice(self.places), stale)

    def named(self, spot: Spot, stale: float) -> Spot:
        known = self.chronicle.rooms.get(spot.key)
        if known is None or self.chance.random() < stale:
            return self.chance.choice(KINDS[spot])
        return Spot(known.kind, spot.name, known.space)

    def moment(self) -> float:
        """Late by up to half a day, at whole hours."""
        return float(self.chance.randrange(HOURS))

    def note(self, what: str, *details: object) -> None:
        self.tally.acts[what] += 1
        self.log.append(f"{what} {' '.join(map(str, details))}")


def _entity(name: str) -> Entity:
    return Entity.parse(name if ":" in name else f"human:{name}")


async def play(
    confide: Confide, clock: Clock, seed: int, tally: Tally, *, acts: int, asks: int
) -> None:
    await Town(confide, clock, seed, tally).live(acts, asks)


async def main(decisions: int, first: int = 1) -> Tally:
    tally, begun, seed = Tally(), time.monotonic(), first
    with tempfile.TemporaryDirectory(prefix="confide-rooms-") as home:
        while tally.decisions < decisions:
            clock = Clock()
            async with Confide.open(
                Path(home), clock=clock, agent=f"t{seed}", learn=False, broadcast="allow"
            ) as confide:
                await play(confide, clock, seed, tally, acts=70, asks=90)
            seed += 1
            if len(tally.wrong) > 0:
                break
    print(tally)
    print(f"seeds {first} to {seed - 1}, {time.monotonic() - begun:.0f} s")
    for one in tally.wrong[:1]:
        print(one)
    return tally


if __name__ == "__main__":
    wanted = int(sys.argv[1]) if sys.argv[1:] else 500_000
    begin = int(sys.argv[2]) if sys.argv[2:] else 1
    sys.exit(bool(asyncio.run(main(wanted, begin)).wrong))
