"""Who is still in which room: asked of Discord when it matters, and passed on with its time.

Without the Members intent nobody says that somebody left or lost a role. So before a person is
answered alone, their roles are asked for in every guild where they have a room. Where Discord does
not answer, they count as gone until it does.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections import OrderedDict, defaultdict
from contextlib import suppress
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

import discord

from confide.bridge.contract import Presence
from confide.model import Entity, Place, PlaceKind
from confide.surfaces.discord import access, ids
from confide.surfaces.discord.listening import spot_of

if TYPE_CHECKING:
    from confide.surfaces.discord.client import ConfideBot

log = logging.getLogger("confide.discord")
GuildRoom = discord.abc.GuildChannel | discord.Thread
#: How long an answer of Discord about one member's roles is taken for current.
FRESH: Final = timedelta(seconds=3)
MOST_KNOWN: Final = 10_000


class Memberships:
    """One person's rooms, as Discord sees them now."""

    def __init__(self, bot: ConfideBot) -> None:
        self._bot = bot
        self._asked: OrderedDict[tuple[int, int], tuple[datetime, frozenset[int] | None]] = (
            OrderedDict()
        )

    async def refresh(self, account_id: int, *, anew: bool = True) -> None:
        """Bring up to date where somebody is, before they are answered alone. `anew`: Discord is
        asked in any case; otherwise what it said a moment ago, for the same answer, will do."""
        by_guild = await self._rooms(account_id)
        if anew:
            for guild_id in by_guild:
                self.forget(guild_id, account_id)
        await asyncio.gather(
            *(self._in_guild(guild_id, account_id, rooms) for guild_id, rooms in by_guild.items())
        )

    async def _rooms(self, account_id: int) -> dict[int, list[str]]:
        """Where somebody is known to be, by guild."""
        by_guild: defaultdict[int, list[str]] = defaultdict(list)
        for room in await self._bot.memory.world.rooms_of(ids.person(account_id)):
            guild_id = ids.guild_of(room)
            if guild_id is not None:
                by_guild[guild_id].append(room)
        return by_guild

    async def is_unlearned(self, account_id: int) -> bool:
        """Whether somebody has a role, in any guild, of whose holders nothing is kept. Asked outside
        those guilds, where Discord does not say it; who cannot be asked about counts as one."""
        for guild in self._bot.guilds:
            await self._bot.know_rules(guild)
            unlearned = self._bot.rules_of(guild).unlearned_roles
            if not unlearned:
                continue
            try:
                roles = await self._roles(guild, account_id)
            except discord.HTTPException:
                return True
            if roles is not None and {str(id) for id in roles} & unlearned:
                return True
        return False

    def forget(self, guild_id: int, account_id: int | None = None) -> None:
        """Something about roles changed: ask again."""
        if account_id is not None:
            self._asked.pop((guild_id, account_id), None)
            return
        for key in [one for one in self._asked if one[0] == guild_id]:
            del self._asked[key]

    async def left(self, guild_id: int, account_id: int) -> None:
        self.forget(guild_id, account_id)
        async with self._bot.syncing.changing():
            await self._move(ids.person(account_id), ids.space(guild_id), is_there=False)

    async def changed(self, guild_id: int, account_id: int) -> None:
        """Somebody's roles may be others now: those that Discord names when it is asked."""
        self.forget(guild_id, account_id)
        rooms = (await self._rooms(account_id)).get(guild_id)
        if rooms:
            await self._in_guild(guild_id, account_id, rooms)

    async def _in_guild(self, guild_id: int, account_id: int, rooms: list[str]) -> None:
        who, guild = ids.person(account_id), self._bot.get_guild(guild_id)
        roles = await self._known_roles(guild, account_id)
        if guild is None or roles is None:
            await self._move(who, ids.space(guild_id), is_there=False)
            return
        for room in rooms:
            channel = await self._channel(guild, room)
            place = self._place(channel, who)
            reads = place is not None and await self._reads(channel, roles, account_id)
            await self._move(who, place or _gone(room), is_there=bool(reads))

    async def _known_roles(
        self, guild: discord.Guild | None, account_id: int
    ) -> frozenset[int] | None:
        """None: not a member, or nobody can say."""
        if guild is None or guild.unavailable:
            return None
        try:
            return await self._roles(guild, account_id)
        except discord.HTTPException as trouble:
            log.warning("guild %s did not say who is a member: %s", guild.id, trouble.status)
            return None

    async def _roles(self, guild: discord.Guild, account_id: int) -> frozenset[int] | None:
        """None: not a member."""
        key, now = (guild.id, account_id), self._bot.now()
        known = self._asked.get(key)
        if known is not None and now - known[0] < FRESH:
            return known[1]
        roles: frozenset[int] | None = None
        with suppress(discord.NotFound):
            member = await guild.fetch_member(account_id)
            roles = frozenset(role.id for role in member.roles)
        self._asked[key] = now, roles
        if len(self._asked) > MOST_KNOWN:
            self._asked.popitem(last=False)
        return roles

    async def _channel(self, guild: discord.Guild, room: str) -> GuildRoom | None:
        """A room as it is now. An archived thread is not among those that Discord keeps sending."""
        number = ids.number_of(room)
        found = guild.get_channel_or_thread(number)
        if found is not None or not _is_in_a_channel(room):
            return found
        try:
            return await guild.fetch_channel(number)
        except (discord.HTTPException, discord.InvalidData):
            return None

    def _place(self, channel: GuildRoom | None, who: Entity) -> Place | None:
        if channel is None:
            return None
        place = spot_of(channel, who, self._bot.rules_of(channel.guild)).place
        return None if place.kind is PlaceKind.UNKNOWN else place

    async def _reads(
        self, channel: GuildRoom | None, roles: frozenset[int], account_id: int
    ) -> bool:
        if not isinstance(channel, access.Readable | discord.Thread):
            return False
        reads = access.member_reads(channel, roles, account_id)
        if reads is not None or not isinstance(channel, discord.Thread):
            return bool(reads)
        try:
            await channel.fetch_member(account_id)
        except discord.HTTPException:
            return False
        return True

    async def _move(self, who: Entity, where: Place | str, *, is_there: bool) -> None:
        presence = Presence(who=who, where=where, is_there=is_there, at=self._bot.now())
        await self._bot.conversation.attestations.moved(presence)


def changed_member(received: str) -> tuple[int, int] | None:
    """The guild and account of an event about a changed member, as the gateway sent it."""
    if '"GUILD_MEMBER_UPDATE"' not in received:
        return None
    event = json.loads(received)
    if event.get("t") != "GUILD_MEMBER_UPDATE":
        return None  # somebody only wrote that word
    return int(event["d"]["guild_id"]), int(event["d"]["user"]["id"])


def _is_in_a_channel(room: str) -> bool:
    """Whether it is a thread: its id names its channel, and that the guild."""
    return "@" in room.partition("@")[2]


def _gone(room: str) -> Place:
    """A room that Discord does not show any more: nobody is in it."""
    parent = room.partition("@")[2]
    if _is_in_a_channel(room):
        return Place(id=room, kind=PlaceKind.PRIVATE_THREAD, parent=parent)
    return Place(id=room, kind=PlaceKind.RESTRICTED, space=parent)
