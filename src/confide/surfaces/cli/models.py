"""`confide usage`, `confide reembed` and `confide calibrate`: what models cost and mean."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from confide.surfaces.cli.given import Given, with_given
from confide.surfaces.cli.opened import tell
from confide.surfaces.cli.output import console, harmless, say

if TYPE_CHECKING:
    from collections.abc import Callable

    from confide.keep.embedding import Embedded, Measured
    from confide.keep.reporting import Usage
    from confide.spending import Budget
    from confide.store.usage import Used

USAGE = """\b
Examples:
    confide usage
    confide usage --json

\b
JSON: used [person, place, space, operation, model, uses, tokens_read, tokens_written, dollars], dollars,
budgets [whose, spent, most], since
"""
REEMBED = """\b
Examples:
    confide reembed --to voyage-3.5-lite

\b
JSON: model, embedded, left
"""
CALIBRATE = """\b
Examples:
    confide calibrate
    confide calibrate --model voyage-3-large

\b
JSON: model, unrelated, threshold
"""
WIDEST = 40
To = Annotated[str, typer.Option("--to", metavar="MODEL", help="The model to add vectors of.")]
Model = Annotated[
    str | None, typer.Option("--model", help="Another one than CONFIDE_EMBEDDER names.")
]


def register(app: typer.Typer) -> None:
    app.command("usage", epilog=USAGE)(with_given(usage))
    app.command("reembed", epilog=REEMBED)(with_given(reembed))
    app.command("calibrate", epilog=CALIBRATE)(with_given(calibrate))


def usage(given: Given) -> None:
    """Show this month's tokens and money for each person, place, operation and model."""
    tell(given, "reports.usage", _show_usage)


def _show_usage(found: Usage) -> None:
    if not found.used:
        say("No model was used this month; the built-in parts cost nothing.")
    else:
        _table(found.used)
        say()
        _chart(found.used)
        say(f"\nThis month: ${found.dollars:.4f}")
    for one in found.budgets:
        say(f"Budget of {harmless(one.whose)}: ${one.spent:.4f} of ${one.most:.4f}{_state(one)}")


def _state(budget: Budget) -> str:
    if budget.is_used_up:
        return ", used up: the built-in parts do the work"
    return ", nearly used up" if budget.is_nearly_used_up else ""


def _table(used: list[Used]) -> None:
    from rich.table import Table

    table = Table("for", "where", "what", "model", "uses", "read", "written", "$", box=None)
    for one in used:
        table.add_row(
            harmless(one.person or "everyone"), harmless(one.place or ""), one.operation,
            harmless(one.model), str(one.uses), f"{one.tokens_read:,}", f"{one.tokens_written:,}",
            f"{one.dollars:.4f}",
        )  # fmt: skip
    console().print(table)


def _chart(used: list[Used]) -> None:
    """Money for each operation, as bars."""
    sums: dict[str, float] = {}
    for one in used:
        sums[one.operation] = sums.get(one.operation, 0.0) + one.dollars
    most = max(sums.values()) or 1.0
    for operation, dollars in sorted(sums.items(), key=lambda one: -one[1]):
        bar = "█" * max(1, round(WIDEST * dollars / most))
        say(f"{operation:<8} {bar} ${dollars:.4f}")


def reembed(given: Given, to: To) -> None:
    """Add the vectors of another model while searching goes on. Stop and start it as you like.

    Every memory keeps its built-in vector, so everything is found meanwhile. When it is done, set
    CONFIDE_EMBEDDER to the new model.
    """

    def show(done: Embedded) -> None:
        say(f"{done.embedded} memories have a vector of {done.model} now; {done.left} are left.")

    actor = given.actor()
    with _progress(is_quiet=given.as_json) as progress:
        tell(given, "vectors.reembed", show, model=to, actor=actor, progress=progress)


def calibrate(given: Given, model: Model = None) -> None:
    """Measure what a model's similarities mean, on sentences that belong to nobody."""

    def show(found: Measured) -> None:
        strangers, related = f"{found.unrelated:.3f}", f"{found.threshold:.3f}"
        say(f"{found.model}: strangers {strangers}, related from {related}")

    tell(given, "vectors.calibrate", show, model=model, actor=given.actor())


@contextmanager
def _progress(*, is_quiet: bool) -> Generator[Callable[[int, int], None], None, None]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (TextColumn("Embedding"), BarColumn(), MofNCompleteColumn())
    shown = Console(stderr=True)
    with Progress(*columns, console=shown, transient=True, disable=is_quiet) as progress:
        task = progress.add_task("", total=None)
        yield lambda done, every: progress.update(task, completed=done, total=every)
