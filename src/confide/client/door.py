"""One server, one key: requests go out, problems come back as the errors they were."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote
from uuid import UUID

import httpx

from confide.actor import Actor
from confide.errors import (
    ConfideError,
    ConsentMissing,
    InvalidInput,
    ModelUnavailable,
    NotAllowed,
    NotFound,
    NotRecognized,
    OnlyAsked,
    SecretRefused,
    StorageProblem,
    StoreError,
    StoreUnavailable,
    SwitchedOff,
    TooMany,
)
from confide.model import Entity

SECONDS: Final = 60.0
CHUNK: Final = 256 * 1024
#: For work whose length is that of what is kept, as the server allows.
LONG_SECONDS: Final = 620.0
KINDS: Final[dict[str, type[ConfideError]]] = {
    "secret-refused": SecretRefused,
    "consent-missing": ConsentMissing,
    "invalid-input": InvalidInput,
    "not-recognized": NotRecognized,
    "not-allowed": NotAllowed,
    "not-found": NotFound,
    "switched-off": SwitchedOff,
    "model-unavailable": ModelUnavailable,
    "store-unavailable": StoreUnavailable,
    "storage-problem": StorageProblem,
}


@dataclass(frozen=True, slots=True)
class Self:
    """Whom the key speaks for, as the server says."""

    kind: str
    entity: Entity | None
    platform: str | None
    place: str | None
    key: str | None = None  # its id


class Door:
    """Knows where the server is and what to show it. Redirects are not followed: a key is not
    for whoever is named there."""

    def __init__(
        self,
        url: str,
        key: str,
        *,
        transport: httpx.AsyncBaseTransport | None = None,
        seconds: float = SECONDS,
    ) -> None:
        _require_safe(url)
        self._url = url.rstrip("/")
        is_secure = httpx.URL(url).scheme == "https"
        self._http = httpx.AsyncClient(
            base_url=self._url,
            headers={"Authorization": f"Bearer {key}", "Accept": "application/json"},
            transport=transport,
            timeout=seconds,
            follow_redirects=False,
            # A proxy named in the environment would read what goes to this machine in the clear.
            trust_env=is_secure,
            # Reading every authority's certificate takes longer than asking this machine.
            verify=is_secure,
        )
        self._self: Self | None = None

    async def close(self) -> None:
        await self._http.aclose()

    async def call(
        self,
        method: str,
        path: str,
        *,
        names: Mapping[str, object] | None = None,
        query: Mapping[str, object] | None = None,
        body: Mapping[str, object] | None = None,
        is_long: bool = False,
    ) -> Any:
        """Ask `path`, whose `{names}` are filled in; what is None is left out."""
        parts = {name: quote(str(value), safe="") for name, value in (names or {}).items()}
        given = {name: value for name, value in (query or {}).items() if value is not None}
        sent = None if body is None else {k: v for k, v in body.items() if v is not None}
        more: dict[str, Any] = {"timeout": LONG_SECONDS} if is_long else {}
        return await self._send(
            method, path.format(**parts), params=given or None, json=sent, **more
        )

    async def stream(self, path: str, lines: str) -> Any:
        """Send JSON Lines."""
        kind = {"Content-Type": "application/x-ndjson"}
        return await self._send("POST", path, content=lines.encode(), headers=kind)

    async def upload(
        self, path: str, query: Mapping[str, Any], file: Path, sent: Callable[[int, int], None]
    ) -> AsyncIterator[dict[str, Any]]:
        """Send a file as it is read, and yield each line of the answer as it comes. `sent` is told
        how many bytes of how many went out."""
        given = {name: value for name, value in query.items() if value is not None}
        sending = self._http.stream(
            "POST", path, params=given, content=_chunks(file, sent), timeout=LONG_SECONDS
        )
        try:
            async with sending as answer:
                if not answer.is_success:
                    await answer.aread()
                    raise _problem(answer)
                async for line in answer.aiter_lines():
                    yield json.loads(line)
        except (httpx.HTTPError, httpx.InvalidURL) as problem:
            raise StoreUnavailable(
                f"CONFIDE_URL: {self._url} stopped answering ({type(problem).__name__}); send it"
                " again, and it goes on"
            ) from None

    async def _send(self, method: str, path: str, **fields: Any) -> Any:
        try:
            answer = await self._http.request(method, path, **fields)
        except (httpx.HTTPError, httpx.InvalidURL) as problem:
            raise StoreUnavailable(
                f"CONFIDE_URL: no server answers at {self._url} ({type(problem).__name__}); check"
                " that `confide serve` runs there"
            ) from None
        if answer.is_success:
            return _json(answer)
        raise _problem(answer)

    async def who(self) -> Self:
        """Asked once: a key does not change whom it speaks for."""
        if self._self is None:
            told = await self.call("GET", "/v1/whoami")
            entity = Entity.parse(told["entity"]) if told["entity"] else None
            self._self = Self(told["kind"], entity, told["platform"], told["place"], told["key"])
        return self._self


def acting(actor: Actor | None) -> dict[str, object]:
    """In whose name; how that is proven is the key's."""
    return {"as": str(actor.entity) if actor is not None and actor.entity is not None else None}


def _require_safe(url: str) -> None:
    """A key that travels in the clear is everybody's."""
    try:
        read = httpx.URL(url)
    except (httpx.InvalidURL, TypeError):
        raise InvalidInput("CONFIDE_URL", "is no address; write https://memory.example") from None
    if read.scheme not in ("http", "https") or not read.host:
        raise InvalidInput("CONFIDE_URL", "is no address; write https://memory.example")
    if read.userinfo:
        raise InvalidInput("CONFIDE_URL", "holds a password; the key alone says who asks")
    if read.scheme == "http" and not _is_this_machine(read.host):
        raise InvalidInput("CONFIDE_URL", "a key is sent by https only, except to this machine")


def _is_this_machine(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _json(answer: httpx.Response) -> Any:
    try:
        return answer.json()
    except ValueError:
        raise StoreError("CONFIDE_URL: this is no confide server; its answer is no JSON") from None


def _problem(answer: httpx.Response) -> ConfideError:
    try:
        told = answer.json()
        name = str(told["type"]).removeprefix("urn:confide:")
        detail, field = str(told["detail"]), told.get("field")
    except (ValueError, KeyError, TypeError):
        return StoreError(f"CONFIDE_URL: the server answered {answer.status_code}, and not why")
    if name == "too-many":
        return TooMany(detail, float(answer.headers.get("retry-after", 1)))
    if name == "only-asked":
        return OnlyAsked(detail, UUID(told["request"]))
    kind = KINDS.get(name, StoreError)
    if issubclass(kind, InvalidInput):
        named = str(field or "request")
        return kind(named, detail.removeprefix(f"{named}: "))
    if issubclass(kind, StoreError):
        return kind(detail, field=field)
    return kind(detail)


async def _chunks(file: Path, sent: Callable[[int, int], None]) -> AsyncIterator[bytes]:
    done = 0
    with file.open("rb") as opened:
        size = os.fstat(opened.fileno()).st_size
        while chunk := opened.read(CHUNK):
            yield chunk
            done += len(chunk)
            sent(done, size)
