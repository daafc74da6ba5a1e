"""`confide worker`: learn from what is due, until stopped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from confide.surfaces.cli.given import Given, with_given
from confide.surfaces.cli.opened import tell, with_memory
from confide.surfaces.cli.output import say

if TYPE_CHECKING:
    from confide.memories import Confide

EXAMPLES = """\b
Examples:
    confide worker
    confide worker --once

\b
JSON with --once: messages
"""
Once = Annotated[bool, typer.Option("--once", help="Learn from what is due now, and end.")]


def register(app: typer.Typer) -> None:
    app.command("worker", epilog=EXAMPLES)(with_given(worker))


def worker(given: Given, once: Once = False) -> None:
    """Learn from what was observed. Several workers, also on several machines, share the work.

    An open program learns by itself unless CONFIDE_LEARN=false; a worker beside it does no harm.
    """
    settings = given.settings()
    if once:
        tell(given, "learning.learn", lambda count: say(f"Learned from {count} messages."))
        return
    from confide.surfaces.cli.serve import LEVELS
    from confide.surfaces.http.logs import write_logs

    write_logs(LEVELS[settings.log])
    if not given.as_json:
        say("Learning. Ctrl+C ends it; nothing is lost.")
    with_memory(given, _work)


async def _work(confide: Confide) -> None:
    """A worker that is told to end lets go of what it holds; one that is killed loses its lease."""
    import asyncio
    import contextlib
    import signal

    work = asyncio.create_task(confide.learning.worker().run())
    with contextlib.suppress(NotImplementedError):  # Windows has no signals to wait for
        for ending in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(ending, work.cancel)
    with contextlib.suppress(asyncio.CancelledError):
        await work
