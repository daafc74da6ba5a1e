"""Step 2 of remembering, for one statement or thousands: screened and embedded together."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from confide.errors import ConfideError
from confide.remember.keep import Draft
from confide.remember.screening import Screened, screen_all
from confide.remember.statement import require_statement
from confide.screen.screen import SHORT

if TYPE_CHECKING:
    from confide.providers.embedder import Embedder
    from confide.remember.statement import Statement
    from confide.screen import Screen

#: As many as are kept in one transaction: enough to share the work, few enough to wait for.
BATCH: Final = 500
#: The first ones are fewer: a store that was empty is planned for anew once they are stored.
FIRST: Final = 100
MANY: Final = 1000
#: As PostgreSQL itself thinks: what adds less than a tenth to a table changes no plan.
LITTLE: Final = 10
Drafted = list[Draft | ConfideError]


async def draft_batches(
    draft: Callable[[Sequence[Statement]], Awaitable[Drafted]], statements: Sequence[Statement]
) -> AsyncIterator[tuple[Drafted, Callable[[], None]]]:
    """Batch after batch, each with what begins to look at the next one: to be called when the
    database has its work, since before that the two would only wait for each other."""
    ahead: asyncio.Future[Drafted] | None = None
    following: Sequence[Statement] = ()

    def look_ahead() -> None:
        nonlocal ahead
        if ahead is None and following:
            ahead = asyncio.ensure_future(draft(following))

    try:
        ends = [*range(FIRST, len(statements), BATCH), len(statements)]
        batches = [statements[start:end] for start, end in pairwise([0, *ends])]
        for now, then in pairwise([*batches, ()]):
            drafted = await (ahead or draft(now))
            ahead, following = None, then
            yield drafted, look_ahead
    finally:
        if ahead is not None:
            ahead.cancel()


async def draft_all(
    screen: Screen, embedder: Embedder, statements: Sequence[Statement], approve_from: float
) -> Drafted:
    """Each as a draft, or why it is refused."""
    for one in statements:
        require_statement(one)
    # By identity: a statement that others come after is looked at once.
    every = {id(one): one for s in statements for one in (s, *s.before)}
    if sum(len(one.text) for one in every.values()) <= SHORT:
        screened = screen_all(screen, list(every.values()), approve_from)
    else:
        screened = await asyncio.to_thread(screen_all, screen, list(every.values()), approve_from)
    seen = dict(zip(every, screened, strict=True))
    kept = [one for s in statements if isinstance(one := seen[id(s)], Screened)]
    vectors = iter(await embedder.embed_documents([one.text for one in kept]) if kept else [])
    return [
        Draft(statement=s, screened=looked, vector=next(vectors), before=_before(s, seen))
        if isinstance(looked := seen[id(s)], Screened)
        else looked
        for s in statements
    ]


def _before(
    statement: Statement, seen: dict[int, Screened | ConfideError]
) -> tuple[tuple[Statement, Screened], ...]:
    """What was refused is not kept beside another memory either."""
    looked = [(one, seen[id(one)]) for one in statement.before]
    return tuple((one, screened) for one, screened in looked if isinstance(screened, Screened))
