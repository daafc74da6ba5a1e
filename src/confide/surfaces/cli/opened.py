"""Open the memory for one command: here, or a server's that the settings name."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar, cast

if TYPE_CHECKING:
    from confide.config import Settings
    from confide.memories import Confide
    from confide.surfaces.cli.given import Given

T = TypeVar("T")


def with_memory(given: Given, work: Callable[[Confide], Awaitable[T]]) -> T:
    """Do `work` with the opened memory, and close it whatever happens."""
    settings = given.settings()
    if given.server(settings) is not None:
        return run(_elsewhere(settings, work))
    return run(_here(given, work))


def call(given: Given, verb: str, **written: Any) -> Any:
    """Do a declared verb, such as `people.known`, with what was typed. What cannot be read is refused
    before anything is opened."""
    from confide.door.here import understood
    from confide.verbs import verb_called

    given.settings()
    group, name = verb.split(".")
    known = understood(verb_called(verb), written)
    return with_memory(given, lambda confide: getattr(getattr(confide, group), name)(**known))


def tell(given: Given, verb: str, show: Callable[[Any], None] | str, **written: Any) -> None:
    """Do a declared verb and print its answer: as JSON, or as `show` words it."""
    from confide.surfaces.cli.output import say, say_answer

    found = call(given, verb, **written)
    if say_answer(given, verb, found):
        return
    if isinstance(show, str):
        say(show)
    else:
        show(found)


async def _here(given: Given, work: Callable[[Confide], Awaitable[T]]) -> T:
    from confide.memories import Confide

    async with Confide.open(**given.fields()) as confide:
        return await work(confide)


async def _elsewhere(settings: Settings, work: Callable[[Confide], Awaitable[T]]) -> T:
    """A server's memory has the same verbs; which of them it grants, its key says."""
    from confide.client import ConfideClient
    from confide.errors import InvalidInput

    if settings.key is None:
        raise InvalidInput("CONFIDE_KEY", "is missing; the server has to know who asks")
    key = settings.key.get_secret_value()
    async with ConfideClient.open(str(settings.url), key, agent=settings.agent) as client:
        return await work(cast("Confide", client))


def run(work: Coroutine[Any, Any, T]) -> T:
    """The event loop's own complaints are tracebacks; what matters is raised anyway."""
    import asyncio
    import logging

    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    return asyncio.run(_until_ended(work))


async def _until_ended(work: Coroutine[Any, Any, T]) -> T:
    """Whoever ends the program from outside, or closes its terminal, leaves nothing lying about."""
    import asyncio
    import signal

    loop, task, received = asyncio.get_running_loop(), asyncio.current_task(), list[int]()

    def end(number: int) -> None:
        received.append(number)
        if task is not None:
            task.cancel()

    # Neither in a thread nor on Windows can a loop wait for signals.
    with suppress(NotImplementedError, RuntimeError, ValueError, AttributeError):
        for number in (signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, end, number)
    try:
        return await work
    except asyncio.CancelledError:
        if received:
            raise SystemExit(128 + received[0]) from None
        raise
