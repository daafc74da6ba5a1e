"""`confide chat`: be several people in several rooms, and see what is told and what is withheld."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from confide.surfaces.cli.given import Given, with_given

if TYPE_CHECKING:
    from confide.config import Settings
    from confide.memories import Confide
    from confide.surfaces.chat.play import Play

WELCOME = """You are everybody: say something, go elsewhere, be somebody else, and ask.

  My sister is visiting next week
  /as bob
  who is visiting?

/help lists the commands, /quit ends.
{kept} {answers}"""

EXAMPLES = """\b
Examples:
    confide chat
    printf 'I love tea\\n/as bob\\nwho loves tea?\\n' | confide chat

\b
JSON, one for each line: as, in, line, notice, remembered [text], answer,
is_by_model, told [id, owner, text], withheld [id, owner, because,
clause [kind, owner, atoms] or null, text (not with --here)]
"""

MODELS = (
    "model", "merge_model", "persona", "anthropic_key", "anthropic_url", "external_models",
    "model_seconds",
)  # fmt: skip


def register(app: typer.Typer) -> None:
    app.command(epilog=EXAMPLES)(with_given(chat))


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
    """
    from confide.surfaces.cli.opened import run

    run(_own(given) if here else _throw_away(given))


# Learning happens between the lines, not beside them: while somebody types, nothing goes on here,
# and a transaction that waits for them would hold up everybody else.
async def _own(given: Given) -> None:
    from confide.memories import Confide

    given.settings()
    async with Confide.open(**given.fields(), learn=False) as confide:
        await _talk(confide, is_own=True, as_json=given.as_json)


async def _throw_away(given: Given) -> None:
    from confide.testing import temporary

    async with temporary(**_models(given), learn=False) as confide:
        await _talk(confide, is_own=False, as_json=given.as_json)


def _models(given: Given) -> dict[str, Any]:
    """A throw-away memory knows nothing of the settings but which models may be asked."""
    settings = given.settings()
    return {name: getattr(settings, name) for name in MODELS}


async def _talk(confide: Confide, *, is_own: bool, as_json: bool) -> None:
    import logging

    from confide.surfaces.chat.play import Play
    from confide.surfaces.chat.terminal import Lines, interruptible
    from confide.surfaces.cli.output import say

    play = Play(confide, is_own)
    lines = Lines(play, as_json=as_json)
    if lines.is_terminal and not as_json:
        say(_welcome(confide.settings, is_own))
    # From here on the talk itself says what a log would say between its lines.
    logging.getLogger("confide").setLevel(logging.CRITICAL)
    async with interruptible():
        while (line := lines.read()) is not None and await _answer(play, line, as_json):
            pass


async def _answer(play: Play, line: str, as_json: bool) -> bool:
    """False: that was the last line."""
    from confide.surfaces.chat import panels
    from confide.surfaces.chat.shown import Shown
    from confide.surfaces.chat.terminal import stoppable
    from confide.surfaces.cli.output import say_json

    where = {"as": str(play.scene.who), "in": play.scene.room, "line": line}
    shown = await stoppable(play.type(line)) or Shown(notice="Stopped.")
    if as_json:
        say_json(where | panels.as_dict(shown))
    else:
        panels.show(shown)
    return not shown.is_over


def _welcome(settings: Settings, is_own: bool) -> str:
    from confide.providers.choosing import language_model

    model = language_model(settings)
    answers = f"{model.name} answers." if model else "Answers come from memory alone."
    kept = "What you say is kept." if is_own else "Nothing of it is kept."
    return WELCOME.format(kept=kept, answers=answers)
