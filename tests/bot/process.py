"""The real `confide bot` as a process of its own, on a Discord that listens on loopback."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.bot.loopback import TOKEN, Loopback


def environment(discord: Loopback, home: Path, agent: str, **settings: str) -> dict[str, str]:
    env = os.environ | {
        "CONFIDE_HOME": str(home), "CONFIDE_AGENT": agent, "DISCORD_TOKEN": TOKEN,
        "CONFIDE_DISCORD_URL": discord.url,
    }  # fmt: skip
    return env | settings


class Bot:
    def __init__(self, process: Process) -> None:
        self.process = process
        self.log: list[str] = []
        self._reading = asyncio.ensure_future(self._read())

    async def _read(self) -> None:
        assert self.process.stderr is not None
        async for line in self.process.stderr:
            self.log.append(line.decode())

    async def ends(self) -> int:
        await self._reading
        return await self.process.wait()

    async def stop(self, by: signal.Signals = signal.SIGTERM) -> int:
        if self.process.returncode is None:
            self.process.send_signal(by)
        async with asyncio.timeout(60):
            return await self.ends()


async def start(*arguments: str, env: dict[str, str]) -> Bot:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "confide", "bot", *arguments, env=env, stdout=DEVNULL, stderr=PIPE
    )
    return Bot(process)


@asynccontextmanager
async def bot_on(discord: Loopback, env: dict[str, str]) -> AsyncIterator[Bot]:
    """Connected, with its commands published, until the block ends."""
    before = discord.identified
    bot = await start("--log", "info", env=env)
    try:
        await discord.until(
            lambda: (
                bot.process.returncode is not None
                or (discord.identified > before and discord.backend.commands.get(None))
            ),
            seconds=60,
        )
        assert bot.process.returncode is None, "".join(bot.log)
        yield bot
    finally:
        await bot.stop()


class Town:
    """A guild with moderators, members and rooms of several kinds, on a loopback Discord."""

    def __init__(self, discord: Loopback) -> None:
        self.discord, self.backend = discord, discord.backend
        self.guild = self.backend.create_guild("Town")
        self.mods = self.role("mods")
        self.general = self.channel("general")
        self.staff = self.channel("staff", seen_by=(self.mods,))
        self.alice, self.bob = self.member("alice", self.mods), self.member("bob")

    def role(self, name: str, permissions: int = 0) -> int:
        return self.backend.create_role(self.guild.id, name=name, permissions=permissions).id

    def member(self, name: str, *roles: int) -> int:
        user = self.backend.make_user(name)
        self.backend.add_member(self.guild.id, user.id, roles=roles, announce=True)
        return user.id

    def channel(self, name: str, type: int = 0, seen_by: tuple[int, ...] | None = None) -> int:
        from simcord.backend.models import Overwrite
        from simcord.enums import OverwriteType

        overwrites: list[Any] = []
        if seen_by is not None:
            overwrites = [Overwrite(self.guild.id, OverwriteType.ROLE, deny=1024)]
            overwrites += [Overwrite(one, OverwriteType.ROLE, allow=1024) for one in seen_by]
            me = self.backend.bot_user.id
            overwrites.append(Overwrite(me, OverwriteType.MEMBER, allow=1024))
        made = self.backend.create_channel(self.guild.id, name, type=type, overwrites=overwrites)
        return made.id
