"""View as (B21): what an audience would be told and why the rest is not; saved scenarios; break-glass."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from confide.actor import Actor, require
from confide.declare import Group
from confide.egress import known
from confide.errors import InvalidInput, NotFound
from confide.model import Entity, Place, PlaceKind, Scope, Sensitivity, clean_text
from confide.privacy.acting import Act, Relation
from confide.privacy.disclosure import disclose, judge
from confide.privacy.policy import Audience, Decision, World
from confide.recall.audience import audience_in, only_seen_by
from confide.recall.search import Wanted, search
from confide.store import memories as stored
from confide.store.database import PlaceUnattested
from confide.store.encoding import read_entity
from confide.store.memory import Memory
from confide.store.names import with_names
from confide.store.queries import query

MOST: Final = 20
LONGEST_REASON: Final = 500


@dataclass(frozen=True, slots=True)
class Judged:
    """One memory, and what an audience would make of it. For the operator it has no words."""

    memory: Memory
    decision: Decision


@dataclass(frozen=True, slots=True)
class View:
    """An answer through somebody else's eyes. It holds only what its reader may hear, or labels."""

    audience: Audience
    told: tuple[Judged, ...]
    withheld: tuple[Judged, ...]


@dataclass(frozen=True, slots=True)
class Labels:
    """What a scenario says of a memory beside its id."""

    level: Sensitivity
    scope: Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A test of the rule: who asks where, and of each memory whether it is told. No words."""

    id: uuid.UUID
    asker: Entity
    place: str
    present: tuple[str, ...]
    told: tuple[uuid.UUID, ...]
    withheld: tuple[uuid.UUID, ...]
    labels: Mapping[uuid.UUID, Labels]
    made_at: datetime


@dataclass(frozen=True, slots=True)
class Run:
    """A scenario asked again."""

    scenario: Scenario
    differs: tuple[uuid.UUID, ...]

    @property
    def is_same(self) -> bool:
        return not self.differs


@dataclass(frozen=True, slots=True)
class Opened:
    """That the operator read the words of a memory."""

    memory_id: uuid.UUID
    reason: str
    at: datetime


class Viewing(Group):
    """`confide.viewing`. Nothing here is a telling: nobody is told anything, and nothing is logged."""

    async def as_person(self, who: Entity, question: str, audience: Audience) -> View:
        """Of what `who` may hear: which memories that audience would be told, and which not."""
        hearings = [only_seen_by(who, space=audience.place.space)]
        if audience.place.kind is not PlaceKind.DIRECT:
            hearings.append(audience_in(audience.place, who))
        found: dict[uuid.UUID, Memory] = {}
        for heard in hearings:
            for one in await self._search(question, heard):
                found.setdefault(one.id, one)
        known_as, world = await self._known(audience)
        named = await with_names(self.database, who, list(found.values()))
        return _view(named, known_as, disclose(named, known_as, world).withheld)

    async def as_operator(self, question: str, audience: Audience, *, actor: Actor) -> View:
        """Of everything that fits: labels and reasons, without words."""
        require(Act.READ_LABELS, actor, Relation.NONE)
        agent = self.database.agent_entity
        thought = audience_in(Place(id="thought", kind=PlaceKind.THOUGHT), agent)
        found = [replace(one, text="") for one in await self._search(question, thought)]
        known_as, world = await self._known(audience)
        return _view(found, known_as, disclose(found, known_as, world).withheld)

    async def _known(self, audience: Audience) -> tuple[Audience, World]:
        """The audience as platforms attest it. Looking must not bring anybody into a room, as
        asking there would."""
        try:
            async with self.database.tell(audience, self.clock()) as telling:
                return telling.audience, telling.world
        except PlaceUnattested:
            raise NotFound("there is nobody like that in this room") from None

    async def _search(self, question: str, heard: Audience) -> Sequence[Memory]:
        asked, now = clean_text(question, "question")[:4000], self.clock()
        vector = await self.door.means.embedder.embed_query(asked)
        wanted = Wanted(top_k=MOST, similarity=self.settings.similarity)
        got = await search(self.database, heard, now, asked, vector, wanted)
        return disclose([one.memory for one in got.found], got.audience, got.world).told

    async def save(
        self,
        view: View,
        place: str,
        present: Iterable[str],
        *,
        actor: Actor,
    ) -> uuid.UUID:
        """Keep what a view showed as a scenario: ids, never words."""
        rows = [(one.memory.id, True) for one in view.told]
        rows += [(one.memory.id, False) for one in view.withheld]
        if not rows:
            raise InvalidInput("scenario", "there is nothing in it; ask for something first")
        id, agent = uuid.uuid4(), self.database.agent
        async with self.database.keep(
            by=actor, doing="save a scenario", at=self.clock()
        ) as connection:
            await connection.execute(
                query("viewing", "add_scenario"), agent, id, _maker(actor),
                str(view.audience.asker), place, sorted(present), self.clock(),
            )  # fmt: skip
            await connection.execute(
                query("viewing", "add_memories"), agent, id,
                [one for one, _ in rows], [told for _, told in rows],
            )  # fmt: skip
        return id

    async def scenarios(self, *, actor: Actor) -> list[Scenario]:
        """What the actor saved, as far as they may still know of it."""
        async with self.database.keep() as connection:
            await connection.execute(query("viewing", "drop_empty"), self.database.agent)
            rows = await connection.fetch(
                query("viewing", "scenarios"), self.database.agent, _maker(actor)
            )
        every = {id for row in rows for id in row["memories"]}
        heard = every
        if actor.entity is not None:
            heard = await known(self.database, actor, every, self.clock())
        found: list[Scenario] = []
        for row in rows:
            pairs = [p for p in zip(row["memories"], row["told"], strict=True) if p[0] in heard]
            labels = zip(row["memories"], row["levels"], row["scopes"], strict=True)
            if pairs:
                found.append(
                    Scenario(
                        id=row["id"],
                        asker=read_entity(row["asker"]),
                        place=row["place"],
                        present=tuple(row["present"]),
                        told=tuple(id for id, told in pairs if told),
                        withheld=tuple(id for id, told in pairs if not told),
                        labels={
                            id: Labels(Sensitivity(level), Scope(scope))
                            for id, level, scope in labels
                            if id in heard
                        },
                        made_at=row["made_at"],
                    )
                )
        return found

    async def run(self, scenario: Scenario, audience: Audience) -> Run:
        """Ask it again. `audience` is the scenario's, read by whoever asks."""
        known_as, world = await self._known(audience)
        differs: list[uuid.UUID] = []
        async with self.database.keep() as connection:
            for id in (*scenario.told, *scenario.withheld):
                agent = self.database.agent
                one = await stored.kept(connection, agent, id, self.database.agent_entity)
                if one is not None and judge(one, known_as, world).told != (id in scenario.told):
                    differs.append(id)
        return Run(scenario, tuple(differs))

    async def drop(self, id: uuid.UUID, *, actor: Actor) -> None:
        async with self.database.keep() as connection:
            await connection.execute(
                query("viewing", "drop_scenario"), self.database.agent, id, _maker(actor)
            )

    async def break_glass(self, memory_id: uuid.UUID, reason: str, *, actor: Actor) -> str:
        """The words of one memory, for a reason. Its owner is told, and the act is in the trail."""
        require(Act.BREAK_GLASS, actor, Relation.NONE)
        why, now = clean_text(reason, "reason"), self.clock()
        if len(why) > LONGEST_REASON:
            raise InvalidInput("reason", f"is longer than {LONGEST_REASON} characters; shorten it")
        async with self.database.keep(by=actor, doing="break glass", at=now) as connection:
            agent = self.database.agent
            row = await connection.fetchrow(query("viewing", "glass_words"), agent, memory_id)
            if row is None:
                raise NotFound("there is no such memory")
            await connection.execute(
                query("viewing", "break_glass"), agent, uuid.uuid4(), memory_id, row["owner"],
                why, now,
            )  # fmt: skip
        return row["text"]

    async def opened(self, who: Entity) -> list[Opened]:
        """What the operator read of somebody's, told to them alone."""
        async with self.database.keep() as connection:
            rows = await connection.fetch(query("viewing", "opened"), self.database.agent, str(who))
        return [Opened(row["memory_id"], row["reason"], row["at"]) for row in rows]


def _view(
    found: Sequence[Memory], audience: Audience, withheld: Sequence[tuple[Memory, Decision]]
) -> View:
    hidden = {one.id: decision for one, decision in withheld}
    yes = Decision(True, "everyone who would see it may hear it")
    told = tuple(Judged(one, yes) for one in found if one.id not in hidden)
    kept = tuple(Judged(one, hidden[one.id]) for one in found if one.id in hidden)
    return View(audience, told, kept)


def _maker(actor: Actor) -> str | None:
    return None if actor.entity is None else str(actor.entity)
