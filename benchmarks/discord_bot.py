"""The Discord bot on a simulated Discord: `python -m benchmarks.discord_bot`.

1. From message to reply, beside an echo bot on the same simulator, over many memories.
2. Messages observed a second.

`benchmarks.discord_day` replays a whole day.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import discord
import simcord

from benchmarks.bars import Bar, lines
from confide import Confide, operator_as, statement
from confide.store import embedded
from confide.surfaces.discord import ids
from confide.surfaces.discord.client import ConfideBot
from confide.surfaces.discord.intents import intents
from confide.surfaces.discord.listening import spot_of
from confide.verbs.spaces import SpaceRules

MORE_MS, A_SECOND = 50.0, 100.0
#: Messages that arrive together.
AT_ONCE = 50
ONSETS = (
    "b",
    "d",
    "f",
    "g",
    "k",
    "l",
    "m",
    "n",
    "p",
    "r",
    "s",
    "t",
    "v",
    "z",
    "br",
    "dr",
    "gl",
    "kr",
)


def word(n: int) -> str:
    """A name that nobody says by chance; different for each number."""
    parts = []
    for _ in range(4):
        n, at = divmod(n, len(ONSETS) * 5)
        parts.append(ONSETS[at // 5] + "aeiou"[at % 5])
    return "".join(parts)


class Echo(discord.Client):
    async def on_message(self, message: discord.Message) -> None:
        if not message.author.bot:
            async with message.channel.typing():
                await message.reply(message.content)


@asynccontextmanager
async def simulated(bot: discord.Client) -> AsyncIterator[Any]:
    """A Discord of today: what is long past is not answered any more."""
    async with simcord.run(bot, settle_timeout=30, check_errors=False) as env:
        env.backend.clock._epoch = datetime.now(UTC)
        yield env


async def latency(confide: Confide | None, rounds: int) -> list[float]:
    """Milliseconds from the event to the request that sends the reply."""
    bot = Echo(intents=intents()) if confide is None else ConfideBot(confide)
    times: list[float] = []
    async with simulated(bot) as env:
        member = env.create_guild().add_member(env.create_user("asker"))
        begun = [0.0]
        plain = bot.http.request

        async def request(route: Any, **given: Any) -> Any:
            if route.method == "POST" and route.path.endswith("/messages"):
                times.append((time.perf_counter() - begun[0]) * 1000)
            return await plain(route, **given)

        bot.http.request = request  # type: ignore[method-assign]
        for n in range(rounds):
            begun[0] = time.perf_counter()
            await member.user.send_dm(f"what is the name of boat number {n}?")
    return times[len(times) // 5 :]


async def observed_a_second(home: Path, count: int) -> float:
    """Messages of channels that the bot listens to, from the event until the last one is stored."""
    wanted = {"agent": "heard", "learn": False, "discord_message_content": True}
    async with Confide.open(home, **wanted) as confide:
        bot = ConfideBot(confide)
        async with simulated(bot) as env:
            people, rooms = [], []
            for n in range(20):
                guild = env.create_guild(f"g{n}")
                people.append(guild.add_member(env.create_user(f"p{n}")))
                rooms.append(guild.create_text_channel("general"))
                rules = SpaceRules(listened=frozenset({str(rooms[-1].id)}))
                await confide.rules.decide(f"discord.{guild.id}", rules, actor=operator_as())
            await env.settle(timeout=60)
            for guild in bot.guilds:
                await bot.read_rules(guild)
                place = spot_of(guild.text_channels[0], ids.person(1), SpaceRules()).place
                await confide.learning.listen(place)
            begun = time.perf_counter()
            for n in range(count):
                who, room = people[n % len(people)], rooms[n % len(rooms)]
                env.backend.create_message(room.id, who.id, f"I like {word(n)} tea today")
                if n % AT_ONCE == AT_ONCE - 1:
                    await _stored(confide, n + 1)
            await _stored(confide, count)
            return count / (time.perf_counter() - begun)


async def _stored(confide: Confide, count: int) -> None:
    for _ in range(60_000):
        async with confide.database.keep() as connection:
            kept = await connection.fetchval(
                "SELECT count(*) FROM confide.message WHERE agent = 'heard'"
            )
        if kept >= count:
            return
        await asyncio.sleep(0.001)
    raise TimeoutError(f"{kept} of {count} were stored")


async def fill(confide: Confide, memories: int) -> None:
    texts = (
        statement(f"Person {n} likes {word(n)} tea", by=f"human:discord.{n % 500 + 1}", place="dm")
        for n in range(memories)
    )
    for kept in await confide.remember_all(list(texts)):
        assert not isinstance(kept, Exception), kept


async def run(given: argparse.Namespace) -> bool:
    print(f"load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        lease = await asyncio.to_thread(embedded.start, home, idle_seconds=600, is_kept=False)
        with lease:
            async with Confide.open(home, agent="fast", learn=False) as confide:
                await fill(confide, given.memories)
                times: dict[str, list[float]] = {"echo": [], "confide": []}
                for _ in range(3):  # by turns: both share the noise of their moment
                    times["echo"] += await latency(None, given.rounds)
                    times["confide"] += await latency(confide, given.rounds)
            rate = await observed_a_second(home, given.observed)
        embedded.stop(home)
    echo, own = (statistics.median(times[one]) for one in ("echo", "confide"))
    more = own - echo
    bars = [
        Bar(
            f"message to reply over an echo bot, {given.memories} memories",
            f"≤ {MORE_MS} ms",
            f"{more:.1f} ms more ({own:.1f} against {echo:.1f})",
            more <= MORE_MS,
        ),
        Bar("messages observed a second", f"≥ {A_SECOND}", f"{rate:.0f}", rate >= A_SECOND),
    ]
    print("\n".join(lines(bars)))
    print(f"load {os.getloadavg()[0]:.1f}")
    return all(bar.is_met for bar in bars)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--observed", type=int, default=2_000)
    sys.exit(0 if asyncio.run(run(parser.parse_args())) else 1)


if __name__ == "__main__":
    main()
