"""Which events the bot asks Discord for."""

from __future__ import annotations

import discord


def intents(*, message_content: bool = False, members: bool = False) -> discord.Intents:
    """No privileged one unless asked for: direct messages and mentions carry their words anyway."""
    return discord.Intents(
        guilds=True,
        guild_messages=True,
        dm_messages=True,
        message_content=message_content,
        members=members,
    )
