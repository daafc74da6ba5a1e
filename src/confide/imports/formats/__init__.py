"""Every format that can be read, in the order in which they are tried."""

from __future__ import annotations

from typing import Final

from confide.errors import InvalidInput
from confide.imports.formats.chatgpt import ChatGPT
from confide.imports.formats.claude import Claude
from confide.imports.formats.discord import DiscordChannel, DiscordPackage
from confide.imports.formats.gemini import AIStudio, Takeout
from confide.imports.formats.json_lines import JsonLines
from confide.imports.formats.mem0 import Mem0
from confide.imports.formats.slack import Slack
from confide.imports.formats.telegram import Telegram
from confide.imports.formats.text import PlainText
from confide.imports.formats.whatsapp import WhatsApp
from confide.imports.said import Format
from confide.imports.source import Files

FORMATS: Final[dict[str, Format]] = {
    one.name: one
    for one in (
        Slack(),
        DiscordPackage(),
        DiscordChannel(),
        Telegram(),
        ChatGPT(),
        Claude(),
        Takeout(),
        AIStudio(),
        Mem0(),
        WhatsApp(),
        JsonLines(),
        PlainText(),
    )
}


def recognise(files: Files, wanted: str | None = None) -> Format:
    """The format of what was given, or the one that was named."""
    if wanted is not None:
        if wanted not in FORMATS:
            raise InvalidInput("from", f"{wanted!r} is none of {', '.join(FORMATS)}")
        return FORMATS[wanted]
    for one in FORMATS.values():
        if one.recognises(files):
            return one
    if files.archive is not None and not any(map(files.head, files.parts)):
        raise InvalidInput("file", "is a broken zip; download it again")
    raise InvalidInput(
        "file", f"is of no known format; say which with --from: {', '.join(FORMATS)}"
    )
