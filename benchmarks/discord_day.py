"""A day of a synthetic community on Discord: `python -m benchmarks.discord_day`.

The real `confide bot` process talks to a Discord on loopback: guilds, channels that everyone reads,
channels of moderators, announcements and threads. People tell it things in direct chats and rooms
and ask for them everywhere. Meanwhile roles are lost, channels close and open, messages are edited,
deleted, repeated and delivered late, and the connection breaks: resumed, refused, and by killing the
process. An oracle that knows only who can read which channel judges every reply.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import re
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from simcord.backend.models import Overwrite
from simcord.backend.serializers import message_payload
from simcord.enums import OverwriteType
from tests.bot.loopback import Loopback
from tests.bot.process import Bot, bot_on, environment

from benchmarks.bars import Bar, lines
from confide import Confide
from confide.model import Sensitivity
from confide.screen import Screen
from confide.store import embedded

VIEW = 1024
AGENT = "day"
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
WORD = re.compile(r"[a-z]+")
#: Messages that are under way at once.
WIDTH = 6


def word(n: int) -> str:
    """A name that nobody says by chance; different for each number."""
    n = n * 7919 + 104729
    parts: list[str] = []
    for _ in range(4):
        n, at = divmod(n, len(ONSETS) * 5)
        parts.append(ONSETS[at // 5] + "aeiou"[at % 5])
    return "".join(parts)


@dataclass(slots=True, eq=False)
class Room:
    guild: int
    id: int
    kind: str  # public, staff or news
    generation: int = 0  # grows when it opens: what was said before stays behind
    parent: Room | None = None  # of a thread

    @property
    def room(self) -> Room:
        return self.parent or self


@dataclass(slots=True, eq=False)
class Fact:
    """Something that somebody told the bot, and how it may be told now."""

    number: int
    owner: int
    room: Room | None  # None: in a direct chat
    level: str  # dm, public or staff; what was public becomes staff when its room closes
    generation: int
    message: int
    is_gone: bool = False
    is_learned_anew: bool = False

    @property
    def secret(self) -> str:
        return word(2 * self.number + 1)

    @property
    def sentence(self) -> str:
        return f"the {word(2 * self.number)} lamp is called {self.secret}"

    @property
    def question(self) -> str:
        return f"what is the {word(2 * self.number)} lamp called?"


@dataclass(slots=True)
class Found:
    """What the replies showed."""

    counts: Counter[str] = field(default_factory=Counter[str])
    leaks: list[str] = field(default_factory=list[str])
    withheld: list[str] = field(default_factory=list[str])
    lost: list[str] = field(default_factory=list[str])
    doubled: list[str] = field(default_factory=list[str])

    @property
    def so_far(self) -> str:
        wrong = [len(one) for one in (self.leaks, self.withheld, self.lost, self.doubled)]
        return f"{dict(self.counts)} leaks, withheld, lost, doubled: {wrong}"

    @property
    def is_clean(self) -> bool:
        return not (self.leaks or self.withheld or self.lost or self.doubled)


class Community:
    """Guilds on a loopback Discord, and who can read what in them: the oracle's whole knowledge."""

    def __init__(self, discord: Loopback, draw: random.Random, guilds: int, channels: int) -> None:
        self.backend, self.draw = discord.backend, draw
        self.me = self.backend.bot_user.id
        self.rooms: list[Room] = []
        self.mods: dict[int, int] = {}  # the role of each guild's moderators
        self.members: dict[int, list[int]] = {}
        self.moderators: set[tuple[int, int]] = set()
        people = [self.backend.make_user(f"person-{n}").id for n in range(guilds * 4)]
        self.people = people
        for n in range(guilds):
            self._guild(f"guild {n}", channels, draw.sample(people, min(8, len(people))))

    def _guild(self, name: str, channels: int, people: list[int]) -> None:
        guild = self.backend.create_guild(name).id
        self.mods[guild] = self.backend.create_role(guild, name="mods").id
        self.members[guild] = people
        for n, who in enumerate(people):
            roles = [self.mods[guild]] if n < 3 else []
            self.backend.add_member(guild, who, roles=roles)
            self.moderators |= {(guild, who)} if roles else set()
        for n in range(channels):
            kind = "news" if n == channels - 1 else "staff" if n % 4 == 3 else "public"
            self._channel(guild, f"{kind}-{n}", kind, has_thread=n % 5 == 0)

    def _channel(self, guild: int, name: str, kind: str, *, has_thread: bool) -> None:
        hidden = self._hidden(guild) if kind == "staff" else []
        made = self.backend.create_channel(
            guild, name, type=5 if kind == "news" else 0, overwrites=hidden
        )
        room = Room(guild, made.id, kind)
        self.rooms.append(room)
        if has_thread:
            owner = self.members[guild][0]
            thread = self.backend.create_thread(made.id, f"{name}-talk", owner, type=11)
            self.rooms.append(Room(guild, thread.id, kind, parent=room))

    def _hidden(self, guild: int) -> list[Overwrite]:
        return [
            Overwrite(guild, OverwriteType.ROLE, deny=VIEW),
            Overwrite(self.mods[guild], OverwriteType.ROLE, allow=VIEW),
            Overwrite(self.me, OverwriteType.MEMBER, allow=VIEW),
        ]

    def reads(self, who: int, room: Room) -> bool:
        is_member = who in self.members[room.guild]
        return is_member and (room.room.kind != "staff" or (room.guild, who) in self.moderators)

    def may(self, fact: Fact, asker: int, sink: Room | None) -> bool:
        """From who can read what, and nothing else."""
        if fact.is_gone:
            return False
        own = fact.owner == asker
        if sink is None:
            if not own or fact.level != "staff":
                return own
            assert fact.room is not None
            return self.reads(asker, fact.room)
        if sink.room.kind == "news":
            return False
        if fact.level == "public":
            assert fact.room is not None
            return fact.room.guild == sink.guild
        if fact.level == "staff" and own and fact.room is not None:
            is_here = fact.room.room is sink.room
            return is_here and sink.room.kind == "staff" and self._is_same_age(fact)
        return False

    def must(self, fact: Fact, asker: int, sink: Room | None) -> bool:
        """What is not told then is wrongly withheld. Of a room that opened since, its speaker is
        told their own words only if they never lost access: the row S20-opened."""
        has_opened = fact.level == "staff" and not self._is_same_age(fact)
        return self.may(fact, asker, sink) and not has_opened

    def _is_same_age(self, fact: Fact) -> bool:
        assert fact.room is not None
        return fact.generation == fact.room.room.generation

    # --- what happens in a day

    def lose_or_gain_role(self) -> None:
        guild = self.draw.choice(list(self.mods))
        who = self.draw.choice(self.members[guild])
        key, role = (guild, who), self.mods[guild]
        if key in self.moderators:
            self.moderators.discard(key)
            self.backend.remove_member_role(guild, who, role)
        else:
            self.moderators.add(key)
            self.backend.add_member_role(guild, who, role)

    def flip(self, facts: Iterable[Fact]) -> None:
        """A channel closes, or opens."""
        rooms = [one for one in self.rooms if one.parent is None and one.kind != "news"]
        room = self.draw.choice(rooms)
        if room.kind == "public":
            room.kind = "staff"
            for one in facts:
                if one.level == "public" and one.room is not None and one.room.room is room:
                    one.level = "staff"
            # The bot's own way in comes first, as an owner would do it.
            for overwrite in reversed(self._hidden(room.guild)):
                self.backend.set_overwrite(room.id, overwrite)
        else:
            room.kind, room.generation = "public", room.generation + 1
            self.backend.delete_overwrite(room.id, room.guild)


