"""One request of one browser: who is signed in, what they sent, and what goes back.

The cookie says who somebody is; nothing in a form or an address does.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl

from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from confide.actor import Actor
from confide.errors import InvalidInput, NotAllowed, NotFound
from confide.privacy.acting import CallerKind
from confide.surfaces.callers import Caller, actor_for
from confide.surfaces.http.hosts import is_loopback_name

if TYPE_CHECKING:
    from starlette.requests import Request

    from confide.memories import Confide
    from confide.model import Entity
    from confide.store.browsing import Session

COOKIE: Final = "confide_session"
#: Those who have words of their own.
PEOPLE: Final = (CallerKind.SIGNED_IN, CallerKind.PERSONAL)
#: Those who see everybody's numbers.
NUMBERS: Final = (CallerKind.CONSOLE, CallerKind.AUDITOR, CallerKind.ADMIN)
#: Those who see labels of everybody's memories.
LABELS: Final = (CallerKind.CONSOLE, CallerKind.AUDITOR)
MOST_FIELD: Final = 64 * 1024
STALE: Final = "this page is from another session; open it again and repeat what you did"


@dataclass(frozen=True, slots=True)
class Page:
    """What a page shows, and the answers of the verbs behind it, which are its `.json` twin."""

    template: str
    shown: Mapping[str, Any]
    answer: Any = None
    status: int = 200


@dataclass(slots=True)
class Visit:
    """Somebody who is signed in opens a page or sends a form."""

    confide: Confide
    request: Request
    caller: Caller
    session: Session
    form: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    file: UploadFile | None = None
    waiting: str = ""  # how many wait for their decision, in the bar on top

    @property
    def kind(self) -> CallerKind:
        return self.caller.kind

    @property
    def who(self) -> Entity:
        """Whose page it is. To others there is no such page."""
        if self.caller.entity is None:
            raise NotFound("there is no such page")
        return self.caller.entity

    @property
    def actor(self) -> Actor:
        return actor_for(self.caller)

    @property
    def is_person(self) -> bool:
        return self.caller.entity is not None

    @property
    def is_demo(self) -> bool:
        """Whether this server plays a community that nobody is in."""
        return bool(getattr(self.request.app.state, "is_demo", False))

    @property
    def csrf(self) -> str:
        """Known to whoever holds the session, and to no other page. Its id is shown to nobody."""
        return hashlib.sha256(b"csrf" + self.session.id.bytes).hexdigest()

    def query(self, name: str, default: str = "") -> str:
        return self.request.query_params.get(name, default).strip()

    def sent(self, name: str, default: str | None = None) -> str:
        found = self.form.get(name, [])
        value = found[0].strip() if found else ""
        if not value and default is None:
            raise InvalidInput(name, "is missing")
        return value or default or ""

    def all_sent(self, name: str) -> list[str]:
        return self.form.get(name, [])

    def require(self, *kinds: CallerKind) -> None:
        """Pages that one may not open are not there."""
        if self.kind not in kinds:
            raise NotFound("there is no such page")


async def read_form(request: Request) -> dict[str, list[str]]:
    """Forms without files. Their size is limited like that of every request."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise InvalidInput("form", "is not sent as a form")
    body = (await request.body()).decode("utf-8", "replace")
    found: dict[str, list[str]] = {}
    for name, value in parse_qsl(body, keep_blank_values=True, max_num_fields=2000):
        found.setdefault(name, []).append(value)
    return found


async def read_form_with_file(request: Request) -> tuple[dict[str, list[str]], UploadFile | None]:
    """The one form that takes a file. It goes to disk as it comes."""
    try:
        sent = await request.form(max_files=1, max_fields=10, max_part_size=MOST_FIELD)
    except HTTPException:
        raise InvalidInput("form", "is not sent as a form with a file") from None
    found: dict[str, list[str]] = {}
    file: UploadFile | None = None
    for name, value in sent.multi_items():
        if isinstance(value, UploadFile):
            file = value
        else:
            found.setdefault(name, []).append(value)
    return found, file


def require_same_origin(request: Request) -> None:
    """A form counts only if a page of ours sent it. Browsers say so with every form."""
    origin, host = request.headers.get("origin"), request.headers.get("host")
    if origin is None or host is None or origin.partition("://")[2].lower() != host.lower():
        raise NotAllowed("this form was sent from another page")


def is_beyond_loopback(request: Request) -> bool:
    return not is_loopback_name(request.url.hostname or "")


def remember_cookie(request: Request, response: Response, cookie: str) -> None:
    response.set_cookie(
        COOKIE,
        cookie,
        path="/",
        httponly=True,
        samesite="strict",
        secure=is_beyond_loopback(request),
    )


def forget_cookie(request: Request, response: Response) -> None:
    response.delete_cookie(
        COOKIE, path="/", httponly=True, samesite="strict", secure=is_beyond_loopback(request)
    )


def go(path: str) -> Response:
    """After a form: the page to look at next, so that reloading sends nothing twice."""
    return RedirectResponse(path, status_code=303)
