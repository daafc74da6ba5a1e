"""`confide chat`: be several people in several rooms, and see what is told and what is withheld."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from confide.surfaces.cli.given import Given, with_given

if TYPE_CHECKING:
    from confide.memories import Confide
    from confide.surfaces.chat.play import Play, Shown

WELCOME = """You are everybody: say something, go elsewhere, be somebody else, and ask.

  My sister is visiting next week
  /as bob
  who is visiting?

/help lists the commands, /quit ends. {kept}"""

MODELS = (
    "model", "merge_model", "persona", "anthropic_key", "anthropic_url", "external_models",
    "model_seconds",
)  # fmt: skip


def register(app: typer.Typer) -> None:
    app.command()(with_given(chat))


def chat(
    given: Given,
    here: Annotated[
        bool, typer.Option("--here", help="In your own memory instead of a throw-away one.")
    ] = False,
) -> None:
    """Talk to the agent as several people in several rooms.

    Beside each answer stands what was withheld and which clause withheld it. Without --here
    everything happens in a throw-away memory. Lines may also come from standard input.
    With a key (ANTHROPIC_API_KEY) a language model answers; without one, memory alone.

    \b
    Examples:
      confide chat
      printf 'I love tea\\n/as bob\\nwho loves tea?\\n' | confide chat
    """
    from confide.surfaces.cli.opened import run, with_memory

    if here:
        with_memory(given, lambda confide: _talk(confide, is_own=True, as_json=given.as_json))
    else:
        run(_throw_away(given))


async def _throw_away(given: Given) -> None:
    from confide.testing import temporary

    async with temporary(**_models(given)) as confide:
        await _talk(confide, is_own=False, as_json=given.as_json)


def _models(given: Given) -> dict[str, Any]:
    """A throw-away memory knows nothing of the settings but which models may be asked."""
    settings = given.settings()
    return {name: getattr(settings, name) for name in MODELS}


async def _talk(confide: Confide, *, is_own: bool, as_json: bool) -> None:
    from confide.surfaces.chat.play import Play

    play = Play(confide)
    is_terminal = sys.stdin.isatty()
    if is_terminal and not as_json:
        kept = "What you say is kept." if is_own else "Nothing of it is kept."
        typer.echo(WELCOME.format(kept=kept))
    while (line := _read(play, is_terminal)) is not None:
        shown = await play.type(line)
        _show(play, shown, line, hides_text=is_own, as_json=as_json, echo=not is_terminal)
        if shown.is_over:
            break


def _read(play: Play, is_terminal: bool) -> str | None:
    try:
        if is_terminal:
            return input(f"\n{play.scene.prompt} > ")
        line = sys.stdin.readline()
    except EOFError:
        return None
    return line.rstrip("\n") if line else None


def _show(
    play: Play, shown: Shown, line: str, *, hides_text: bool, as_json: bool, echo: bool
) -> None:
    from confide.surfaces.chat import panels

    if as_json:
        from confide.surfaces.cli.output import say_json

        say_json({"line": line} | panels.as_dict(shown, hides_text=hides_text))
        return
    if echo:
        typer.echo(f"\n{play.scene.prompt} > {line}")
    panels.show(shown, hides_text=hides_text)
