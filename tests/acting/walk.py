"""The acting walk: every route, tool and command with drawn arguments, judged by what it lets be told."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import httpx
from pydantic import ValidationError
from tests.acting.arguments import THINGS, Drawing
from tests.acting.commands import Typing, changing
from tests.acting.judge import Judge, State, canaries
from tests.acting.scene import CARE, PAT, Scene
from tests.chance import chance
from tests.client.conftest import Run

from confide import Confide, Entity
from confide.errors import ConfideError, OnlyAsked
from confide.surfaces.callers import identify
from confide.surfaces.http.app import build
from confide.surfaces.mcp.profiles import every_tool
from confide.surfaces.mcp.visit import Session, Visit

Call = Callable[[], Awaitable[bool]]  # whether it was done or asked for, not refused
READS = ("get",)
ASKING = ("/recall", "/explain", "/recheck", "/why", "/preview")
#: Bodies that once widened something, tried each time beside those that are drawn.
KNOWN: dict[str, list[dict[str, Any]]] = {
    "/v1/memories": [
        {"text": "Moss grows on the north side", "access": ["*"], "consent": ["human:pat"]},
        {"text": "My in-game name is MossBorn", "kind": "identity", "scope": "global"},
    ],
    "/v1/consents": [{"about": "human:pat", "grantee": "*"}],
    "/v1/privacy/opt-out": [{"is_global_only": True}],
}
#: Commands whose first try is seldom the right one: there are many things they can be about.
OFTEN = {"share": 4, "restore": 8, "review approve": 6, "correct": 4, "remember": 6, "forget": 6}
#: What ends the tale: after these, little is left that could be told to more.
LAST = {
    "POST /v1/privacy/opt-out", "POST /v1/privacy/off-record", "POST /v1/erasures",
    "DELETE /v1/memories/{memory_id}", "memory_forget", "POST /v1/review/{memory_id}/reject",
    "POST /v1/privacy/connections/close", "DELETE /v1/merges/{merge}",
    "POST /v1/claims/{claim}/refuse", "forget", "privacy opt-out", "privacy delete",
    "review reject", "people split", "keys close", "unshare",
}  # fmt: skip


@dataclass
class Report:
    calls: int = 0
    done: int = 0
    did: Counter[str] = field(default_factory=Counter)  # by route, tool or command
    widened: dict[str, list[str]] = field(default_factory=dict)  # by route or tool

    def note(self, name: str, found: list[str]) -> None:
        if found:
            self.widened.setdefault(name, []).extend(found)


@dataclass
class Walker:
    """One caller who tries everything."""

    confide: Confide
    scene: Scene
    secret: str
    seed: int
    rounds: int = 3
    things: int = 4  # how many memories a route is tried with each round
    every: int = 8  # how many calls are judged together; what they did is the work of one of them
    who: Entity = PAT
    only: frozenset[str] | None = None  # names of routes, tools and commands; None: all of them
    run: Run | None = None  # the command line, pointed at this memory's server with the same key
    folder: Path = Path()

    async def walk(self) -> Report:
        report, app = Report(), build(self.confide)
        judge = Judge(self.confide, self.secret)
        before_in_rooms = await canaries(self.confide, self.who, "Amber")
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(app=app, raise_app_exceptions=False),
            base_url="http://127.0.0.1",
            headers={"Authorization": f"Bearer {self.secret}"},
        ) as client:
            before = await judge.begin(await self._say_plainly(client))
            names: list[str] = []
            async for name, call in self._calls(app.openapi(), client):
                report.calls += 1
                if await call():
                    report.done += 1
                    report.did[name] += 1
                    names.append(name)
                if len(names) >= self.every:
                    before, names = await self._judged(judge, before, names, report), []
            await self._judged(judge, before, names, report)
        after_in_rooms = await canaries(self.confide, self.who, "Onyx")
        for name, rooms in after_in_rooms.items():
            new = rooms - before_in_rooms[name]
            report.note("later", [f"{name} is told what is said in {one}" for one in sorted(new)])
        return report

    @property
    def _is_long(self) -> bool:
        return self.only is None or len(self.only) > 1

    async def _judged(self, judge: Judge, before: State, names: list[str], report: Report) -> State:
        after = await judge.look()
        report.note(" + ".join(dict.fromkeys(names)), judge.widened(before, after))
        return after

    async def _say_plainly(self, client: httpx.AsyncClient) -> list[uuid.UUID]:
        """In the caller's own place, and in a context that they are in."""
        answer = await client.post("/v1/memories", json={"text": "Plain words of no weight"})
        said = [uuid.UUID(answer.json()["id"])] if answer.status_code == 201 else []
        tool = next(one for one in every_tool() if one.name == "memory_create")
        with suppress(ConfideError):
            given = tool.takes.model_validate({"text": "Words of no weight", "context": CARE})
            done = await tool.run(await self._visit(), given)
            said.append(uuid.UUID(done.id))
        return said

    async def _visit(self) -> Visit:
        caller = await identify(self.confide, self.secret, origin="mcp")
        return Visit(self.confide, caller, Session(is_lasting=False))

    async def _calls(
        self, document: dict[str, Any], client: httpx.AsyncClient
    ) -> AsyncIterator[tuple[str, Call]]:
        random = chance(self.seed)
        drawing = Drawing(self.scene, random, document)
        caller = await identify(self.confide, self.secret)
        drawn = [
            *self._routes(document, drawing, client, caller.kind.value),
            *self._tools(drawing),
            *self._commands(random),
        ]
        # Something that was shown once is asked for again, when other calls have changed the world.
        for n in range(self.rounds):
            random.shuffle(drawn)
            is_last = n == self.rounds - 1
            if self._is_long:
                drawn.sort(key=lambda one: one[0] in LAST)
            for name, make in drawn:
                if name in LAST and not is_last and self._is_long:
                    continue
                for call in make():
                    yield name, call

    def _routes(
        self, document: dict[str, Any], drawing: Drawing, client: httpx.AsyncClient, kind: str
    ) -> Iterator[tuple[str, Callable[[], Iterator[Call]]]]:
        for path, operations in document["paths"].items():
            for method, said in operations.items():
                name = f"{method.upper()} {path}"
                if method in READS or kind not in said.get("x-callers", ()):
                    continue
                if path.endswith(ASKING):
                    continue  # a question with a body; it changes nothing
                if "keys/mine" in path or (self.only is not None and name not in self.only):
                    continue  # whoever ends their own key tries nothing more
                yield (
                    name,
                    lambda p=path, m=method, s=said: self._requests(p, m, s, drawing, client),
                )

    def _requests(
        self,
        path: str,
        method: str,
        said: dict[str, Any],
        drawing: Drawing,
        client: httpx.AsyncClient,
    ) -> Iterator[Call]:
        """With every thing that its path can name, and else once."""
        named = [one["name"] for one in said.get("parameters", ()) if one["in"] == "path"]
        things = [self.scene.ids.get(THINGS.get(one, ""), []) for one in named]
        tried = drawing.some(things[0], self.things) if things and things[0] else [None]
        for thing in tried:
            at = path
            for one in named:
                at = at.replace(f"{{{one}}}", str(thing or drawing.value({}, one)))
            query = {
                one["name"]: drawing.value(one["schema"], one["name"])
                for one in said.get("parameters", ())
                if one["in"] == "query"
                and (one.get("required") or one["name"] in ("now", "grantee"))
            }
            content = said.get("requestBody", {}).get("content", {}).get("application/json")
            drawn = drawing.body(content["schema"]) if content else None
            for body in (drawn, *(KNOWN.get(path, ()) if method == "post" else ())):
                yield self._request(client, method, at, query, body)

    def _request(
        self, client: httpx.AsyncClient, method: str, at: str, query: Any, body: Any
    ) -> Call:
        async def call() -> bool:
            answer = await client.request(method.upper(), at, params=query, json=body)
            assert answer.status_code < 500 or answer.status_code == 503, (at, body, answer.text)
            return answer.status_code < 300 or "urn:confide:only-asked" in answer.text

        return call

    def _commands(self, random: Random) -> Iterator[tuple[str, Callable[[], Iterator[Call]]]]:
        if self.run is None:
            return
        typing = Typing(self.scene, random, self.run, self.folder)
        for path, command in changing():
            if self.only is None or path in self.only:
                yield (
                    path,
                    lambda p=path, c=command: iter([lambda: typing.type(p, c)] * OFTEN.get(p, 2)),
                )

    def _tools(self, drawing: Drawing) -> Iterator[tuple[str, Callable[[], Iterator[Call]]]]:
        for tool in every_tool():
            if not tool.effects.reads_only and (self.only is None or tool.name in self.only):
                yield tool.name, lambda one=tool: iter([self._tool_call(one, drawing)])

    def _tool_call(self, tool: Any, drawing: Drawing) -> Call:
        schema = tool.takes.model_json_schema()
        mine = Drawing(drawing._scene, drawing._chance, schema)
        given = mine.body(schema)

        async def call() -> bool:
            try:
                await tool.run(await self._visit(), tool.takes.model_validate(given))
            except OnlyAsked:
                return True
            except (ConfideError, ValidationError):
                return False
            return True

        return call
