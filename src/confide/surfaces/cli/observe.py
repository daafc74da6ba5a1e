"""`confide observe`: take in what was said, one JSON object a line, and learn from it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from confide.surfaces.cli.given import Given, with_given
from confide.surfaces.cli.opened import with_memory
from confide.surfaces.cli.options import Workspace
from confide.surfaces.cli.output import say, say_json

if TYPE_CHECKING:
    from confide.keep.sources import File
    from confide.memories import Confide

EXAMPLES = """\b
Examples:
    confide observe chat.jsonl --wait
    tail -f chat.jsonl | confide observe -

\b
A line:
    {"id": "1", "in": "group:tea", "by": "human:alice", "text": "I love oolong.",
     "at": "2026-03-01T12:00:00Z", "present": ["human:bob"], "to_agent": true,
     "namespace": "thesis/track:1"}

\b
JSON: observed, known, ignored {reason: count}, batch {id, known, resumed, sha256}, learned_from,
    memories_added
"""
SHOWN: Final = 20
FileName = Annotated[
    str, typer.Argument(metavar="FILE", help="JSON Lines; - reads them from standard input.")
]
Wait = Annotated[bool, typer.Option("--wait", help="Return when all of it is learned from.")]


def register(app: typer.Typer) -> None:
    app.command("observe", epilog=EXAMPLES)(with_given(observe))


def observe(given: Given, file: FileName, wait: Wait = False, namespace: Workspace = None) -> None:
    """Take in what was said, one JSON object a line.

    Every line is checked before the first one is kept. A message that was observed before is not
    kept twice, so a file can be observed again, and one that was cut off goes on. Lines count as said
    to the agent unless they say otherwise. `confide sources` shows what came in which file. Without
    --wait, learning goes on in `confide worker` or the next open program. With --namespace each
    line belongs to that workspace of its speaker, unless it names another.
    """
    given.settings()
    read = _within(_read_all(file), namespace)
    answer = with_memory(given, lambda confide: _observe_all(confide, read, wait, given))
    if given.as_json:
        say_json(answer)
        return
    if answer["batch"] is not None and answer["batch"]["known"]:
        say("This file was taken in before; only what is new in it counts.")
    say(f"{answer['observed']} messages observed, {answer['known']} known already.")
    for reason, count in answer["ignored"].items():
        say(f"{count} not kept: {reason}.")
    if wait:
        say(
            f"Learned from {answer['learned_from']} of them; {answer['memories_added']} memories are new."
        )
    elif answer["observed"]:
        say("Learning goes on in `confide worker`; --wait does it here.")


def _read_all(file: str) -> File:
    """All lines, or one error that names every line that is wrong."""
    from confide.errors import InvalidInput
    from confide.keep.sources import File, Hashed
    from confide.surfaces.message_lines import read_lines

    try:
        source = sys.stdin.buffer if file == "-" else open(file, "rb")  # noqa: SIM115
        with source:
            hashed = Hashed(source)
            messages, wrong = read_lines(hashed)
    except OSError as problem:
        raise InvalidInput("FILE", f"cannot be read ({problem.strerror}); check its name") from None
    if wrong:
        shown = "\n".join(wrong[:SHOWN])
        more = f"\nand {len(wrong) - SHOWN} more" if len(wrong) > SHOWN else ""
        count = f"{len(wrong)} line{'s' if len(wrong) > 1 else ''}"
        raise InvalidInput("FILE", f"{count} cannot be read, so none was kept:\n{shown}{more}")
    return File(name=file, sha256=hashed.sha256, messages=messages)


def _within(file: File, namespace: str | None) -> File:
    from dataclasses import replace

    from confide.reading import read_namespace

    within = read_namespace(namespace)
    if within is None:
        return file
    messages = [
        one if one.namespace is not None else replace(one, namespace=within)
        for one in file.messages
    ]
    return replace(file, messages=messages)


async def _observe_all(confide: Confide, file: File, wait: bool, given: Given) -> dict[str, Any]:
    with _progress("observing", len(file.messages), given) as advance:
        # A server is given messages one by one, and knows nothing of a file.
        if given.server() is None:
            answer = await _take(confide, file, advance)
        else:
            answer = await _send(confide, file, advance)
    if wait:
        answer |= await _learn_all(confide, given)
    return answer


async def _take(confide: Confide, file: File, advance: Callable[[int], None]) -> dict[str, Any]:
    from confide.actor import operator_as

    done = await confide.sources.take(file, actor=operator_as(), each=lambda: advance(1))
    return {
        "observed": done.observed,
        "known": done.known,
        "ignored": done.ignored,
        "batch": {
            "id": done.batch.id,
            "known": done.batch.is_known,
            "resumed": done.batch.is_resumed,
            "sha256": file.sha256.hex(),
        },
    }


async def _send(confide: Confide, file: File, advance: Callable[[int], None]) -> dict[str, Any]:
    observed = known = 0
    ignored: dict[str, int] = {}
    for message in file.messages:
        became = await confide.observe(message)
        observed += became.is_new
        known += became.is_kept and not became.is_new
        if not became.is_kept:
            ignored[became.because or ""] = ignored.get(became.because or "", 0) + 1
        advance(1)
    return {"observed": observed, "known": known, "ignored": ignored, "batch": None}


async def _learn_all(confide: Confide, given: Given) -> dict[str, object]:
    """Until nothing is left, also of what another worker is at."""
    import asyncio

    before = await _count(confide)
    await confide.learning.make_due()
    learned, left = 0, await confide.learning.left()
    with _progress("learning", left, given) as advance:
        while left:
            learned += await confide.learning.learn()
            now_left = await confide.learning.left()
            advance(left - now_left)
            if now_left:
                await asyncio.sleep(0.2)
            left = now_left
    return {"learned_from": learned, "memories_added": await _count(confide) - before}


async def _count(confide: Confide) -> int:
    from confide.keep.status import read_status

    status = await read_status(confide.database)
    return sum(status.memories.values())


@contextmanager
def _progress(what: str, total: int, given: Given) -> Generator[Callable[[int], None], None, None]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    console = Console(stderr=True)
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
    is_quiet = given.as_json or not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=is_quiet) as progress:
        task = progress.add_task(what, total=total)
        yield lambda by: progress.update(task, advance=by)
