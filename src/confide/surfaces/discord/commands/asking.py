"""`/ask`, `/remember`, `/forget` and `/why`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import discord
from discord import app_commands

from confide import statement
from confide.bridge.contract import Listeners, Note, Response
from confide.model import Status
from confide.privacy.places import direct
from confide.recall.context import Told
from confide.surfaces.discord.commands.invoked import Invoked, invoked, short
from confide.surfaces.discord.commands.views import Confirm, Ephemeral
from confide.surfaces.discord.phrases import NOTES
from confide.surfaces.discord.sending import Outdated, checked_again, written

#: Buttons for what was told, if there are any to offer.
Offer = Callable[[Invoked, Sequence[Told]], Ephemeral | None]


@app_commands.command(name="ask", description="Ask me something; only you see the answer")
@app_commands.describe(question="What you want to know")
async def ask(interaction: discord.Interaction, question: str) -> None:
    asked = await invoked(interaction)
    await answer_alone(asked, asked.typed(question))


async def answer_alone(asked: Invoked, question: str, offer: Offer | None = None) -> None:
    """Answer for whoever asks alone. `offer` adds buttons to what the answer rests on."""

    async def attest() -> Listeners:
        return (await invoked(asked.interaction, anew=False)).listeners()

    async def send(response: Response) -> None:
        view = offer(asked, response.told) if offer is not None else None
        with checked_again(response):
            await asked.answer(written(response, asked.language), view=view)

    try:
        await asked.bot.conversation.told_alone(question, attest, send)
    except Outdated:
        await asked.answer(asked.says("away"))


@app_commands.command(name="remember", description="Let me remember something, for you alone")
@app_commands.describe(text="What I should remember")
async def remember(interaction: discord.Interaction, text: str) -> None:
    asked = await invoked(interaction)
    if not await asked.keeps_direct():
        await asked.answer(NOTES[Note.NOT_KEPT][asked.language])
        return
    said = statement(
        asked.typed(text), by=asked.who, place=direct(asked.who), about=asked.others_in(text)
    )
    kept = await asked.memory.remember(said, actor=asked.actor)
    is_told = kept.memory.status is Status.APPROVED
    await asked.answer(asked.says("remembered" if is_told else "waits"))


@app_commands.command(name="forget", description="Delete one of your memories")
@app_commands.describe(id="Its id, as /memories list shows it")
async def forget(interaction: discord.Interaction, id: str) -> None:
    await ask_and_forget(await invoked(interaction), id)


async def ask_and_forget(asked: Invoked, id: str) -> None:
    asked.require_alone()
    memory = await asked.find(id)

    async def act(pressed: Invoked) -> str:
        await pressed.memory.forget(memory.id, actor=pressed.actor)
        return pressed.says("deleted")

    await asked.answer(asked.says("sure delete", text=memory.text), view=Confirm(asked, act))


@app_commands.command(name="why", description="What my last answer to you here was based on")
async def why(interaction: discord.Interaction) -> None:
    asked = await invoked(interaction)
    asked.require_alone()
    basis = await asked.memory.why(asked.listeners(is_for_asker_only=False).audience())
    lines = [f"`{short(one.id)}` {one.text}" for one in basis.memories]
    await asked.answer("\n".join(lines) or asked.says("nothing"))


COMMANDS = (ask, remember, forget, why)
