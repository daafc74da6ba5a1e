"""The library and the command line, as the scenario tables see them."""

from __future__ import annotations

import asyncio
import json
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.conftest import Clock
from tests.scenarios.pure import read_audience, read_statement
from tests.scenarios.runner import Fields, Refused, Scenario, people, when, where, who

from confide import Confide, operator_as
from confide.errors import ConfideError
from confide.model import Sensitivity
from confide.reading import read_entity, read_place
from confide.sync import Twin


class Library:
    """The verbs of Python, on the database."""

    def __init__(self, confide: Confide, clock: Clock) -> None:
        self._confide = confide
        self._clock = clock
        self._agent = confide.database.agent_entity
        self._texts: dict[uuid.UUID, tuple[str, str]] = {}  # as it is stored, as it was said

    @classmethod
    def can(cls, scenario: Scenario) -> bool:
        return True

    async def do(self, step: Fields) -> None:
        (verb,) = set(step) - {"memory", "who", "ago"}
        at = when(step, self._clock.now)
        everyone = [read_entity(one) for one in people(step, "who", str(self._agent))]
        match verb:
            case "join":
                await self._confide.world.join(self._place(step["join"]), *everyone, at=at)
            case "attest":
                await self._confide.world.attest(self._place(step["attest"]), at=at)
            case "wait":
                self._clock.now += timedelta(**step["wait"])
            case "forget":
                actor = operator_as(read_entity(who(step["forget"], str(self._agent))))
                await self._confide.forget(step["memory"], actor=actor)
            case _:
                for one in everyone:
                    await self._one(verb, step[verb], one, at)

    async def _one(self, verb: str, what: str, one: Any, at: datetime | None) -> None:
        match verb:
            case "leave":
                await self._confide.world.leave(self._place(what), one, at=at)
            case "leave_space":
                await self._confide.world.leave_space(what, one, at=at)
            case "opt_out_of":
                actor = operator_as(one)
                await self._confide.rights.opt_out(
                    one, actor=actor, is_global_only=what == "global"
                )
            case "assign":
                await self._confide.world.assign(read_entity(what), one)
            case "unassign":
                await self._confide.world.unassign(read_entity(what), one)
            case _:
                raise ValueError(verb)

    def _place(self, name: str) -> Any:
        return read_place(where(name), self._agent)

    async def remember(self, given: Fields) -> uuid.UUID:
        try:
            done = await self._confide.remember(read_statement(given, self._agent))
        except ConfideError as refusal:
            raise Refused(str(refusal)) from refusal
        wanted = Sensitivity(given.get("sensitivity", "public"))
        assert done.memory.sensitivity is wanted, "the row does not say what the screen found"
        self._texts[done.id] = (done.memory.text, given["text"])
        return done.id

    async def is_told(self, memory: uuid.UUID, asked: Fields) -> bool:
        listening = read_audience(asked, self._agent)
        context = await self._confide.recall(asked["asks"], listening)
        explained = await self._confide.explain(memory, listening)
        told = memory in {one.memory.id for one in context.memories}
        # Three answers to one question: search, the rule, row-level security.
        assert explained.decision.told == explained.told_by_database == told, explained
        assert explained.decision.because
        self._look_at(str(context), {one.memory.id for one in context.memories})
        return told

    def _look_at(self, block: str, told: set[uuid.UUID]) -> None:
        """What a model reads: the words of all that is told, and of nothing that is withheld."""
        said_too = " ".join(text for one in told for text in self._texts[one])
        for id, (stored, said) in self._texts.items():
            if id in told:
                assert stored in block, "told, but not in the block"
            for text in {stored, said} if id not in told else ():
                assert text in said_too or text not in block, "withheld, but in the block"


class CommandLine:
    """`confide … --json`, in this process. Time and what only a platform says are beyond it."""

    VERBS = frozenset(
        {"join", "leave", "leave_space", "forget", "who", "attest", "opt_out_of", "ago"}
    )

    def __init__(self, home: Path, agent: str) -> None:
        self._home = home
        self._agent = f"si:{agent}"
        self._options = ["--home", str(home), "--agent", agent]

    @classmethod
    def can(cls, scenario: Scenario) -> bool:
        return all(set(step) <= cls.VERBS for step in scenario.steps) and not any(
            field in given
            for given in (scenario.given, *scenario.also)
            for field in ("is_portable",)
        )

    def _now(self) -> datetime:
        return datetime.now(UTC)

    async def do(self, step: Fields) -> None:
        everyone = people(step, "who", self._agent)
        at = when(step, self._now())
        late = ["--at", at.isoformat()] if at else []
        if "join" in step:
            await self._run("places", "join", where(step["join"]), *everyone, *late)
        elif "leave" in step:
            await self._run("places", "leave", where(step["leave"]), *everyone, *late)
        elif "leave_space" in step:
            await self._run("places", "leave-space", step["leave_space"], *everyone, *late)
        elif "attest" in step:
            await self._run("places", "attest", where(step["attest"]), *late)
        elif "opt_out_of" in step:
            flags = ["--global"] if step["opt_out_of"] == "global" else []
            await self._run("privacy", "opt-out", *flags, "--as", *everyone)
        else:
            asker = who(step["forget"], self._agent)
            await self._run("forget", step["memory"], "--as", asker, "--yes")

    async def remember(self, given: Fields) -> str:
        flags = {"learned_in": "in", "lifetime": "for", "with": "with"}
        arguments = ["remember", given["text"]]
        for name, value in given.items():
            if value is True:
                arguments += [f"--{name}"]
            elif name != "text":
                for one in value if isinstance(value, list) else [value]:
                    flag = flags.get(name, name.replace("_", "-"))
                    arguments += [f"--{flag}", self._written(name, one)]
        return (await self._run(*arguments))["id"]

    async def is_told(self, memory: str, asked: Fields) -> bool:
        arguments = ["recall", asked["asks"], "--as", who(asked["asker"], self._agent)]
        arguments += ["--in", where(asked["place"])]
        for one in people(asked, "with", self._agent):
            arguments += ["--with", one]
        for name in ("namespace", "purpose"):
            if name in asked:
                arguments += [f"--{name}", asked[name]]
        found = await self._run(*arguments)
        return memory in {one["id"] for one in found["memories"]}

    def _written(self, name: str, value: str) -> str:
        if name == "learned_in":
            return where(value)
        if (
            name in ("by", "about", "with", "source", "access", "consent", "only_for")
            and value != "*"
        ):
            return who(value, self._agent)
        return value

    async def _run(self, *arguments: str) -> Any:
        return await asyncio.to_thread(self._invoke, list(arguments))

    def _invoke(self, arguments: list[str]) -> Any:
        """In a thread of its own: a command starts its own event loop."""
        from typer.testing import CliRunner

        from confide.surfaces.cli.app import build

        command, *rest = arguments
        result = CliRunner().invoke(build(), [*self._options, command, *rest, "--json"])
        if result.exit_code:
            raise Refused(result.output or str(result.exception))
        return json.loads(result.stdout)


class Synchronous(Library):
    """`confide.sync`, called from inside a running loop, as a notebook does."""

    def __init__(self, memory: Any, clock: Clock) -> None:
        super().__init__(_Awaited(memory), clock)  # pyright: ignore[reportArgumentType]


class _Awaited:
    """A synchronous memory behind the names that the table awaits."""

    def __init__(self, behind: Any) -> None:
        self._behind = behind

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._behind, name)
        if isinstance(found, Twin):
            return _Awaited(found)
        if not callable(found):
            return found

        async def call(*args: Any, **kwargs: Any) -> Any:
            return found(*args, **kwargs)

        return call
