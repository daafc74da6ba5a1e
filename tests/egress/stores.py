"""Two memories that differ only in what one person neither hears nor made.

Both are told the same story, minute by minute. The fuller one is told the hidden lines too, which
take their minute in the plainer one without happening. An id that only the fuller one knows stands
for nothing in the plainer one, so that both can be asked about it.
"""

from __future__ import annotations

import random
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from tests.conftest import Clock

from confide import Confide, operator_as, statement
from confide.actor import Actor
from confide.keep.data_requests import Wanted
from confide.keep.requesting import Wish
from confide.model import Entity, Message, Place, PlaceKind
from confide.privacy.acting import CallerKind
from confide.reading import read_access, read_entity, read_place
from confide.store.consents import About

PAT, ALICE, BOB, EVE, KID = (f"human:{name}" for name in ("pat", "alice", "bob", "eve", "kid"))
STRANGER = "human:zoe"  # whom only the fuller memory knows
GENERAL, TEA, MODS = "public:general@guild", "group:tea", "restricted:mods@guild"
CARE = "ctx:care"
CONNECTION = Place(id="human:pat/default", kind=PlaceKind.CONNECTION)
Line = tuple[str, Callable[["Store"], Awaitable[Any]]]


def as_(who: str) -> Actor:
    return Actor(read_entity(who), CallerKind.PLATFORM)


@dataclass
class Store:
    """One of the two, and the names of what is in it."""

    confide: Confide
    clock: Clock
    is_full: bool
    ids: dict[str, uuid.UUID] = field(default_factory=dict)

    async def say(
        self, name: str, text: str, by: str, place: str | Place = "dm", **rest: Any
    ) -> None:
        fields = {"sensitivity": "public", **rest}
        done = await self.confide.remember(
            statement(text, by=by, place=place, **fields), actor=as_(by)
        )
        self.ids[name] = done.id

    async def agree(self, name: str, by: str, to: str, about: About, **rest: Any) -> None:
        reason = rest.pop("reason", None)
        given = self.confide.consents.agreement(read_entity(by), read_access(to), **rest)
        done = await self.confide.consents.give(given, about, actor=as_(by), reason=reason)
        self.ids[name] = done.consent_id

    async def join(self, place: str, *who: str) -> None:
        people = [read_entity(one) for one in who]
        await self.confide.world.join(read_place(place, people[0]), *people)

    async def hear(self, id: str, text: str, by: str, place: str) -> None:
        who = read_entity(by)
        await self.confide.observe(
            Message(
                id=id,
                place=read_place(place, who),
                speaker=who,
                text=text,
                said_at=self.clock(),
                platform="local",
            )
        )


def said(name: str, text: str, by: str, place: str | Place = "dm", **rest: Any) -> Line:
    return name, lambda store: store.say(name, text, by, place, **rest)


def joined(place: str, *who: str) -> Line:
    return "", lambda store: store.join(place, *who)


def agreed(name: str, by: str, to: str, **rest: Any) -> Line:
    async def agree(store: Store) -> None:
        fields = dict(rest)
        memory = fields.pop("memory", None)
        subject, origin = fields.pop("subject", None), fields.pop("origin", None)
        about = About(
            memory_id=store.ids[memory] if memory else None,
            subject=read_entity(subject) if subject else None,
            origin=origin,
        )
        await store.agree(name, by, to, about, **fields)

    return name, agree


def guarded(child: str, guardian: str) -> Line:
    async def register(store: Store) -> None:
        await store.confide.people.appoint_guardian(
            read_entity(child), read_entity(guardian), actor=Actor(None, CallerKind.PLATFORM)
        )

    return "", register


def asked(name: str, memory: str, to: str, by: str, of: str) -> Line:
    async def ask(store: Store) -> None:
        left = await store.confide.consents.ask(
            store.ids[memory],
            Wish(grantee=read_access(to)),
            actor=as_(by),
            of=frozenset({read_entity(of)}),
        )
        store.ids[name] = left[0].id

    return name, ask


