"""`confide serve`: HTTP and MCP for this memory, with the worker beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from confide.surfaces.cli.given import Given, with_given
from confide.surfaces.cli.opened import run
from confide.surfaces.cli.output import faint, say, say_json

if TYPE_CHECKING:
    from collections.abc import Callable

    from confide.memories import Confide

EXAMPLES = """\b
Examples:
    confide serve
    confide serve --host 0.0.0.0 --port 80      needs a key: confide keys create …
    confide serve --demo                        a small community to try things on

\b
JSON: url; with --demo also keys and try, the address of the console
"""
Host = Annotated[
    str | None, typer.Option("--host", metavar="ADDRESS", help="Where to listen (CONFIDE_HOST).")
]
Port = Annotated[
    int | None, typer.Option("--port", metavar="PORT", help="0 picks a free one (CONFIDE_PORT).")
]
Demo = Annotated[
    bool, typer.Option("--demo", help="Serve a small community from a throw-away database.")
]
Level = Annotated[
    str | None,
    typer.Option("--log", metavar="LEVEL", help="debug, info, warning or error (CONFIDE_LOG)."),
]
LEVELS = {"debug": 10, "info": 20, "warning": 30, "error": 40}


def register(app: typer.Typer) -> None:
    app.command("serve", epilog=EXAMPLES)(with_given(serve))


def serve(
    given: Given, host: Host = None, port: Port = None, demo: Demo = False, log: Level = None
) -> None:
    """Answer under /v1 (HTTP) and /mcp (MCP), and learn beside it, until Ctrl+C.

    Every request needs a key, also on this machine: `confide keys create` makes one. /healthz,
    /readyz and /openapi.json need none. Logs go to standard error, one JSON object a line, and
    hold nobody's words.
    """
    settings = given.settings()
    # The demonstration is looked at in a terminal, where its own lines would be lost among others.
    level = level_of(log or ("warning" if demo else settings.log))
    listening = host or settings.host, settings.port if port is None else port
    served = _demo if demo else _serve
    run(served(given, *listening, level))


def level_of(name: str) -> int:
    from confide.errors import InvalidInput

    if name not in LEVELS:
        raise InvalidInput("log", f"{name!r} is none of {', '.join(LEVELS)}")
    return LEVELS[name]


async def _serve(given: Given, host: str, port: int, level: int) -> None:
    from confide.memories import Confide
    from confide.surfaces.http.serving import serve as served

    async with Confide.open(**given.fields()) as confide:
        has_keys = await confide.keys.is_any_valid()
        announce = _announcing(given, has_keys=has_keys)
        await served(confide, host, port, announce=announce, level=level)


async def _demo(given: Given, host: str, port: int, level: int) -> None:
    from confide.actor import operator_as
    from confide.demo.player import play
    from confide.demo.story import read_story
    from confide.surfaces.http.serving import serve as served
    from confide.testing import temporary

    async with temporary(agent="demo") as confide:
        async for _ in play(confide, read_story()):
            pass
        keys = await _demo_keys(confide)
        link = await confide.browser.link(actor=operator_as())
        announce = _announcing_demo(given, keys, link.path)
        await served(confide, host, port, announce=announce, level=level, is_demo=True)


async def _demo_keys(confide: Confide) -> dict[str, str]:
    from confide.actor import operator_as
    from confide.keep.keys import Wanted
    from confide.store.keys import KeyKind

    made: dict[str, str] = {}
    for name, wanted in (
        ("platform", Wanted(kind=KeyKind.PLATFORM, platform="local")),
        ("auditor", Wanted(kind=KeyKind.AUDITOR)),
    ):
        made[name] = (await confide.keys.create(wanted, actor=operator_as())).secret
    return made


def _announcing(given: Given, *, has_keys: bool) -> Callable[[str], None]:
    def announce(url: str) -> None:
        if given.as_json:
            say_json({"url": url})
            return
        say(f"HTTP {url}/v1 · MCP {url}/mcp · what there is: {url}/openapi.json")
        if not has_keys:
            say("There is no key yet: confide keys create personal --for human:me")
        say(faint("Ctrl+C ends it; requests that have begun are answered first."))

    return announce


def _announcing_demo(given: Given, keys: dict[str, str], path: str) -> Callable[[str], None]:
    def announce(url: str) -> None:
        if given.as_json:
            say_json({"url": url, "keys": keys, "try": url + path})
            return
        say(f"A small community lives at {url}/v1 (what there is: {url}/openapi.json).")
        say("It is gone when you end this with Ctrl+C. Try, in another terminal:\n")
        say(f"  KEY={keys['platform']}")
        for words, asker, place in TRIES:
            say(faint(f"\n  # {words}"))
            say(_curl(url, asker, place))
        say(faint("\n  # And with a key that sees labels, but no words:"))
        say(f"  curl -s {url}/v1/trail -H 'Authorization: Bearer {keys['auditor']}'")
        say(f"\nTry it in the browser, within ten minutes: {url}{path}")

    return announce


ASKED = "how is Bella, and what does Bella like?"
TRIES = (
    ("Sean asks alone: he is told all that he said of his dog.", "human:sean", "dm"),
    ("Sean asks at the dog park: her health is withheld.", "human:sean", "ctx:dog_park"),
    ("Bob asks alone: the answer is the same as if nothing were known.", "human:bob", "dm"),
)


def _curl(url: str, asker: str, place: str) -> str:
    body = f'{{"question": "{ASKED}", "asker": "{asker}", "place": "{place}"}}'
    return (
        f'  curl -s {url}/v1/recall -H "Authorization: Bearer $KEY"'
        f" -H 'Content-Type: application/json' -d '{body}'"
    )
