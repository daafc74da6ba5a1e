"""Canaries: made-up facts that each say who said them, where, about whom and how carefully."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from random import Random
from typing import Final

from confide.leaktest.cast import ATTRIBUTE, PEOPLE, SENTENCES, made_up_words
from confide.leaktest.rooms import Level
from confide.model import Kind, Sensitivity

#: Written where a canary is said by the agent itself.
AGENT: Final = "the agent"


@dataclass(slots=True, kw_only=True, eq=False)
class Canary:
    """What is said, and, once it was planted, what the town knew at that moment."""

    code: str
    sentence: str
    question: str
    room: str  # the key of the room it was said in
    by: str
    source: str | None = None
    about: frozenset[str] = frozenset()
    sensitivity: Sensitivity = Sensitivity.PUBLIC
    kind: Kind = Kind.KNOWLEDGE
    scope: str | None = None
    access: tuple[str, ...] = ()  # `*`, an entity, `room:KEY` or `space:ID`
    consent: frozenset[str] = frozenset()
    namespace: str | None = None
    hours: int | None = None
    is_portable: bool = False
    is_confidential: bool = False
    days_late: int = 0  # how long ago it was said before it arrived
    is_stale: bool = False  # its message calls the room what it was before it closed
    is_doubtful: bool = False  # so that it waits for somebody's approval, which never comes

    memory_id: str = ""
    place: str = ""  # the room as it was then; one that opened later is another
    level: Level = Level.OWNER
    there: frozenset[str] = frozenset()  # who was in the room
    said_at: datetime | None = None
    has_own_moment: bool = False  # it arrived after somebody had come or gone since it was said
    ends_at: datetime | None = None
    consent_ends: datetime | None = None
    is_forgotten: bool = False
    is_erased: bool = False
    is_subject_late: bool = False  # somebody it is about joined the room afterwards
    shared: dict[str, datetime] = field(default_factory=dict[str, datetime])  # with whom, until

    @property
    def speaker(self) -> str | None:
        """Who told it; nobody: the agent saw it itself."""
        return self.source or (None if self.by == AGENT else self.by)

    @property
    def is_ones_own(self) -> bool:
        """Plain words of one person about themselves, to the agent alone: theirs to share."""
        return (
            self.level is Level.OWNER
            and self.room == "direct"
            and self.speaker == self.by
            and not self.about
            and self.namespace is None
            and self.sensitivity is Sensitivity.PUBLIC
            and not self.is_doubtful
        )

    @property
    def owner(self) -> str:
        """Whose it is: what was granted, or told for the agent alone, is theirs who told it."""
        return (self.speaker or AGENT) if self.level is Level.GRANTED else self.by


class Nursery:
    """Makes canaries with words of their own."""

    def __init__(self, random: Random) -> None:
        self._words = made_up_words(random)
        self._count = 0

    def canary(self, room: str, by: str, **said: object) -> Canary:
        self._count += 1
        if said.get("scope") == "global":
            sentence, question = ATTRIBUTE
        else:
            sentence, question = SENTENCES[self._count % len(SENTENCES)]
        topic, code = next(self._words), next(self._words)
        return Canary(
            code=code,
            sentence=sentence.format(topic=topic, code=code),
            question=question.format(topic=topic),
            room=room,
            by=by,
            **said,  # pyright: ignore[reportArgumentType]
        )


KINDS: Final = tuple(Kind)
DAYS_LATE: Final = 5
NAMESPACES: Final = ("lab", "lab/track:1", "lab/project:1", "/track:1", "attic")


def in_room(nursery: Nursery, room: str, inside: list[str], out: list[str]) -> Iterator[Canary]:
    """What people say in one room: every sensitivity, about those there and those who are not."""
    careful = list(Sensitivity)
    for n, sensitivity in enumerate(careful):
        by = inside[n % len(inside)]
        yield nursery.canary(room, by, sensitivity=sensitivity, kind=KINDS[n % 4])
        mate = inside[(n + 1) % len(inside)]
        if mate != by:
            yield nursery.canary(room, by, sensitivity=sensitivity, about=frozenset({mate}))
        if out:
            away = out[n % len(out)]
            yield nursery.canary(room, by, sensitivity=sensitivity, about=frozenset({away, by}))
    if len(inside) > 1:
        yield nursery.canary(
            room,
            inside[0],
            about=frozenset({inside[1]}),
            kind=Kind.PREFERENCE,
            is_portable=True,
        )
    yield nursery.canary(room, inside[-1], is_confidential=True)
    yield nursery.canary(room, inside[0], days_late=DAYS_LATE, about=frozenset(out[:1]))
    yield nursery.canary(room, inside[-1], scope="dm")
    yield nursery.canary(room, inside[0], is_doubtful=True)


def of_one_person(nursery: Nursery, who: str, other: str) -> Iterator[Canary]:
    """Alone with the agent: plain, about another, told by another, for everywhere, for the agent."""
    for sensitivity in Sensitivity:
        yield nursery.canary("direct", who, sensitivity=sensitivity)
    yield nursery.canary("direct", who, about=frozenset({other}), kind=Kind.RELATIONSHIP)
    yield nursery.canary("direct", who, source=other, sensitivity=Sensitivity.PERSONAL)
    yield nursery.canary("direct", who, scope="global", kind=Kind.IDENTITY)
    yield nursery.canary("direct", who, scope="self_only")
    yield nursery.canary("direct", who, is_doubtful=True)


def in_namespaces(nursery: Nursery, who: str, room: str) -> Iterator[Canary]:
    for namespace in NAMESPACES:
        yield nursery.canary("direct", who, namespace=namespace)
    yield nursery.canary(room, who, namespace=NAMESPACES[0])


def that_fade(nursery: Nursery, who: str) -> Iterator[Canary]:
    for kind in KINDS:
        yield nursery.canary("direct", who, kind=kind)
        yield nursery.canary("general", who, kind=kind)
    yield nursery.canary("general", who, hours=12)


def granted(nursery: Nursery, inside: dict[str, list[str]]) -> Iterator[Canary]:
    """Shared by grant and consent, from several rooms, with every kind of grantee (K1, K5, K6)."""
    grants = ("human:ben", "human:cleo", "role:tutor", "room:park", "room:friends", "space:orchard")
    people = {"direct": PEOPLE[:3]} | inside
    for n, grant in enumerate((*grants, "*")):
        for m, room in enumerate(people):
            by = people[room][n % len(people[room])]
            about = frozenset({PEOPLE[5]} if (n + m) % 2 else ())
            yield nursery.canary(
                room,
                by,
                access=(grant,),
                about=about,
                consent=frozenset({by}) | about,
                sensitivity=list(Sensitivity)[(n + m + 1) % 3],
            )
    yield nursery.canary("direct", AGENT)
    yield nursery.canary("direct", AGENT, source="human:ben", sensitivity=Sensitivity.PERSONAL)
    yield nursery.canary("direct", AGENT, access=("*",))
    yield nursery.canary("direct", AGENT, access=("human:ann",), sensitivity=Sensitivity.PERSONAL)
    yield nursery.canary(
        "direct", AGENT, about=frozenset({"human:dov"}), sensitivity=Sensitivity.SENSITIVE
    )
