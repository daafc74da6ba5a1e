"""Step 5 of learning: facts become labelled memories, in one transaction that the fence guards."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, time, timedelta
from typing import TYPE_CHECKING, Final

from confide.model import Entity, PlaceKind, Scope, Status, Trust, type_of
from confide.privacy.consent import Guardians
from confide.privacy.labels import Origin, label
from confide.privacy.policy import Clause, Label
from confide.providers.builtin import relation
from confide.remember.judge import Judged
from confide.remember.labelling import label_with_consents
from confide.remember.lending import parts, words_lent
from confide.remember.reconcile import Relation, Said, best, said_before, said_of
from confide.remember.resolve import by_alias
from confide.store import consents, ledger, memories, messages, people, places
from confide.store.adding import New, add_all
from confide.store.connection import Connection
from confide.store.encoding import write_vector
from confide.store.indexing import Before
from confide.store.memory import Memory
from confide.store.opting import opted_out
from confide.store.queries import query
from confide.store.terms import terms

if TYPE_CHECKING:
    from confide.config import Settings
    from confide.providers.embedder import Vector
    from confide.store.database import Database
    from confide.store.messages import Heard

#: How long somebody may repeat what was told before it counts as their own words again.
ECHO: Final = timedelta(days=1)
#: How long before the agent speaks what it was told counts as part of what it says.
IN_MIND: Final = timedelta(minutes=10)
LEAST_ECHO: Final = 0.8
#: What is said to happen later than this is not waited for.
FARTHEST: Final = timedelta(days=730)
NEAREST: Final = 20


class Applying:
    """Puts the facts of one answer into the store, inside the caller's transaction."""

    def __init__(
        self,
        connection: Connection,
        database: Database,
        settings: Settings,
        now: datetime,
    ) -> None:
        self._connection = connection
        self._database = database
        self._settings = settings
        self._now = now
        self._places: dict[str, tuple[frozenset[Entity], bool]] = {}
        self._labels: dict[Label, tuple[int, bytes]] = {}
        self._forgotten: list[ledger.Marks] | None = None
        self._to_importer: dict[tuple[Entity, datetime, datetime], list[Memory]] = {}

    async def apply(
        self,
        judged: Judged,
        vector: Vector,
        before: Sequence[Before],
        journal_id: uuid.UUID,
    ) -> uuid.UUID:
        """Add, merge or supersede; returns the memory that now says it."""
        memory = await self._memory(judged)
        label_id, _ = await self._interned(memory.label)
        known = await self._alike(memory, label_id, vector)
        found, old = best(said_of(memory), known, self._settings.merge_similarity)
        if found is Relation.SAME and old[0].id is not None:
            kept = old[0].id
            await merge(self._connection, self._database.agent, old[0], memory, self._now)
        else:
            kept = await self._add(New(memory, vector, before))
            await self._supersede(found, kept, old)
        for one in (judged.heard, *judged.also_from):
            words = judged.snippet if one is judged.heard else words_lent(judged.text, one)
            await messages.add_evidence(
                self._connection, self._database.agent, kept, one,
                snippet=words, stated=judged.text, key=(journal_id, judged.position),
            )  # fmt: skip
        return kept

    async def may_use(self, judged: Judged) -> bool:
        """Whether it was not forgotten before, and everybody whose words it holds is still willing.

        Keeps them from leaving meanwhile.
        """
        if self._is_over(judged) or await self._was_forgotten(judged):
            return False
        others = [one.id for one in judged.also_from]
        if not others:
            return True
        rows = await self._connection.fetch(
            query("messages", "willing"), self._database.agent, others
        )
        return len(rows) == len(set(others))

    def _is_over(self, judged: Judged) -> bool:
        """Whether it came with a file and would have faded by now."""
        ends = self._settings.lifetime(judged.kind)
        heard = judged.heard
        return heard.is_imported and bool(ends) and heard.message.said_at + ends <= self._now

    async def _was_forgotten(self, judged: Judged) -> bool:
        """B5: what was forgotten comes back only if its owner asks for it outright."""
        agent, speaker = self._database.agent, str(judged.heard.message.speaker)
        said = [judged.text, *([judged.attribute] if judged.attribute else [])]
        if judged.also_from:
            said += parts(judged.text)
        if judged.is_asked_for:
            await ledger.lift(self._connection, agent, [(speaker, text) for text in said])
            return False
        if self._forgotten is None:
            self._forgotten = await ledger.keys_in_use(self._connection, agent)
        named = [person.account or person.entity for person in judged.people]
        people = [speaker, *(str(one) for one in named if one is not None)]
        facts = [(who, text) for who in people for text in said]
        return await ledger.is_suppressed(self._connection, agent, self._forgotten, facts)

    async def _add(self, new: New) -> uuid.UUID:
        agent, memory = self._database.agent, new.memory
        (stored,) = await add_all(self._connection, agent, [new])
        was_in_doubt = not stored.is_new and stored.status is Status.PENDING
        if was_in_doubt and memory.status is Status.APPROVED:
            # Said in doubt before, and outright now.
            await self._connection.execute(
                query("messages", "approve"), agent, stored.id, self._now
            )
        return stored.id

    async def _interned(self, label: Label) -> tuple[int, bytes]:
        if label not in self._labels:
            agent = self._database.agent
            self._labels[label] = await memories.intern(self._connection, agent, label)
        return self._labels[label]

    async def _supersede(self, found: Relation, new: uuid.UUID, old: Sequence[Said]) -> None:
        """The newer wins and the older stays as history, in whichever order they were learned."""
        for one in old:
            if one.id is None or one.id == new or found not in (Relation.NEWER, Relation.OLDER):
                continue
            replaced, by = (one.id, new) if found is Relation.NEWER else (new, one.id)
            await self._connection.execute(
                query("messages", "supersede"), self._database.agent, replaced, by, self._now
            )

    async def _alike(
        self, memory: Memory, label_id: int, vector: Vector
    ) -> list[tuple[Said, float]]:
        """What waits for review neither replaces nor swallows what is told already, nor the reverse."""
        among: list[object] = [
            self._database.agent, label_id, str(memory.owner), memory.kind.value, self._now,
            write_vector(vector), NEAREST, memory.status.value, memory.origin.namespace,
        ]  # fmt: skip
        named = "alike"
        if memory.trust is Trust.UNTRUSTED and memory.status is Status.APPROVED:
            named, among = "repeated", [*among, self._settings.merge_similarity]
        rows = await self._connection.fetch(query("messages", named), *among)
        return [(said_before(row), row["similarity"] or 0.0) for row in rows]

    async def _memory(self, judged: Judged) -> Memory:
        now = self._now
        echoed = await self._echoed(judged)
        judged = await self._with_aliases(judged)
        origin = await self._origin(judged, echoed)
        trust = max([judged.trust, *(one.trust for one in echoed)], key=lambda t: t.rank)
        ends = judged.lifetime or self._settings.lifetime(judged.kind)
        # What was brought along is as old as it is.
        since = judged.heard.message.said_at if judged.heard.is_imported else now
        return Memory(
            id=uuid.uuid4(),
            text=judged.text,
            owner=judged.heard.message.speaker,
            origin=origin,
            label=await self._label(origin),
            type=type_of(
                judged.kind, is_about_answering=judged.is_about_answering and trust is Trust.SAID
            ),
            trust=trust,
            status=judged.status,
            confidence=judged.confidence,
            said_at=judged.heard.message.said_at,
            created_at=now,
            updated_at=now,
            reinforced_at=since,
            expires_at=_counted_from(since, judged) + ends if ends else None,
            waits_because=judged.waits_because,
            attribute=judged.attribute,
        )

    async def _origin(self, judged: Judged, echoed: Sequence[Memory]) -> Origin:
        heard, speaker = judged.heard, judged.heard.message.speaker
        subjects, late_names = await self._meant(judged)
        if heard.author_means is not None:
            # A claim of who said it gives that account a say, and lets it hear nothing.
            subjects |= {heard.author_means}
        await self._place(heard.place.id)
        members, is_open = await self._place(heard.room.id)
        in_confidence = heard.message.is_confidential or bool(heard.only_for)
        may_promote = not echoed and not in_confidence and not await self._stays_local(judged)
        scope = _scope(judged, may_promote=may_promote, is_open=is_open)
        origin = Origin(
            agent=self._database.agent_entity,
            scope=scope,
            owner=speaker,
            speaker=heard.said_by,
            place=heard.room,
            epoch=heard.epoch,
            thread=heard.place.id if heard.place != heard.room else None,
            is_confidential=heard.message.is_confidential,
            only_for=heard.only_for,
            subjects=subjects,
            present=heard.present,
            sensitivity=max(
                [judged.sensitivity, *(one.sensitivity for one in echoed)], key=lambda s: s.rank
            ),
            kind=judged.kind,
            namespace=heard.namespace,
            is_portable=judged.is_portable and not echoed and not judged.also_from,
            # The surprise party stays one, also if its subject came before it was learned.
            joined_later=await self._late(heard, subjects, late_names, members),
            objectors=frozenset(await self._opted_out(subjects)),
        )
        if (scope is Scope.GLOBAL or origin.is_portable) and await consents.concerns_child(
            self._connection, self._database.agent, origin
        ):
            at_home = _scope(judged, may_promote=False, is_open=is_open)
            origin = replace(origin, scope=at_home, is_portable=False)
        return replace(origin, inherited=_inherited(origin, judged, echoed))

    async def _meant(self, judged: Judged) -> tuple[frozenset[Entity], dict[Entity, str]]:
        """Whom it is about, and what the speaker calls those of them whom nobody else knows."""
        speaker, agent = judged.heard.message.speaker, self._database.agent
        found, names = set[Entity](), dict[Entity, str]()
        for person in judged.people:
            entity = person.entity
            if entity is None:
                called = person.name or ""
                entity = await people.someone(
                    self._connection, agent, speaker, called, self._now,
                    relation(judged.snippet, called),
                )  # fmt: skip
                names[entity] = called
            found.add(entity)
        return frozenset(found), names

    async def _late(
        self,
        heard: Heard,
        subjects: frozenset[Entity],
        names: dict[Entity, str],
        members: frozenset[Entity],
    ) -> frozenset[Entity]:
        """Subjects who came after it was said, also under a name that may mean them."""
        newcomers = members - heard.present
        late = subjects & newcomers
        if names and newcomers and heard.scope is Scope.GROUP:
            borne = await people.called_by_name(self._connection, self._database.agent, newcomers)
            every = frozenset[str]().union(*borne.values())
            late |= {one for one, name in names.items() if people.is_named_alike(name, every)}
        return late

    async def _opted_out(self, subjects: frozenset[Entity]) -> set[Entity]:
        """What is said about them is for whoever said it alone (S21)."""
        if not subjects:
            return set()
        return await opted_out(self._connection, self._database.agent, subjects)

    async def _with_aliases(self, judged: Judged) -> Judged:
        """Whom the speaker means by a name, if they said so before (A5)."""
        if all(one.name is None for one in judged.people):
            return judged
        speaker = judged.heard.message.speaker
        known = await people.aliases(self._connection, self._database.agent, speaker=speaker)
        meant = by_alias(judged.people, {one.alias: one.entity for one in known})
        return replace(judged, people=tuple(one for one in meant if one.entity != speaker))

    async def _stays_local(self, judged: Judged) -> bool:
        """Whether its owner wants nothing told everywhere."""
        speaker = str(judged.heard.message.speaker)
        return judged.is_promoted and await self._connection.fetchval(
            query("messages", "is_opted_out"), self._database.agent, speaker
        )

    async def _place(self, id: str) -> tuple[frozenset[Entity], bool]:
        """Who is there now, and whether everyone in the space can read it; asked once."""
        if id not in self._places:
            agent = self._database.agent
            await self._connection.execute(query("places", "hold_still"), agent, id)
            members = await places.members(self._connection, agent, id)
            self._places[id] = members, await messages.is_open(self._connection, agent, id)
        return self._places[id]

    async def _label(self, origin: Origin) -> Label:
        agent = self._database.agent
        concerned: set[Entity] = {*origin.subjects, *({origin.speaker} if origin.speaker else ())}
        place = origin.place.id if origin.place else None
        agreed = await consents.standing(self._connection, agent, concerned, place)
        guardians: Guardians = await consents.guardians(self._connection, agent) if agreed else {}
        return label_with_consents(origin, agreed, guardians)

    async def _echoed(self, judged: Judged) -> list[Memory]:
        """Memories told in this place lately that these words repeat."""
        heard = judged.heard
        until = max(heard.observed_at, heard.message.said_at)
        told = await self._told(heard, heard.observed_at - ECHO, until)
        said = [judged.snippet, *(words_lent(judged.text, one) for one in judged.also_from)]
        found = {one.id: one for one in told if any(repeats(words, one.text) for words in said)}
        for turn in judged.also_from:
            if turn.message.is_from_agent:
                # Whatever the agent had just been told may be in its words, however it put them.
                told = await self._told(turn, turn.observed_at - IN_MIND, turn.observed_at)
                found |= {one.id: one for one in told}
        return list(found.values())

    async def _told(self, heard: Heard, since: datetime, until: datetime) -> list[Memory]:
        if heard.is_imported:
            return await self._told_importer(heard.message.speaker, since, until)
        inside = await places.inside(self._connection, self._database.agent, heard.room.id)
        rooms = {heard.place.id, heard.platform_place, heard.room.id, *inside}
        agent = self._database.agent_entity
        return await messages.told_in_place(self._connection, agent, rooms, since, until)

    async def _told_importer(
        self, importer: Entity, since: datetime, until: datetime
    ) -> list[Memory]:
        """Nothing is told in a room of a file; what its importer was told elsewhere may be in it."""
        key = importer, since, until
        if key not in self._to_importer:
            self._to_importer[key] = await messages.told_to(
                self._connection, self._database.agent_entity, *key
            )
        return self._to_importer[key]


