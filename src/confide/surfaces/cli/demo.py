"""`confide demo`: a small community, acted out in a throw-away database."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

import typer

from confide.surfaces.cli.given import Given, with_given
from confide.surfaces.cli.opened import run
from confide.surfaces.cli.output import console, say, say_json

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from confide.demo.player import Outcome, Played
    from confide.demo.story import Agreement, Story

EXAMPLES = """\b
Examples:
    confide demo
    confide demo --json

\b
JSON: scenes [title, question, remembered, asked [asker, place, memory, told, because,
      as_expected]], as_expected
"""


def register(app: typer.Typer) -> None:
    app.command("demo", epilog=EXAMPLES)(with_given(demo))


def demo(given: Given) -> None:
    """Act out a small community: who asks where, what is told, what is withheld and why.

    It runs in a database of its own that is removed afterwards; your memories are not touched.
    Exits with 1 if anything is told or withheld that should not be.
    """
    began = time.monotonic()
    played = run(_play(given))
    wrong = [o for scene in played for o in scene.outcomes if not o.is_as_expected]
    if given.as_json:
        scenes = [_as_json(scene) for scene in played]
        say_json({"scenes": scenes, "as_expected": not wrong})
    else:
        asked = sum(len(scene.outcomes) for scene in played)
        seconds = time.monotonic() - began
        verdict = "all as they should be" if not wrong else f"{len(wrong)} NOT as they should be"
        say(f"{asked} decisions, {verdict}, in {seconds:.1f} s. Nothing of it was kept.")
    if wrong:
        raise typer.Exit(1)


async def _play(given: Given) -> list[Played]:
    import asyncio

    from confide.demo.player import play
    from confide.demo.story import read_story
    from confide.testing import temporary

    story, shown = read_story(), None if given.as_json else console()
    played: list[Played] = []
    if shown:
        _introduce(shown)
    warming = asyncio.create_task(asyncio.to_thread(_warm_up))
    async with temporary(agent="demo") as confide:
        await warming
        async for scene in play(confide, story):
            played.append(scene)
            if shown:
                _show(shown, scene, story, len(played))
    return played


def _warm_up() -> None:
    """Load the screen and the embedder while the database starts on the other core."""
    from confide.providers.wordllama import embed
    from confide.screen import Screen

    Screen().look("warming up")
    embed(["warming up"])


def _introduce(shown: Console) -> None:
    from rich.text import Text

    shown.print(Text("A memory is told only if it is fit for everyone who will see the answer.\n"))


def _show(shown: Console, played: Played, story: Story, number: int) -> None:
    from rich.padding import Padding
    from rich.text import Text

    scene = played.scene
    shown.print(Text(f"{number}  {scene.title}", style="bold"))
    before = [f"{story.named(who)} leaves {story.place_named(at)}." for who, at in scene.leaves]
    before += [f"{story.named(who)}: “Forget that, now.”" for _, who in scene.forgets]
    before += [f"{story.named(who)} confirms for {story.named(of)}." for who, of in scene.guards]
    before += [_agreed(one, story) for one in scene.agrees]
    before += [f"{story.named(who)}: “I take that back.”" for who in scene.withdraws]
    lines = [Text(line) for line in before]
    for line in scene.lines:
        where = f"{story.named(line.by)} in {story.place_named(line.place)}: "
        lines.append(Text.assemble(where, (f"“{line.text}”", "italic cyan")))
    lines.append(Text(f"Asked: {scene.question}", style="dim"))
    for one in (*lines, _table(played, story)):
        shown.print(Padding(one, (0, 0, 0, 3)))
    shown.print()


def _agreed(one: Agreement, story: Story) -> str:
    on_behalf = f", for {story.named(one.of)}," if one.of != one.who else ""
    to, where = story.named(one.to), story.place_named(one.place)
    return f"{story.named(one.who)}{on_behalf} lets {to} hear, there, what is said in {where}."


def _table(played: Played, story: Story) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="dim")
    table.add_column("who asks", no_wrap=True)
    table.add_column("where the answer appears", overflow="fold")
    table.add_column("told", style="green", overflow="fold")
    table.add_column("withheld, because", style="yellow", overflow="fold")
    are_several = len({outcome.key for outcome in played.outcomes}) > 1

    def which(key: str) -> str:
        return f"“{played.texts[key]}”: " if are_several else ""

    for question in played.scene.questions:
        outcomes = [o for o in played.outcomes if o.question == question]
        told = [f"“{played.texts[o.key]}”{_verdict(o)}" for o in outcomes if o.is_told]
        withheld = [
            f"{which(o.key)}{_because(o.because, story)}{_verdict(o)}"
            for o in outcomes
            if not o.is_told
        ]
        table.add_row(
            story.named(question.asker),
            story.place_named(question.place),
            "\n".join(told) or Text("nothing", style="dim"),
            "\n".join(withheld),
        )
    return table


def _verdict(outcome: Outcome) -> str:
    return "" if outcome.is_as_expected else " (WRONG)"


def _because(because: str, story: Story) -> str:
    """The reason with the names of the cast."""
    return re.sub(r"\b[a-z]{2,16}:\w+", lambda found: story.named(found[0]), because)


def _as_json(played: Played) -> dict[str, object]:
    return {
        "title": played.scene.title,
        "question": played.scene.question,
        "remembered": played.texts,
        "asked": [
            {
                "asker": outcome.question.asker,
                "place": outcome.question.place,
                "memory": outcome.key,
                "told": outcome.is_told,
                "because": outcome.because,
                "as_expected": outcome.is_as_expected,
            }
            for outcome in played.outcomes
        ],
    }
