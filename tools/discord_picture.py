"""Draw the Discord bot for the documentation, from a real run on a simulated Discord.

python -m tools.discord_picture docs/pictures
"""

from __future__ import annotations

import asyncio
import io
import re
import sys
from pathlib import Path
from typing import Any

import simcord
from rich.console import Console
from rich.panel import Panel
from rich.text import Text
from simcord._clock import Clock
from tests.bot.town import Town, complete_interactions
from tools.picture import without_remote_fonts

from confide import Confide
from confide.surfaces.cli.bot import written_out
from confide.surfaces.discord.client import ConfideBot
from confide.surfaces.discord.preparing import Seen, describe
from confide.testing import temporary

WIDTH = 96


class Drawing:
    """What people and the bot wrote, as the simulated Discord shows it."""

    def __init__(self, town: Town, console: Console) -> None:
        self._town, self._console = town, console
        users = town.env.backend.users
        self._names = {str(id): user.name for id, user in users.items()}

    def _named(self, text: str) -> str:
        return re.sub(r"<@(\d+)>", lambda found: f"@{self._names.get(found[1], '?')}", text)

    def _line(self, who: str, text: str, style: str) -> Text:
        return Text(f"{who}  ", style=f"bold {style}") + Text(self._named(text))

    def chat(self, title: str, channel: Any) -> None:
        lines: list[Text] = []
        for one in channel.history():
            is_bot = one.author.id == self._town.bot.user.id
            who = "bot" if is_bot else one.author.name
            lines.append(self._line(who, one.content, "blue" if is_bot else "green"))
            lines += [Text(f"     [ {label} ]", style="dim") for label in _buttons(one)]
        self._console.print(Panel(Text("\n").join(lines), title=title, title_align="left"))

    def alone(self, title: str, answer: Any) -> None:
        lines = [self._line("bot", answer.content, "blue")]
        lines += [Text(f"     [ {label} ]", style="dim") for label in _buttons(answer)]
        lines.append(Text("     Only you can see this", style="dim italic"))
        self._console.print(Panel(Text("\n").join(lines), title=title, title_align="left"))


def _buttons(message: Any) -> list[str]:
    """A message in a room has objects, one for a single person the payload itself."""
    labels: list[str] = []
    for row in message.components:
        inside = row["components"] if isinstance(row, dict) else row.children
        labels += [one["label"] if isinstance(one, dict) else one.label for one in inside]
    return labels


async def story(town: Town, draw: Drawing) -> None:
    """Something said in private helps there, and shows nowhere else."""
    await town.dm(town.alice, "remember that I am interviewing for a new job on Friday")
    await town.dm(town.alice, "what do I have on Friday?")
    await town.ask(town.alice, town.general, "remember that the meetup is in the old library")
    await town.ask(town.bob, town.general, "where is the meetup?")
    await town.ask(town.alice, town.general, "what do I have on Friday?")
    pressed = await town.alice.click(town.general.last_message, label="Only for me")
    draw.chat("Direct message: alice and the bot", town.alice.user.dm_channel)
    draw.chat("#general", town.general)
    draw.alone("#general, after alice pressed the button", pressed.response)


async def setup(town: Town, console: Console) -> None:
    town.guild.create_voice_channel("lounge")
    town.guild.create_news_channel("news")
    await town.env.settle()
    seen = [Seen(one, town.bot.user.id, frozenset()) for one in town.bot.guilds]
    found = describe(town.confide.settings, await town.bot.application_info(), seen)
    console.print(Text("$ confide bot setup", style="bold"))
    for line in written_out(found):
        console.print(Text(line))


def _console() -> Console:
    return Console(
        record=True, width=WIDTH, file=io.StringIO(), markup=False, highlight=False, emoji=False,
        force_terminal=True, color_system="truecolor",
    )  # fmt: skip


async def drawn(confide: Confide, clock: Clock) -> dict[str, str]:
    env = simcord.Env(ConfideBot(confide, clock=lambda: clock.now()), settle_timeout=30)
    env.backend.clock = clock
    env.backend.bot_user.name = "confide"
    await env.start()
    try:
        town, pictures = Town(env, confide), dict[str, str]()
        for name in ("discord", "discord-setup"):
            console = _console()
            if name == "discord":
                await story(town, Drawing(town, console))
            else:
                await setup(town, console)
            picture = console.export_svg(title="confide bot", unique_id=name)
            pictures[f"{name}.svg"] = without_remote_fonts(picture)
        return pictures
    finally:
        await env.shutdown()


async def drawn_anew() -> dict[str, str]:
    complete_interactions(setattr)
    clock = Clock()
    async with temporary(clock=lambda: clock.now(), learn=False) as confide:
        return await drawn(confide, clock)


def main(folder: Path) -> None:
    for name, picture in asyncio.run(drawn_anew()).items():
        (folder / name).write_text(picture, "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