class Day:
    def __init__(self, discord: Loopback, town: Community, draw: random.Random) -> None:
        self.discord, self.town, self.draw = discord, town, draw
        self.facts: list[Fact] = []
        self.by_secret: dict[str, Fact] = {}
        self.found = Found()
        self.log: list[str] = []  # of the process that runs now
        self._next = 0
        self._screen = Screen()

    async def say_or_ask(self) -> None:
        """One message of somebody, and the reply to it."""
        if len(self.facts) < 5 or self.draw.random() < 0.5:
            await self._say()
        else:
            await self._ask()

    def _somewhere(self, who: int) -> Room | None:
        """A room that somebody can write in, or their direct chat."""
        if self.draw.random() < 0.35:
            return None
        rooms = [one for one in self.town.rooms if self.town.reads(who, one)]
        return self.draw.choice(rooms) if rooms else None

    async def _say(self) -> None:
        who = self.draw.choice(self.town.people)
        room = self._somewhere(who)
        level = "dm" if room is None else "staff" if room.room.kind == "staff" else "public"
        generation = 0 if room is None else room.room.generation
        fact = Fact(self._number(), who, room, level, generation, 0)
        reply = await self._exchanged(who, room, f"remember that {fact.sentence}", fact)
        self.found.counts["said"] += 1
        if "remember" not in reply:
            self._wrong(self.found.lost, f"fact {fact.number} was not taken: {reply[:60]!r}")
            return
        self.facts.append(fact)
        self.by_secret[fact.secret] = fact

    def _number(self) -> int:
        """The next one whose words hold nothing that the screen takes for personal: a made-up word
        may look like one that is, and then it is rightly told to fewer people."""
        while True:
            self._next += 1
            sentence = f"The {word(2 * self._next)} lamp is called {word(2 * self._next + 1)}"
            if self._screen.look(sentence).sensitivity is Sensitivity.PUBLIC:
                return self._next

    async def _ask(self) -> None:
        recent = self.facts[-400:]
        fact = self.draw.choice(recent)
        who = fact.owner if self.draw.random() < 0.5 else self.draw.choice(self.town.people)
        room = self._somewhere(who)
        if fact.room is not None and self.draw.random() < 0.4 and self.town.reads(who, fact.room):
            room = fact.room
        reply = await self._exchanged(who, room, fact.question)
        self.found.counts["asked"] += 1
        sink = "a direct chat" if room is None else f"{room.room.kind} {room.id}"
        for name in set(WORD.findall(reply)) & self.by_secret.keys():
            one = self.by_secret[name]
            if not self.town.may(one, who, room):
                self._wrong(self.found.leaks, f"{one.level} fact {one.number} told in {sink}")
        if self.town.must(fact, who, room):
            self.found.counts["told"] += 1
            if fact.secret not in reply:
                again = await self._exchanged(who, room, fact.question)
                later = "told when asked again" if fact.secret in again else "nor when asked again"
                self._wrong(
                    self.found.withheld,
                    f"{fact.level} fact {fact.number} not told in {sink}, {later}: {reply[:60]!r}",
                )

    async def _exchanged(
        self, who: int, room: Room | None, text: str, fact: Fact | None = None
    ) -> str:
        backend = self.discord.backend
        channel = backend.get_dm_channel(who).id if room is None else room.id
        words = text if room is None else f"<@{self.town.me}> {text}"
        said = backend.create_message(channel, who, words)
        if fact is not None:
            fact.message = said.id
        if self.draw.random() < 0.02:
            self.discord.deliver("MESSAGE_CREATE", dict(message_payload(backend, said)))
            self.found.counts["repeated"] += 1
        try:
            replies = await self.discord.until(
                lambda: self.discord.replies(channel, said.id), seconds=60
            )
        except TimeoutError:
            self._wrong(
                self.found.lost, f"no reply to message {said.id} in {channel}: {text[:60]!r}"
            )
            return ""
        return "\n".join(one.content for one in replies)

    def _wrong(self, into: list[str], what: str) -> None:
        """Said at once too, beside what the process logged last."""
        into.append(what)
        logged = "".join(line for line in self.log[-40:] if '"info"' not in line)
        print(f"  {datetime.now(UTC):%H:%M:%S} {what}\n{logged[-900:]}", flush=True)

    async def change_a_message(self) -> None:
        """Somebody deletes or edits what they said; it is gone, whatever was learned of it."""
        standing = [one for one in self.facts[-200:] if not one.is_gone]
        if not standing:
            return
        fact, backend = self.draw.choice(standing), self.discord.backend
        room = fact.room
        channel = backend.get_dm_channel(fact.owner).id if room is None else room.id
        fact.is_gone = True
        if self.draw.random() < 0.5:
            backend.delete_message(channel, fact.message)
            self.found.counts["deleted"] += 1
            return
        words = f"remember that the {word(2 * fact.number)} lamp is broken"
        mention = "" if room is None else f"<@{self.town.me}> "
        edited = {"content": mention + words, "edited_timestamp": backend.now_iso()}
        backend.edit_message(channel, fact.message, edited)
        self.found.counts["edited"] += 1

    def deliver_late(self) -> None:
        """A message of an hour ago arrives: it is kept, and nobody is answered any more."""
        backend, who = self.discord.backend, self.draw.choice(self.town.people)
        chat = backend.get_dm_channel(who).id
        said = backend.create_message(chat, who, "hello from a while ago", broadcast=False)
        payload = dict(message_payload(backend, said))
        hour = 3600 * 1000 << 22
        payload["id"] = str(said.id - hour)
        self.discord.deliver("MESSAGE_CREATE", payload)
        self.found.counts["late"] += 1

    async def rounds(self, count: int) -> None:
        """`count` messages, some at once, with nothing under way at the end."""
        for first in range(0, count, WIDTH):
            under_way = [self.say_or_ask() for _ in range(min(WIDTH, count - first))]
            await asyncio.gather(*under_way)

    async def heard_all(self) -> None:
        """The bot has seen every event so far, deletions too: a reply comes after them."""
        who = self.town.people[0]
        await self._exchanged(who, None, "hello there, are you awake?")
        await asyncio.sleep(0.1)


