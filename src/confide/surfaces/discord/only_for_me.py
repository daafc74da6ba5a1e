"""The button under every reply in a room: the same question, answered for who presses it.

Nothing is stored with the button: the question is read again from the message that was answered.
Every reply in a room carries it, so its presence tells nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import discord

from confide.model import Manner
from confide.recall.context import Told
from confide.surfaces.discord.commands.asking import answer_alone
from confide.surfaces.discord.commands.consents import room_atom, sharing
from confide.surfaces.discord.commands.invoked import (
    Invoked,
    explain_refusal,
    invoked,
    short_text,
)
from confide.surfaces.discord.commands.views import Choice, Ephemeral
from confide.surfaces.discord.phrases import PHRASES, language, phrase
from confide.surfaces.discord.text import words_of

ID = "confide:only-for-me"
MOST_SHARED = 3


class OnlyForMe(discord.ui.View):
    def __init__(self, tongue: str = "en") -> None:
        super().__init__(timeout=None)
        self.press.label = phrase("only for me", tongue)

    @discord.ui.button(
        label=PHRASES["only for me"][0], style=discord.ButtonStyle.secondary, custom_id=ID
    )
    async def press(
        self, interaction: discord.Interaction, button: discord.ui.Button[OnlyForMe]
    ) -> None:
        await interaction.response.defer(ephemeral=True, thinking=True)
        pressed = await invoked(interaction)
        question = await _question(interaction)
        if question is None:
            await pressed.answer(pressed.says("question gone"))
            return
        own = words_of(question, pressed.bot.me).own
        if question.author.id == interaction.user.id:
            await answer_alone(pressed, own, offer=_sharing)
        else:
            # Somebody else's words never steer a model that reads what is yours.
            await _listed(pressed, own)

    async def on_error(
        self,
        interaction: discord.Interaction,
        error: Exception,
        item: discord.ui.Item[OnlyForMe],
    ) -> None:
        if not await explain_refusal(interaction, error):
            text = phrase("away", language(interaction.locale))
            await interaction.edit_original_response(content=text)
            raise error


async def _question(interaction: discord.Interaction) -> discord.Message | None:
    """The message that the reply answers, as it reads now."""
    reply = interaction.message
    if reply is None or reply.reference is None or reply.reference.message_id is None:
        return None
    channel = interaction.channel
    if not isinstance(channel, discord.abc.Messageable):
        return None
    try:
        found = await channel.fetch_message(reply.reference.message_id)
    except discord.HTTPException:
        return None
    return found if found.content else None


async def _listed(pressed: Invoked, question: str) -> None:
    """Memories as a list, with an offer to share what is one's own."""
    if not (pressed.bot.settings.enabled and pressed.spot.tells and question):
        await pressed.answer(pressed.says("nothing"))
        return
    context = await pressed.memory.recall(
        question, pressed.listeners().audience(), manner=Manner.CERTAIN
    )
    lines = [f"- {told.memory.text}" for told in context.memories]
    await pressed.answer(
        "\n".join(lines) or pressed.says("nothing"), view=_sharing(pressed, context.memories)
    )


def _sharing(pressed: Invoked, told: Sequence[Told]) -> Ephemeral | None:
    """What is one's own can be shared with the room."""
    own = [one.memory for one in told if one.memory.owner == pressed.who]
    if not own or pressed.spot.space is None or pressed.spot.is_guest:
        return None
    view = Ephemeral()
    for memory in own[:MOST_SHARED]:
        label = pressed.says("share here", text=short_text(memory.text, 40))
        view.add_item(Choice(label, sharing(memory, room_atom(pressed))))
    return view
