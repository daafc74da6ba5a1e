"""What stands behind a line of talk: what was withheld by which clause, and what was learned from it.

For whoever plays all the people, or looks after the agent. Neither look is a telling: nothing is
said to anybody, so nothing is written into the access log.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from confide.actor import operator_as
from confide.errors import NotFound
from confide.model import Entity, Message, Place, PlaceKind, Scope, Sensitivity, clean_text
from confide.privacy.disclosure import disclose
from confide.privacy.reasons import reason
from confide.recall.audience import audience_in, only_seen_by, tell_to
from confide.recall.search import Wanted, search
from confide.store import memories as stored
from confide.store import messages
from confide.store.colliding import tried_again
from confide.store.contributions import again

if TYPE_CHECKING:
    from confide.memories import Confide
    from confide.privacy.policy import Audience, Clause
    from confide.remember.learn import Extractor
    from confide.store.connection import Row


@dataclass(frozen=True, slots=True, kw_only=True)
class Withheld:
    """A memory that would have fit, and what kept it from being told."""

    id: uuid.UUID
    owner: Entity
    owner_name: str
    scope: Scope
    sensitivity: Sensitivity
    text: str  # empty where only the reason may be seen
    because: str
    clause: Clause | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """What one message led to, as far as its speaker may see it."""

    remembered: tuple[str, ...] = ()
    held: tuple[str, ...] = ()  # why something was kept but is not told, for instance for review
    is_waiting: bool = False  # it is learned from later
    is_being_learned: bool = False  # by another worker, at this moment


async def withheld(
    confide: Confide,
    question: str,
    audience: Audience,
    told: Collection[uuid.UUID],
    *,
    hides_text: bool,
) -> tuple[Withheld, ...]:
    """What the agent, thinking alone, finds for a question and does not tell this audience."""
    means, now = confide.means, confide.means.clock()
    database, settings = means.database, means.settings
    alone = audience_in(Place(id="thought", kind=PlaceKind.THOUGHT), database.agent_entity)
    question = clean_text(question, "question")
    vector = await means.embedder.embed_query(question)
    # What was told takes no room from what was not.
    wanted = Wanted(top_k=settings.top_k + len(told), similarity=settings.similarity)
    known = await search(database, alone, now, question, vector, wanted)
    names = {one.id: one.owner_name for one in known.found if one.id not in told}
    async with tell_to(database, audience, now) as telling:
        listening, world = telling.audience, telling.world
    kept = disclose(
        [one.memory for one in known.found if one.id in names], listening, world
    ).withheld
    return tuple(
        Withheld(
            id=memory.id,
            owner=memory.owner,
            owner_name=names[memory.id],
            scope=memory.scope,
            sensitivity=memory.sensitivity,
            text="" if hides_text else memory.text,
            because=reason(memory, decision, listening),
            clause=decision.clause,
        )
        for memory, decision in kept[: settings.top_k]
    )


async def learn_from(confide: Confide, message: Message, extractor: Extractor) -> Learned:
    """Learn from a message at once, and say what came of it. Other sessions stay as they are."""
    found = await _made_due(confide, message)
    if found is None:
        return Learned()
    worker = confide.learning.worker(extractor=extractor)
    await worker.drain()
    await worker.beside()
    return await _learned(confide, message.speaker, found["id"], found["session_id"])


@tried_again
async def _made_due(confide: Confide, message: Message) -> Row | None:
    """The message as it is stored. Another worker may be taking up its session meanwhile."""
    database = confide.database
    async with database.keep() as connection:
        found = await messages.find(connection, database.agent, message.platform, message.id)
        if found is not None:
            await again(connection, database.agent, found["session_id"], confide.means.clock())
    return found


async def look(confide: Confide, message: Message) -> Learned:
    """What came of a message so far. Asking for it again would make who is learning from it begin
    anew."""
    database = confide.database
    async with database.keep() as connection:
        found = await messages.find(connection, database.agent, message.platform, message.id)
    if found is None:
        return Learned()
    return await _learned(confide, message.speaker, found["id"], found["session_id"])


async def _learned(
    confide: Confide, speaker: Entity, message_id: uuid.UUID, session_id: uuid.UUID | None
) -> Learned:
    database = confide.database
    # First: what somebody else is still learning from now may be there a moment later.
    due = [one for one in await confide.learning.jobs(limit=1000) if one.id == session_id]
    async with database.keep() as connection:
        made = await messages.contributions(connection, database.agent, message_id)
    ids = [one.memory_id for one in made]
    mine = only_seen_by(speaker)
    async with tell_to(database, mine, confide.means.clock()) as telling:
        found = await stored.told(telling, ids)
    told = disclose(found, telling.audience, telling.world).told
    held: list[str] = []
    for id in set(ids) - {one.id for one in told}:
        with suppress(NotFound):  # somebody else's, to whom these words were lent
            why = await confide.explain(id, mine, actor=operator_as(speaker))
            held.append(why.decision.because)
    return Learned(
        remembered=tuple(one.text for one in told if speaker in (one.owner, one.speaker)),
        held=tuple(held),
        is_waiting=bool(due),
        is_being_learned=any(one.is_held for one in due),
    )
