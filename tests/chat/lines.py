"""Type line after line."""

from __future__ import annotations

from confide.surfaces.chat.play import Play
from confide.surfaces.chat.shown import Shown


async def typed(play: Play, *lines: str) -> Shown:
    """What the last of these lines brought."""
    shown = Shown()
    for line in lines:
        shown = await play.type(line)
    return shown
