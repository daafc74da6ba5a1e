"""`/confide`: for those who run a server. They see its places as numbers and labels, and no words."""

from __future__ import annotations

import uuid
from dataclasses import replace
from typing import Final, NamedTuple, cast

import discord
from discord import app_commands

from confide.bridge.contract import Authority
from confide.keep.held import Waiting
from confide.surfaces.discord import ids
from confide.surfaces.discord.commands.invoked import Invoked, NotInGuild, invoked
from confide.surfaces.discord.commands.views import PAGE, Act, Choice, Confirm, Ephemeral, Pages
from confide.surfaces.discord.listening import READ_FROM_OUTSIDE, spot_of
from confide.surfaces.discord.phrases import heard_by, language, phrase
from confide.verbs.spaces import SpaceRules, write_rules

GROUP = app_commands.Group(
    name="confide",
    description="What I do in this server",
    guild_only=True,
    default_permissions=discord.Permissions(manage_guild=True),
)
#: Of what waits, as much as there is room for buttons.
MOST_REVIEWED: Final = 5


class Switch(NamedTuple):
    """Which rules a switch changes: of the guild, of channels, of roles."""

    whole: str
    places: str
    roles: str


ROLES: Final = ("unlearned_roles", "untold_roles", "community_role", "within")
LEARN: Final = Switch("learns", "not_learned", "unlearned_roles")
TELL: Final = Switch("tells", "not_told", "untold_roles")


async def _owner(interaction: discord.Interaction) -> tuple[Invoked, discord.Guild]:
    """Discord may let an owner hand the command to others: who runs the guild is checked here."""
    asked = await invoked(interaction)
    guild = interaction.guild
    if guild is None or asked.spot.is_guest:
        raise NotInGuild
    at, runs = asked.bot.now(), interaction.permissions.manage_guild
    attestations, space = asked.bot.conversation.attestations, ids.space(guild.id)
    await attestations.is_in(asked.who, asked.spot.place, at)
    await attestations.runs(Authority(who=asked.who, space=space, is_held=runs, at=at))
    if not runs:
        raise NotInGuild
    return asked, guild


@GROUP.command(name="setup", description="What I may do in this server; nothing given shows it")
@app_commands.describe(
    learn="Keep what is said to me",
    tell="Tell memories in this server",
    channel="Let learn and tell count for one channel only",
    role="Let learn and tell count for those who have a role",
    community_role="Role whose channels are public among those who have it",
    within="A role whose holders all have the community role",
    minors="A role of whose holders nothing is kept",
    outside="People who are not members read the public channels",
    raw_days="Days that messages' own words stay",
    budget="Dollars a month for language models in this server",
)
async def setup(
    interaction: discord.Interaction,
    learn: bool | None = None,
    tell: bool | None = None,
    channel: discord.abc.GuildChannel | None = None,
    role: discord.Role | None = None,
    community_role: discord.Role | None = None,
    within: discord.Role | None = None,
    minors: discord.Role | None = None,
    outside: bool | None = None,
    raw_days: app_commands.Range[int, 1, 365] | None = None,
    budget: app_commands.Range[float, 0, 100_000] | None = None,
) -> None:
    asked, guild = await _owner(interaction)
    rules = asked.bot.rules_of(guild)
    for wanted, switch in ((learn, LEARN), (tell, TELL)):
        if wanted is not None:
            rules = _switched(rules, switch, wanted, channel, role)
    if community_role is not None:
        same = rules.community_role == str(community_role.id)
        rules = replace(rules, community_role=None if same else str(community_role.id))
    if within is not None:
        rules = replace(rules, within=rules.within ^ {str(within.id)})
    if minors is not None:
        rules = replace(rules, unlearned_roles=rules.unlearned_roles ^ {str(minors.id)})
    if outside is not None:
        rules = replace(rules, is_read_from_outside=outside)
    if raw_days is not None:
        rules = replace(rules, raw_days=raw_days)
    if budget is not None:
        rules = replace(rules, budget=budget)
    await _decide(asked, guild, rules)
    await asked.answer("\n".join(_described(asked, guild, rules)))


def _switched(
    rules: SpaceRules,
    switch: Switch,
    wanted: bool,
    channel: discord.abc.GuildChannel | None,
    role: discord.Role | None,
) -> SpaceRules:
    """On or off for the whole guild, for one channel, or for those who have a role."""
    if channel is None and role is None:
        return replace(rules, **{switch.whole: wanted})
    for target, off in ((channel, switch.places), (role, switch.roles)):
        if target is not None:
            named, number = getattr(rules, off), {str(target.id)}
            rules = replace(rules, **{off: named - number if wanted else named | number})
    return rules


@GROUP.command(name="listen", description="Hear all that is said in a channel, as announced there")
@app_commands.describe(channel="Which channel", on="Listen, or stop")
async def listen(
    interaction: discord.Interaction, channel: discord.TextChannel, on: bool = True
) -> None:
    asked, guild = await _owner(interaction)
    if on and not asked.bot.settings.discord_message_content:
        await asked.answer(asked.says("needs content"))
        return
    # Announced first: where that is not possible, nothing is listened to.
    told = phrase("listens" if on else "listens no more", language(guild.preferred_locale))
    await channel.send(told, allowed_mentions=discord.AllowedMentions.none())
    rules, number = asked.bot.rules_of(guild), {str(channel.id)}
    listened = rules.listened | number if on else rules.listened - number
    await _decide(asked, guild, replace(rules, listened=listened))
    place = spot_of(channel, asked.who, asked.bot.rules_of(guild)).place
    await asked.memory.learning.listen(place, is_on=on)
    await asked.answer(asked.says("done"))


