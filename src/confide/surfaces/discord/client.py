"""The bot: Discord's events in, answers out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import discord
from discord.ext import tasks

from confide.bridge.conversation import Conversation
from confide.bridge.talk import TalkHere
from confide.means import system_clock
from confide.surfaces.discord import ids
from confide.surfaces.discord.commands.tree import build, publish
from confide.surfaces.discord.intents import intents
from confide.surfaces.discord.memberships import Memberships, changed_member
from confide.surfaces.discord.only_for_me import OnlyForMe
from confide.surfaces.discord.sending import NO_MENTIONS, trace
from confide.surfaces.discord.syncing import Syncing
from confide.surfaces.discord.talking import Talking
from confide.verbs.spaces import SpaceRules

if TYPE_CHECKING:
    from confide.bridge.contract import Listeners
    from confide.bridge.talk import Talk
    from confide.config import Settings
    from confide.means import Clock
    from confide.memories import Confide


NOT_READ: Final = SpaceRules(learns=False, tells=False)


class ConfideBot(discord.Client):
    """Answers direct messages, mentions and replies, with what everyone who sees it may hear."""

    def __init__(
        self,
        memory: Confide,
        settings: Settings | None = None,
        clock: Clock = system_clock,
        talk: Talk | None = None,
    ) -> None:
        """`memory` is one that was opened here, or a server's with its own `settings` and `talk`."""
        self.settings = settings or memory.settings
        super().__init__(
            intents=intents(
                message_content=self.settings.discord_message_content,
                members=self.settings.discord_members,
            ),
            allowed_mentions=NO_MENTIONS,
            max_messages=None,
            chunk_guilds_at_startup=False,
            member_cache_flags=discord.MemberCacheFlags.none(),
            http_trace=trace(),
            enable_debug_events=self.settings.discord_members,  # for `on_socket_raw_receive`
        )
        self.memory = memory
        self.now = clock
        self.conversation = Conversation(memory, talk or TalkHere(memory), self.settings, clock)
        self._rules: dict[int, SpaceRules] = {}
        self.tree = build(self)
        self.talking = Talking(self)
        self.memberships = Memberships(self)
        self.syncing = Syncing(self)

    @property
    def me(self) -> int:
        assert self.user is not None, "the bot is logged in"
        return self.user.id

    def rules_of(self, guild: discord.Guild | None) -> SpaceRules:
        """What a guild's owner decided. Until that was read, nothing is kept or told there."""
        if guild is None:
            return SpaceRules()
        return self._rules.get(guild.id, NOT_READ)

    async def know_rules(self, guild: discord.Guild | None) -> None:
        """Read them if nobody did yet, for instance right after the bot joined."""
        if guild is not None and guild.id not in self._rules and self.get_guild(guild.id):
            await self.read_rules(guild)

    async def read_rules(self, guild: discord.Guild) -> SpaceRules:
        found = await self.memory.rules.of(ids.space(guild.id))
        self._rules[guild.id] = found
        return found

    async def listeners(self, message: discord.Message) -> Listeners | None:
        """Who would see a reply to a message now, for a loop of your own. None: nobody can say."""
        await self.know_rules(message.guild)
        return await self.talking.listeners(message)

    async def setup_hook(self) -> None:
        self.add_view(OnlyForMe())
        await publish(self.tree)
        self.daily.start()

    @tasks.loop(hours=24)
    async def daily(self) -> None:
        """Compare every guild's channels with what is stored, also without an event (S20)."""
        for guild in self.guilds:
            await self.syncing.daily(guild)

    @daily.before_loop
    async def _when_ready(self) -> None:
        await self.wait_until_ready()

    async def on_message(self, message: discord.Message) -> None:
        await self.talking.heard(message)

    async def on_raw_message_edit(self, payload: discord.RawMessageUpdateEvent) -> None:
        await self.talking.edited(payload)

    async def on_raw_message_delete(self, payload: discord.RawMessageDeleteEvent) -> None:
        await self.talking.deleted([payload.message_id])

    async def on_raw_bulk_message_delete(self, payload: discord.RawBulkMessageDeleteEvent) -> None:
        await self.talking.deleted(sorted(payload.message_ids))

    async def on_guild_channel_update(
        self, before: discord.abc.GuildChannel, after: discord.abc.GuildChannel
    ) -> None:
        self.memberships.forget(after.guild.id)
        await self.syncing.channel(after)

    async def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        await self.syncing.guild(channel.guild)

    async def on_thread_update(self, before: discord.Thread, after: discord.Thread) -> None:
        await self.syncing.channel(after)

    async def on_guild_role_create(self, role: discord.Role) -> None:
        """A new role may let others into the channels of a community role."""
        await self.syncing.guild(role.guild)

    async def on_guild_role_update(self, before: discord.Role, after: discord.Role) -> None:
        if before.permissions != after.permissions:
            self.memberships.forget(after.guild.id)
            await self.syncing.guild(after.guild)

    async def on_guild_role_delete(self, role: discord.Role) -> None:
        self.memberships.forget(role.guild.id)
        await self.syncing.guild(role.guild)

    async def on_guild_update(self, before: discord.Guild, after: discord.Guild) -> None:
        await self.syncing.guild(after)

    async def on_ready(self) -> None:
        """After every new session: who was removed meanwhile is told nothing of it."""
        await self.syncing.missed()

    async def on_guild_available(self, guild: discord.Guild) -> None:
        await self.syncing.arrived(guild)

    async def on_guild_join(self, guild: discord.Guild) -> None:
        await self.syncing.arrived(guild)

    async def on_guild_remove(self, guild: discord.Guild) -> None:
        await self.syncing.removed(guild)

    async def on_socket_raw_receive(self, received: str) -> None:
        """With the Members intent a lost role counts at once. discord.py reports changed members
        only to who keeps a list of them all."""
        changed = changed_member(received)
        if changed is not None:
            await self.memberships.changed(*changed)

    async def on_raw_member_remove(self, payload: discord.RawMemberRemoveEvent) -> None:
        await self.memberships.left(payload.guild_id, payload.user.id)
