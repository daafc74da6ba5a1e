"""Where a Discord channel or interaction is, and who sees a reply there, now and later."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any, Final

import discord

from confide.bridge.contract import Spot
from confide.model import Entity, Place, PlaceKind
from confide.privacy.places import direct, guest
from confide.surfaces.discord import access, ids
from confide.verbs.spaces import SpaceRules

#: A place of an unknown kind: nothing is told there, and nothing of it is kept.
UNKNOWN: Final = Spot(
    place=Place(id=f"{ids.PLATFORM}.unknown", kind=PlaceKind.UNKNOWN), learns=False, tells=False
)
#: Discord's marks of guilds whose public channels can be read without joining.
READ_FROM_OUTSIDE: Final = frozenset({"DISCOVERABLE", "PREVIEW_ENABLED"})
Room = discord.TextChannel | discord.VoiceChannel | discord.StageChannel | discord.ForumChannel


def spot_of(channel: Any, who: Entity, rules: SpaceRules, *, keeps_direct: bool = True) -> Spot:
    """The place that a channel is for `who`. Whatever is not listed here is unknown."""
    match channel:
        case discord.DMChannel():
            return Spot(place=direct(who), learns=keeps_direct)
        case discord.GroupChannel():
            return guest_of(who)
        case discord.Thread():
            return _thread(channel, rules)
        case (
            discord.TextChannel()
            | discord.VoiceChannel()
            | discord.StageChannel()
            | discord.ForumChannel()
        ):
            return _room(channel, rules)
        case _:
            return UNKNOWN


def spot_of_interaction(
    interaction: discord.Interaction, rules: SpaceRules, *, keeps_direct: bool = True
) -> Spot:
    """Where a command was given or a button pressed, by whoever did it.

    A direct chat is one with the bot only if Discord says so (`context` 1): discord.py shows the
    chat of two other people as a plain `DMChannel` too. In a guild the bot has to be installed
    and be a member; otherwise a person brought it along.
    """
    who = ids.person(interaction.user.id)
    if interaction.guild_id is None:
        is_own_chat = interaction.context.dm_channel and not interaction.context.private_channel
        if is_own_chat and isinstance(interaction.channel, discord.DMChannel):
            return spot_of(interaction.channel, who, rules, keeps_direct=keeps_direct)
        return guest_of(who)
    guild = interaction.client.get_guild(interaction.guild_id)
    if guild is None or guild.unavailable or not interaction.is_guild_integration():
        return guest_of(who)
    spot = spot_of(interaction.channel, who, rules, keeps_direct=keeps_direct)
    if isinstance(interaction.user, discord.Member):
        return for_roles(spot, [role.id for role in interaction.user.roles], rules)
    return spot


def guest_of(who: Entity) -> Spot:
    """Somebody else's conversation (B17): nothing of it is kept."""
    return Spot(place=guest(who), is_guest=True, learns=False)


def for_roles(spot: Spot, role_ids: Collection[int], rules: SpaceRules) -> Spot:
    """The spot for somebody with these roles: an owner may switch learning and telling off for one."""
    held = {str(id) for id in role_ids}
    return replace(
        spot,
        learns=spot.learns and not held & rules.unlearned_roles,
        tells=spot.tells and not held & rules.untold_roles,
    )


def _room(channel: Room, rules: SpaceRules) -> Spot:
    is_open = access.everyone_views(channel)
    if is_open is None:
        return UNKNOWN
    space = ids.space(channel.guild.id)
    place = Place(
        id=ids.channel(channel.id, channel.guild.id),
        kind=_kind(channel, is_open, rules),
        space=space,
    )
    if not is_open and rules.community_role is not None:
        place = _among_members(channel, place, int(rules.community_role), rules)
    is_followed = isinstance(channel, discord.TextChannel) and channel.is_news()
    # Others may follow a hidden announcement channel: what moderators say there is theirs, and
    # nothing is told where people read along whom nobody can name.
    tells = not (is_followed and place.kind is not PlaceKind.ANNOUNCEMENT)
    number = str(channel.id)
    return Spot(
        place=place,
        learns=rules.learns and number not in rules.not_learned,
        tells=tells and rules.tells and number not in rules.not_told,
        listens=number in rules.listened,
    )


def _kind(channel: Room, is_open: bool, rules: SpaceRules) -> PlaceKind:
    match channel:
        case discord.VoiceChannel():
            return PlaceKind.VOICE
        case discord.StageChannel():
            return PlaceKind.STAGE
    if channel.is_nsfw():
        return PlaceKind.AGE_GATED
    if not is_open:
        return PlaceKind.RESTRICTED
    is_followed = isinstance(channel, discord.TextChannel) and channel.is_news()
    if is_followed or rules.is_read_from_outside:
        return PlaceKind.ANNOUNCEMENT
    return PlaceKind.PUBLIC


def _among_members(channel: Room, place: Place, role_id: int, rules: SpaceRules) -> Place:
    """A channel of the community role: public among its holders, unless others read it too."""
    if place.kind not in (PlaceKind.RESTRICTED, PlaceKind.AGE_GATED):
        return place
    within = {int(id) for id in rules.within}
    if channel.guild.get_role(role_id) is None or access.lets_in_others(channel, role_id, within):
        return place
    inner = f"{place.space}/{role_id}"
    all_view = access.may(channel, (role_id,), None, access.needed(channel))
    if all_view and place.kind is PlaceKind.RESTRICTED:
        return replace(place, kind=PlaceKind.PUBLIC, space=inner)
    return replace(place, space=inner)


def _thread(thread: discord.Thread, rules: SpaceRules) -> Spot:
    parent = thread.parent
    if parent is None:
        return UNKNOWN
    around = _room(parent, rules)
    if around.place.kind is PlaceKind.UNKNOWN:
        return UNKNOWN
    if thread.is_private():
        kind = PlaceKind.PRIVATE_THREAD
    elif isinstance(parent, discord.ForumChannel):
        kind = PlaceKind.FORUM_POST
    else:
        kind = PlaceKind.THREAD
    place = Place(
        id=ids.thread(thread.id, parent.id, parent.guild.id),
        kind=kind,
        parent=around.place.id,
        parent_place=around.place,
    )
    number = str(thread.id)
    return replace(
        around,
        place=place,
        learns=around.learns and number not in rules.not_learned,
        tells=around.tells and number not in rules.not_told,
        listens=around.listens or number in rules.listened,
    )
