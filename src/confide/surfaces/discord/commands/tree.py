"""The tree of commands. Each is deferred, for the eyes of whoever gave it, before anything else."""

from __future__ import annotations

import logging
from typing import Any, Final

import discord
from discord import app_commands

from confide.store.sessions import DATABASE_TROUBLE
from confide.surfaces.discord.commands import admin, asking, consents, memories, privacy
from confide.surfaces.discord.commands.descriptions import Descriptions
from confide.surfaces.discord.commands.invoked import explain_refusal
from confide.surfaces.discord.phrases import language, phrase

log = logging.getLogger("confide.discord")
ANYWHERE: Final = app_commands.AppCommandContext(guild=True, dm_channel=True, private_channel=True)
BY_ANYONE: Final = app_commands.AppInstallationType(guild=True, user=True)
IN_GUILDS: Final = app_commands.AppCommandContext(
    guild=True, dm_channel=False, private_channel=False
)
BY_GUILDS: Final = app_commands.AppInstallationType(guild=True, user=False)


class Commands(app_commands.CommandTree[Any]):
    """A command that is answered in public would be too late to hide: so this happens here, once."""

    async def interaction_check(self, interaction: discord.Interaction) -> bool:
        await interaction.response.defer(ephemeral=True, thinking=True)
        return True

    async def on_error(
        self, interaction: discord.Interaction, error: app_commands.AppCommandError
    ) -> None:
        cause = getattr(error, "original", error)
        if await explain_refusal(interaction, cause):
            return
        log.warning("command was not answered: %s", type(cause).__name__)
        text = phrase("away", language(interaction.locale))
        await interaction.edit_original_response(content=text, view=None)
        if not isinstance(cause, DATABASE_TROUBLE):
            raise cause


def build(client: discord.Client) -> Commands:
    tree = Commands(
        client, allowed_contexts=ANYWHERE, allowed_installs=BY_ANYONE, fallback_to_global=True
    )
    for command in (*asking.COMMANDS, *memories.COMMANDS, *privacy.COMMANDS, *consents.COMMANDS):
        tree.add_command(command)
    admin.GROUP.allowed_contexts, admin.GROUP.allowed_installs = IN_GUILDS, BY_GUILDS
    tree.add_command(admin.GROUP)
    return tree


async def publish(tree: Commands) -> None:
    await tree.set_translator(Descriptions())
    await tree.sync()
