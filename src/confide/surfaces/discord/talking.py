"""Messages in, answers out: what somebody writes becomes an utterance, and its answer a reply."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import discord

from confide.bridge.contract import Listeners, Response, Speaker, Spot, Utterance
from confide.bridge.conversation import ANSWERED_WITHIN
from confide.errors import ConfideError
from confide.model import PlaceKind
from confide.store.sessions import DATABASE_TROUBLE
from confide.surfaces.discord import ids, phrases
from confide.surfaces.discord.listening import for_roles, spot_of
from confide.surfaces.discord.only_for_me import OnlyForMe
from confide.surfaces.discord.sending import Outdated, checked_again, reply, take_back, written
from confide.surfaces.discord.text import words_of

if TYPE_CHECKING:
    from confide.surfaces.discord.client import ConfideBot

log = logging.getLogger("confide.discord")
SPOKEN: Final = (discord.MessageType.default, discord.MessageType.reply)


class Talking:
    """The bot's side of every conversation in direct chats and rooms."""

    def __init__(self, bot: ConfideBot) -> None:
        self._bot = bot

    async def heard(self, message: discord.Message) -> None:
        if not _is_spoken_by_a_person(message):
            return
        await self._bot.know_rules(message.guild)
        said = await self._utterance(message)
        is_late = self._bot.now() - message.created_at > ANSWERED_WITHIN  # nobody waits any more
        if not said.is_addressed or is_late:
            await self._answered(message, said)
            return
        async with _typing(message.channel):
            await self._answered(message, said)

    async def _answered(self, message: discord.Message, said: Utterance) -> None:
        is_first = True

        async def attest() -> Listeners | None:
            nonlocal is_first
            anew, is_first = is_first, False
            return await self.listeners(message, anew=anew)

        async def send(response: Response) -> None:
            await self._reply(message, response)

        try:
            await self._bot.conversation.heard(said, attest, send)
        except discord.HTTPException as refusal:
            log.warning("the answer to message %s was refused: %s", message.id, refusal.status)
        except Exception as trouble:  # the outermost handler: whoever asked hears that it failed
            log.warning("message %s was not answered: %s", message.id, type(trouble).__name__)
            if said.is_addressed:
                with suppress(discord.HTTPException):
                    await self._say(message, "away")
            if not isinstance(trouble, (ConfideError, *DATABASE_TROUBLE)):
                raise

    async def edited(self, payload: discord.RawMessageUpdateEvent) -> None:
        """What somebody changed is learned anew; what cannot be read any more is forgotten.

        Discord also reports links that it unfolded: then nobody edited anything."""
        message = payload.message
        if message.edited_at is None or not _is_spoken_by_a_person(message):
            return
        self._bot.conversation.changed(str(message.id))
        async with self._bot.syncing.changing():
            await self._bot.know_rules(message.guild)
            own = words_of(message, self._bot.me).own
            learning, id = self._bot.memory.learning, str(message.id)
            if own and self._bot.settings.enabled and (await self._spot(message)).learns:
                await learning.edited(id, own, platform=ids.PLATFORM, at=message.created_at)
            else:
                await learning.deleted(id, platform=ids.PLATFORM)

    async def deleted(self, message_ids: Iterable[int]) -> None:
        """What was learned from a message alone goes with it, before anything more is said."""
        async with self._bot.syncing.changing():
            for id in message_ids:
                self._bot.conversation.changed(str(id))
                await self._bot.memory.learning.deleted(str(id), platform=ids.PLATFORM)

    async def _utterance(self, message: discord.Message) -> Utterance:
        own, beside = words_of(message, self._bot.me)
        author = message.author
        return Utterance(
            id=str(message.id),
            platform=ids.PLATFORM,
            spot=await self._spot(message),
            # A nickname belongs to its guild and is not taken along.
            speaker=Speaker(entity=ids.person(author.id), name=author.global_name or author.name),
            text=own,
            said_at=message.created_at,
            is_addressed=self._is_addressed(message),
            beside=beside,
        )

    async def _spot(self, message: discord.Message) -> Spot:
        rules, author = self._bot.rules_of(message.guild), message.author
        who = ids.person(author.id)
        spot = spot_of(
            message.channel, who, rules, keeps_direct=self._bot.settings.discord_keep_direct
        )
        if isinstance(author, discord.Member):
            return for_roles(spot, [role.id for role in author.roles], rules)
        if spot.learns and await self._bot.memberships.is_unlearned(author.id):
            return replace(spot, learns=False)
        return spot

    async def listeners(self, message: discord.Message, *, anew: bool = True) -> Listeners | None:
        """Who would see a reply to a message now. Channels are updated in place as events come."""
        await self._bot.syncing.settled()
        guild = message.guild
        if guild is not None:
            known = self._bot.get_guild(guild.id)
            if known is None or known.get_channel_or_thread(message.channel.id) is None:
                return None
        spot = await self._spot(message)
        if spot.place.kind is PlaceKind.DIRECT:
            await self._bot.memberships.refresh(message.author.id, anew=anew)
        return Listeners(
            asker=ids.person(message.author.id),
            spot=spot,
            is_for_asker_only=False,
            attested_by=ids.PLATFORM,
            at=self._bot.now(),
        )

    def _is_addressed(self, message: discord.Message) -> bool:
        """In a direct chat, by mention, or in reply to what the bot said."""
        if message.guild is None or any(one.id == self._bot.me for one in message.mentions):
            return True
        own = message.guild.self_role
        if own is not None and own in message.role_mentions:
            return True
        replied = message.reference.resolved if message.reference else None
        return isinstance(replied, discord.Message) and replied.author.id == self._bot.me

    async def _reply(self, message: discord.Message, response: Response) -> None:
        language = self._language(message)
        try:
            with checked_again(response):
                sent = await reply(message, written(response, language), self._button(message))
        except Outdated:
            await self._say(message, "away")
            return
        # A room may open while a request is on its way.
        if (await self._spot(message)) != response.listeners.spot:
            await take_back(sent)

    async def _say(self, message: discord.Message, key: str) -> None:
        said = phrases.phrase(key, self._language(message))
        await reply(message, said, self._button(message))

    def _button(self, message: discord.Message) -> OnlyForMe | None:
        """Under every reply in a room, whatever it says."""
        return None if message.guild is None else OnlyForMe(self._language(message))

    def _language(self, message: discord.Message) -> str:
        return phrases.language(message.guild.preferred_locale if message.guild else None)


@asynccontextmanager
async def _typing(channel: discord.abc.Messageable) -> AsyncGenerator[None, None]:
    """Where the bot may not even type, it answers in silence until it is refused."""
    async with AsyncExitStack() as stack:
        with suppress(discord.HTTPException):
            await stack.enter_async_context(channel.typing())
        yield


def _is_spoken_by_a_person(message: discord.Message) -> bool:
    """A reply that only one person sees arrives without its guild; it is nobody's direct message."""
    return not (
        message.author.bot
        or message.webhook_id is not None
        or message.type not in SPOKEN
        or message.flags.ephemeral
    )
