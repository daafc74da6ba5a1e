"""The scenario tables through the bot: people say it on Discord, and ask there."""

from __future__ import annotations

from typing import Any

import pytest
from simcord.backend.models import Overwrite
from simcord.backend.serializers import channel_payload
from simcord.builders import ChannelHandle
from simcord.enums import OverwriteType
from tests.bot import town as towns
from tests.bot.conftest import Running
from tests.bot.town import Town
from tests.scenarios.runner import Fields, Scenario, rows, run
from tests.scenarios.test_scenarios import _with_questions

from confide.surfaces.discord.text import shown

VIEW = 1024
#: Rooms of the tables: their guild, what they are, and whether a role of their own lets one in.
ROOMS = {
    "general": ("guild", "text", False), "general-closed": ("guild", "text", True),
    "help": ("guild", "text", False), "welcome": ("guild", "text", False),
    "garden": ("guild", "text", False), "far-general": ("harbour", "text", False),
    "mods": ("guild", "text", True), "mods-opened": ("guild", "text", False),
    "staff": ("guild", "text", True), "ticket": ("guild", "text", True),
    "far-mods": ("harbour", "text", True), "lounge": ("guild", "age", False),
    "voice": ("guild", "voice", False), "stage": ("guild", "stage", False),
    "news": ("guild", "news", False), "verified": ("guild", "text", True),
    "verified-closed": ("guild", "text", True), "verified-two": ("guild", "text", True),
    "verified-mods": ("guild", "text", True),
}  # fmt: skip
#: Another name for the same room after it changed.
SAME = {"general-closed": "general", "mods-opened": "mods", "verified-closed": "verified"}
THREADS = {
    "mods-thread": ("mods", False), "general-thread": ("general", False),
    "named-thread": ("garden", False), "verified-thread": ("verified", False),
    "hush": ("general", True),
}  # fmt: skip
ALONE = {"dm", "reply", "reply-in-guild", "guest"}
GIVEN = {"learned_in", "by", "text", "sensitivity"}
STEPS = {"join", "leave", "attest", "leave_space", "forget", "who"}
#: Rows whose sentence has no subject, as a program may say it and a person on Discord would not;
#: and a question that names another kind of room than it is, which nobody can on Discord.
UNSAID = {"A7-personal-in-public", "A7-sensitive-in-restricted", "B13-opening-asked"}


