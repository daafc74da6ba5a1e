"""By which names this server may be reached.

A web page can make a browser ask this machine under a name that the page controls (DNS rebinding).
Its requests say so: `Host` is the page's name, or `Origin` is the page. Both must be a loopback
name, the address it listens on, or one of CONFIDE_HOSTS, on every route."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from confide.errors import InvalidInput
from confide.surfaces.http.problems import UnknownHost, UnknownOrigin

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

_NAME: Final = re.compile(r"[a-z0-9_]([a-z0-9_.-]{0,252}[a-z0-9_])?")
_AUTHORITY: Final = re.compile(r"(\[[0-9a-fA-F:.]+\]|[^\[\]:/@\s]+)(?::\d{1,5})?")
_ORIGIN: Final = re.compile(r"https?://([^/?#]+)", re.IGNORECASE)
_ANYWHERE: Final = frozenset({"0.0.0.0", "::"})


class KnownHosts:
    """Lets in what was sent to one of its names and, where a browser says so, from one of them."""

    def __init__(self, app: ASGIApp, names: Iterable[str] = ()) -> None:
        self._app = app
        self._names = frozenset(map(read_name, names)) - _ANYWHERE

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan":
            self._require_known(scope)
        await self._app(scope, receive, send)

    def _require_known(self, scope: Scope) -> None:
        said = _said(scope)
        host, origins = said[b"host"], said[b"origin"]
        if len(host) != 1 or not self._is_known(host[0]):
            raise UnknownHost(
                "this server is not known by the name in Host; its operator lists names in"
                " CONFIDE_HOSTS"
            )
        for origin in origins:
            page = _ORIGIN.fullmatch(origin)
            if len(origins) > 1 or page is None or not self._is_known(page[1]):
                raise UnknownOrigin(
                    "pages of this Origin may not ask here; the operator lists names in CONFIDE_HOSTS"
                )

    def _is_known(self, authority: str) -> bool:
        read = _AUTHORITY.fullmatch(authority)
        if read is None:
            return False
        name = _plain(read[1])
        return name in self._names or is_loopback_name(name)


def read_name(name: str) -> str:
    """A name or address of CONFIDE_HOSTS, as `Host` would say it."""
    plain = _plain(name)
    if not (_NAME.fullmatch(plain) or _address(plain)):
        raise InvalidInput(
            "CONFIDE_HOSTS", f"{name!r} is no name; write memory.example, without https:// and port"
        )
    return plain


def is_loopback_name(name: str) -> bool:
    address = _address(name)
    return name == "localhost" if address is None else address.is_loopback


def _plain(name: str) -> str:
    bare = name.strip().removeprefix("[").removesuffix("]").removesuffix(".").lower()
    address = _address(bare)
    return bare if address is None else str(address)


def _address(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(name)
    except ValueError:
        return None


def _said(scope: Scope) -> dict[bytes, list[str]]:
    found: dict[bytes, list[str]] = {b"host": [], b"origin": []}
    for name, value in scope["headers"]:
        if name in found:
            found[name].append(value.decode("latin-1"))
    return found
