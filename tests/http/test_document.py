"""The OpenAPI document: complete, and true for whatever fits it. Nothing makes the server fail."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode, checks
from tests.chance import seeded
from tests.http.conftest import Served, serving

from confide import Confide
from confide.surfaces.http.app import build

EXAMPLES = 4  # for each operation, half of them wrong on purpose
PARTS = 4  # of the operations, for as many workers
KINDS = ("platform", "personal", "auditor", "admin", "token")


@schemathesis.serializer("application/x-ndjson")
def written_lines(_: object, value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")


class Live:
    """A server in a thread of its own, and a secret of every kind for each operation."""

    def __init__(self, home: Path, agent: str) -> None:
        self._home, self._agent = home, agent
        self._loop = asyncio.new_event_loop()
        self._served: Future[Served] = Future()
        self._done: asyncio.Event | None = None
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=[self._run()])

    async def _run(self) -> None:
        self._done = asyncio.Event()
        opened = Confide.open(self._home, agent=self._agent, learn=False)
        async with opened as confide, serving(confide) as served:
            self._served.set_result(served)
            await self._done.wait()

    def start(self) -> Served:
        self._thread.start()
        return self._served.result(60)

    def stop(self) -> None:
        assert self._done is not None
        self._loop.call_soon_threadsafe(self._done.set)
        self._thread.join(60)

    def secret(self, kind: str) -> str:
        return asyncio.run_coroutine_threadsafe(self._secret(kind), self._loop).result(60)

    async def _secret(self, kind: str) -> str:
        served = self._served.result()
        match kind:
            case "platform":
                return await served.key(kind, platform="local")
            case "personal":
                return await served.key(kind, entity="human:alice")
            case "token":
                client = await served.token(asker="human:alice", place="dm")
                return client.headers["Authorization"].removeprefix("Bearer ")
            case _:
                return await served.key(kind)


@pytest.fixture
def live(home: Path, agent: str) -> Iterator[Live]:
    one = Live(home, agent)
    yield one
    one.stop()


@pytest.mark.slow
@pytest.mark.drawn
@pytest.mark.parametrize("part", range(PARTS))
def test_the_document_is_true_and_nothing_makes_the_server_fail(live: Live, part: int) -> None:
    served = live.start()
    schema = schemathesis.openapi.from_dict(served.app.openapi())
    wrong: list[str] = []
    operations = [found.ok() for found in schema.get_all_operations()]
    assert len(operations) >= PARTS
    for operation in operations[part::PARTS]:
        try:
            _tried(operation, live, served.url)
        except BaseExceptionGroup as problems:
            wrong += [f"{operation.label}: {one}" for one in problems.exceptions]
        except AssertionError as problem:
            wrong.append(f"{operation.label}: {problem}")
    assert not wrong, "\n\n".join(wrong)


def _tried(operation: Any, live: Live, url: str) -> None:
    kinds = operation.definition.raw.get("x-callers", ["admin"])
    # Fresh ones: an operation may end the key that asks.
    secrets = [live.secret(kind) for kind in kinds]
    turn = iter(range(10**9))
    for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):

        @seed(seeded(7))
        @settings(
            max_examples=EXAMPLES // 2,
            database=None,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy(generation_mode=mode))
        def attempt(case: Any) -> None:
            secret = secrets[next(turn) % len(secrets)]
            answer = case.call(base_url=url, headers={"Authorization": f"Bearer {secret}"})
            assert answer.status_code < 500, f"{answer.status_code} {answer.text}"
            if answer.status_code >= 400:
                said = answer.headers["content-type"][0]
                assert said == "application/problem+json", f"{answer.status_code} {said}"
            case.validate_response(
                answer,
                checks=[
                    checks.not_a_server_error,
                    checks.status_code_conformance,
                    checks.content_type_conformance,
                    checks.response_schema_conformance,
                ],
            )

        try:
            attempt()
        except Unsatisfiable:  # nothing wrong can be made up for an operation that takes nothing
            if mode is GenerationMode.POSITIVE:
                raise


async def test_every_operation_says_what_it_does_with_examples(confide: Confide) -> None:
    document = build(confide).openapi()
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            assert operation.get("summary"), (method, path)
            assert operation.get("description"), (method, path)
            if not path.startswith("/v1/"):
                continue
            assert operation["security"] == [{"key": []}]
            for status, response in operation["responses"].items():
                if status.startswith("4"):
                    assert list(response["content"]) == ["application/problem+json"]
            names = {one["name"] for one in operation.get("parameters", ())}
            assert "Idempotency-Key" in names or method == "get" or path in NOT_ONCE, path
    schemas = document["components"]["schemas"]
    assert "Problem" in schemas
    assert not {"HTTPValidationError", "ValidationError"} & set(schemas)
    assert sum("example" in str(one) for one in schemas.values()) >= 10


#: Writes that are not answered from a store: reads by POST, secrets, what holds words, and what
#: does nothing the second time by itself.
NOT_ONCE = {
    "/v1/recall", "/v1/recheck", "/v1/why", "/v1/memories/{memory_id}/explain", "/v1/tokens",
    "/v1/keys/mine/rotate", "/v1/keys/mine/revoke", "/v1/messages/stream", "/v1/messages/add", "/v1/imports", "/v1/sign-in-links", "/v1/merges",
    "/v1/merges/{merge}/confirm", "/v1/claims/{claim}/confirm", "/v1/claims/{claim}/refuse",
    "/v1/requests", "/v1/contexts/{context}/enter",
    "/v1/memories/{memory_id}/consent-requests", "/v1/erasures/preview",
    "/v1/requests/{request_id}/answer",
}  # fmt: skip
