"""An answer, and beside it what was told and what was withheld by which clause."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.box import ROUNDED
from rich.cells import cell_len
from rich.console import Console, Group
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from confide.surfaces.chat.shown import Shown, clause, letter, name, one_line, quoted
from confide.surfaces.cli.clauses import clause_as_json
from confide.surfaces.cli.output import harmless

if TYPE_CHECKING:
    from confide.chat.behind import Withheld
    from confide.recall.context import Told

#: Two panels stand beside each other only where both can be read.
WIDE = 90
#: The room that a second column needs.
COLUMN = 26


def show(shown: Shown, console: Console | None = None) -> None:
    console = console or Console(markup=False, highlight=False, emoji=False)
    for text in shown.remembered:
        console.print(_begun("remembered: ", "green").append(harmless(one_line(text))))
    if shown.rows:
        console.print(_table(shown, console.width))
    elif shown.notice:
        console.print(_text(shown.notice, "dim"))
    if shown.answer:
        _show_answer(shown, console)


def _show_answer(shown: Shown, console: Console) -> None:
    title = "agent" if shown.is_by_model else "agent, from memory alone"
    said = Panel(_text(shown.answer), title=title, box=ROUNDED)
    beside = Panel(_beside(shown), title="behind it", box=ROUNDED, border_style="dim")
    if console.width < WIDE:
        console.print(said, beside)
        return
    side_by_side = Table.grid(expand=True)
    side_by_side.add_column(ratio=1)
    side_by_side.add_column(ratio=1)
    side_by_side.add_row(said, beside)
    console.print(side_by_side)


def _table(shown: Shown, width: int) -> Table:
    """What is on the right goes below where it has too little room."""
    table = Table.grid(padding=(0, 2, 0, 0))
    is_wide = width - max(cell_len(left) for left, _ in shown.rows) >= COLUMN
    for left, right in shown.rows:
        if is_wide:
            table.add_row(_text(left, "cyan"), _text(right))
            continue
        table.add_row(_text(left, "cyan"))
        if right:
            table.add_row(Padding(_text(right), (0, 0, 0, 2)))
    return table


def _beside(shown: Shown) -> Group:
    lines = [_told(number, told, shown) for number, told in enumerate(shown.told, start=1)]
    lines += [_withheld(at, one) for at, one in enumerate(shown.withheld)]
    return Group(*(lines or [_text("nothing known fits", "dim")]))


def _told(number: int, told: Told, shown: Shown) -> Text:
    m = told.memory
    text = _begun(f"told [{number}] ", "green")
    if shown.is_by_model:  # without one, the answer has the words
        text.append(harmless(f"“{one_line(m.text)}” "))
    about = name(m.owner, told.owner_name), m.scope.value, m.sensitivity.value
    return text.append(harmless(", ".join((*about, told.confidence_in_words))))


def _withheld(at: int, one: Withheld) -> Text:
    text = _begun(f"withheld {letter(at)} ", "red")
    if one.text:
        text.append(harmless(f"{quoted(one)} "), style="strike dim")
    about = name(one.owner, one.owner_name), one.scope.value, one.sensitivity.value
    text.append(harmless(f"{', '.join(about)}: {one.because}"))
    if one.clause:
        text.append(harmless(f"\n{clause(one)}"), style="dim")
    return text


def _text(text: str, style: str = "") -> Text:
    return Text(harmless(text), style=style)


def _begun(text: str, style: str) -> Text:
    """A style for these words alone, not for what follows."""
    return Text().append(text, style=style)


def as_dict(shown: Shown) -> dict[str, Any]:
    return {
        "notice": shown.notice,
        "remembered": list(shown.remembered),
        "answer": shown.answer,
        "is_by_model": shown.is_by_model,
        "told": [_told_as_dict(one) for one in shown.told],
        "withheld": [_withheld_as_dict(one) for one in shown.withheld],
    }


def _told_as_dict(one: Told) -> dict[str, Any]:
    m = one.memory
    return {"id": str(m.id), "owner": str(m.owner), "text": m.text}


def _withheld_as_dict(one: Withheld) -> dict[str, Any]:
    plain = {
        "id": str(one.id),
        "owner": str(one.owner),
        "because": one.because,
        "clause": clause_as_json(one.clause) if one.clause else None,
    }
    return plain | {"text": one.text} if one.text else plain
