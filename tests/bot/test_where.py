"""Every kind of channel and interaction becomes its place: on real discord.py objects."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from typing import Any

import discord
import pytest
import simcord
from simcord.backend.models import Overwrite
from simcord.backend.serializers import channel_payload
from simcord.enums import OverwriteType

from confide.model import PlaceKind
from confide.surfaces.discord import access, ids
from confide.surfaces.discord.listening import spot_of, spot_of_interaction
from confide.verbs.spaces import SpaceRules

pytestmark = pytest.mark.req("S3", "B17")

HIDDEN = discord.PermissionOverwrite(view_channel=False)
SHOWN = discord.PermissionOverwrite(view_channel=True)
NO_RULES = SpaceRules()


class Community:
    """A guild with moderators, verified members and Alice, who is neither."""

    def __init__(self, env: simcord.Env) -> None:
        self.env, self.bot = env, env.bot
        self.handle = env.create_guild("Cafe")
        self.mods = self.handle.create_role("mods")
        self.verified = self.handle.create_role("verified")
        self.alice = self.handle.add_member(env.create_user("alice"))
        self.mod = self.handle.add_member(env.create_user("mod"), roles=[self.mods])
        self.who = ids.person(self.alice.id)

    @property
    def guild(self) -> discord.Guild:
        found = self.bot.get_guild(self.handle.id)
        assert found is not None
        return found

    def text(self, name: str, *who_else: Any, hidden: bool = True) -> discord.TextChannel:
        overwrites = {self.handle.default_role: HIDDEN} if hidden else {}
        made = self.handle.create_text_channel(
            name, overwrites=overwrites | dict.fromkeys(who_else, SHOWN)
        )
        return self.channel(made.id)

    def channel(self, id: int) -> Any:
        return self.guild.get_channel_or_thread(id)

    def denied(self, id: int, permission: int) -> Any:
        """The channel after @everyone lost a permission in it."""
        overwrite = Overwrite(self.guild.id, OverwriteType.ROLE, deny=permission)
        self.env.backend.set_overwrite(id, overwrite)
        return self.channel(id)

    async def age_restricted(self, id: int) -> Any:
        backend = self.env.backend
        payload = channel_payload(backend, backend.get_channel(id))
        backend.emit("CHANNEL_UPDATE", {**payload, "nsfw": True})
        await self.env.settle()
        return self.channel(id)

    def place(self, channel: Any, rules: SpaceRules = NO_RULES) -> Any:
        return spot_of(channel, self.who, rules).place


@pytest.fixture
async def cafe() -> AsyncIterator[Community]:
    intents = discord.Intents(guilds=True, guild_messages=True, dm_messages=True)
    env = simcord.Env(discord.Client(intents=intents))
    await env.start()
    yield Community(env)
    await env.shutdown()


async def test_direct_message_is_alone(cafe: Community) -> None:
    seen: list[discord.Message] = []

    async def on_message(message: discord.Message) -> None:
        seen.append(message)

    cafe.bot.event(on_message)
    await cafe.alice.user.send_dm("hi")
    place = cafe.place(seen[0].channel)
    assert (place.kind, place.id) == (PlaceKind.DIRECT, f"dm:human:discord.{cafe.alice.id}")


async def test_channel_that_everyone_views_is_public(cafe: Community) -> None:
    channel = cafe.text("general", hidden=False)
    place = cafe.place(channel)
    assert place.kind is PlaceKind.PUBLIC
    assert place.id == f"discord.{channel.id}@discord.{cafe.guild.id}"
    assert place.space == f"discord.{cafe.guild.id}"


async def test_hidden_from_everyone_is_restricted(cafe: Community) -> None:
    assert cafe.place(cafe.text("mods", cafe.mods)).kind is PlaceKind.RESTRICTED
    assert cafe.place(cafe.text("ticket", cafe.alice)).kind is PlaceKind.RESTRICTED
    base = cafe.guild.default_role.permissions
    base.update(view_channel=False)
    cafe.env.backend.edit_role(cafe.guild.id, cafe.guild.id, {"permissions": str(base.value)})
    plain = cafe.text("plain", hidden=False)
    assert cafe.place(plain).kind is PlaceKind.RESTRICTED


async def test_community_role_is_a_space_inside_the_guild(cafe: Community) -> None:
    rules = SpaceRules(community_role=str(cafe.verified.id), within=frozenset({str(cafe.mods.id)}))
    inner = f"discord.{cafe.guild.id}/{cafe.verified.id}"
    gated = cafe.text("members", cafe.verified)
    assert (cafe.place(gated, rules).kind, cafe.place(gated, rules).space) == (
        PlaceKind.PUBLIC, inner,
    )  # fmt: skip
    both = cafe.text("both", cafe.verified, cafe.mods)
    assert cafe.place(both, rules).kind is PlaceKind.PUBLIC, "moderators are within it"
    staff = cafe.text("staff", cafe.mods)
    assert (cafe.place(staff, rules).kind, cafe.place(staff, rules).space) == (
        PlaceKind.RESTRICTED, inner,
    )  # fmt: skip
    assert cafe.place(cafe.text("open", hidden=False), rules).space == cafe.place(gated).space


async def test_somebody_else_who_is_let_in_ends_the_community_space(cafe: Community) -> None:
    rules = SpaceRules(community_role=str(cafe.verified.id))
    outer = f"discord.{cafe.guild.id}"
    guests = cafe.handle.create_role("guests")
    by_role = cafe.text("by-role", cafe.verified, guests)
    by_name = cafe.text("by-name", cafe.verified, cafe.alice)
    seers = cafe.handle.create_role("seers", permissions=discord.Permissions(view_channel=True))
    for channel in (by_role, by_name):
        assert (cafe.place(channel, rules).kind, cafe.place(channel, rules).space) == (
            PlaceKind.RESTRICTED, outer,
        )  # fmt: skip
    base = cafe.guild.default_role.permissions
    base.update(view_channel=False)
    cafe.env.backend.edit_role(cafe.guild.id, cafe.guild.id, {"permissions": str(base.value)})
    by_base = cafe.channel(
        cafe.handle.create_text_channel("by-base", overwrites={cafe.verified: SHOWN}).id
    )
    assert access.may(by_base, (seers.id,), None, access.VIEW)
    assert cafe.place(by_base, rules).space == outer


async def test_administrators_and_the_bot_itself_do_not_end_it(cafe: Community) -> None:
    rules = SpaceRules(community_role=str(cafe.verified.id))
    cafe.handle.create_role("admins", permissions=discord.Permissions(administrator=True))
    me = cafe.guild.me
    channel = cafe.text("members", cafe.verified, me)
    assert cafe.place(channel, rules).kind is PlaceKind.PUBLIC


async def test_role_that_is_gone_opens_nothing(cafe: Community) -> None:
    rules = SpaceRules(community_role="12345")
    assert cafe.place(cafe.text("mods", cafe.mods), rules).kind is PlaceKind.RESTRICTED


async def test_age_restricted_and_its_threads(cafe: Community) -> None:
    channel = await cafe.age_restricted(cafe.text("night", hidden=False).id)
    assert cafe.place(channel).kind is PlaceKind.AGE_GATED
    thread = await channel.create_thread(name="t", type=discord.ChannelType.public_thread)
    place = cafe.place(thread)
    assert place.kind is PlaceKind.THREAD
    assert place.parent_place.kind is PlaceKind.AGE_GATED


async def test_voice_and_stage_chat(cafe: Community) -> None:
    voice = cafe.channel(cafe.handle.create_voice_channel("lounge").id)
    stage = cafe.channel(cafe.handle.create_stage_channel("stage").id)
    assert cafe.place(voice).kind is PlaceKind.VOICE
    assert cafe.place(stage).kind is PlaceKind.STAGE


async def test_announcement_channel(cafe: Community) -> None:
    news = cafe.channel(cafe.handle.create_news_channel("news").id)
    assert cafe.place(news).kind is PlaceKind.ANNOUNCEMENT


async def test_hidden_announcement_channel_is_not_public_and_tells_nothing(
    cafe: Community,
) -> None:
    news = cafe.handle.create_news_channel("staff-news")
    hidden = cafe.denied(news.id, access.VIEW)
    spot = spot_of(hidden, cafe.who, NO_RULES)
    assert spot.place.kind is PlaceKind.RESTRICTED
    assert not spot.tells


async def test_guild_read_from_outside(cafe: Community) -> None:
    rules = SpaceRules(is_read_from_outside=True)
    assert cafe.place(cafe.text("open", hidden=False), rules).kind is PlaceKind.ANNOUNCEMENT
    assert cafe.place(cafe.text("mods", cafe.mods), rules).kind is PlaceKind.RESTRICTED


async def test_public_thread_is_a_thread_of_its_parent(cafe: Community) -> None:
    for hidden, kind in ((False, PlaceKind.PUBLIC), (True, PlaceKind.RESTRICTED)):
        channel = cafe.text(f"c{hidden}", cafe.guild.me, hidden=hidden)
        thread = await channel.create_thread(name="t", type=discord.ChannelType.public_thread)
        place = cafe.place(thread)
        assert place.kind is PlaceKind.THREAD
        assert place.parent_place == cafe.place(channel)
        assert place.parent_place.kind is kind
        assert place.id == f"discord.{thread.id}@{place.parent}"


async def test_forum_and_media_posts(cafe: Community) -> None:
    forum = cafe.channel(cafe.handle.create_forum_channel("help").id)
    made = await forum.create_thread(name="post", content="words")
    place = cafe.place(made.thread)
    assert place.kind is PlaceKind.FORUM_POST
    assert place.parent_place.kind is PlaceKind.PUBLIC
    media = discord.ForumChannel(
        state=forum._state, guild=cafe.guild, data=raw_channel(cafe, 16, id=forum.id + 1)
    )
    assert cafe.place(media).kind is PlaceKind.PUBLIC


async def test_private_thread_is_a_place_of_its_own(cafe: Community) -> None:
    channel = cafe.text("general", hidden=False)
    thread = await channel.create_thread(name="t", type=discord.ChannelType.private_thread)
    place = cafe.place(thread)
    assert place.kind is PlaceKind.PRIVATE_THREAD
    assert place.parent_place.kind is PlaceKind.PUBLIC
    assert thread.permissions_for(cafe.guild.me).view_channel
    assert access.member_reads(thread, (), cafe.alice.id) is None, "she was not invited"
    assert access.member_reads(thread, (), cafe.guild.owner_id or 0) is True


async def test_thread_without_a_known_parent_is_unknown(cafe: Community) -> None:
    channel = cafe.text("general", hidden=False)
    thread = await channel.create_thread(name="t", type=discord.ChannelType.public_thread)
    thread.parent_id = 42
    assert not spot_of(thread, cafe.who, NO_RULES).tells
    assert cafe.place(thread).kind is PlaceKind.UNKNOWN


async def test_categories_and_what_nobody_knows_are_unknown(cafe: Community) -> None:
    category = cafe.channel(cafe.handle.create_category("things").id)
    partial = cafe.bot.get_partial_messageable(77, guild_id=cafe.guild.id)
    for channel in (category, partial, discord.Object(5), None):
        spot = spot_of(channel, cafe.who, NO_RULES)
        assert spot.place.kind is PlaceKind.UNKNOWN
        assert (spot.tells, spot.learns) == (False, False)


async def test_guild_that_is_not_there_has_no_roles_to_go_by(cafe: Community) -> None:
    channel = cafe.text("general", hidden=False)
    cafe.guild.unavailable = True
    assert access.everyone_views(channel) is None
    assert cafe.place(channel).kind is PlaceKind.UNKNOWN


async def test_owners_administrators_and_named_people_are_viewers(cafe: Community) -> None:
    admins = cafe.handle.create_role("a", permissions=discord.Permissions(administrator=True))
    channel = cafe.text("ticket", cafe.alice)
    owner = cafe.guild.owner_id
    assert owner is not None
    reads = {
        "owner": access.member_reads(channel, (), owner),
        "administrator": access.member_reads(channel, (admins.id,), 1),
        "named": access.member_reads(channel, (), cafe.alice.id),
        "moderator": access.member_reads(channel, (cafe.mods.id,), cafe.mod.id),
    }
    assert reads == {"owner": True, "administrator": True, "named": True, "moderator": False}


async def test_voice_needs_connecting_too(cafe: Community) -> None:
    voice = cafe.handle.create_voice_channel("lounge")
    assert access.everyone_views(cafe.denied(voice.id, access.CONNECT)) is False


async def test_access_agrees_with_the_platform_on_random_overwrites(cafe: Community) -> None:
    """simcord computes permissions on its own data; a thousand draws have to agree with it."""
    draw = random.Random(5)
    extra = [
        cafe.handle.create_role(f"r{n}", permissions=discord.Permissions(draw.choice([0, 1024, 8])))
        for n in range(3)
    ]
    roles = [cafe.mods, cafe.verified, *extra]
    seen = set()
    for n in range(60):
        channel = cafe.handle.create_text_channel(f"c{n}")
        for target in draw.sample([cafe.handle.default_role, *roles, cafe.alice], 3):
            kind = OverwriteType.MEMBER if target is cafe.alice else OverwriteType.ROLE
            allow, deny = draw.choice([(1024, 0), (0, 1024), (0, 0)])
            cafe.env.backend.set_overwrite(channel.id, Overwrite(target.id, kind, allow, deny))
        for _ in range(17):
            held = draw.sample(roles, draw.randint(0, 3))
            cafe.env.backend.edit_member(
                cafe.guild.id, cafe.alice.id, {"role_ids": [one.id for one in held]}
            )
            said = access.member_reads(
                cafe.channel(channel.id), [one.id for one in held], cafe.alice.id
            )
            real = cafe.env.backend.compute_permissions(cafe.guild.id, cafe.alice.id, channel.id)
            assert said is bool(real & 1024)
            seen.add(said)
    assert seen == {True, False}


def raw_channel(cafe: Community, type: int, **more: Any) -> Any:
    return {
        "id": "900", "type": type, "name": "x", "position": 0, "parent_id": None, "nsfw": False,
        "permission_overwrites": [], "guild_id": str(cafe.guild.id), "flags": 0,
    } | {name: str(value) for name, value in more.items()}  # fmt: skip


def interaction(cafe: Community, **said: Any) -> discord.Interaction:
    user = {"id": str(cafe.alice.id), "username": "alice", "discriminator": "0", "avatar": None}
    data = {
        "id": "1", "application_id": "2", "type": 2, "token": "t", "version": 1,
        "data": {"id": "3", "name": "ask", "type": 1}, "entitlements": [],
        "attachment_size_limit": 1, "authorizing_integration_owners": {},
    } | said  # fmt: skip
    if "guild_id" in said:
        data["member"] = {
            "user": user, "roles": [], "joined_at": "2026-01-01T00:00:00+00:00",
            "deaf": False, "mute": False, "flags": 0, "permissions": "0",
        }  # fmt: skip
    else:
        data["user"] = user
    return discord.Interaction(data=data, state=cafe.bot._connection)  # type: ignore[arg-type]


DM = {"id": "900", "type": 1, "recipients": [], "flags": 0, "last_message_id": None}


async def test_command_in_the_bots_own_chat_is_direct(cafe: Community) -> None:
    asked = interaction(cafe, channel=DM, channel_id="900", context=1)
    assert spot_of_interaction(asked, NO_RULES).place.kind is PlaceKind.DIRECT


@pytest.mark.parametrize(
    "said",
    [
        {"channel": DM, "context": 2},
        {"channel": DM},
        {"channel": DM | {"type": 3, "name": None, "icon": None, "owner_id": "9"}, "context": 2},
        {"channel": DM | {"type": 3, "name": None, "icon": None, "owner_id": "9"}, "context": 1},
        {"context": 1},
        {"guild_id": "777", "context": 0, "authorizing_integration_owners": {"1": "5"}},
        {"guild_id": "777", "context": 0, "authorizing_integration_owners": {"0": "777"}},
    ],
    ids=["between-two", "no-context", "group", "group-as-dm", "no-channel", "guild-by-user",
         "guild-without-bot"],
)  # fmt: skip
async def test_command_in_others_conversation_is_a_guest_place(
    cafe: Community, said: dict[str, Any]
) -> None:
    if "guild_id" in said:
        said = said | {"channel": raw_channel(cafe, 0), "channel_id": "900"}
    spot = spot_of_interaction(interaction(cafe, **said), NO_RULES)
    assert spot.is_guest
    assert spot.place.kind is PlaceKind.GUEST
    assert not spot.learns


async def test_user_installed_command_in_a_guild_of_the_bot_is_a_guest(cafe: Community) -> None:
    channel = cafe.text("general", hidden=False)
    there = {
        "guild_id": str(cafe.guild.id), "context": 0, "channel_id": str(channel.id),
        "channel": raw_channel(cafe, 0, id=channel.id),
    }  # fmt: skip
    by_user = interaction(cafe, **there, authorizing_integration_owners={"1": str(cafe.alice.id)})
    by_both = interaction(
        cafe, **there, authorizing_integration_owners={"0": str(cafe.guild.id), "1": "5"}
    )
    assert spot_of_interaction(by_user, NO_RULES).is_guest
    assert spot_of_interaction(by_both, NO_RULES).place.kind is PlaceKind.PUBLIC


async def test_group_chat_is_nobodys_direct_chat(cafe: Community) -> None:
    group = discord.GroupChannel(
        me=cafe.bot.user, state=cafe.bot._connection,  # type: ignore[arg-type]
        data=DM | {"type": 3, "name": None, "icon": None, "owner_id": "9"},  # type: ignore[arg-type]
    )  # fmt: skip
    assert spot_of(group, cafe.who, NO_RULES).is_guest


async def test_switches_of_the_owner_count_for_a_channel_and_its_threads(cafe: Community) -> None:
    channel = cafe.text("general", hidden=False)
    thread = await channel.create_thread(name="t", type=discord.ChannelType.public_thread)
    number = frozenset({str(channel.id)})
    rules = SpaceRules(not_learned=number, not_told=number, listened=number)
    for where in (channel, thread):
        spot = spot_of(where, cafe.who, rules)
        assert (spot.learns, spot.tells, spot.listens) == (False, False, True)
    off = spot_of(channel, cafe.who, SpaceRules(learns=False, tells=False))
    assert (off.learns, off.tells) == (False, False)
