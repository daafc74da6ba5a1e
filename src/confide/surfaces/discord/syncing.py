"""Permission sync (S20): what each channel is now, compared with what is stored."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

import discord

from confide.bridge.contract import Sighting
from confide.keep.syncing import Became, Sight
from confide.model import Place, PlaceKind
from confide.surfaces.discord import ids
from confide.surfaces.discord.listening import spot_of

if TYPE_CHECKING:
    from confide.surfaces.discord.client import ConfideBot

log = logging.getLogger("confide.discord")
#: How many places are compared at once; a guild has up to 500 channels.
PAGE: Final = 500
#: A guild that was compared so recently, for instance when it became known, is not compared daily.
RECENT: Final = timedelta(hours=1)


class Syncing:
    """Narrowing takes effect at once; a room that opened starts anew and is flagged for review."""

    def __init__(self, bot: ConfideBot) -> None:
        self._bot = bot
        self._running: set[asyncio.Future[None]] = set()
        self._compared: dict[int, datetime] = {}

    async def settled(self) -> None:
        """Changes that Discord reported before are stored. Whoever answers waits for that: what a
        room that closes takes along is not told in the moment until it is written down. Changes
        that are reported later are not waited for, or a busy server would silence the others."""
        if self._running:
            await asyncio.wait(set(self._running))

    @asynccontextmanager
    async def changing(self) -> AsyncGenerator[None, None]:
        """Whoever answers waits for what happens inside."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._running.add(done)
        try:
            yield
        finally:
            self._running.discard(done)
            done.set_result(None)

    async def channel(self, channel: discord.abc.GuildChannel | discord.Thread) -> None:
        place = self._place(channel)
        if place is not None:
            attestations = self._bot.conversation.attestations
            async with self.changing():
                await attestations.saw(Sighting(place=place, at=self._bot.now()))

    async def guild(self, guild: discord.Guild) -> None:
        """All channels of a guild, on events, at start and daily."""
        if guild.unavailable:
            return
        space, world, at = ids.space(guild.id), self._bot.memory.world, self._bot.now()
        self._bot.conversation.attestations.forget_space(space)
        async with self.changing():
            changes = await world.sync(self._seen(guild.channels), all_of=space, at=at)
            threads = self._seen(guild.threads)
            for first in range(0, len(threads), PAGE):
                changes += await world.sync(threads[first : first + PAGE], at=at)
        self._compared[guild.id] = at
        counts = {became.value: 0 for became in Became}
        for change in changes:
            counts[change.became.value] += 1
        log.info("guild %s was compared: %s", guild.id, counts)

    async def daily(self, guild: discord.Guild) -> None:
        """Without an event (S20)."""
        compared = self._compared.get(guild.id)
        if compared is None or self._bot.now() - compared > RECENT:
            await self._bot.read_rules(guild)
            await self.guild(guild)

    async def arrived(self, guild: discord.Guild) -> None:
        """A guild became known: its owner's rules are read before anything is told there."""
        if guild.unavailable:
            return
        async with self.changing():
            await self._bot.read_rules(guild)
            await self._bot.memory.rules.left(ids.space(guild.id), is_back=True)
            await self.guild(guild)

    async def removed(self, guild: discord.Guild) -> None:
        """The bot was removed: nobody is in any room of that guild for it."""
        await self._left(ids.space(guild.id))

    async def _left(self, space: str) -> None:
        self._bot.conversation.attestations.forget_space(space)
        async with self.changing():
            ended = await self._bot.memory.world.end_space(space)
            await self._bot.memory.rules.left(space)
        log.info("removed from %s: %s memberships ended", space, ended)

    async def missed(self) -> None:
        """Guilds that the bot was removed from while it was away."""
        now = {ids.space(guild.id) for guild in self._bot.guilds}
        for space in await self._bot.memory.rules.known(ids.PLATFORM):
            if space not in now and not await self._is_in(space):
                await self._left(space)

    async def _is_in(self, space: str) -> bool:
        try:
            await self._bot.fetch_guild(ids.number_of(space))
        except (discord.NotFound, discord.Forbidden):
            return False
        return True

    def _seen(self, channels: Iterable[discord.abc.GuildChannel | discord.Thread]) -> list[Sight]:
        places = [self._place(channel) for channel in channels]
        return [Sight(place, None) for place in places if place is not None]

    def _place(self, channel: discord.abc.GuildChannel | discord.Thread) -> Place | None:
        place = spot_of(channel, ids.person(0), self._bot.rules_of(channel.guild)).place
        return None if place.kind is PlaceKind.UNKNOWN else place
