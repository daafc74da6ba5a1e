"""The leak test over HTTP: the same routes as a server's, asked in this process with a key."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from confide.actor import operator_as
from confide.errors import StoreError
from confide.keep.keys import KeyKind, Wanted
from confide.leaktest.canaries import AGENT, Canary
from confide.leaktest.rooms import THOUGHT
from confide.leaktest.surfaces import TOP_K, Library

if TYPE_CHECKING:
    import httpx

    from confide.leaktest.town import Question


class OverHttp:
    """`POST /v1/recall` with a platform's key; every second question with an audience token."""

    name = "http"
    limit: int | None = TOP_K

    def __init__(
        self, library: Library, client: httpx.AsyncClient | None = None, sample: int | None = 2
    ) -> None:
        self._library, self._client, self.sample = library, client, sample
        self._asked = 0
        self._opening = asyncio.Lock()

    def can_ask(self, question: Question) -> bool:
        """A connection is a personal key's own place, and no key asks as the agent."""
        is_beyond = question.room is THOUGHT or question.asker == AGENT or question.is_stale
        return not is_beyond and not question.room.written.startswith("connection:")

    def could_tell(self, canary: Canary, question: Question) -> bool:
        return True

    async def recall(self, words: str, question: Question) -> frozenset[str]:
        asking = {"asker": question.asker, "place": self._library.speech.written(question.room)}
        if question.namespace is not None:
            asking["namespace"] = question.namespace
        self._asked += 1
        if self._asked % 2:
            token = (await self._post("/v1/tokens", asking))["token"]
            found = await self._post("/v1/recall", {"question": words}, token)
        else:
            found = await self._post("/v1/recall", {"question": words, **asking})
        # Judged by all that is sent: the list and the block for a model.
        told = [one["text"] for name in ("memories", "perhaps", "standing") for one in found[name]]
        return self._library.codes([*told, found["context"]])

    async def _post(self, path: str, body: dict[str, Any], token: str | None = None) -> Any:
        async with self._opening:
            client = self._client = self._client or await self._opened()
        headers = {"Authorization": f"Bearer {token}"} if token else None
        answer = await client.post(path, json=body, headers=headers)
        if not answer.is_success:
            raise StoreError(f"POST {path} answered {answer.status_code}")
        return answer.json()

    async def _opened(self) -> httpx.AsyncClient:
        import httpx

        from confide.surfaces.http.app import build

        confide = self._library.confide
        wanted = Wanted(kind=KeyKind.PLATFORM, platform="local", per_minute=1_000_000)
        key = await confide.keys.create(wanted, actor=operator_as())
        return httpx.AsyncClient(
            transport=httpx.ASGITransport(build(confide)),
            base_url="http://confide",
            headers={"Authorization": f"Bearer {key.secret}"},
            timeout=60,
        )
