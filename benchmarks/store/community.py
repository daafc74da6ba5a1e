"""An invented community: people, spaces, rooms, and where everything was said.

A few spaces hold a fixed part of everything, so that audiences exist that may hear 50 %, 5 % and
0.5 % of it. The rest is spread over direct chats, workspaces, groups, moderators' rooms and grants.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cached_property

from confide.model import Entity, Kind, Namespace, Place, PlaceKind, Scope, Sensitivity
from confide.privacy import atoms
from confide.privacy.consent import Consent, apply_consents
from confide.privacy.labels import Origin, label
from confide.privacy.places import direct
from confide.privacy.policy import Label

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
AGENT = Entity("si", "benchmark")
ROOMS_OF_A_SPACE = 6  # public ones; as many are restricted
GROUPS_OF_A_PERSON = 6
EPOCHS = 6  # how often somebody joined or left a group
CAREFUL = [Sensitivity.PUBLIC] * 3 + [Sensitivity.PERSONAL] * 2 + [Sensitivity.SENSITIVE]


@dataclass(frozen=True, slots=True)
class Said:
    """Where and by whom a memory was said, and the label this gave it."""

    origin: Origin
    label: Label


@dataclass(frozen=True)
class Community:
    memories: int
    people_count: int
    space_count: int
    in_public: tuple[int, ...]  # how many memories the first spaces hold for all their members
    seed: int = 1
    _known: dict[Origin, Said] = field(default_factory=dict)

    @cached_property
    def people(self) -> list[Entity]:
        return [Entity("human", f"p{n}") for n in range(self.people_count)]

    @cached_property
    def spaces(self) -> list[str]:
        return [f"space{n}" for n in range(self.space_count)]

    @cached_property
    def members(self) -> dict[str, list[Entity]]:
        """The first space has everyone; each person is in about five others."""
        chance = random.Random(self.seed)
        each = max(3, min(self.people_count, 5 * self.people_count // self.space_count))
        found = {space: sorted(chance.sample(self.people, each)) for space in self.spaces}
        return found | {self.spaces[0]: self.people}

    @cached_property
    def groups(self) -> list[tuple[Place, list[Entity]]]:
        chance = random.Random(self.seed + 1)
        size = min(6, self.people_count)
        count = max(1, GROUPS_OF_A_PERSON * self.people_count // size)
        return [
            (Place(id=f"g{n}", kind=PlaceKind.GROUP), sorted(chance.sample(self.people, size)))
            for n in range(count)
        ]

    def room(self, space: str, n: int, kind: PlaceKind = PlaceKind.PUBLIC) -> Place:
        return Place(id=f"{kind.value}{n}@{space}", kind=kind, space=space)

    def rooms(self) -> Iterator[tuple[Place, list[Entity]]]:
        """Every room with who is in it now, as platforms would attest it."""
        for space, people in self.members.items():
            for n in range(ROOMS_OF_A_SPACE):
                yield self.room(space, n), people
                few = people[n :: 2 * ROOMS_OF_A_SPACE]
                yield self.room(space, n, PlaceKind.RESTRICTED), few or people[:1]
        yield from self.groups

    def said(self) -> Iterator[Said]:
        """Every memory, in a mixed order that is the same each time."""
        chance = random.Random(self.seed + 2)
        makers = [self._in_public(chance, space, n) for space, n in self._shares()]
        others = self.memories - sum(n for _, n in self._shares())
        makers.append(self._elsewhere(chance, others))
        everything = [said for maker in makers for said in maker]
        chance.shuffle(everything)
        yield from everything

    def _shares(self) -> list[tuple[str, int]]:
        return list(zip(self.spaces, self.in_public, strict=False))

    def _in_public(self, chance: random.Random, space: str, n: int) -> Iterator[Said]:
        for _ in range(n):
            who = chance.choice(self.members[space])
            room = self.room(space, chance.randrange(ROOMS_OF_A_SPACE))
            yield self._told(who, room, Scope.GUILD_PUBLIC, Sensitivity.PUBLIC)

    def _elsewhere(self, chance: random.Random, n: int) -> Iterator[Said]:
        ways = [
            self._in_small_space, self._in_group, self._in_group, self._in_workspace,
            self._in_restricted, self._in_direct, self._granted, self._granted, self._careful_in_public,
        ]  # fmt: skip
        for i in range(n):
            yield ways[i % len(ways)](chance)

    def _in_small_space(self, chance: random.Random) -> Said:
        space = chance.choice(self.spaces[len(self.in_public) :] or self.spaces)
        who, room = chance.choice(self.members[space]), self.room(space, chance.randrange(6))
        return self._told(who, room, Scope.GUILD_PUBLIC, Sensitivity.PUBLIC)

    def _careful_in_public(self, chance: random.Random) -> Said:
        space = chance.choice(self.spaces)
        who, about = chance.choices(self.members[space], k=2)
        room = self.room(space, chance.randrange(ROOMS_OF_A_SPACE))
        return self._told(who, room, Scope.GUILD_PUBLIC, Sensitivity.PERSONAL, about)

    def _in_restricted(self, chance: random.Random) -> Said:
        space, n = chance.choice(self.spaces), chance.randrange(ROOMS_OF_A_SPACE)
        people = self.members[space]
        who = chance.choice(people[n :: 2 * ROOMS_OF_A_SPACE] or people[:1])
        room = self.room(space, n, PlaceKind.RESTRICTED)
        return self._told(who, room, Scope.CHANNEL_RESTRICTED, chance.choice(CAREFUL))

    def _in_group(self, chance: random.Random) -> Said:
        place, people = chance.choice(self.groups)
        who, about = chance.choices(people, k=2)
        sensitivity, epoch = chance.choice(CAREFUL), chance.randrange(EPOCHS)
        return self._told(who, place, Scope.GROUP, sensitivity, about, epoch)

    def _in_direct(self, chance: random.Random) -> Said:
        who, about = chance.choice(self.people), chance.choice(self.people)
        return self._told(who, direct(who), Scope.DM, chance.choice(CAREFUL), about)

    def _in_workspace(self, chance: random.Random) -> Said:
        who = chance.choice(self.people)
        namespace = Namespace(f"w{chance.randrange(3)}", f"project:{chance.randrange(5)}")
        origin = Origin(
            agent=AGENT, scope=Scope.DM, owner=who, speaker=who, place=direct(who),
            present=frozenset({who}), sensitivity=Sensitivity.PUBLIC, namespace=namespace,
            kind=Kind.KNOWLEDGE,
        )  # fmt: skip
        return self._once(origin)

    def _granted(self, chance: random.Random) -> Said:
        """Each consent ends at its own time, so each makes a label of its own."""
        who, other = chance.choice(self.people), chance.choice(self.people)
        grantee = atoms.entity(other)
        origin = Origin(
            agent=AGENT, scope=Scope.GRANTED, owner=AGENT, speaker=who, place=direct(who),
            present=frozenset({who}), sensitivity=Sensitivity.PUBLIC, grants=frozenset({grantee}),
            kind=Kind.KNOWLEDGE,
        )  # fmt: skip
        until = NOW + timedelta(days=1, seconds=chance.randrange(90 * 86400))
        agreed = [Consent(grantor=who, grantee=grantee, until=until)]
        return Said(origin, apply_consents(label(origin), agreed, {}))

    def _told(
        self, who: Entity, place: Place, scope: Scope, sensitivity: Sensitivity,
        about: Entity | None = None, epoch: int = 0,
    ) -> Said:  # fmt: skip
        there = {who} if about is None or scope is Scope.DM else {who, about}
        origin = Origin(
            agent=AGENT, scope=scope, owner=who, speaker=who, place=place, epoch=epoch,
            subjects=frozenset({about} if about else ()), present=frozenset(there),
            sensitivity=sensitivity, kind=Kind.KNOWLEDGE,
        )  # fmt: skip
        return self._once(origin)

    def _once(self, origin: Origin) -> Said:
        found = self._known.get(origin)
        if found is None:
            found = self._known[origin] = Said(origin, label(origin))
        return found