class OnDiscord:
    """Somebody says "remember that …" in a room, and everybody asks by mention."""

    def __init__(self, town: Town) -> None:
        self._town, self._backend = town, town.env.backend
        self._guilds = {"guild": town.guild, "harbour": town.env.create_guild("Harbour")}
        self._rooms: dict[str, Any] = {}
        self._keys: dict[str, Any] = {}
        self._people: dict[str, Any] = {}
        self._out: set[tuple[str, str]] = set()

    @classmethod
    def can(cls, scenario: Scenario) -> bool:
        asked = [*scenario.told, *scenario.withheld]
        places = {one["learned_in"] for one in (scenario.given, *scenario.also)}
        places |= {one["place"] for one in asked}
        places |= {s[k] for s in scenario.steps for k in ("join", "leave", "attest") if k in s}
        return (
            places <= {*ROOMS, *THREADS, *ALONE}
            and all(set(one) <= GIVEN for one in (scenario.given, *scenario.also))
            and all(set(step) <= STEPS for step in scenario.steps)
            and all(set(one) <= {"asker", "place", "asks"} for one in asked)
            and all(one["asker"] != "agent" for one in asked)
            and scenario.given["by"] != "agent"
            and scenario.id not in UNSAID
        )

    async def do(self, step: Fields) -> None:
        for who in step.get("who", ()):
            if "join" in step:
                self._let_in(who, step["join"])
            elif "leave" in step:
                self._let_out(who, step["leave"])
            else:
                self._guilds[step["leave_space"]].remove_member(self._member(who))
                self._out |= {(who, room) for room in ROOMS}
        if "attest" in step:
            await self._becomes(step["attest"])
        if "forget" in step:
            await self._forget(step["forget"], step["memory"])
        await self._town.later(seconds=10)

    async def remember(self, given: Fields) -> str:
        who, where, text = given["by"], given["learned_in"], given["text"]
        before = {one.id for one in await self._memories(who)}
        said = text if text.startswith("I ") else text[0].lower() + text[1:]
        if where == "guest":
            await self._command(who, where, "remember", text=text)
        else:
            await self._say(who, where, f"remember that {said}")
        (new,) = [one for one in await self._memories(who) if one.id not in before]
        assert new.sensitivity.value == given.get("sensitivity", "public")
        return shown(new.text)

    async def is_told(self, memory: str, asked: Fields) -> bool:
        return memory in await self._ask(asked["asker"], asked["place"], asked["asks"])

    async def _ask(self, who: str, where: str, question: str) -> str:
        if where in ("reply", "reply-in-guild", "guest"):
            return await self._command(who, where, "ask", question=question)
        return await self._say(who, where, f"do you know this: {question}?")

    async def _say(self, who: str, where: str, text: str) -> str:
        if where == "dm":
            return await self._town.dm(self._member(who), text)
        room = await self._room(where)
        if (who, SAME.get(where, where)) in self._out:
            return ""  # Discord lets nobody speak who is not there
        self._let_in(who, where)
        await self._town.env.settle()
        return await self._town.ask(self._member(who, where), room, text)

    async def _command(self, who: str, where: str, name: str, **given: Any) -> str:
        member = self._member(who)
        towns.CONTEXT.clear()
        if where == "guest":
            towns.CONTEXT.update(context=2, authorizing_integration_owners={"1": str(member.id)})
        if where == "reply-in-guild":
            done = await member.slash(await self._room("general"), name, **given)
        else:
            done = await member.user.slash(name, **given)
        towns.CONTEXT.clear()
        assert done.ephemeral
        return done.response.content

    async def _memories(self, who: str) -> list[Any]:
        person = self._town.person(self._member(who))
        return list(await self._town.confide.memories(person))

    async def _forget(self, who: str, text: str) -> None:
        (memory,) = [one for one in await self._memories(who) if shown(one.text) == text]
        member = self._member(who)
        asked = await member.slash(await self._room("general"), "forget", id=str(memory.id))
        await member.click(asked.response, label="Yes")

    # --- the guilds

    def _member(self, who: str, where: str = "general") -> Any:
        guild = ROOMS.get(THREADS.get(where, (where,))[0], ("guild",))[0]
        if (who, guild) not in self._people:
            others = [one for (name, _), one in self._people.items() if name == who]
            user = others[0].user if others else self._town.env.create_user(who)
            self._people[who, guild] = self._guilds[guild].add_member(user)
        return self._people[who, guild]

    async def _room(self, where: str) -> Any:
        name = SAME.get(where, where)
        if name not in self._rooms:
            made = THREADS.get(name)
            self._rooms[name] = await self._thread(name) if made else await self._channel(where)
        return self._rooms[name]

    async def _thread(self, name: str) -> Any:
        parent, is_private = THREADS[name]
        room = await self._room(parent)
        owner = self._member("alice", parent)
        made = self._backend.create_thread(room.id, name, owner.id, type=12 if is_private else 11)
        self._backend.add_thread_member(made.id, self._town.bot.user.id)
        return ChannelHandle(self._town.env, room.guild, made)

    async def _channel(self, where: str) -> Any:
        space, kind, is_closed = ROOMS[where]
        guild, name = self._guilds[space], SAME.get(where, where)
        await self._town.later(seconds=1)  # of two statements of one time the closed one counts
        match kind:
            case "voice":
                made = guild.create_voice_channel(name)
            case "stage":
                made = guild.create_stage_channel(name)
            case "news":
                made = guild.create_news_channel(name)
            case _:
                made = guild.create_text_channel(name)
        if kind == "age":  # simcord knows no such channels
            payload = channel_payload(self._backend, self._backend.get_channel(made.id))
            self._backend.emit("CHANNEL_UPDATE", {**payload, "nsfw": True})
        if where in ("verified-two", "verified-mods"):
            await self._room("verified")
        if where == "verified-two":
            self._keys[name] = self._keys["verified"]
        else:
            self._keys[name] = guild.create_role(f"{name}-in")
        if is_closed:
            self._close(name, made)
        if where.startswith("verified"):
            await self._among_verified(where)
        await self._town.env.settle()
        return made

    def _close(self, name: str, room: Any) -> None:
        me, guild = self._town.bot.user.id, self._backend.get_channel(room.id).guild_id
        for target, kind, allow in (
            (guild, OverwriteType.ROLE, 0), (me, OverwriteType.MEMBER, VIEW),
            (self._keys[name].id, OverwriteType.ROLE, VIEW),
        ):  # fmt: skip
            overwrite = Overwrite(target, kind, allow=allow, deny=0 if allow else VIEW)
            self._backend.set_overwrite(room.id, overwrite)

    async def _becomes(self, where: str) -> None:
        is_known = SAME.get(where, where) in self._rooms
        room = await self._room(where)
        if where in ("mods-opened", "general"):
            self._backend.delete_overwrite(room.id, self._town.guild.id)
        elif where == "general-closed" and is_known:
            self._close("general", room)
        elif where in ("verified", "verified-closed"):
            await self._among_verified(where)
        await self._town.env.settle()

    async def _among_verified(self, where: str) -> None:
        """The owner names the community role, or takes that back; only then is it one."""
        rules = self._town.bot.rules_of(self._town.bot.get_guild(self._town.guild.id))
        role = self._keys.get("verified")
        is_named = rules.community_role is not None
        if role is not None and is_named is (where == "verified-closed"):
            await self._town.later(seconds=1)
            await self._town.owner().slash(self._town.general, "confide setup", community_role=role)
        if where == "verified-mods":
            within = self._keys["verified-mods"]
            await self._town.later(seconds=1)
            await self._town.owner().slash(self._town.general, "confide setup", within=within)

    def _let_in(self, who: str, where: str) -> None:
        name = SAME.get(where, where)
        parent, is_private = THREADS.get(name, (name, False))
        member = self._member(who, where)
        if is_private:
            self._backend.add_thread_member(self._rooms[name].id, member.id)
        if parent in self._keys:
            guild = self._guilds[ROOMS[parent][0]]
            self._backend.add_member_role(guild.id, member.id, self._keys[parent].id)
        self._out.discard((who, name))

    def _let_out(self, who: str, where: str) -> None:
        member, key = self._member(who, where), self._keys[where]
        self._backend.remove_member_role(self._town.guild.id, member.id, key.id)
        self._out.add((who, where))


@pytest.mark.parametrize("scenario", rows(OnDiscord))
async def test_the_bot_answers_as_the_row_says(running: Running, scenario: Scenario) -> None:
    async with running() as town:
        assert not await run(_with_questions(scenario), OnDiscord(town))


def test_most_kinds_of_places_are_acted_out() -> None:
    acted = {one.values[0].id for one in rows(OnDiscord)}
    assert len(acted) >= 28, len(acted)
