"""How Discord's accounts, guilds and channels are written as entities, spaces and places.

Only immutable ids: names change, and two channels may share one.
"""

from __future__ import annotations

from typing import Final

from confide.model import Entity

PLATFORM: Final = "discord"


def person(account_id: int) -> Entity:
    return Entity("human", f"{PLATFORM}.{account_id}")


def account_of(who: Entity) -> int | None:
    """The Discord account behind an entity; None: somebody of another platform."""
    platform, _, number = who.id.partition(".")
    is_ours = who.namespace == "human" and platform == PLATFORM and number.isdecimal()
    return int(number) if is_ours else None


def space(guild_id: int) -> str:
    return f"{PLATFORM}.{guild_id}"


def channel(channel_id: int, guild_id: int) -> str:
    return f"{PLATFORM}.{channel_id}@{space(guild_id)}"


def thread(thread_id: int, parent_id: int, guild_id: int) -> str:
    return f"{PLATFORM}.{thread_id}@{channel(parent_id, guild_id)}"


def number_of(written: str) -> int:
    """The Discord id that a place or space begins with."""
    return int(written.partition("@")[0].partition("/")[0].removeprefix(f"{PLATFORM}."))


def guild_of(place_or_space: str) -> int | None:
    """The guild that a place or space belongs to."""
    last = place_or_space.rpartition("@")[2].partition("/")[0]
    number = last.removeprefix(f"{PLATFORM}.")
    return int(number) if number.isdecimal() else None
