"""What is known after the conversations of `benchmarks/learning_sets`, learned without a model.

    python -m benchmarks.learned_facts [show] [held-out] [talks] [promotion]

`show` prints what was missed and what was wrong in the sets for development; the held-out ones are
only ever counted.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from benchmarks.learned_facts.playing import Judged, judge
from benchmarks.learned_facts.promoting import Promoted, promoted
from benchmarks.learned_facts.sets import talks
from benchmarks.retrieval.product import server


def share(part: int, whole: int) -> str:
    return f"{part}/{whole} ({100 * part / whole:.1f} %)" if whole else "none"


def talk_lines(found: Judged) -> list[tuple[str, str]]:
    many = found.memories_from_them / max(1, found.messages_with_a_fact)
    return [
        ("facts known afterwards", share(found.known, found.facts)),
        ("known, and among the first five where it was said", share(found.told, found.facts)),
        ("known, and found there or by their speaker alone", share(found.found, found.facts)),
        ("known facts with a last day that end before it", share(found.ends_early, found.dated)),
        ("memories that are wrong or misattributed", share(found.wrong, found.memories)),
        ("small talk kept", share(found.small_talk_kept, found.small_talk)),
        ("memories per message with a memory", f"{many:.2f}"),
        ("memories that are the whole message", share(found.whole, found.memories)),
    ]


def promotion_lines(found: Promoted) -> list[tuple[str, str]]:
    return [
        ("promoted wrongly", share(len(found.promoted_wrongly), found.wrong)),
        ("true attributes kept everywhere", share(found.kept, found.right)),
        ("questions that find them elsewhere", share(found.answered, found.questions)),
    ]


async def measured(home: Path, *, held_out: bool, wanted: set[str], is_shown: bool) -> None:
    print(f"\n{'Held out' if held_out else 'For development'}")
    if "talks" in wanted:
        found = Judged()
        for talk in talks(held_out=held_out):
            await judge(home, talk, found)
        _print(talk_lines(found))
        if is_shown:
            print(*found.missed, "", *found.errors, "", *found.idle, sep="\n")
    if "promotion" in wanted:
        lines = await promoted(home, held_out=held_out)
        _print(promotion_lines(lines))
        if is_shown:
            print(*lines.promoted_wrongly, "", *lines.not_kept, "", *lines.unanswered, sep="\n")


def _print(rows: list[tuple[str, str]]) -> None:
    for name, value in rows:
        print(f"  {name:<52} {value}")


async def main(words: list[str]) -> None:
    wanted = {"talks", "promotion"} & set(words) or {"talks", "promotion"}
    async with server() as home:
        await measured(home, held_out=False, wanted=wanted, is_shown="show" in words)
        if "held-out" in words:
            await measured(home, held_out=True, wanted=wanted, is_shown=False)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
