"""Templates: everything in them is escaped, and what is missing in one is an error."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.responses import HTMLResponse

from confide.privacy.acting import CallerKind
from confide.surfaces.console import words
from confide.surfaces.console.icons import ICONS
from confide.surfaces.console.visit import LABELS, NUMBERS, PEOPLE

if TYPE_CHECKING:
    from confide.surfaces.console.visit import Page, Visit


class Entry(NamedTuple):
    """One page in the bar on top; pages that somebody may not open are absent."""

    title: str
    path: str
    kinds: tuple[CallerKind, ...]


CONSOLE: Final = (CallerKind.CONSOLE,)
BAR: Final = (
    Entry("Overview", "/overview", NUMBERS),
    Entry("Rooms", "/rooms", (CallerKind.SIGNED_IN, *NUMBERS)),
    Entry("View as", "/view-as", (CallerKind.SIGNED_IN, *LABELS)),
    Entry("Memories", "/memories", (*PEOPLE, *LABELS)),
    Entry("Review", "/review", (CallerKind.SIGNED_IN, *CONSOLE)),
    Entry("Consents", "/consents", (CallerKind.SIGNED_IN,)),
    Entry("Audit", "/audit", (CallerKind.SIGNED_IN, *LABELS)),
    Entry("Switches", "/switches", CONSOLE),
    Entry("Try", "/try", CONSOLE),
    Entry("Me", "/me", PEOPLE),
)


#: Where nobody is signed in.
NOBODY: Final[dict[str, Any]] = {
    "bar": (), "signed_in": None, "csrf": "", "path": "", "twin": "", "done": "", "waiting": "",
    "page_title": "", "current": "", "who": None,
}  # fmt: skip
#: What a form did, said on the page that comes after it. An address names the sentence, never says it.
DONE: Final = {
    "forgotten": "Forgotten. It is told to nobody; for a day you can bring it back.",
    "restored": "It is back.",
    "erased": "Erased: nothing of it is told to anybody.",
    "saved": "Saved.",
    "removed": "Removed.",
    "corrected": "Corrected. The old words are told to nobody.",
    "waits": "Corrected. It waits until somebody has looked at it.",
    "shared": "They may hear it now.",
    "approved": "Approved.",
    "rejected": "Rejected: it is told to nobody.",
    "taken-back": "Taken back. It waits again.",
    "some": "Done, but not for all: some are not yours to decide on.",
    "edited": "Changed. It waits again.",
    "agreed": "Agreed. You can withdraw it at any time.",
    "withdrawn": "Withdrawn, at once.",
    "answered": "Answered.",
    "asked": "Asked. The operator answers within 30 days.",
}


def draw(page: Page, visit: Visit | None) -> HTMLResponse:
    around: dict[str, Any] = NOBODY | {"title": page.shown.get("title", "Sign in")}
    if visit is not None:
        around |= {
            "bar": [
                one
                for one in BAR
                if visit.kind in one.kinds and (visit.is_demo or one.path != "/try")
            ],
            "signed_in": words.signed_in(
                visit.caller, page.shown.get("name"), is_demo=visit.is_demo
            ),
            "csrf": visit.csrf,
            "path": visit.request.url.path,
            "twin": _twin(visit),
            "done": DONE.get(visit.query("done"), ""),
            "page_title": _title(visit.request.url.path),
            "current": _current(visit.request.url.path),
            "who": visit.caller.entity,
            "waiting": visit.waiting,
        }
    text = _environment().get_template(page.template).render(around | dict(page.shown))
    return HTMLResponse(text, page.status)


def _title(path: str) -> str:
    return next((one.title for one in BAR if one.path == _current(path)), "Menu")


def _current(path: str) -> str:
    """The page in the bar that an address belongs to."""
    return f"/{path.strip('/').partition('/')[0]}"


def _twin(visit: Visit) -> str:
    query = visit.request.url.query
    return f"{visit.request.url.path}.json{f'?{query}' if query else ''}"


@cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("confide.surfaces.console"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals["icons"] = ICONS
    made.filters |= {
        "day": words.day,
        "moment": words.moment,
        "number": words.number,
        "called": words.called,
        "initial": words.initial,
        "place": words.place_called,
        "plural": words.plural,
    }
    return made
