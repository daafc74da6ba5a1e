"""An answer, and beside it what was told and what was withheld."""

from __future__ import annotations

from typing import Any

from rich.box import ROUNDED
from rich.console import Console, Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from confide.recall.context import Told
from confide.surfaces.chat.play import Shown, Withheld
from confide.surfaces.cli.output import harmless

WIDE = 90


def show(shown: Shown, *, hides_text: bool, console: Console | None = None) -> None:
    console = console or Console(markup=False, highlight=False, emoji=False)
    if shown.notice:
        console.print(Text(harmless(shown.notice), style="dim"))
    if not shown.answer:
        return
    answer = Text(harmless(shown.answer))
    beside = Panel(_beside(shown, hides_text), title="behind it", box=ROUNDED, border_style="dim")
    title = "agent" if shown.is_by_model else "agent, from memory alone"
    said = Panel(answer, title=title, box=ROUNDED)
    if console.width < WIDE:
        console.print(said, beside)
        return
    side_by_side = Table.grid(expand=True)
    side_by_side.add_column(ratio=1)
    side_by_side.add_column(ratio=1)
    side_by_side.add_row(said, beside)
    console.print(side_by_side)


def _beside(shown: Shown, hides_text: bool) -> Group:
    lines = [_told(number, told) for number, told in enumerate(shown.told, start=1)]
    lines += [_withheld(one, hides_text) for one in shown.withheld]
    return Group(*(lines or [Text("nothing known fits", style="dim")]))


def _told(number: int, told: Told) -> Text:
    m = told.memory
    text = Text(f"told [{number}] ", style="green")
    text.append(f"{m.owner.id}, {m.scope.value}, {m.sensitivity.value}, {told.confidence_in_words}")
    return text


def _withheld(one: Withheld, hides_text: bool) -> Text:
    m = one.told_to_nobody.memory
    text = Text("withheld ", style="red")
    if not hides_text:
        text.append(f"“{harmless(m.text)}” ", style="strike dim")
    text.append(f"{m.owner.id}, {m.scope.value}, {m.sensitivity.value}: {one.because}")
    return text


def as_dict(shown: Shown, *, hides_text: bool) -> dict[str, Any]:
    return {
        "notice": shown.notice,
        "answer": shown.answer,
        "is_by_model": shown.is_by_model,
        "told": [{"id": str(t.memory.id), "text": t.memory.text} for t in shown.told],
        "withheld": [_withheld_as_dict(one, hides_text) for one in shown.withheld],
    }


def _withheld_as_dict(one: Withheld, hides_text: bool) -> dict[str, Any]:
    m = one.told_to_nobody.memory
    plain = {"id": str(m.id), "owner": str(m.owner), "because": one.because}
    return plain if hides_text else plain | {"text": m.text}