@GROUP.command(name="places", description="What each channel is to me, and who could hear it")
async def places(interaction: discord.Interaction) -> None:
    asked, guild = await _owner(interaction)

    async def lines(now: Invoked, page: int) -> list[str]:
        rooms = [one for one in guild.channels if not isinstance(one, discord.CategoryChannel)]
        rows: list[str] = []
        for room in rooms[page * PAGE : (page + 1) * PAGE + 1]:
            kind = spot_of(room, now.who, now.bot.rules_of(guild)).place.kind
            rows.append(f"<#{room.id}> · {kind.value} · {heard_by(kind, now.language)}")
        return rows

    await Pages(asked, lines).show(asked)


@GROUP.command(name="review", description="Channels that opened, and words that wait for a yes")
async def review(interaction: discord.Interaction) -> None:
    asked, guild = await _owner(interaction)
    space = ids.space(guild.id)
    opened = [one.place for one in await asked.memory.world.in_space(space) if one.needs_review]
    held = await _held(asked, guild)
    view, lines = Ephemeral(), list[str]()
    for place in opened[:MOST_REVIEWED]:
        number = ids.number_of(place.id)
        name = guild.get_channel_or_thread(number)
        lines.append(asked.says("opened", room=f"<#{number}>", kind=place.kind.value))
        label = asked.says("seen", name=f"#{name.name}" if name is not None else number)
        view.add_item(Choice(label, _reviewing(place.id, space)))
    for n, one in enumerate(held[:MOST_REVIEWED], start=1):
        words = await asked.memory.review.show(one.id, actor=asked.actor)
        lines.append(asked.says("held", n=n, why=one.waits_because, text=words.text or "…"))
        for key, approves in (("free", True), ("keep back", False)):
            act = _deciding(one.id, approves=approves)
            sure = None if approves else asked.says("sure keep back", text=words.text or "…")
            view.add_item(Choice(asked.says(key, n=n), act, is_danger=not approves, sure=sure))
    if not lines:
        await asked.answer(asked.says("nothing"))
        return
    await asked.answer("\n".join(lines), view=view)


async def _held(asked: Invoked, guild: discord.Guild) -> list[Waiting]:
    """What others said in this guild that waits, and that whoever asks would hear."""
    waiting = await asked.memory.review.waiting(actor=asked.actor)
    return [
        one
        for one in waiting
        if one.owner != asked.who
        and one.place is not None
        and not one.is_insight
        and ids.guild_of(one.place) == guild.id
    ]


def _reviewing(place_id: str, space: str) -> Act:
    async def act(pressed: Invoked) -> str:
        await _owner(pressed.interaction)
        await pressed.memory.world.reviewed(place_id, space=space)
        return pressed.says("done")

    return act


def _deciding(memory_id: uuid.UUID, *, approves: bool) -> Act:
    async def act(pressed: Invoked) -> str:
        await _owner(pressed.interaction)
        decide = pressed.memory.review.approve if approves else pressed.memory.review.reject
        await decide(memory_id, actor=pressed.actor)
        return pressed.says("done")

    return act


@GROUP.command(name="report", description="How many people and channels of this server I know")
async def report(interaction: discord.Interaction) -> None:
    asked, guild = await _owner(interaction)
    counts: dict[str, tuple[int, int]] = {}
    for one in await asked.memory.world.in_space(ids.space(guild.id)):
        rooms, most = counts.get(one.place.kind.value, (0, 0))
        counts[one.place.kind.value] = rooms + 1, max(most, one.members)
    rows = [
        asked.says("known places", kind=kind, rooms=rooms, people=people)
        for kind, (rooms, people) in sorted(counts.items())
    ]
    rows.append(asked.says("known held", n=len(await _held(asked, guild))))
    await asked.answer("\n".join(rows))


@GROUP.command(name="forget-account", description="Erase what a departed account said here")
@app_commands.describe(account="The number of the account that left")
async def forget_account(interaction: discord.Interaction, account: str) -> None:
    asked, guild = await _owner(interaction)
    if not account.isdecimal():
        await asked.answer(asked.says("refused", why=asked.says("not a number")))
        return
    try:
        await guild.fetch_member(int(account))
    except discord.NotFound:
        pass
    else:
        await asked.answer(asked.says("refused", why=asked.says("still a member")))
        return

    async def act(pressed: Invoked) -> str:
        await pressed.memory.rules.forget_account(
            ids.person(int(account)), ids.space(guild.id), actor=pressed.actor
        )
        return pressed.says("done")

    await asked.answer(f"<@{account}>?", view=Confirm(asked, act))


async def _decide(asked: Invoked, guild: discord.Guild, rules: SpaceRules) -> None:
    if rules == asked.bot.rules_of(guild):
        return
    await asked.memory.rules.decide(ids.space(guild.id), rules, actor=asked.actor)
    await asked.bot.read_rules(guild)
    await asked.bot.syncing.guild(guild)


def _described(asked: Invoked, guild: discord.Guild, rules: SpaceRules) -> list[str]:
    written = write_rules(rules)
    rows = [asked.says(f"rule {name}", named=_named(name, one)) for name, one in written.items()]
    if READ_FROM_OUTSIDE & set(guild.features) and not rules.is_read_from_outside:
        rows.append(asked.says("outside warning"))
    return rows or [asked.says("rules as ever")]


def _named(name: str, value: object) -> str:
    """Channels and roles as Discord shows them."""
    shape = "<@&{}>" if name in ROLES else "<#{}>" if isinstance(value, list) else "{}"
    many = cast("list[object]", value) if isinstance(value, list) else [value]
    return ", ".join(shape.format(one) for one in many)
