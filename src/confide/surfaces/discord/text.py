"""Text as Discord writes it, and as people mean it.

A message's own words are apart from what it quotes, forwards and attaches: nothing of those is
learned as if the person had said it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final, NamedTuple

import discord

_FENCE: Final = re.compile(r"```(?:[\w+#.-]{0,20}\n)?(.*?)```", re.DOTALL)
_TICKS: Final = re.compile(r"(`{1,2})(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_REST_QUOTED: Final = re.compile(r"^>>> (.*)\Z", re.DOTALL | re.MULTILINE)
_QUOTED: Final = re.compile(r"^> ?(?!>)(.*)$", re.MULTILINE)
_SPOILER: Final = re.compile(r"\|\|(.+?)\|\|", re.DOTALL)
_ACCOUNT: Final = re.compile(r"<@!?(\d{1,20})>")
_ROLE: Final = re.compile(r"<@&(\d{1,20})>")
_CHANNEL: Final = re.compile(r"<#(\d{1,20})>")
_EMOJI: Final = re.compile(r"<a?:(\w{1,32}):\d{1,20}>")
_COMMAND: Final = re.compile(r"</([\w -]{1,100}):\d{1,20}>")
_TIME: Final = re.compile(r"<t:(-?\d{1,13})(?::[tTdDfFRsS])?>")
_MARKS: Final = re.compile(r"(\*\*\*|\*\*|__|~~|\*|(?<!\w)_(?=\w.*\w_(?!\w)))(?=\S)(.+?)(?<=\S)\1")
_LINK: Final = re.compile(r"(?<![<\w])(https?://[^\s<>()]+)", re.IGNORECASE)
#: A mention as it is stored: `@` and the account's number. Shown again as a mention, it has
#: today's name.
_STORED: Final = re.compile(r"(?<![\w@<])@(?:discord\.)?(\d{15,20})\b")


class Words(NamedTuple):
    own: str  # what the person said
    beside: str  # what they quoted, forwarded or attached


def words_of(message: discord.Message, me: int) -> Words:
    """What a message says, without the mention that only calls the bot."""
    replied = message.reference.resolved if message.reference else None
    forwarded = [snapshot.content for snapshot in message.message_snapshots]
    if isinstance(replied, discord.Message) and replied.author.id != me:
        forwarded.insert(0, replied.content)
    return read(
        message.content,
        me,
        names=_names(message.guild),
        forwarded=forwarded,
        attached=[one.filename for one in message.attachments],
    )


def read(
    content: str,
    me: int,
    *,
    names: Callable[[str, int], str | None] = lambda kind, id: None,
    forwarded: list[str] | None = None,
    attached: list[str] | None = None,
) -> Words:
    own, quoted = _without_quotes(content)
    plain = _plain(own, me, names)
    files = ", ".join(attached or ())
    if files and plain:
        plain = f"{plain} (attached: {files})"
    beside = [_plain(one, me, names) for one in (*quoted, *(forwarded or ()))]
    if files and not plain:
        beside.append(f"(attached: {files})")
    return Words(plain, "\n".join(f"> {line}" for one in beside if one for line in one.split("\n")))


def typed(text: str, me: int, guild: discord.Guild | None) -> str:
    """What somebody typed into a command: Discord writes mentions there as it does in messages."""
    return _plain(text, me, _names(guild))


def mentioned(text: str, me: int) -> frozenset[int]:
    """The accounts that a text mentions."""
    return frozenset(int(found) for found in _ACCOUNT.findall(text)) - {me}


def shown(text: str) -> str:
    """Stored text for people on Discord: mentions show today's names."""
    return _STORED.sub(r"<@\1>", text)


def unfolded(text: str) -> str:
    """Links without a preview. Discord fetches what it previews, and an address can carry words
    away; a reply for one person has no other way to switch previews off."""
    return _LINK.sub(r"<\1>", text)


def _without_quotes(content: str) -> tuple[str, list[str]]:
    """Quotes at the start of lines; in code they are code."""
    quoted: list[str] = []

    def take(found: re.Match[str]) -> str:
        quoted.append(found[1])
        return ""

    pieces = re.split(r"(```.*?```)", content, flags=re.DOTALL)
    for n in range(0, len(pieces), 2):
        pieces[n] = _QUOTED.sub(take, _REST_QUOTED.sub(take, pieces[n]))
    return "".join(pieces), quoted


def _plain(text: str, me: int, names: Callable[[str, int], str | None]) -> str:
    text = _ACCOUNT.sub(r"@\1", re.sub(rf"<@!?{me}>[,:]?", "", text))
    text = _ROLE.sub(lambda found: f"@{names('role', int(found[1])) or 'role'}", text)
    text = _CHANNEL.sub(lambda found: f"#{names('channel', int(found[1])) or 'channel'}", text)
    text = _COMMAND.sub(r"/\1", _EMOJI.sub(r":\1:", text))
    text = _TIME.sub(_date, text)
    text = _SPOILER.sub(r"\1", text)
    text = _TICKS.sub(r"\2", _FENCE.sub(r"\1", text))
    text = _MARKS.sub(r"\2", text)
    lines = (re.sub(r"[ \t]+", " ", line).strip() for line in text.split("\n"))
    return "\n".join(line for line in lines if line)


def _date(found: re.Match[str]) -> str:
    try:
        when = datetime.fromtimestamp(int(found[1]), UTC)
    except (OverflowError, ValueError, OSError):
        return ""
    return f"{when:%Y-%m-%d %H:%M} UTC"


def _names(guild: discord.Guild | None) -> Callable[[str, int], str | None]:
    def named(kind: str, id: int) -> str | None:
        if guild is None:
            return None
        found = guild.get_role(id) if kind == "role" else guild.get_channel_or_thread(id)
        return None if found is None else found.name

    return named
