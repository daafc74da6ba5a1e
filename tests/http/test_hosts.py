"""Requests that a page made a browser send: by another name (DNS rebinding), or from elsewhere."""

from __future__ import annotations

import asyncio

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.http.conftest import Served

from confide.errors import InvalidInput
from confide.surfaces.http.app import build, limited
from confide.surfaces.http.heads import MOST_BYTES
from confide.surfaces.http.hosts import KnownHosts, read_name

pytestmark = pytest.mark.req("B12")

OURS = ["localhost", "LOCALHOST:8765", "localhost.", "127.0.0.1", "127.0.0.1:80", "127.8.8.8",
        "[::1]", "[::1]:8765", "[0:0:0:0:0:0:0:1]"]  # fmt: skip
THEIRS = ["evil.example", "evil.example:8765", "localhost.evil.example", "127.0.0.1.evil.example",
          "evil.example.", "localhost@evil.example", "localhost evil", "127.0.0.1,evil.example", "",
          "192.168.1.7", "0.0.0.0", "[::]", "[::ffff:10.0.0.1]", "[fe80::1]", "1270.0.0.1", "0x7f000001",
          "localhost:80:80", "http://localhost", "memory.example"]  # fmt: skip


async def test_no_route_answers_to_a_name_that_is_not_ours(served: Served) -> None:
    admin = served.client(await served.key("admin"))
    routes = [
        (method, path)
        for path, methods in served.app.openapi()["paths"].items()
        for method in methods
    ]
    routes += [
        ("get", "/openapi.json"),
        ("post", "/mcp"),
        ("get", "/nowhere"),
        ("options", "/v1/recall"),
    ]
    assert len(routes) > 80
    for method, path in routes:
        answer = await admin.request(method.upper(), path, headers={"Host": "evil.example"})
        assert (answer.status_code, answer.json()["type"]) == (421, "urn:confide:unknown-host"), (
            path
        )
        answer = await admin.request(
            method.upper(), path, headers={"Origin": "https://evil.example"}
        )
        assert (answer.status_code, answer.json()["type"]) == (403, "urn:confide:unknown-origin"), (
            path
        )


@pytest.mark.parametrize("host", OURS)
async def test_a_loopback_name_is_ours(served: Served, host: str) -> None:
    said = {"Host": host, "Origin": f"http://{host}"}
    assert (await served.client().get("/healthz", headers=said)).status_code == 200


@pytest.mark.parametrize("host", THEIRS)
async def test_another_name_is_not(served: Served, host: str) -> None:
    status = await raw(served.url, f"GET /healthz HTTP/1.1\r\nHost: {host}\r\n\r\n")
    assert status in (400, 421)
    said = {"Origin": f"http://{host}"}
    assert (await served.client().get("/healthz", headers=said)).status_code == 403


@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "file://",
        "localhost",
        "http://localhost/x",
        "ftp://localhost",
        "https://a@localhost",
    ],
)
async def test_an_origin_that_is_no_page_of_ours_is_refused(served: Served, origin: str) -> None:
    answer = await served.client().get("/healthz", headers={"Origin": origin})
    assert answer.status_code == 403


@pytest.mark.parametrize(
    "head",
    [
        "GET /healthz HTTP/1.1\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: localhost\r\n\r\n",
        "GET http://localhost/healthz HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\nOrigin: http://evil\r\n\r\n",
        "GET /healthz HTTP/1.0\r\nConnection: close\r\n\r\n",
    ],
)
async def test_what_is_said_twice_or_not_at_all_is_refused(served: Served, head: str) -> None:
    status = await raw(served.url, head)
    assert status in (400, 403, 421)


@given(st.text(st.characters(codec="latin-1"), max_size=40))
def test_only_listed_names_are_known_whatever_is_sent(host: str) -> None:
    known = KnownHosts(None, ["memory.example"])  # type: ignore[arg-type]
    if known._is_known(host):
        name = host.rpartition(":")[0] or host
        assert name.strip("[]").rstrip(".").lower() in (
            "localhost",
            "memory.example",
        ) or name.startswith(("127.", "["))


async def test_the_operator_lists_more_names(served: Served) -> None:
    app = limited(build(served.confide), names=["Memory.Example", "0.0.0.0", "10.0.0.5"])
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        for host, status in {"memory.example": 200, "memory.example:443": 200, "10.0.0.5": 200,
                             "0.0.0.0": 421, "other.example": 421}.items():  # fmt: skip
            answer = await client.get("/healthz", headers={"Host": host})
            assert answer.status_code == status, host
        page = {"Host": "localhost", "Origin": "https://memory.example:8443"}
        assert (await client.get("/healthz", headers=page)).status_code == 200


@pytest.mark.parametrize("name", ["https://memory.example", "memory.example/x", "a b", "*", ""])
def test_a_name_that_is_none_is_an_error(name: str) -> None:
    with pytest.raises(InvalidInput, match="CONFIDE_HOSTS"):
        read_name(name)


async def test_metrics_are_for_an_auditor_or_an_admin(served: Served) -> None:
    assert (await served.client().get("/metrics")).status_code == 401
    assert (await (await served.personal("human:alice")).get("/metrics")).status_code == 403
    assert (await (await served.platform()).get("/metrics")).status_code == 403
    for kind in ("auditor", "admin"):
        told = await served.client(await served.key(kind)).get("/metrics")
        assert "confide_requests_total" in told.text


@pytest.mark.req("B10")
async def test_headers_have_a_size(served: Served) -> None:
    huge = "x" * (MOST_BYTES + 1)
    answer = await served.client().get("/healthz", headers={"X-Huge": huge})
    assert answer.status_code == 431
    many = {f"X-{n}": "y" * 100 for n in range(400)}
    assert (await served.client().get("/healthz", headers=many)).status_code == 431
    assert (await served.client().get("/healthz", headers={"X-Big": "x" * 8000})).status_code == 200


@pytest.mark.req("B10")
async def test_headers_that_never_end_are_cut_off(served: Served) -> None:
    host, port = served.url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Endless: ")
    read = asyncio.create_task(reader.read())
    sent = 0
    try:
        while not read.done():
            writer.write(b"x" * 4096)
            sent += 4096
            await writer.drain()
            await asyncio.sleep(0)
    except ConnectionError:
        pass
    await asyncio.wait([read])
    writer.close()
    assert sent < 40 * MOST_BYTES
    assert read.exception() is not None or b"431" in read.result()


async def raw(url: str, head: str) -> int:
    """As no client would send it."""
    host, port = url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(head.encode("latin-1"))
    answer = await reader.readuntil(b"\r\n\r\n")
    writer.close()
    return int(answer.split()[1])
