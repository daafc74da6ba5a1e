"""Serving: listen, answer, learn beside, and end without losing anybody's request."""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import signal
import socket
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import uvicorn

from confide.errors import InvalidInput
from confide.surfaces.http.app import build, limited
from confide.surfaces.http.heads import BoundedHeads
from confide.surfaces.http.logs import write_logs

if TYPE_CHECKING:
    from confide.memories import Confide

#: How long a request that has begun may take once the server is told to end.
LAST_SECONDS: Final = 10
KEEP_ALIVE_SECONDS: Final = 15
MOST_AT_ONCE: Final = 2000
#: How long a thread that computes keeps those waiting who are to be answered.
SWITCH_SECONDS: Final = 0.001


async def serve(
    confide: Confide,
    host: str,
    port: int,
    *,
    announce: Callable[[str], None],
    level: int,
    is_demo: bool = False,
) -> None:
    """Until a signal ends it. The worker runs beside it for as long as `confide` is open."""
    is_public = not is_loopback(host)
    await require_keys(confide, host, is_public=is_public)
    with listen(host, port) as listening:
        write_logs(level)
        config = uvicorn.Config(
            limited(build(confide, is_demo=is_demo), names=[*confide.settings.hosts, host]),
            http=BoundedHeads,
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            lifespan="on",
            limit_concurrency=MOST_AT_ONCE,
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=LAST_SECONDS,
        )
        server = _Server(config)
        announcing = asyncio.create_task(_announced(server, listening, announce))
        sys.setswitchinterval(SWITCH_SECONDS)
        try:
            with confide.means.screen.apart():
                await server.serve(sockets=[listening])
        finally:
            announcing.cancel()


class _Server(uvicorn.Server):
    """Ends when it is told to, once requests that have begun are answered; then whoever started it
    goes on. uvicorn's own way would raise the signal again, and end the program in the middle."""

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        loop, ending = asyncio.get_running_loop(), (signal.SIGINT, signal.SIGTERM)
        try:
            for number in ending:
                loop.add_signal_handler(number, self.handle_exit, number, None)
        except (NotImplementedError, RuntimeError, ValueError):  # Windows, or not the main thread
            with super().capture_signals():
                yield
            return
        try:
            yield
        finally:
            for number in ending:
                loop.remove_signal_handler(number)


async def require_keys(confide: Confide, host: str, *, is_public: bool) -> None:
    if is_public and not await confide.keys.is_any_valid():
        raise InvalidInput(
            "host",
            f"{host} can be reached from elsewhere, and there are no keys; make one with"
            " `confide keys create`, or listen on 127.0.0.1",
        )


def is_loopback(host: str) -> bool:
    """Every address that the name stands for; one that cannot be found is not."""
    try:
        found = socket.getaddrinfo(host or "0.0.0.0", None, type=socket.SOCK_STREAM)
    except OSError:
        return False
    return all(ipaddress.ip_address(str(one[4][0])).is_loopback for one in found)


def listen(host: str, port: int) -> socket.socket:
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        # Named, since asyncio sends small answers at once (TCP_NODELAY) only on what it knows is TCP.
        made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    except (OSError, UnicodeError):
        raise InvalidInput("host", f"{host!r} is no address of this machine") from None
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
    except OSError as problem:
        made.close()
        reason = problem.strerror or "it cannot be used"
        raise InvalidInput("port", f"{port} on {host}: {reason}; choose another --port") from None
    return made


async def _announced(
    server: uvicorn.Server, listening: socket.socket, announce: Callable[[str], None]
) -> None:
    while not server.started:  # noqa: ASYNC110 - uvicorn has no event for it
        await asyncio.sleep(0.02)
    host, port = listening.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    announce(f"http://{shown}:{port}")
    logging.getLogger("confide.http").info("listening")