def _counted_from(since: datetime, judged: Judged) -> datetime:
    """A lifetime counts from when something happens: a move in March is known until after March."""
    day = judged.happens_on
    if day is None or judged.lifetime is not None or day - since.date() > FARTHEST:
        return since
    return max(since, datetime.combine(day, time.max, tzinfo=since.tzinfo))


def repeats(said: str, told: str) -> bool:
    """Whether most of the words that carry content are the same."""
    new, old = frozenset(terms(said)), frozenset(terms(told))
    shared = len(new & old)
    if not shared or (shared == 1 and len(old) > 1 and len(new) > 1):
        return False
    return shared / min(len(new), len(old)) >= LEAST_ECHO


def _scope(judged: Judged, *, may_promote: bool, is_open: bool) -> Scope:
    if judged.is_private:
        return Scope.DM
    if judged.is_promoted and may_promote:
        return Scope.GLOBAL
    scope = judged.heard.scope
    if judged.heard.place.kind is PlaceKind.PRIVATE_THREAD:
        return Scope.CHANNEL_RESTRICTED  # a thread that became private is a room of its own
    if scope is Scope.GUILD_PUBLIC and not is_open:
        return Scope.CHANNEL_RESTRICTED  # S20: the place closed before anything was learned
    return scope


def _inherited(origin: Origin, judged: Judged, echoed: Sequence[Memory]) -> frozenset[Clause]:
    """The message's own clauses, where its origin does not give them, and those of what it repeats."""
    # Without what consent lent: that ends when it is withdrawn, and this would not know.
    repeated = frozenset[Clause]().union(*(label(one.origin).clauses for one in echoed))
    # Promotion and portability are the two widenings that are allowed; both keep to one's own words.
    if origin.scope is Scope.GLOBAL or origin.is_portable:
        return repeated
    people = [one for one in judged.also_from if not one.message.is_from_agent]
    said = judged.heard.clauses.union(*(one.clauses for one in people))
    return repeated | (said - label(origin).clauses)


async def merge(
    connection: Connection, agent: str, old: Said, memory: Memory, now: datetime
) -> None:
    """Said again. A file makes what was said here neither surer nor younger."""
    if memory.trust is Trust.UNTRUSTED and old.trust is not Trust.UNTRUSTED:
        return
    await connection.execute(
        query("messages", "merge"),
        agent, old.id, memory.confidence, now, memory.expires_at, memory.reinforced_at,
    )  # fmt: skip
