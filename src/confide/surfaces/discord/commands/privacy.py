"""`/privacy`: what is kept of you, and how to stop, take along or erase it."""

from __future__ import annotations

import io
import zipfile

import discord
from discord import app_commands

from confide.surfaces.discord.commands.invoked import Invoked, invoked
from confide.surfaces.discord.commands.views import Confirm

group = app_commands.Group(name="privacy", description="What I keep of you, and how to stop that")


@group.command(name="status", description="What I keep of you")
async def status(interaction: discord.Interaction) -> None:
    asked = await invoked(interaction)
    asked.require_alone()
    await asked.answer(await _state(asked))


@group.command(name="opt-out", description="I keep nothing of you and tell nothing of you")
async def opt_out(interaction: discord.Interaction) -> None:
    asked = await invoked(interaction)
    await asked.memory.rights.opt_out(asked.who, actor=asked.actor)
    await asked.answer(await _state(asked))


@group.command(name="opt-out-global", description="Nothing of you follows you to other places")
async def opt_out_global(interaction: discord.Interaction) -> None:
    asked = await invoked(interaction)
    await asked.memory.rights.opt_out(asked.who, actor=asked.actor, is_global_only=True)
    await asked.answer(await _state(asked))


@group.command(name="opt-in", description="I may keep what you say to me again")
async def opt_in(interaction: discord.Interaction) -> None:
    asked = await invoked(interaction)
    await asked.memory.rights.opt_in(asked.who, actor=asked.actor)
    await asked.answer(await _state(asked))


@group.command(name="export", description="All that I keep of you, as a file in a direct message")
async def export(interaction: discord.Interaction) -> None:
    asked = await invoked(interaction)
    asked.require_alone()
    made = await asked.memory.rights.export(asked.who, actor=asked.actor)
    file = discord.File(io.BytesIO(_zipped(dict(made.files))), filename="confide-export.zip")
    try:
        await interaction.user.send(file=file)
    except discord.Forbidden:
        await asked.answer(asked.says("closed"))
        return
    await asked.answer(asked.says("exported"))


@group.command(name="delete", description="Delete all that I keep of you")
async def delete(interaction: discord.Interaction) -> None:
    asked = await invoked(interaction)
    asked.require_alone()

    async def act(pressed: Invoked) -> str:
        await pressed.memory.rights.delete(pressed.who, actor=pressed.actor)
        return pressed.says("deleted all")

    hours = asked.bot.settings.undo_hours
    await asked.answer(asked.says("sure delete all", hours=hours), view=Confirm(asked, act))


@group.command(name="off-the-record", description="Nothing of you is read or written here")
@app_commands.describe(on="Off the record from now on, or back to normal")
async def off_the_record(interaction: discord.Interaction, on: bool = True) -> None:
    asked = await invoked(interaction)
    asked.require_alone()
    place, learning = asked.spot.place, asked.memory.learning
    if on:
        await learning.off_the_record(asked.who, place)
    else:
        await learning.on_the_record(asked.who, place)
    await asked.answer(asked.says("off the record" if on else "on the record"))


async def _state(asked: Invoked) -> str:
    state = await asked.memory.rights.state(asked.who)
    if not state.is_opted_out:
        return asked.says("status on")
    return asked.says("status global off" if state.is_global_only else "status off")


def _zipped(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted(files.items()):
            archive.writestr(name, content)
    return packed.getvalue()


COMMANDS = (group,)
