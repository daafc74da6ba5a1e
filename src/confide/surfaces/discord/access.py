"""Who can view a channel, computed from its overwrites and the guild's roles.

discord.py's own answer is not used: it says that anybody who views the parent views a private
thread, and for a guild that is not cached it answers from empty lists. What is unknown here is
None, and whoever asks takes that for "tell nothing".
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

import discord

VIEW: Final = discord.Permissions(view_channel=True).value
CONNECT: Final = discord.Permissions(connect=True).value
ADMINISTRATOR: Final = discord.Permissions(administrator=True).value
MANAGE_THREADS: Final = discord.Permissions(manage_threads=True).value

Vocal = (discord.VoiceChannel, discord.StageChannel)
Readable = discord.TextChannel | discord.VoiceChannel | discord.StageChannel | discord.ForumChannel


def needed(channel: Readable) -> int:
    """What somebody needs to read along. The chat of a voice channel also needs connecting."""
    return VIEW | CONNECT if isinstance(channel, Vocal) else VIEW


def may(
    channel: Readable, role_ids: Collection[int], account_id: int | None, wanted: int
) -> bool | None:
    """Whether somebody with these roles has all of `wanted` in a channel. None: unknown."""
    guild = channel.guild
    everyone = guild.default_role
    if guild.unavailable or everyone is None:  # pyright: ignore[reportUnnecessaryComparison]
        return None
    if account_id is not None and account_id == guild.owner_id:
        return True
    roles = [role for id in role_ids if (role := guild.get_role(id)) is not None]
    allowed = everyone.permissions.value
    for role in roles:
        allowed |= role.permissions.value
    if allowed & ADMINISTRATOR:
        return True
    allowed = _overwritten(channel, allowed, {role.id for role in roles}, account_id)
    return allowed & wanted == wanted


def _overwritten(
    channel: Readable, allowed: int, role_ids: Collection[int], account_id: int | None
) -> int:
    """Discord's order: @everyone, then all roles together, then the account itself."""
    grants = {target.id: one.pair() for target, one in channel.overwrites.items()}
    everyone = channel.guild.id
    steps = [[everyone], [id for id in role_ids if id != everyone]]
    steps.append([] if account_id is None else [account_id])
    for step in steps:
        pairs = [grants[id] for id in step if id in grants]
        denied, granted = 0, 0
        for grant, deny in pairs:
            denied |= deny.value
            granted |= grant.value
        allowed = allowed & ~denied | granted
    return allowed


def everyone_views(channel: Readable) -> bool | None:
    """Whether whoever joins the guild can read the channel."""
    return may(channel, (), None, needed(channel))


def member_reads(
    place: Readable | discord.Thread, role_ids: Collection[int], account_id: int
) -> bool | None:
    """Whether a member with these roles can read a channel or thread now."""
    if not isinstance(place, discord.Thread):
        return may(place, role_ids, account_id, needed(place))
    parent = place.parent
    if parent is None:
        return None
    views = may(parent, role_ids, account_id, needed(parent))
    if not views or not place.is_private():
        return views
    if may(parent, role_ids, account_id, MANAGE_THREADS):
        return True
    return None  # who was invited into a private thread has to be asked for


def lets_in_others(channel: Readable, role_id: int, within: Collection[int]) -> bool:
    """Whether somebody without a role can view the channel: through another role, or by name.

    Owners, administrators and the roles that the owner counts as within it aside. One role is
    looked at after the other: whoever views a channel with two roles views it with one of them.
    """
    guild, own = channel.guild, channel.guild.me
    for role in guild.roles:
        if role.id in (role_id, guild.id, *within) or role.permissions.administrator:
            continue
        is_own_bot = role.tags is not None and own is not None and role.tags.bot_id == own.id
        if not is_own_bot and may(channel, (role.id,), None, needed(channel)) is not False:
            return True
    named = (
        (target.id, one.pair()[0].value)
        for target, one in channel.overwrites.items()
        if guild.get_role(target.id) is None
    )
    return any(
        granted & VIEW and id != guild.owner_id and (own is None or id != own.id)
        for id, granted in named
    )
