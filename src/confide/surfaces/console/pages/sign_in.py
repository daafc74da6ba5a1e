"""Signing in by a one-time link or a key, and signing out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from confide.errors import NotFound, NotRecognized
from confide.surfaces.console import words
from confide.surfaces.console.visit import Page, go, read_form, remember_cookie

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from confide.verbs.browser import SignedIn


async def ask(request: Request, problem: str = "") -> Page:
    """Where links come from, and a field for a key."""
    return Page("sign_in.html", {"problem": problem}, status=401 if problem else 200)


async def show(request: Request) -> Page:
    """Whose link it is. Programs that fetch it for a preview use nothing up."""
    try:
        link = await request.app.state.confide.browser.shown(request.path_params["secret"])
    except NotFound as gone:
        return await ask(request, str(gone))
    name = "the operator" if link.whose is None else words.called(link.whose)
    shown = {"link": link, "name": name, "is_operator": link.whose is None}
    return Page("sign_in_link.html", shown)


async def enter(request: Request) -> Page | Response:
    """The button was pressed: the link is used up."""
    try:
        found = await request.app.state.confide.browser.enter(request.path_params["secret"])
    except NotFound as gone:
        return await ask(request, str(gone))
    return _welcome(request, found)


async def enter_with_key(request: Request) -> Page | Response:
    form, confide = await read_form(request), request.app.state.confide
    try:
        key = await confide.keys.recognize(form.get("key", [""])[0].strip())
    except NotRecognized as unknown:
        return await ask(request, str(unknown))
    return _welcome(request, await confide.browser.enter_with_key(key))


def _welcome(request: Request, found: SignedIn) -> Response:
    start = "/try" if getattr(request.app.state, "is_demo", False) else "/overview"
    response = go("/me" if found.session.entity is not None else start)
    assert found.cookie is not None, "a new session has a cookie"
    remember_cookie(request, response, found.cookie)
    return response


ROUTES: Final = (
    ("GET", "/sign-in", ask),
    ("POST", "/sign-in", enter_with_key),
    ("GET", "/sign-in/{secret}", show),
    ("POST", "/sign-in/{secret}", enter),
)
