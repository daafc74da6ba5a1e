"""A command or a pressed button: who did it, where, and how they are answered."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import discord

from confide.actor import Actor
from confide.bridge.contract import Listeners, Spot
from confide.errors import ConfideError, NotFound
from confide.model import Entity
from confide.privacy.acting import CallerKind
from confide.surfaces.discord import ids
from confide.surfaces.discord.listening import spot_of_interaction
from confide.surfaces.discord.phrases import language, phrase
from confide.surfaces.discord.splitting import MOST, split
from confide.surfaces.discord.text import mentioned, shown, typed, unfolded

if TYPE_CHECKING:
    from confide.memories import Confide
    from confide.store.memory import Memory
    from confide.surfaces.discord.client import ConfideBot

#: How many of one's own memories are looked through for the short id that a list shows.
MOST_LOOKED_AT = 5000


class AskDirectly(Exception):
    """Others may read along: what is one person's is said in their direct chat."""


class NotInGuild(Exception):
    """The command needs a server that the bot is a member of, and somebody who runs it."""


@dataclass(frozen=True, slots=True)
class Invoked:
    """Identity and place come from Discord's interaction, never from what was typed."""

    interaction: discord.Interaction
    bot: ConfideBot
    who: Entity
    spot: Spot
    language: str

    @property
    def memory(self) -> Confide:
        return self.bot.memory

    @property
    def actor(self) -> Actor:
        """A person's own act, attested by Discord."""
        return Actor(self.who, CallerKind.PLATFORM)

    def require_alone(self) -> None:
        if self.spot.is_guest:
            raise AskDirectly

    def says(self, key: str, **filled: object) -> str:
        return phrase(key, self.language, **filled)

    def listeners(self, *, is_for_asker_only: bool = True) -> Listeners:
        return Listeners(
            asker=self.who,
            spot=self.spot,
            is_for_asker_only=is_for_asker_only,
            attested_by=ids.PLATFORM,
            at=self.bot.now(),
        )

    async def answer(self, text: str, **more: Any) -> None:
        """Replace what only this person sees; a long answer goes on in further messages."""
        first, *rest = split(unfolded(shown(text))) or ["…"]
        mentions = discord.AllowedMentions.none()
        await self.interaction.edit_original_response(
            content=first, allowed_mentions=mentions, **more
        )
        for part in rest:
            await self.interaction.followup.send(
                part, ephemeral=True, suppress_embeds=True, allowed_mentions=mentions
            )

    def typed(self, text: str) -> str:
        """What was typed into the command, as people mean it."""
        return typed(text, self.bot.me, self.interaction.guild)

    def others_in(self, text: str) -> list[Entity]:
        """Whom a typed text mentions beside whoever typed it: they have a say in it."""
        found = mentioned(text, self.bot.me) - {self.interaction.user.id}
        return [ids.person(one) for one in sorted(found)]

    async def keeps_direct(self) -> bool:
        """Whether what this person says to the bot alone may be kept."""
        if not self.bot.settings.discord_keep_direct:
            return False
        return not await self.bot.memberships.is_unlearned(self.interaction.user.id)

    async def find(self, written: str) -> Memory:
        """One's own memory by its id, or by the first characters of it that lists show."""
        wanted = written.strip().lower()
        if len(wanted) < 4:
            raise NotFound("there is no such memory")
        found = [
            one
            for one in await self.memory.memories(self.who, limit=MOST_LOOKED_AT)
            if str(one.id).startswith(wanted)
        ]
        if len(found) != 1:
            raise NotFound("there is no such memory")
        return found[0]


async def invoked(interaction: discord.Interaction, *, anew: bool = True) -> Invoked:
    """Who asks and where, with their rooms brought up to date."""
    bot: Any = interaction.client
    who = ids.person(interaction.user.id)
    await bot.know_rules(interaction.guild)
    spot = spot_of_interaction(
        interaction,
        bot.rules_of(interaction.guild),
        keeps_direct=bot.settings.discord_keep_direct,
    )
    await bot.syncing.settled()
    if not spot.is_guest:
        await bot.memberships.refresh(interaction.user.id, anew=anew)
    return Invoked(interaction, bot, who, spot, language(interaction.locale))


async def explain_refusal(interaction: discord.Interaction, error: BaseException) -> bool:
    """Answer a mistake in words. False: it is none that its maker can mend."""
    said = phrase
    tongue = language(interaction.locale)
    match error:
        case AskDirectly():
            text = said("direct only", tongue)
        case NotInGuild():
            text = said("not here", tongue)
        case NotFound():
            text = said("no such memory", tongue)
        case ConfideError():
            text = said("refused", tongue, why=str(error))
        case _:
            return False
    await interaction.edit_original_response(content=text[:MOST], view=None)
    return True


def short(id: uuid.UUID) -> str:
    return str(id)[:8]


def short_text(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
