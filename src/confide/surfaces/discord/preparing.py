"""What `confide bot setup` finds out: token, intents, permissions, and who could hear what."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final

import discord

from confide.config import Settings
from confide.surfaces.discord import access, ids
from confide.surfaces.discord.address import at
from confide.surfaces.discord.intents import intents
from confide.surfaces.discord.listening import READ_FROM_OUTSIDE, spot_of
from confide.surfaces.discord.phrases import heard_by
from confide.verbs.spaces import SpaceRules

#: What the bot needs and nothing else.
PERMISSIONS: Final = discord.Permissions(
    view_channel=True, send_messages=True, send_messages_in_threads=True, read_message_history=True
)
Answering = (
    discord.TextChannel,
    discord.VoiceChannel,
    discord.StageChannel,
    discord.ForumChannel,
)
NOTICE: Final = """\
{name} remembers what you tell it. What you tell it in a direct message is told to you alone. What \
you tell it in a channel is told only where everyone who sees the answer may hear it. It keeps only \
what is said to it: mention it, reply to it or write to it. See, correct and delete what it knows \
about you with /memories; /privacy opt-out stops it from keeping anything of you; /privacy export \
and /privacy delete give you everything, or erase it. Words as you wrote them are kept at most \
{days} days."""


@dataclass(frozen=True, slots=True)
class Intent:
    name: str
    is_wanted: bool
    is_granted: bool


@dataclass(frozen=True, slots=True)
class ChannelLine:
    id: int
    name: str
    place: str
    heard_by: str


@dataclass(frozen=True, slots=True)
class GuildLines:
    id: int
    name: str
    channels: tuple[ChannelLine, ...]


@dataclass(frozen=True, slots=True)
class Prepared:
    id: int
    name: str
    invite: str
    intents: tuple[Intent, ...]
    guilds: tuple[GuildLines, ...]
    warnings: tuple[str, ...]
    notice: str

    def as_dict(self) -> dict[str, Any]:
        told = asdict(self)
        told["bot"] = {"id": told.pop("id"), "name": told.pop("name")}
        return told


async def prepare(settings: Settings, token: str) -> Prepared:
    """By REST alone: nothing is listened to, and nothing is stored."""
    at(settings.discord_url)
    async with discord.Client(intents=intents()) as client:
        try:
            await client.login(token)
        except discord.LoginFailure:
            from confide.errors import InvalidInput

            raise InvalidInput(
                "DISCORD_TOKEN", "was refused; reset it on the Bot page of your application"
            ) from None
        application = await client.application_info()
        guilds = [one async for one in client.fetch_guilds(limit=200)]
        seen = [await _whole(client, one.id) for one in guilds]
        return describe(settings, application, seen)


@dataclass(frozen=True, slots=True)
class Seen:
    """A guild as Discord shows it by REST."""

    guild: discord.Guild
    me: int
    my_roles: frozenset[int]
    onboarding: frozenset[int] = frozenset()  # roles that newcomers choose themselves


async def _whole(client: discord.Client, guild_id: int) -> Seen:
    """A guild with its channels and roles, which the gateway would send."""
    assert client.user is not None, "logged in"
    guild = await client.fetch_guild(guild_id)
    for channel in await guild.fetch_channels():
        guild._channels[channel.id] = channel  # pyright: ignore[reportPrivateUsage, reportArgumentType]
    member = await guild.fetch_member(client.user.id)
    mine = frozenset(role.id for role in member.roles)
    return Seen(guild, client.user.id, mine, await _chosen_by_newcomers(guild))


async def _chosen_by_newcomers(guild: discord.Guild) -> frozenset[int]:
    try:
        onboarding = await guild.onboarding()
    except discord.HTTPException:
        return frozenset()  # a guild without a community has none
    options = (option for prompt in onboarding.prompts for option in prompt.options)
    return frozenset(id for option in options for id in option.role_ids)


def describe(settings: Settings, application: discord.AppInfo, guilds: list[Seen]) -> Prepared:
    granted = application.flags
    found = (
        Intent(
            "Message Content",
            settings.discord_message_content,
            granted.gateway_message_content or granted.gateway_message_content_limited,
        ),
        Intent(
            "Server Members",
            settings.discord_members,
            granted.gateway_guild_members or granted.gateway_guild_members_limited,
        ),
    )
    invite = discord.utils.oauth_url(
        application.id, permissions=PERMISSIONS, scopes=("bot", "applications.commands")
    )
    return Prepared(
        id=application.id,
        name=application.name,
        invite=invite,
        intents=found,
        guilds=tuple(_lines(one.guild) for one in guilds),
        warnings=tuple(_warnings(found, guilds)),
        notice=NOTICE.format(name=application.name, days=settings.raw_days),
    )


def _lines(guild: discord.Guild) -> GuildLines:
    rooms = [one for one in guild.channels if not isinstance(one, discord.CategoryChannel)]
    return GuildLines(guild.id, guild.name, tuple(_line(one) for one in rooms))


def _line(channel: discord.abc.GuildChannel) -> ChannelLine:
    place = spot_of(channel, ids.person(0), SpaceRules()).place
    return ChannelLine(channel.id, f"#{channel.name}", place.kind.value, heard_by(place.kind))


def _warnings(found: tuple[Intent, ...], guilds: list[Seen]) -> list[str]:
    told = [
        f"the settings want the {one.name} intent, and it is off in Discord: the bot cannot start"
        for one in found
        if one.is_wanted and not one.is_granted
    ]
    told += [
        f"Discord grants the {one.name} intent, and nothing here uses it: switch it off"
        for one in found
        if one.is_granted and not one.is_wanted
    ]
    for seen in guilds:
        guild = seen.guild
        if READ_FROM_OUTSIDE & set(guild.features):
            told.append(
                f"{guild.name} can be read without joining: its public channels have readers whom"
                " nobody can name. /confide setup outside:True tells less there"
            )
        told += [f"{guild.name}: {one}" for one in (*_own_permissions(seen), *_open_roles(seen))]
    return told


def _own_permissions(seen: Seen) -> list[str]:
    """Where the bot could not answer, and what it may without need."""
    rooms = [one for one in seen.guild.channels if isinstance(one, Answering)]
    wanted = discord.Permissions(send_messages=True, read_message_history=True).value
    mute = [
        f"#{room.name}"
        for room in rooms
        if access.may(room, seen.my_roles, seen.me, access.VIEW)
        and not access.may(room, seen.my_roles, seen.me, wanted)
    ]
    told = [f"the bot cannot answer in {', '.join(mute)}: let it send messages"] if mute else []
    held = [role for id in seen.my_roles if (role := seen.guild.get_role(id)) is not None]
    if any(role.permissions.administrator for role in held):
        told.append("the bot is an administrator, and needs far less: use the link above")
    return told


def _open_roles(seen: Seen) -> list[str]:
    """Roles that anyone can take, behind which a channel looks closed and is not."""
    told: list[str] = []
    for role in seen.guild.roles:
        behind = [one for one in seen.guild.channels if _lets_in(one, role)]
        how = _taken_by(seen, role) if behind else None
        if how is not None:
            rooms = ", ".join(f"#{one.name}" for one in behind)
            told.append(f"{how}; {rooms} behind it can be read by whoever does")
    return told


def _lets_in(channel: discord.abc.GuildChannel, role: discord.Role) -> bool:
    """Whether a channel is hidden, and a role opens it."""
    if not isinstance(channel, Answering) or access.everyone_views(channel) is not False:
        return False
    return not role.is_default() and channel.overwrites_for(role).view_channel is True


def _taken_by(seen: Seen, role: discord.Role) -> str | None:
    """How somebody gets a role without being given it; None: not that anybody could see."""
    tags = role.tags
    if tags is not None and (tags.is_guild_connection() or tags.is_available_for_purchase()):
        return f"anyone can buy or link themselves into @{role.name}"
    if role.id in seen.onboarding:
        return f"newcomers choose @{role.name} themselves"
    givers = [one.name for one in seen.guild.roles if _gives(one, role, seen.me)]
    if givers:
        return f"@{role.name} can be given by {', '.join(givers)}: if they do so for a reaction, anyone takes it"
    return None


def _gives(one: discord.Role, role: discord.Role, me: int) -> bool:
    """Another bot that hands roles out, as reaction roles are."""
    is_another_bot = one.tags is not None and one.tags.bot_id not in (None, me)
    may = one.permissions.manage_roles or one.permissions.administrator
    return is_another_bot and may and one.position > role.position
