"""`/memories`: see, search, correct and delete what is kept of you."""

from __future__ import annotations

from typing import TYPE_CHECKING

import discord
from discord import app_commands

from confide.model import Scope
from confide.surfaces.discord import ids
from confide.surfaces.discord.commands.asking import ask_and_forget
from confide.surfaces.discord.commands.invoked import Invoked, invoked, short
from confide.surfaces.discord.commands.views import PAGE, Pages

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from confide.recall.why import Telling
    from confide.store.memory import Memory

    Find = Callable[[Invoked], Awaitable[Sequence[Memory]]]

#: How many of the times that something was told are shown.
MOST_TELLINGS = 5
group = app_commands.Group(name="memories", description="What I remember of you")
LEVELS = [app_commands.Choice(name=one.value, value=one.value) for one in Scope]


@group.command(name="list", description="Your memories, newest first")
@app_commands.describe(level="Only those of one privacy level")
@app_commands.choices(level=LEVELS)
async def list_(interaction: discord.Interaction, level: str | None = None) -> None:
    asked = await invoked(interaction)
    asked.require_alone()

    async def lines(now: Invoked, page: int) -> list[str]:
        found = await now.memory.memories(now.who, scope=level, limit=PAGE + 1, offset=page * PAGE)
        return [_line(one) for one in found]

    await Pages(asked, lines).show(asked)


@group.command(name="search", description="Look for something among your memories")
@app_commands.describe(words="What to look for")
async def search(interaction: discord.Interaction, words: str) -> None:
    asked = await invoked(interaction)
    asked.require_alone()
    plain = asked.typed(words)
    await _all(asked, lambda now: now.memory.mine.search(now.who, plain))


@group.command(name="view", description="One memory with all that is known about it")
@app_commands.describe(id="Its id, as /memories list shows it")
async def view(interaction: discord.Interaction, id: str) -> None:
    asked = await invoked(interaction)
    asked.require_alone()
    memory = await asked.find(id)
    seen = await asked.memory.mine.view(asked.who, memory.id, space=asked.spot.space)
    tellings = await asked.memory.tellings(memory.id, actor=asked.actor, limit=MOST_TELLINGS)
    rows = [
        _line(memory),
        *(f"> {words}" for _, words in seen.evidence),
        *(_telling(asked, one) for one in tellings),
    ]
    await asked.answer("\n".join(rows))


@group.command(name="correct", description="Put one of your memories right")
@app_commands.describe(id="Its id, as /memories list shows it", text="What is true instead")
async def correct(interaction: discord.Interaction, id: str, text: str) -> None:
    asked = await invoked(interaction)
    asked.require_alone()
    memory = await asked.find(id)
    if not set(asked.others_in(text)) <= memory.origin.subjects:
        await asked.answer(asked.says("names another"))
        return
    await asked.memory.rights.correct(memory.id, asked.typed(text), actor=asked.actor)
    await asked.answer(asked.says("corrected"))


@group.command(name="delete", description="Delete one of your memories")
@app_commands.describe(id="Its id, as /memories list shows it")
async def delete(interaction: discord.Interaction, id: str) -> None:
    await ask_and_forget(await invoked(interaction), id)


@group.command(name="mentions", description="What shared memories say about you")
async def mentions(interaction: discord.Interaction) -> None:
    asked = await invoked(interaction)
    asked.require_alone()
    await _all(asked, lambda now: now.memory.mine.mentions(now.who, space=now.spot.space))


@group.command(name="stats", description="How much I remember of you, by level and kind")
async def stats(interaction: discord.Interaction) -> None:
    asked = await invoked(interaction)
    asked.require_alone()
    found = await asked.memory.mine.stats(asked.who, space=asked.spot.space)
    rows = [f"{one.scope.value} · {one.kind.value}: {one.memories}" for one in found.counts]
    await asked.answer("\n".join(rows) or asked.says("nothing"))


def _telling(asked: Invoked, one: Telling) -> str:
    """When and where it was told; nobody who asked is named."""
    is_room = one.place is not None and ids.guild_of(one.place) is not None and "@" in one.place
    where = f"<#{ids.number_of(one.place)}>" if is_room and one.place else one.place_kind
    return asked.says("told", when=f"{one.told_at:%Y-%m-%d %H:%M}", where=where)


async def _all(asked: Invoked, find: Find) -> None:
    async def lines(now: Invoked, page: int) -> list[str]:
        found = await find(now)
        return [_line(one) for one in found[page * PAGE : (page + 1) * PAGE + 1]]

    await Pages(asked, lines).show(asked)


def _line(one: Memory) -> str:
    text = one.text if len(one.text) <= 160 else f"{one.text[:159]}…"
    level = f"{one.type.value} · {one.scope.value}{_origin(one)}"
    return f"`{short(one.id)}` {text} · {level} · {one.updated_at:%Y-%m-%d}"


def _origin(one: Memory) -> str:
    """The room something was said in, as Discord shows it to whoever may see that room."""
    place = one.origin.place
    if place is None or ids.guild_of(place.id) is None or "@" not in place.id:
        return ""
    return f" · <#{ids.number_of(place.id)}>"


COMMANDS = (group,)
