"""`confide usage`, `confide reembed` and `confide calibrate`: what models cost and mean."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from confide.surfaces.cli.given import Given, with_given
from confide.surfaces.cli.opened import with_memory
from confide.surfaces.cli.output import console, harmless, say, say_json

if TYPE_CHECKING:
    from collections.abc import Callable

    from confide.memories import Confide
    from confide.providers.calibrating import Scale
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
    given.settings()
    used, budgets, since = with_memory(given, _used)
    total = sum(one.dollars for one in used)
    if given.as_json:
        say_json(
            {
                "used": [asdict(one) for one in used],
                "dollars": total,
                "budgets": [asdict(one) for one in budgets],
                "since": since,
            }
        )
        return
    if not used:
        say("No model was used this month; the built-in parts cost nothing.")
    else:
        _table(used)
        say()
        _chart(used)
        say(f"\nThis month: ${total:.4f}")
    for one in budgets:
        say(f"Budget of {harmless(one.whose)}: ${one.spent:.4f} of ${one.most:.4f}{_state(one)}")


async def _used(confide: Confide) -> tuple[list[Used], list[Budget], object]:
    spending = confide.spending
    return await spending.used(), await spending.all_budgets(), spending.month()


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
    given.settings()
    with _progress(is_quiet=given.as_json) as progress:

        async def work(confide: Confide) -> tuple[int, int]:
            return await confide.vectors.reembed(to, progress=progress), await confide.vectors.left(
                to
            )

        embedded, left = with_memory(given, work)
    if given.as_json:
        say_json({"model": to, "embedded": embedded, "left": left})
    else:
        say(f"{embedded} memories have a vector of {to} now; {left} are left.")


def calibrate(given: Given, model: Model = None) -> None:
    """Measure what a model's similarities mean, on sentences that belong to nobody."""
    configured = given.settings().embedder

    async def measured(confide: Confide) -> tuple[str, Scale]:
        scale = await confide.vectors.calibrate(model)
        # A server measures the model that its own settings name, and says which.
        return getattr(confide.vectors, "measured", None) or model or configured, scale

    name, scale = with_memory(given, measured)
    if given.as_json:
        say_json({"model": name, "unrelated": scale.unrelated, "threshold": scale.threshold})
    else:
        say(f"{name}: strangers {scale.unrelated:.3f}, related from {scale.threshold:.3f}")


@contextmanager
def _progress(*, is_quiet: bool) -> Iterator[Callable[[int, int], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (TextColumn("Embedding"), BarColumn(), MofNCompleteColumn())
    shown = Console(stderr=True)
    with Progress(*columns, console=shown, transient=True, disable=is_quiet) as progress:
        task = progress.add_task("", total=None)
        yield lambda done, every: progress.update(task, completed=done, total=every)
