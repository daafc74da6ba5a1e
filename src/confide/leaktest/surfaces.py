"""Ways to ask the agent. Whatever adds a surface or a path to the product adds one here.

A surface for an agent that is not ours (over HTTP, say) needs `recall` alone to be judged, and the
other verbs to bring the town to it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from typing import Final, Protocol, runtime_checkable
from uuid import UUID

from confide.actor import operator_as
from confide.errors import StoreError
from confide.leaktest.canaries import AGENT, Canary
from confide.leaktest.rooms import BY_KEY, REPLY, THOUGHT, Room
from confide.leaktest.town import Question
from confide.memories import Clock, Confide
from confide.model import Entity, Place, PlaceKind, Status
from confide.privacy.places import parse_place
from confide.privacy.policy import Audience
from confide.reading import audience, read_access, read_memory_id, statement
from confide.recall.audience import only_seen_by
from confide.recall.context import Context, Said, Told
from confide.store.memory import Memory

#: Less sure than anything that is told without somebody's approval.
DOUBTFUL: Final = 0.3

TOP_K = 100  # the most that one recall may bring back


class Surface(Protocol):
    """One way to ask. `codes` are the canaries whose made-up word is in the answer."""

    name: str
    limit: int | None  # an answer with as many may be cut off; None: it never is
    sample: int | None  # how many questions it is asked after an act, for slow ones; None: all

    def can_ask(self, question: Question) -> bool: ...
    def could_tell(self, canary: Canary, question: Question) -> bool: ...
    async def recall(self, words: str, question: Question) -> frozenset[str]: ...


@runtime_checkable
class Planter(Protocol):
    """A surface that can also be told things, in the town's real time."""

    def can_remember(self, canary: Canary) -> bool: ...
    async def remember(self, canary: Canary) -> str: ...


class Platform(Protocol):
    """What brings the town to the agent: what is said, and who comes and goes."""

    async def remember(self, canary: Canary) -> str: ...
    async def forget(self, canary: Canary, by: str, *, now: bool) -> None: ...
    async def restore(self, canary: Canary, by: str) -> None: ...
    async def join(self, room: Room, *who: str, at: datetime | None = None) -> None: ...
    async def leave(self, room: Room, who: str, *, at: datetime | None = None) -> None: ...
    async def leave_space(self, space: str, who: str) -> None: ...
    async def attest(self, room: Room, kind: PlaceKind) -> None: ...
    async def assign(self, role: str, who: str) -> None: ...
    async def unassign(self, role: str, who: str) -> None: ...
    async def share(self, canary: Canary, to: str) -> None: ...
    async def unshare(self, canary: Canary, to: str) -> None: ...
    async def merge(self, one: str, other: str) -> None: ...
    async def split(self, one: str, other: str) -> None: ...
    async def opt_out(self, who: str) -> None: ...
    async def opt_in(self, who: str) -> None: ...


class Speech:
    """How the town's names are written for the library."""

    def __init__(self, agent: Entity) -> None:
        self.agent = agent
        self._kinds: dict[str, PlaceKind] = {}  # rooms whose kind the platform changed

    def who(self, name: str) -> Entity:
        return self.agent if name == AGENT else Entity.parse(name)

    def said_in(self, canary: Canary) -> Place:
        room = BY_KEY[canary.room]
        if canary.is_stale:
            return parse_place(room.written, self.who(canary.by))
        return self.place(room, canary.by)

    def place(self, room: Room, who: str) -> Place:
        if room is THOUGHT:
            return Place(id="thought", kind=PlaceKind.THOUGHT)
        if room is REPLY:
            return only_seen_by(self.who(who)).place
        place = parse_place(room.written, self.who(who))
        return replace(place, kind=self._kinds.get(room.key, place.kind))

    def written(self, room: Room) -> str:
        kind = self._kinds.get(room.key)
        name = room.written.partition(":")[2]
        return f"{kind.value.replace('_', '-')}:{name}" if kind else room.written

    def changed(self, room: Room, kind: PlaceKind) -> None:
        self._kinds[room.key] = kind

    def access(self, grant: str) -> str:
        if not grant.startswith("room:"):
            return grant
        written = BY_KEY[grant.removeprefix("room:")].written
        return written if written.startswith("ctx:") else f"place:{written.partition(':')[2]}"

    def audience(self, question: Question) -> Audience:
        place = self.place(question.room, question.asker)
        if question.is_stale:
            place = parse_place(question.room.written, self.who(question.asker))
        return audience(self.who(question.asker), place, namespace=question.namespace)


