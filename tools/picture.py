"""Draw `confide chat` for the documentation, from a real talk in a throw-away memory.

python tools/picture.py docs/pictures/chat.svg
"""

from __future__ import annotations

import asyncio
import io
import re
import sys
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console
from rich.text import Text

from confide import Confide
from confide.surfaces.chat import panels
from confide.surfaces.chat.play import Play
from confide.testing import temporary

WIDTH = 104
LINES = (
    "My sister Nora is visiting next week",
    "who is visiting next week?",
    "/in general@guild",
    "/with bob",
    "who is visiting next week?",
    "/as bob",
    "/in dm",
    "who is visiting Alice next week?",
    "why did you say that?",
)


def clock() -> datetime:
    """A day of its own, so that a picture drawn again is the same picture."""
    return datetime(2026, 3, 2, 9, 30, tzinfo=UTC)


async def talk(confide: Confide, console: Console) -> None:
    play = Play(confide)
    for line in LINES:
        console.print(Text(f"{play.scene.prompt} > ", style="cyan") + Text(line, style="bold"))
        panels.show(await play.type(line), console)


async def drawn(confide: Confide) -> str:
    console = Console(
        record=True, width=WIDTH, file=io.StringIO(), markup=False, highlight=False, emoji=False,
        force_terminal=True, color_system="truecolor",
    )  # fmt: skip
    await talk(confide, console)
    return without_remote_fonts(console.export_svg(title="confide chat", unique_id="chat"))


def without_remote_fonts(drawn: str) -> str:
    """Whoever looks at a picture must not be seen by a font server."""
    local = re.sub(r"@font-face \{.*?\}\s*", "", drawn, flags=re.DOTALL)
    return local.replace("Fira Code, monospace", "Fira Code, DejaVu Sans Mono, Menlo, monospace")


async def drawn_anew() -> str:
    async with temporary(clock=clock, learn=False) as confide:
        return await drawn(confide)


def main(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(asyncio.run(drawn_anew()), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
