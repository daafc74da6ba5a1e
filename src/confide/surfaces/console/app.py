"""The routes of the console, and what surrounds each page: the session, the form's token, headers."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from importlib import import_module
from importlib.resources import files
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from confide.errors import (
    ConfideError,
    InvalidInput,
    NotAllowed,
    NotFound,
    NotRecognized,
    OnlyAsked,
    StoreError,
)
from confide.store.sessions import DATABASE_TROUBLE
from confide.surfaces.callers import in_browser
from confide.surfaces.console import asking
from confide.surfaces.console.drawing import draw
from confide.surfaces.console.twin import plain
from confide.surfaces.console.visit import (
    COOKIE,
    STALE,
    Page,
    Visit,
    forget_cookie,
    go,
    read_form,
    read_form_with_file,
    remember_cookie,
    require_same_origin,
)
from confide.surfaces.http.limits import IMPORT
from confide.surfaces.http.problems import problem_of

log = logging.getLogger("confide.http")
Answer = Callable[[Visit], Awaitable[Page | Response]]
#: A new page is added by its name, here and nowhere else.
PAGES: Final = (
    "leaving",
    "overview",
    "rooms",
    "view_as",
    "memories",
    "memory",
    "review",
    "consents",
    "audit",
    "switches",
    "try_it",
    "data_requests",
    "imports",
    "me",
)
STATIC: Final = {
    "console.css": "text/css",
    "console.js": "text/javascript",
    "icon.svg": "image/svg+xml",
}
HEADERS: Final = {
    "content-security-policy": "default-src 'none'; style-src 'self'; script-src 'self';"
    " img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none';"
    " frame-ancestors 'none'",
    # Not `no-referrer`: forms would then be sent without saying which page they are from.
    "referrer-policy": "same-origin",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


def routes() -> list[Route]:
    """Every page with its `.json` twin, and every form."""
    sign_in = import_module("confide.surfaces.console.pages.sign_in")
    made = [
        Route("/", _home, methods=["GET"]),
        Route("/static/{name}", _static, methods=["GET"]),
        *(Route(path, _open(answer), methods=[method]) for method, path, answer in sign_in.ROUTES),
    ]
    for name in PAGES:
        page = import_module(f"confide.surfaces.console.pages.{name}")
        for method, path, answer in page.ROUTES:
            made.append(Route(path, _guarded(answer), methods=[method]))
            if method == "GET" and not path.endswith((".zip", ".yaml")):
                twin = Route(f"{path}.json", _guarded(answer, is_twin=True), methods=["GET"])
                # Before the page itself, whose last part could otherwise be `….json`.
                made.insert(len(made) - 1, twin)
    return made


def _guarded(answer: Answer, *, is_twin: bool = False) -> Callable[..., Awaitable[Response]]:
    async def handle(request: Request) -> Response:
        confide = request.app.state.confide
        request.scope["confide.route"] = "console"
        try:
            found = await _signed_in(confide, request)
            if found is None:
                return _headed(_unknown(request, is_twin))
            visit, cookie = found
            if request.method == "POST":
                await _require_own_form(visit)
            made = await answer(visit)
            response = await _written(visit, made, is_twin)
            if cookie is not None and "set-cookie" not in response.headers:
                remember_cookie(request, response, cookie)
        except (ConfideError, *DATABASE_TROUBLE) as problem:
            response = _refused(request, problem, is_twin)
        return _headed(response)

    return handle


def _open(answer: Callable[[Request], Awaitable[Page | Response]]) -> Any:
    """Pages that need no session."""

    async def handle(request: Request) -> Response:
        request.scope["confide.route"] = "console"
        try:
            if request.method == "POST":
                require_same_origin(request)
            made = await answer(request)
            response = made if isinstance(made, Response) else draw(made, None)
        except (ConfideError, *DATABASE_TROUBLE) as problem:
            response = _refused(request, problem, is_twin=False)
        return _headed(response)

    return handle


async def _signed_in(confide: Any, request: Request) -> tuple[Visit, str | None] | None:
    given = request.cookies.get(COOKIE)
    found = await confide.browser.session(given) if given else None
    if found is None:
        return None
    key = await confide.browser.key_of(found.session)
    try:
        caller = in_browser(confide.database.agent_entity, found.session, key)
    except NotRecognized:
        await confide.browser.leave(found.session)
        return None
    request.scope["confide.caller"] = caller.kind.value
    return Visit(confide, request, caller, found.session), found.cookie


async def _require_own_form(visit: Visit) -> None:
    require_same_origin(visit.request)
    if visit.request.url.path == IMPORT:
        visit.form, visit.file = await read_form_with_file(visit.request)
    else:
        visit.form = await read_form(visit.request)
    if visit.form.pop("csrf", None) != [visit.csrf]:
        raise NotAllowed(STALE)


async def _written(visit: Visit, made: Page | Response, is_twin: bool) -> Response:
    if isinstance(made, Response):
        return made
    if is_twin:
        return JSONResponse(plain(made.answer), made.status)
    visit.waiting = await asking.count_waiting(visit)
    return draw(made, visit)


def _unknown(request: Request, is_twin: bool) -> Response:
    """Whoever is not signed in is told so, whatever they asked for."""
    if is_twin or request.method != "GET":
        return problem_of(NotRecognized("you are not signed in; open a link to sign in"))
    response = RedirectResponse("/sign-in", status_code=303)
    if COOKIE in request.cookies:
        forget_cookie(request, response)
    return response


def _refused(request: Request, problem: Exception, is_twin: bool) -> Response:
    known = problem_of(problem)
    if is_twin:
        return known
    says = str(problem)
    if isinstance(problem, NotFound):
        title, says = "Nothing here", "There is no such page, or it is not yours to see."
    elif isinstance(problem, OnlyAsked):
        title = "Asked, not done"
    elif isinstance(problem, InvalidInput):
        title, says = "That did not work", f"{problem.field}: {problem.problem}"
    elif isinstance(problem, NotAllowed):
        title = "Not allowed"
    elif isinstance(problem, (StoreError, *DATABASE_TROUBLE)):
        title, says = "The database does not answer", "Nothing is lost. Try again in a moment."
    else:
        title = "That did not work"
    page = Page("problem.html", {"title": title, "says": says}, status=known.status_code)
    return draw(page, None)


def _headed(response: Response) -> Response:
    for name, value in HEADERS.items():
        response.headers[name] = value
    return response


async def _home(request: Request) -> Response:
    confide = request.app.state.confide
    request.scope["confide.route"] = "console"
    found = await _signed_in(confide, request)
    if found is None:
        return _headed(go("/sign-in"))
    return _headed(go("/me" if found[0].is_person else "/overview"))


async def _static(request: Request) -> Response:
    request.scope["confide.route"] = "console"
    name = request.path_params["name"]
    if name not in STATIC:
        return _headed(_refused(request, NotFound("there is no such file"), is_twin=False))
    body = (files("confide.surfaces.console") / "static" / name).read_bytes()
    return _headed(Response(body, media_type=STATIC[name]))
