"""Signing out, here or in every browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from confide.surfaces.console.visit import Visit, forget_cookie, go

if TYPE_CHECKING:
    from starlette.responses import Response


async def leave(visit: Visit) -> Response:
    browser = visit.confide.browser
    everywhere = bool(visit.sent("everywhere", ""))
    await (browser.leave_everywhere if everywhere else browser.leave)(visit.session)
    response = go("/sign-in")
    forget_cookie(visit.request, response)
    return response


ROUTES: Final = (("POST", "/sign-out", leave),)