class Library:
    """`Confide.recall`, and the verbs by which the town happens."""

    name = "library"
    limit: int | None = TOP_K
    sample: int | None = None

    def __init__(self, confide: Confide, clock: Clock) -> None:
        self.confide = confide
        self.clock = clock
        self.speech = Speech(confide.database.agent_entity)
        self.kept: dict[str, Memory] = {}
        self._merges: dict[frozenset[str], UUID] = {}

    def can_ask(self, question: Question) -> bool:
        return True

    def could_tell(self, canary: Canary, question: Question) -> bool:
        return True

    async def recall(self, words: str, question: Question) -> frozenset[str]:
        context = await self.confide.recall(words, self.speech.audience(question))
        return self.codes([*(told.memory.text for told in context.everything), str(context)])

    def codes(self, texts: Iterable[str]) -> frozenset[str]:
        """Judged by the words of the answer, like somebody who reads it."""
        said = {word.lower() for text in texts for word in re.findall(r"\w+", text)}
        return frozenset(said & self.kept.keys())

    async def remember(self, canary: Canary) -> str:
        who, speech = self.speech.who, self.speech
        done = await self.confide.remember(
            statement(
                canary.sentence,
                by=who(canary.by),
                place=speech.said_in(canary),
                about=[who(one) for one in canary.about],
                source=canary.source,
                kind=canary.kind,
                sensitivity=canary.sensitivity,
                scope=canary.scope,
                access=[speech.access(grant) for grant in canary.access],
                consent=canary.consent,
                namespace=canary.namespace,
                lifetime=f"{canary.hours}h" if canary.hours else None,
                is_portable=canary.is_portable,
                confidence=DOUBTFUL if canary.is_doubtful else 1.0,
                confidential=canary.is_confidential,
                said_at=canary.said_at if canary.days_late else None,
            )
        )
        wanted = Status.PENDING if canary.is_doubtful else Status.APPROVED
        if done.status is not wanted or done.memory.sensitivity != canary.sensitivity:
            raise StoreError(
                f"a canary in {canary.room} became {done.status.value} and "
                f"{done.memory.sensitivity.value}; its sentence must pass the screen unchanged"
            )
        self.kept[canary.code] = done.memory
        return str(done.id)

    def adopt(self, canary: Canary, id: str) -> None:
        """Know a canary that was planted by another way: by its id and words, which is all we read."""
        like = next(iter(self.kept.values()))
        self.kept[canary.code] = replace(like, id=read_memory_id(id), text=canary.sentence)

    async def forget(self, canary: Canary, by: str, *, now: bool) -> None:
        actor = operator_as(self.speech.who(by))
        await self.confide.forget(read_memory_id(canary.memory_id), actor=actor, now=now)

    async def restore(self, canary: Canary, by: str) -> None:
        actor = operator_as(self.speech.who(by))
        await self.confide.restore(read_memory_id(canary.memory_id), actor=actor)

    async def join(self, room: Room, *who: str, at: datetime | None = None) -> None:
        people = map(self.speech.who, who)
        await self.confide.world.join(self.speech.place(room, who[0]), *people, at=at)

    async def leave(self, room: Room, who: str, *, at: datetime | None = None) -> None:
        await self.confide.world.leave(self.speech.place(room, who), self.speech.who(who), at=at)

    async def leave_space(self, space: str, who: str) -> None:
        await self.confide.world.leave_space(space, self.speech.who(who))

    async def attest(self, room: Room, kind: PlaceKind) -> None:
        self.speech.changed(room, kind)
        await self.confide.world.attest(self.speech.place(room, AGENT))

    async def assign(self, role: str, who: str) -> None:
        await self.confide.world.assign(Entity.parse(role), self.speech.who(who))

    async def unassign(self, role: str, who: str) -> None:
        await self.confide.world.unassign(Entity.parse(role), self.speech.who(who))

    async def share(self, canary: Canary, to: str) -> None:
        await self.confide.consents.share(
            read_memory_id(canary.memory_id),
            read_access(self.speech.access(to)),
            actor=operator_as(self.speech.who(canary.by)),
        )

    async def unshare(self, canary: Canary, to: str) -> None:
        await self.confide.consents.unshare(
            read_memory_id(canary.memory_id),
            read_access(self.speech.access(to)),
            actor=operator_as(self.speech.who(canary.by)),
        )

    async def merge(self, one: str, other: str) -> None:
        people = self.speech.who(one), self.speech.who(other)
        proposed = await self.confide.people.propose_merge(
            *people, "the same phone", actor=operator_as(people[0])
        )
        for who in people:
            await self.confide.people.confirm_merge(proposed.id, actor=operator_as(who))
        self._merges[frozenset({one, other})] = proposed.id

    async def split(self, one: str, other: str) -> None:
        merge = self._merges.pop(frozenset({one, other}))
        await self.confide.people.split(merge, actor=operator_as(self.speech.who(one)))

    async def opt_out(self, who: str) -> None:
        entity = self.speech.who(who)
        await self.confide.rights.opt_out(entity, actor=operator_as(entity))

    async def opt_in(self, who: str) -> None:
        entity = self.speech.who(who)
        await self.confide.rights.opt_in(entity, actor=operator_as(entity))


