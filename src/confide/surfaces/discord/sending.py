"""Answers out: as Discord shows them, and checked again whenever Discord made them wait."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from time import monotonic
from typing import Any, Final

import aiohttp
import discord

from confide.bridge.contract import Note, Response
from confide.recall.context import Told
from confide.surfaces.discord import ids
from confide.surfaces.discord.phrases import NOTES
from confide.surfaces.discord.splitting import split
from confide.surfaces.discord.text import shown

NO_MENTIONS: Final = discord.AllowedMentions.none()
#: Seconds after which an answer that was not sent yet is checked again.
CURRENT: Final = 0.5


class Outdated(Exception):
    """Whoever listens now may not hear the answer any more. It was not sent."""


@dataclass(slots=True)
class _Waiting:
    recheck: Callable[[], Awaitable[bool]]
    since: float


_waiting: ContextVar[_Waiting | None] = ContextVar("answer that waits to be sent", default=None)


@contextmanager
def checked_again(response: Response) -> Generator[None, None, None]:
    """What is sent in here is sent only while it may be said, however long Discord makes it wait."""
    token = _waiting.set(_Waiting(response.recheck, monotonic()))
    try:
        yield
    finally:
        _waiting.reset(token)


async def _before_request(session: object, context: object, request: object) -> None:
    answer = _waiting.get()
    if answer is None or monotonic() - answer.since < CURRENT:
        return
    token = _waiting.set(None)  # checking may ask Discord too
    try:
        may = await answer.recheck()
    finally:
        _waiting.reset(token)
    if not may:
        raise Outdated
    answer.since = monotonic()


def trace() -> aiohttp.TraceConfig:
    """discord.py waits for rate limits by itself; this looks at each attempt right before it."""
    config = aiohttp.TraceConfig()
    config.on_request_start.append(_before_request)
    return config


def written(response: Response, language: str) -> str:
    """A response in Discord's words."""
    if response.note is not Note.ANSWER:
        return NOTES[response.note][language]
    if response.is_by_model or not response.told:
        return shown(response.text)
    return "\n".join(f"- {line_of(one, response)}" for one in response.told)


def line_of(one: Told, response: Response) -> str:
    """A memory as it is told, with whose it is. A mention shows today's name, and calls nobody."""
    text, owner = shown(one.shown), one.memory.owner
    if owner == response.listeners.asker:
        return text
    account = ids.account_of(owner)
    name = one.owner_name if account is None else f"<@{account}>"
    return f"{name}: {text}" if name else text


async def reply(
    message: discord.Message, text: str, view: discord.ui.View | None = None
) -> list[discord.Message]:
    """Answer a message, in as many parts as it takes; what was sent of it, if it ends early, goes."""
    sent: list[discord.Message] = []
    try:
        for part in split(text):
            replying: dict[str, Any] = {}
            if not sent:
                reference = message.to_reference(fail_if_not_exists=False)
                replying = {"reference": reference, "mention_author": False}
                replying |= {"view": view} if view is not None else {}
            one = await message.channel.send(
                part, suppress_embeds=True, allowed_mentions=NO_MENTIONS, **replying
            )
            sent.append(one)
    except Outdated:
        await take_back(sent)
        raise
    return sent


async def take_back(sent: list[discord.Message]) -> None:
    for one in sent:
        await one.delete()
