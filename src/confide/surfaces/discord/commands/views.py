"""Buttons: pages, and a question before what cannot be undone. Only their own person sees them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final

import discord

from confide.surfaces.discord.commands.invoked import Invoked, explain_refusal, invoked

#: Seconds after which buttons do nothing any more.
LASTS: Final = 600
PAGE: Final = 8
Act = Callable[[Invoked], Awaitable[str]]
Lines = Callable[[Invoked, int], Awaitable[list[str]]]


class Ephemeral(discord.ui.View):
    """Buttons under a reply that one person sees. What they do is judged for who presses them."""

    def __init__(self) -> None:
        super().__init__(timeout=LASTS)

    async def on_error(
        self, interaction: discord.Interaction, error: Exception, item: discord.ui.Item[Any]
    ) -> None:
        if not await explain_refusal(interaction, error):
            raise error


class Confirm(Ephemeral):
    """Yes or no. Nothing happens before yes."""

    def __init__(self, asked: Invoked, act: Act) -> None:
        super().__init__()
        self._act = act
        self.yes.label, self.no.label = asked.says("yes"), asked.says("no")

    @discord.ui.button(style=discord.ButtonStyle.danger)
    async def yes(self, interaction: discord.Interaction, button: discord.ui.Button[Any]) -> None:
        await interaction.response.defer()
        pressed = await invoked(interaction)
        await pressed.answer(await self._act(pressed), view=None)
        self.stop()

    @discord.ui.button(style=discord.ButtonStyle.secondary)
    async def no(self, interaction: discord.Interaction, button: discord.ui.Button[Any]) -> None:
        await interaction.response.defer()
        pressed = await invoked(interaction)
        await pressed.answer(pressed.says("cancelled"), view=None)
        self.stop()


class Pages(Ephemeral):
    """A list page by page. Each page is read anew, for who may hear it then."""

    def __init__(self, asked: Invoked, lines: Lines) -> None:
        super().__init__()
        self._lines, self._page = lines, 0
        self.previous.label, self.next.label = asked.says("previous"), asked.says("next")

    async def show(self, asked: Invoked) -> None:
        found = await self._lines(asked, self._page)
        if not found and self._page == 0:
            await asked.answer(asked.says("nothing"), view=None)
            return
        self.previous.disabled = self._page == 0
        self.next.disabled = len(found) <= PAGE
        head = asked.says("page", page=self._page + 1)
        text = "\n".join([f"**{head}**", *found[:PAGE]])
        is_one_page = self._page == 0 and len(found) <= PAGE
        await asked.answer(text, view=None if is_one_page else self)

    @discord.ui.button(style=discord.ButtonStyle.secondary)
    async def previous(
        self, interaction: discord.Interaction, button: discord.ui.Button[Any]
    ) -> None:
        await self._turn(interaction, -1)

    @discord.ui.button(style=discord.ButtonStyle.secondary)
    async def next(self, interaction: discord.Interaction, button: discord.ui.Button[Any]) -> None:
        await self._turn(interaction, 1)

    async def _turn(self, interaction: discord.Interaction, by: int) -> None:
        await interaction.response.defer()
        self._page = max(0, self._page + by)
        await self.show(await invoked(interaction))


class Choice(discord.ui.Button[Any]):
    """One button that does one thing; with `sure`, after a question whether it should."""

    def __init__(
        self, label: str, act: Act, *, is_danger: bool = False, sure: str | None = None
    ) -> None:
        style = discord.ButtonStyle.danger if is_danger else discord.ButtonStyle.secondary
        super().__init__(label=label[:80], style=style)
        self._act, self._sure = act, sure

    async def callback(self, interaction: discord.Interaction) -> None:
        await interaction.response.defer()
        pressed = await invoked(interaction)
        if self._sure is not None:
            await pressed.answer(self._sure, view=Confirm(pressed, self._act))
            return
        await pressed.answer(await self._act(pressed), view=None)


class Turn(discord.ui.Button[Any]):
    """To another page of a list whose lines have buttons of their own."""

    def __init__(self, label: str, show: Callable[[Invoked], Awaitable[None]]) -> None:
        super().__init__(label=label, style=discord.ButtonStyle.primary)
        self._show = show

    async def callback(self, interaction: discord.Interaction) -> None:
        await interaction.response.defer()
        await self._show(await invoked(interaction))


def add_turns(
    view: discord.ui.View,
    asked: Invoked,
    page: int,
    show: Callable[[Invoked, int], Awaitable[None]],
    *,
    has_more: bool,
) -> None:
    """Buttons to the pages before and after, where there are any."""
    if page:
        view.add_item(Turn(asked.says("previous"), lambda now: show(now, page - 1)))
    if has_more:
        view.add_item(Turn(asked.says("next"), lambda now: show(now, page + 1)))
