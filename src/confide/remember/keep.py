"""Step 4 of remembering: places, labels and memories go into the database in one transaction."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from confide.actor import Actor
from confide.errors import ConfideError
from confide.model import Status
from confide.privacy.acting import CallerKind
from confide.remember.keeping import Keeping
from confide.remember.replacing import connection_of, find_replaced, in_place_of, supersede
from confide.store import ledger
from confide.store.adding import Evidence, New, add_all, add_evidence
from confide.store.colliding import tried_again
from confide.store.indexing import Before

if TYPE_CHECKING:
    from confide.config import Settings
    from confide.providers.embedder import Vector
    from confide.remember.keeping import Made
    from confide.remember.screening import Screened
    from confide.remember.statement import Statement
    from confide.store.database import Database
    from confide.store.memory import Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """What became of a statement. `waits_because` says why it is not told yet."""

    id: uuid.UUID
    status: Status
    waits_because: str | None
    is_new: bool
    memory: Memory
    requests: tuple[uuid.UUID, ...] = ()  # what was only asked for
    replaced: tuple[Memory, ...] = ()  # what was said through the same connection before


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A statement that was screened and embedded, with what was said just before it."""

    statement: Statement
    screened: Screened
    vector: Vector
    before: tuple[tuple[Statement, Screened], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What all statements that are kept together share."""

    database: Database
    settings: Settings
    now: datetime
    new_id: Callable[[], uuid.UUID] = uuid.uuid4
    actor: Actor | None = None  # None: a platform that speaks for whoever said it
    meanwhile: Callable[[], None] = lambda: None  # begins what can be done while the database works


async def keep_statement(desk: Desk, draft: Draft) -> Remembered:
    """A refusal is raised, and nothing has changed."""
    (kept,) = await keep_all(desk, [draft], stops_at_refusal=True)
    assert isinstance(kept, Remembered)  # anything else was raised
    return kept


@tried_again
async def keep_all(
    desk: Desk, drafts: Sequence[Draft], *, stops_at_refusal: bool = False
) -> list[Remembered | ConfideError]:
    """As if one after the other, in one transaction. What is refused does not stop the others."""
    results: dict[int, Remembered | ConfideError] = {}
    by = desk.actor or _platform(drafts)
    async with desk.database.keep(
        by=by, doing="remember", at=desk.now, only_adds=connection_of(desk.actor) is None
    ) as connection:
        keeping = Keeping(connection, desk.database, desk.settings, desk.now)
        await keeping.ask_about(draft.statement for draft in drafts)
        waiting: list[tuple[int, Made]] = []
        for n, draft in enumerate(drafts):
            # Whoever joins changes what was said before, so that has to be stored first.
            if waiting and keeping.would_change(draft.statement):
                results |= await _flush(desk, keeping, drafts, waiting)
                waiting = []
            try:
                made = await keeping.make(draft.statement, draft.screened, desk.new_id())
                waiting.append((n, made))
            except ConfideError as refused:
                if stops_at_refusal:
                    raise
                results[n] = refused
        results |= await _flush(desk, keeping, drafts, waiting)
    return [results[n] for n in range(len(drafts))]


def _platform(drafts: Sequence[Draft]) -> Actor:
    speakers = {draft.statement.by for draft in drafts}
    return Actor(speakers.pop() if len(speakers) == 1 else None, CallerKind.PLATFORM)


async def _flush(
    desk: Desk, keeping: Keeping, drafts: Sequence[Draft], waiting: list[tuple[int, Made]]
) -> dict[int, Remembered | ConfideError]:
    connection, agent = keeping.connection, desk.database.agent
    await keeping.write_joins()
    befores = [await keeping.before(drafts[n].before) for n, _ in waiting]
    replaced: list[Sequence[Memory]] = []
    for at, (n, made) in enumerate(waiting):
        old = await find_replaced(
            connection, desk.database, made.memory, drafts[n].vector, desk.actor, desk.now
        )
        replaced.append(old)
        waiting[at] = n, made._replace(memory=in_place_of(made.memory, old))
    new = [
        New(made.memory, drafts[n].vector, [Before(e.text, e.label_id) for e in heard])
        for (n, made), heard in zip(waiting, befores, strict=True)
    ]
    desk.meanwhile()
    stored = await add_all(connection, agent, new) if new else []
    for old, one in zip(replaced, stored, strict=True):
        await supersede(connection, agent, old, one.id, desk.now)
    fresh = [
        (made, heard)
        for (_, made), heard, one in zip(waiting, befores, stored, strict=True)
        if one.is_new
    ]
    await add_evidence(
        connection,
        agent,
        (
            Evidence(made.memory.id, e.speaker, e.text, e.said_at, position, e.label_id)
            for made, heard in fresh
            for position, e in enumerate(heard)
        ),
    )
    for made, _ in fresh:
        await keeping.record_consents(made)
    # Said outright: what was forgotten before is wanted again.
    said = [(str(made.memory.owner), made.memory.text) for _, made in waiting]
    await ledger.lift(connection, agent, said, keeping.forgotten_with)
    await keeping.use_epochs()
    return {
        n: Remembered(
            id=one.id,
            status=one.status,
            waits_because=one.waits_because,
            is_new=one.is_new,
            memory=made.memory,
            replaced=tuple(old),
        )
        for (n, made), one, old in zip(waiting, stored, replaced, strict=True)
    }
