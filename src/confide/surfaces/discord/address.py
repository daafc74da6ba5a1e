"""Where Discord is."""

from __future__ import annotations

from typing import Final

import discord.http

DISCORD: Final = "https://discord.com/api/v10"


def at(url: str) -> None:
    """Discord's API, or a proxy in front of it that shares rate limits among processes."""
    discord.http.Route.BASE = url.rstrip("/")
