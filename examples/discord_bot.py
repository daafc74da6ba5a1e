"""A bot with a loop of its own; `ConfideBot` keeps up with who can read which channel."""

import asyncio
import os

import discord

from confide import Confide, Message
from confide.surfaces.discord.client import ConfideBot
from confide.surfaces.discord.text import words_of


class Bot(ConfideBot):
    async def on_message(self, message: discord.Message) -> None:
        if message.author.bot or (message.guild and self.user not in message.mentions):
            return
        listeners = await self.listeners(message)  # who would see a reply
        if listeners is None or not listeners.spot.tells:
            return
        said, place = words_of(message, self.me).own, listeners.spot.place
        context = await self.memory.recall(said, listeners.audience())
        answer = context.markdown()[:2000]  # your language model goes here: `said` and this
        now = await self.listeners(message)  # somebody may have come in meanwhile
        still = now and await self.memory.recheck(context, now.audience())
        if not still or still.everything != context.everything:
            answer = "Please ask me again."
        await message.reply(answer, allowed_mentions=discord.AllowedMentions.none())
        if listeners.spot.learns:
            heard = Message(id=str(message.id), place=place, speaker=listeners.asker, text=said,
                            said_at=message.created_at, platform="discord")  # fmt: skip
            await self.memory.observe(heard)


async def main() -> None:
    async with Confide.open() as confide, Bot(confide) as bot:
        await bot.start(os.environ["DISCORD_TOKEN"])


if __name__ == "__main__":
    asyncio.run(main())
