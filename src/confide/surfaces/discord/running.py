"""Run the bot until a signal ends it: open the memory, connect, stay connected."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, cast

import discord
import discord.gateway
import yarl

from confide.errors import InvalidInput
from confide.means import system_clock
from confide.surfaces.discord.address import DISCORD, at
from confide.surfaces.discord.client import ConfideBot
from confide.surfaces.http.logs import write_logs

if TYPE_CHECKING:
    from confide.config import Settings
    from confide.memories import Confide


async def run_bot(
    fields: dict[str, Any], settings: Settings, server: str | None, token: str, level: int
) -> None:
    """`server`: whose memory is used instead of one here."""
    write_logs(level)
    # At lower levels discord.py logs whole events, with what people wrote.
    logging.getLogger("discord").setLevel(logging.WARNING)
    opened = _elsewhere(settings) if server else _here(fields)
    async with opened as bot, bot:
        await connect(bot, settings, token)


async def connect(bot: discord.Client, settings: Settings, token: str) -> None:
    """discord.py reconnects and resumes by itself; a refused token or intent ends the program."""
    at(settings.discord_url)
    try:
        await bot.login(token)
        if settings.discord_url != DISCORD:
            _, gateway, _ = await bot.http.get_bot_gateway()
            discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(gateway)
        await bot.connect()
    except discord.LoginFailure:
        raise InvalidInput(
            "DISCORD_TOKEN", "was refused; reset it on the Bot page of your Discord application"
        ) from None
    except discord.PrivilegedIntentsRequired:
        raise InvalidInput(
            "CONFIDE_DISCORD_MESSAGE_CONTENT or CONFIDE_DISCORD_MEMBERS",
            "is on, and the intent is off; switch it on at the Bot page of your application",
        ) from None


@asynccontextmanager
async def _here(fields: dict[str, Any]) -> AsyncGenerator[ConfideBot, None]:
    from confide.memories import Confide

    async with Confide.open(**fields) as confide:
        yield ConfideBot(confide)


@asynccontextmanager
async def _elsewhere(settings: Settings) -> AsyncGenerator[ConfideBot, None]:
    from confide.bridge.talk import TalkElsewhere
    from confide.client import ConfideClient

    if settings.key is None:
        raise InvalidInput("CONFIDE_KEY", "is missing; the server has to know who asks")
    key = settings.key.get_secret_value()
    async with ConfideClient.open(str(settings.url), key, agent=settings.agent) as client:
        talk = TalkElsewhere(client, settings, system_clock)
        yield ConfideBot(cast("Confide", client), settings, talk=talk)
