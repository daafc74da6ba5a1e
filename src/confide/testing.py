"""For people who test their own bots: a throw-away memory, audiences, and two assertions.

    from confide import statement
    from confide.testing import assert_told, assert_withheld, in_private, in_public, temporary

    async def test_my_bot_keeps_a_secret():
        async with temporary() as confide:
            job = await confide.remember(
                statement("Looking for a new job", by="human:alice", place="dm")
            )
            await assert_told(confide, job, in_private("human:alice"))
            await assert_withheld(confide, job, in_public("human:bob"))

Starting a database takes about a second. A suite starts one for all its tests and gives each an
agent of its own: `temporary(home=folder)` joins the server in `folder` and leaves it running.
"""

from __future__ import annotations

import asyncio
import tempfile
import uuid
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from confide.config import Settings
from confide.errors import NotFound
from confide.memories import Clock, Confide, system_clock
from confide.privacy.policy import Audience
from confide.reading import Name, audience
from confide.remember.keep import Remembered
from confide.store import embedded

__all__ = [
    "assert_told",
    "assert_withheld",
    "in_context",
    "in_group",
    "in_private",
    "in_public",
    "in_restricted",
    "temporary",
]
Asked = str | uuid.UUID | Remembered


@asynccontextmanager
async def temporary(
    *, home: Path | str | None = None, clock: Clock = system_clock, **settings: Any
) -> AsyncGenerator[Confide, None]:
    """An empty memory with default settings, whatever the environment says; gone afterwards.

    `home` names the folder of a server that several tests share; it is not stopped, and an agent
    of its own keeps this memory apart. `clock` is a function that says what time it is.
    """
    wanted: dict[str, Any] = _defaults() | {"agent": f"test-{uuid.uuid4().hex[:12]}"} | settings
    if home is not None:
        async with Confide.open(home, clock=clock, **wanted) as confide:
            yield confide
        return
    folder = Path(tempfile.mkdtemp(prefix="confide-"))
    try:
        lease = await asyncio.to_thread(
            embedded.start, folder, idle_seconds=wanted["idle_minutes"] * 60, is_kept=False
        )
        with lease:
            async with Confide.open(folder, clock=clock, **wanted) as confide:
                yield confide
    finally:
        await asyncio.to_thread(embedded.discard, folder)


def _defaults() -> dict[str, Any]:
    """Said outright, so that nobody's environment decides a test or reaches a real database."""
    fields = Settings.model_fields.items()
    given = {name: field.get_default(call_default_factory=True) for name, field in fields}
    del given["home"]
    return given | {"idle_minutes": 1}


def in_private(who: Name) -> Audience:
    """`who` alone with the agent."""
    return audience(who, "dm")


def in_group(asker: Name, *others: Name, group: str = "friends") -> Audience:
    """A group chat with `others`; whoever joins it later reads the answer too."""
    return audience(asker, f"group:{group}", present=others)


def in_public(asker: Name, channel: str = "general", space: str = "guild") -> Audience:
    """A channel that everyone in the space can read."""
    return audience(asker, f"public:{channel}@{space}")


def in_restricted(asker: Name, channel: str = "mods", space: str = "guild") -> Audience:
    """A channel that only some of the space can read."""
    return audience(asker, f"restricted:{channel}@{space}")


def in_context(asker: Name, *others: Name, context: str = "care") -> Audience:
    """A context whose participants are `asker` and `others`."""
    return audience(asker, f"ctx:{context}", present=others)


async def assert_told(
    confide: Confide, asked: Asked, audience: Audience, *, text: str | None = None
) -> None:
    """Fail unless `audience` is told: the memory with this id, or something for this question.

    With a question, `text` says what one of the memories told must contain.
    """
    if isinstance(asked, str):
        if not await _told_for(confide, asked, audience, text):
            raise AssertionError(f"nothing is told {_to(audience)}")
        return
    is_told, because = await _explained(confide, asked, audience)
    if not is_told:
        raise AssertionError(f"withheld, not told {_to(audience)}: {because}")


async def assert_withheld(
    confide: Confide, asked: Asked, audience: Audience, *, text: str | None = None
) -> None:
    """Fail if `audience` is told: the memory with this id, or anything for this question.

    With a question, `text` narrows that to memories that contain it. A memory that was forgotten
    is withheld like one that is hidden.
    """
    if isinstance(asked, str):
        told = await _told_for(confide, asked, audience, text)
        if told:
            raise AssertionError(f"told {_to(audience)}: {', '.join(map(str, told))}")
        return
    is_told, because = await _explained(confide, asked, audience)
    if is_told:
        raise AssertionError(f"told {_to(audience)}: {because}")


async def _told_for(
    confide: Confide, question: str, audience: Audience, text: str | None
) -> list[uuid.UUID]:
    context = await confide.recall(question, audience)
    memories = [told.memory for told in context.everything]
    return [memory.id for memory in memories if text is None or text in memory.text]


async def _explained(
    confide: Confide, asked: uuid.UUID | Remembered, to: Audience
) -> tuple[bool, str]:
    id = asked.id if isinstance(asked, Remembered) else asked
    try:
        found = await confide.explain(id, to)
    except NotFound as absent:
        return False, str(absent)
    if found.decision.told != found.told_by_database:
        raise AssertionError(f"the library and the database decide differently about {id}")
    return found.decision.told, found.decision.because


def _to(audience: Audience) -> str:
    return f"to {audience.asker} in {audience.place.id}"