def heard(id: str, text: str, by: str, place: str) -> Line:
    return "", lambda store: store.hear(id, text, by, place)


def told(question: str, who: str, place: str) -> Line:
    from confide import audience

    return "", lambda store: store.confide.recall(question, audience(who, place))


def named(who: str, name: str) -> Line:
    return "", lambda store: store.confide.people.name(read_entity(who), name)


def forgotten(memory: str, by: str) -> Line:
    return "", lambda store: store.confide.forget(store.ids[memory], actor=as_(by))


def entered(context: str, *who: str, role: str | None = None) -> Line:
    async def enter(store: Store) -> None:
        first, *others = map(read_entity, who)
        place = read_place(context, first)
        await store.confide.contexts.enter(place, *others, actor=as_(who[0]), role=role)

    return "", enter


def merged(name: str, one: str, other: str) -> Line:
    async def propose(store: Store) -> None:
        found = await store.confide.people.propose_merge(
            read_entity(one), read_entity(other), "same phone", actor=as_(one)
        )
        store.ids[name] = found.id

    return name, propose


def wanted(name: str, who: str, what: Wanted = Wanted.ACCESS) -> Line:
    async def ask(store: Store) -> None:
        done = await store.confide.data_requests.ask(what, read_entity(who), actor=as_(who))
        store.ids[name] = done.id

    return name, ask


def erased(name: str, memory: str, by: str) -> Line:
    async def erase(store: Store) -> None:
        done = await store.confide.erasure.memory(store.ids[memory], actor=as_(by))
        store.ids[name] = done.id

    return name, erase


def protected(memory: str, by: str) -> Line:
    return "", lambda store: store.confide.fading.protect(store.ids[memory], actor=as_(by))


def aliased(who: str, called: str, by: str) -> Line:
    return "", lambda store: store.confide.people.alias(read_entity(who), called, actor=as_(by))


def related(who: str, relation: str, other: str, memory: str, by: str) -> Line:
    return "", lambda store: store.confide.people.relate(
        read_entity(who), relation, read_entity(other), store.ids[memory], actor=as_(by)
    )


def given_role(collective: str, who: str) -> Line:
    return "", lambda store: store.confide.world.assign(read_entity(collective), read_entity(who))


def listened(place: str) -> Line:
    return "", lambda store: store.confide.learning.listen(read_place(place, read_entity(EVE)))


def opened(who: str) -> Line:
    return "", lambda store: store.confide.keys.open_connections(
        read_entity(who), actor=operator_as(read_entity(who))
    )


class Draws:
    """Random ids that are the same in both memories: what happens at one moment draws the same."""

    def __init__(self) -> None:
        self._random = random.Random(0)

    def begin(self, moment: str) -> None:
        self._random = random.Random(moment)

    def __call__(self) -> uuid.UUID:
        return uuid.UUID(int=self._random.getrandbits(128), version=4)


async def tell(plain: Store, full: Store, story: list[tuple[Line, bool]], draws: Draws) -> None:
    """The story, a minute a line; lines that are hidden happen in the fuller memory only."""
    for number, ((name, happens), is_hidden) in enumerate(story):
        plain.clock.advance(minutes=1)
        draws.begin(f"line {number}")
        await happens(full)
        if not is_hidden:
            draws.begin(f"line {number}")
            await happens(plain)
        elif name:
            plain.ids[name] = full.ids[name]


def open_pair(first: Confide, clock: Clock) -> tuple[Store, Store]:
    """Two empty memories beside `first`, in the same database and at the same time."""
    from dataclasses import replace

    from confide.spending import Spending

    made: list[Store] = []
    for is_full in (False, True):
        database = first.database.of(f"t{uuid.uuid4().hex[:12]}")
        means = replace(
            first.means,
            database=database,
            clock=clock,
            new_id=lambda: uuid.uuid4(),
            spending=Spending(database, first.settings, clock),
        )
        made.append(Store(Confide(means), clock, is_full))
    return made[0], made[1]


def agent_of(store: Store) -> Entity:
    return store.confide.database.agent_entity
