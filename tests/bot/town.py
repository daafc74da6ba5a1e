"""A small community on the simulated Discord: moderators, members, and rooms of every kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import discord
import simcord
from simcord import _modal, actors, components, interactions
from simcord.actors import MemberActor
from simcord.backend.models import Overwrite
from simcord.backend.serializers import message_payload
from simcord.enums import OverwriteType

from confide import Confide
from confide.surfaces.discord import ids

#: What Discord says of the next interactions beside what simcord does, e.g. that they are a guest's.
CONTEXT: dict[str, Any] = {}
HIDDEN = discord.PermissionOverwrite(view_channel=False)
SHOWN = discord.PermissionOverwrite(view_channel=True)


def complete_interactions(patch: Callable[[Any, str, Any], object]) -> None:
    """Discord says of each interaction in what kind of chat it was made, and who installed the
    application; simcord leaves both out."""
    plain = interactions.base_payload

    def whole(backend: Any, **given: Any) -> Any:
        record, payload = plain(backend, **given)
        guild_id = given["guild_id"]
        payload["context"] = 1 if guild_id is None else 0
        owners = {"0": str(guild_id)} if guild_id is not None else {"0": "0"}
        return record, payload | {"authorizing_integration_owners": owners} | CONTEXT

    for module in (interactions, actors, components, _modal):
        if hasattr(module, "base_payload"):
            patch(module, "base_payload", whole)


class Town:
    def __init__(self, env: simcord.Env, confide: Confide) -> None:
        self.env, self.confide = env, confide
        self.guild = env.create_guild("Town")
        self.mods = self.guild.create_role("mods")
        self.general = self.guild.create_text_channel("general")
        self.staff = self.hidden("staff", self.mods)
        self.alice = self.member("alice", self.mods)
        self.bob = self.member("bob")

    @property
    def bot(self) -> Any:
        return self.env.bot

    def member(self, name: str, *roles: Any) -> Any:
        return self.guild.add_member(self.env.create_user(name), roles=list(roles))

    def hidden(self, name: str, *seen_by: Any) -> Any:
        seers = (*seen_by, self.bot.user)
        overwrites = {self.guild.default_role: HIDDEN} | dict.fromkeys(seers, SHOWN)
        return self.guild.create_text_channel(name, overwrites=overwrites)

    async def dm(self, who: Any, text: str) -> str:
        """What the bot answers in somebody's direct chat."""
        before = len(who.user.dm_channel.history())
        await who.user.send_dm(text)
        return self.said(who.user.dm_channel, before)

    async def ask(self, who: Any, where: Any, text: str) -> str:
        """What the bot answers to a mention in a room."""
        before = len(where.history())
        await who.send(where, f"<@{self.bot.user.id}> {text}")
        return self.said(where, before)

    def said(self, where: Any, before: int) -> str:
        new = [one for one in where.history()[before:] if one.author.id == self.bot.user.id]
        return "\n".join(one.content for one in new)

    async def learn(self) -> None:
        await self.confide.learning.learn(is_everything=True)

    async def later(self, *, seconds: float) -> None:
        await self.env.advance_time(seconds)

    def close(self, where: Any, *seen_by: Any) -> None:
        for target in (*seen_by, self.bot.user):
            kind = OverwriteType.MEMBER if target is self.bot.user else OverwriteType.ROLE
            self.env.backend.set_overwrite(where.id, Overwrite(target.id, kind, allow=1024))
        hidden = Overwrite(self.guild.id, OverwriteType.ROLE, deny=1024)
        self.env.backend.set_overwrite(where.id, hidden)

    def again(self, message: Any, **changed: Any) -> None:
        """The gateway delivers a message once more, or one like it."""
        backend = self.env.backend
        stored = backend.get_message(message.channel.id, message.id)
        payload = {**message_payload(backend, stored), **changed}
        payload["id"] = str(payload["id"])
        backend.emit("MESSAGE_CREATE", payload)

    def person(self, who: Any) -> Any:
        return ids.person(who.id)

    async def command(self, who: Any, name: str, **given: Any) -> str:
        result = await who.slash(self.general, name, **given)
        assert result.ephemeral
        return result.response.content

    def owner(self) -> Any:
        """Whoever runs the server."""
        if self.guild.owner.id not in self.guild.member_ids():
            return self.guild.add_member(self.guild.owner)
        return MemberActor(self.env, self.guild, self.guild.owner)

    def other(self) -> Any:
        """Another channel that everyone views."""
        found = self.guild.channels.get("other")
        return found or self.guild.create_text_channel("other")
