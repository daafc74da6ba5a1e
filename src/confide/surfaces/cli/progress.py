"""A progress bar on standard error: how far, how fast, and how long it still takes."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Task
    from rich.text import Text

Reached = Callable[[int, int | None], None]  # how far in all, and of how many if that is known


@contextmanager
def progress(
    what: str, *, is_quiet: bool, is_bytes: bool = False, console: Console | None = None
) -> Generator[Reached, None, None]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        TextColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )
    from rich.text import Text

    class Rate(ProgressColumn):
        def render(self, task: Task) -> Text:
            # There is none before the second update.
            return Text("" if task.speed is None else f"{task.speed:,.0f}/s")

    console = console or Console(stderr=True)
    numbers = (
        (DownloadColumn(), TransferSpeedColumn()) if is_bytes else (MofNCompleteColumn(), Rate())
    )
    columns = (TextColumn("{task.description}"), BarColumn(), *numbers, TimeRemainingColumn())
    is_hidden = is_quiet or not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=is_hidden) as shown:
        task = shown.add_task(what, total=None)
        yield lambda done, total: shown.update(task, completed=done, total=total)