class Recheck:
    """`Confide.recheck` of an answer that held everything: only what is fit for now may be left (B7)."""

    name = "recheck"
    limit: int | None = None
    sample: int | None = None

    def __init__(self, library: Library) -> None:
        self._library = library

    def can_ask(self, question: Question) -> bool:
        return True

    def could_tell(self, canary: Canary, question: Question) -> bool:
        return True

    async def recall(self, words: str, question: Question) -> frozenset[str]:
        library = self._library
        heard = library.speech.audience(question)
        kept = list(library.kept.values())
        # Each as if the next one's words had led to it: those must be dropped with the others.
        said = [(Said(speaker="", text=one.text),) for one in [*kept[1:], *kept[:1]]]
        everything = Context(
            question=words,
            audience=heard,
            now=library.clock(),
            memories=tuple(
                Told(memory=one, relevance=1, similarity=1, evidence=before)
                for one, before in zip(kept, said, strict=True)
            ),
        )
        left = await library.confide.recheck(everything, heard)
        return library.codes(
            text
            for told in left.everything
            for text in (told.memory.text, *(before.text for before in told.evidence))
        )


class OwnList:
    """`Confide.memories`: one's own, in a reply that nobody else sees."""

    name = "memories"
    limit: int | None = None
    sample: int | None = None

    def __init__(self, library: Library) -> None:
        self._library = library

    def can_ask(self, question: Question) -> bool:
        return question.room is REPLY and question.namespace is None

    def could_tell(self, canary: Canary, question: Question) -> bool:
        return question.asker in (canary.owner, canary.speaker)

    async def recall(self, words: str, question: Question) -> frozenset[str]:
        library = self._library
        own = await library.confide.memories(library.speech.who(question.asker), limit=10_000)
        return library.codes(memory.text for memory in own)


class Mentions(OwnList):
    """`Confide.mine.mentions`: what others said about the asker, in a reply that nobody else sees."""

    name = "mentions"

    def could_tell(self, canary: Canary, question: Question) -> bool:
        is_own = question.asker in (canary.owner, canary.speaker)
        return question.asker in canary.about and not is_own

    async def recall(self, words: str, question: Question) -> frozenset[str]:
        library = self._library
        found = await library.confide.mine.mentions(
            library.speech.who(question.asker), limit=10_000
        )
        return library.codes(memory.text for memory in found)


class Exported(OwnList):
    """`Confide.rights.export`: what is the asker's own and told now. All levels of it are in there."""

    name = "export"
    sample: int | None = 3

    def could_tell(self, canary: Canary, question: Question) -> bool:
        return super().could_tell(canary, question) and canary.namespace is None

    async def recall(self, words: str, question: Question) -> frozenset[str]:
        library = self._library
        who = library.speech.who(question.asker)
        done = await library.confide.rights.export(who, actor=operator_as(who))
        kept = json.loads(done.files["export.json"])["memories"]
        return library.codes(one["text"] for one in kept if one["namespace"] is None)
