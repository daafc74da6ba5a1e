"""Draw `confide chat` for the documentation, from a real talk in a throw-away memory.

python tools/picture.py docs/pictures/chat.svg
"""

from __future__ import annotations

import asyncio
import io
import re
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

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
    "/why",
)


async def talk(console: Console) -> None:
    async with temporary() as confide:
        play = Play(confide)
        for line in LINES:
            console.print(Text(f"{play.scene.prompt} > ", style="cyan") + Text(line, style="bold"))
            panels.show(await play.type(line), console)


def main(path: Path) -> None:
    console = Console(
        record=True, width=WIDTH, file=io.StringIO(), markup=False, highlight=False, emoji=False,
        force_terminal=True, color_system="truecolor",
    )  # fmt: skip
    asyncio.run(talk(console))
    path.parent.mkdir(parents=True, exist_ok=True)
    drawn = console.export_svg(title="confide chat", unique_id="chat")
    path.write_text(without_remote_fonts(drawn), "utf-8")


def without_remote_fonts(drawn: str) -> str:
    """Whoever looks at a picture must not be seen by a font server."""
    local = re.sub(r"@font-face \{.*?\}\s*", "", drawn, flags=re.DOTALL)
    return local.replace("Fira Code, monospace", "Fira Code, DejaVu Sans Mono, Menlo, monospace")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
