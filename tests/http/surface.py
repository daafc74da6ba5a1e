"""HTTP as the scenario tables see it: over a socket, with keys."""

from __future__ import annotations

from typing import Any

import httpx
from tests.http.conftest import Served
from tests.http.rows import from_elsewhere
from tests.scenarios.runner import Fields, Refused, Scenario, people, when, where, who
from tests.scenarios.surfaces import Library

from confide.surfaces.callers import KNOWN_PLATFORMS, LOCAL


class Http:
    """A platform key for what a platform attests, a personal key for each connection."""

    def __init__(self, served: Served) -> None:
        self._served = served
        self._agent = str(served.confide.database.agent_entity)
        self._personal: dict[tuple[str, str], httpx.AsyncClient] = {}
        self._platforms: dict[str, httpx.AsyncClient] = {}
        self._library = Library(served.confide, served.confide.means.clock)  # type: ignore[arg-type]

    @classmethod
    def can(cls, scenario: Scenario) -> bool:
        return from_elsewhere(scenario) is not None

    async def do(self, step: Fields) -> None:
        if "wait" in step:
            await self._library.do(step)
            self._platforms.clear()  # a key ends some day
            self._personal.clear()
            return
        local = await self.platform()
        everyone = people(step, "who", self._agent)
        if "forget" in step:
            as_ = {"as": who(step["forget"], self._agent)}
            required(await local.delete(f"/v1/memories/{step['memory']}", params=as_))
        elif "attest" in step:
            body = {"place": where(step["attest"])} | self._late(step)
            required(await local.put("/v1/places", json=body))
        elif "join" in step or "leave" in step:
            verb = "join" if "join" in step else "leave"
            body = {"place": where(step[verb]), "who": everyone} | self._late(step)
            required(await local.post(f"/v1/places/{verb}", json=body))
        else:
            for one in everyone:
                await self._one(local, step, one)

    def _late(self, step: Fields) -> dict[str, str]:
        at = when(step, self._served.confide.means.clock())
        return {"at": at.isoformat()} if at else {}

    async def _one(self, local: httpx.AsyncClient, step: Fields, one: str) -> None:
        if "leave_space" in step:
            body = {"space": step["leave_space"], "who": [one]} | self._late(step)
            required(await local.post("/v1/spaces/leave", json=body))
            return
        if "opt_out_of" in step:
            body = {"is_global_only": step["opt_out_of"] == "global"}
            required(await local.post("/v1/privacy/opt-out", json=body, params={"as": one}))
            return
        verb = "assign" if "assign" in step else "unassign"
        body = {"collective": step[verb], "who": [one]}
        if verb == "assign":
            required(await local.put("/v1/roles", json=body))
        else:
            required(await local.post("/v1/roles/end", json=body))

    async def remember(self, given: Fields) -> str:
        if "is_portable" in given:  # what only extraction proposes
            return str(await self._library.remember(given))
        body: dict[str, Any] = {"text": given["text"]}
        names = {"learned_in": "place", "with": "present"}
        for name, value in given.items():
            body[names.get(name, name)] = self._written(name, value)
        client = await self._for(body, body["by"])
        return required(await client.post("/v1/memories", json=body))["id"]

    async def is_told(self, memory: str, asked: Fields) -> bool:
        asker = who(asked["asker"], self._agent)
        body = {
            "question": asked["asks"],
            "asker": asker,
            "place": where(asked["place"]),
            "present": people(asked, "with", self._agent),
        }
        body |= {name: asked[name] for name in ("namespace", "purpose") if name in asked}
        client = await self._for(body, asker)
        found = required(await client.post("/v1/recall", json=body))
        still = {name: one for name, one in body.items() if name != "question"}
        left = required(await client.post("/v1/recheck", json={**still, "memories": [memory]}))
        told = memory in {one["id"] for one in found["memories"]}
        assert (left["memories"] == [memory]) == told, "recall and recheck agree"
        return told

    def _written(self, name: str, value: Any) -> Any:
        if name == "learned_in":
            return where(value)
        if name in ("by", "about", "with", "source", "access", "consent", "only_for"):
            if isinstance(value, list):
                return [one if one == "*" else who(one, self._agent) for one in value]
            return who(value, self._agent)
        return value

    async def _for(self, body: dict[str, Any], speaker: str) -> httpx.AsyncClient:
        client = await self.client_of(body["place"], speaker)
        if body["place"].startswith("connection:"):
            for field in ("place", "by", "asker", "present"):
                body.pop(field, None)
        return client

    async def client_of(self, place: str, speaker: str) -> httpx.AsyncClient:
        """A connection is a personal key of that name, and is a place of its own."""
        kind, _, name = place.partition(":")
        if kind != "connection":
            name = speaker.partition(":")[2].partition(".")[0]
            return await self.platform(name if name in KNOWN_PLATFORMS else LOCAL)
        if (speaker, name) not in self._personal:
            self._personal[speaker, name] = await self._served.personal(speaker, name)
        return self._personal[speaker, name]

    async def platform(self, name: str = LOCAL) -> httpx.AsyncClient:
        if name not in self._platforms:
            self._platforms[name] = await self._served.platform(name)
        return self._platforms[name]


def required(answer: httpx.Response) -> Any:
    if not answer.is_success:
        raise Refused(answer.text)
    return answer.json()
