"""A small day of the synthetic community; `benchmarks.discord_day` replays a whole one."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.bot.loopback import Loopback

from benchmarks import discord_day


@pytest.mark.req("S16", "S20", "B7", "B13")
async def test_a_small_day_leaks_withholds_loses_and_doubles_nothing(
    home: Path, agent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(discord_day, "AGENT", agent)
    found = await discord_day.replay(home, guilds=2, channels=6, messages=100, seed=11)
    assert found.counts["told"] > 10, found.counts
    assert found.counts["kill"], "the process was killed at least once"
    assert (found.leaks, found.withheld, found.lost, found.doubled) == ([], [], [], [])


async def test_the_oracle_sees_a_leak_and_a_loss() -> None:
    """The judge is not blind: planted replies are found."""
    town = discord_day.Community(Loopback(), random.Random(1), 2, 6)
    public = next(one for one in town.rooms if one.kind == "public")
    staff = next(one for one in town.rooms if one.kind == "staff" and one.guild == public.guild)
    news = next(one for one in town.rooms if one.kind == "news" and one.guild == public.guild)
    mod, other = town.members[public.guild][0], town.members[public.guild][5]
    private = discord_day.Fact(1, mod, None, "dm", 0, 0)
    among = discord_day.Fact(2, mod, staff, "staff", 0, 0)
    said = discord_day.Fact(3, mod, public, "public", 0, 0)
    assert [town.may(private, mod, sink) for sink in (None, public, staff)] == [True, False, False]
    assert [town.may(among, mod, sink) for sink in (None, public, staff)] == [True, False, True]
    assert [town.may(said, other, sink) for sink in (None, public, news)] == [False, True, False]
    town.moderators.discard((public.guild, mod))
    assert not town.may(among, mod, None)