async def replay(
    home: Path,
    guilds: int,
    channels: int,
    messages: int,
    seed: int = 7,
    minutes: float | None = None,
) -> Found:
    """`minutes`: the day ends early then, and what happened until then is judged."""
    draw, begun = random.Random(seed), time.monotonic()
    async with AsyncExitStack() as stack:
        discord = await stack.enter_async_context(Loopback())
        town = Community(discord, draw, guilds, channels)
        day = Day(discord, town, draw)
        env = environment(discord, home, AGENT)
        running = AsyncExitStack()
        bot = await running.enter_async_context(bot_on(discord, env))
        day.log = bot.log
        turns = list(_turns(messages))
        try:
            for n, (count, event) in enumerate(turns):
                await day.rounds(count)
                running, bot = await _happens(day, event, running, bot, env)
                if minutes is not None and n % 20 == 0:
                    print(f"  {n}/{len(turns)} {day.found.so_far}", flush=True)
                if minutes is not None and time.monotonic() - begun > 60 * minutes:
                    break
            await day.heard_all()
        finally:
            await running.aclose()
            _show_troubles(bot)
        _count_replies(day)
    await _compare_with_store(day, home)
    return day.found


def _turns(messages: int) -> Iterable[tuple[int, str]]:
    """How many messages until the next thing happens."""
    usual = ["role", "change", "flip", "late", "role", "change", "drop", "role", "change", "flip"]
    events = max(20, messages // 50)
    rare = {events // 3: "invalid", events // 2: "kill"}
    if messages > 1000:
        rare[2 * events // 3] = "kill"
    done = 0
    for n in range(events):
        until = messages * (n + 1) // events
        yield until - done, rare.get(n, usual[n % len(usual)])
        done = until


async def _happens(
    day: Day, event: str, running: AsyncExitStack, bot: Bot, env: dict[str, str]
) -> tuple[AsyncExitStack, Bot]:
    discord, found = day.discord, day.found
    found.counts[event] += 1
    match event:
        case "role":
            day.town.lose_or_gain_role()
        case "flip":
            day.town.flip(day.facts)
        case "change":
            await day.change_a_message()
            await day.heard_all()
        case "late":
            day.deliver_late()
        case "drop":  # messages sent meanwhile arrive when it resumes
            await discord.drop()
        case "invalid":
            discord.sessions[-1].is_valid = False
            before = discord.identified
            await discord.drop()
            await discord.until(lambda: discord.identified > before, seconds=60)
        case _:
            await day.heard_all()
            _show_troubles(bot)
            await bot.stop(signal.SIGKILL)
            await running.aclose()
            running = AsyncExitStack()
            bot = await running.enter_async_context(bot_on(discord, env))
            day.log = bot.log
    return running, bot


def _show_troubles(bot: Bot) -> None:
    """What the process logged beside its usual work."""
    print("".join(line for line in bot.log if '"info"' not in line)[-4000:], end="")


def _count_replies(day: Day) -> None:
    """Every message that somebody sent to the bot has one reply."""
    backend = day.discord.backend
    for channel, kept in backend.messages.items():
        answered = Counter(
            int((one.reference or {}).get("message_id") or 0)
            for one in kept.values()
            if one.author_id == day.town.me
        )
        for id, count in answered.items():
            if id and count > 1:
                day.found.doubled.append(f"{count} replies in {channel}")


async def _compare_with_store(day: Day, home: Path) -> None:
    """What was taken is there once; what was taken back is not there."""
    async with Confide.open(home, agent=AGENT, learn=False) as confide:
        await confide.learning.learn(
            is_everything=True
        )  # of a killed process something may be left
        async with confide.database.keep() as connection:
            rows = await connection.fetch(
                "SELECT text FROM confide.memory WHERE agent = $1 AND status = 'approved'", AGENT
            )
    kept = Counter(name for row in rows for name in row["text"].split() if name in day.by_secret)
    for fact in day.facts:
        times = kept[fact.secret]
        if fact.is_gone and times:
            day.found.leaks.append(f"fact {fact.number} is kept after it was taken back")
        elif not fact.is_gone and times != 1:
            into = day.found.doubled if times else day.found.lost
            into.append(f"fact {fact.number} is kept {times} times")


async def run(given: argparse.Namespace) -> bool:
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        lease = await asyncio.to_thread(embedded.start, home, idle_seconds=600, is_kept=False)
        with lease:
            found = await replay(
                home, given.guilds, given.channels, given.messages, given.seed, given.minutes
            )
        embedded.stop(home)
    sent = found.counts["said"] + found.counts["asked"]
    size = f"{given.guilds} guilds × {given.channels} channels, {sent} messages"
    print(
        f"{size}, seed {given.seed}, {time.monotonic() - begun:.0f} s, load {os.getloadavg()[0]:.1f}"
    )
    print(f"   {dict(found.counts)}")
    bars = [
        Bar(name, "0", str(len(seen)), not seen)
        for name, seen in (
            ("leaks", found.leaks), ("wrongly withheld", found.withheld),
            ("lost", found.lost), ("doubled", found.doubled),
        )
    ]  # fmt: skip
    print("\n".join(lines(bars)))
    for one in (*found.leaks[:9], *found.withheld[:9], *found.lost[:9], *found.doubled[:9]):
        print("  ", one)
    return found.is_clean


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--guilds", type=int, default=50)
    parser.add_argument("--channels", type=int, default=20)
    parser.add_argument("--messages", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--minutes", type=float, default=240, help="end the day after so many")
    sys.exit(0 if asyncio.run(run(parser.parse_args())) else 1)


if __name__ == "__main__":
    main()
