"""The questions written for this project, through the product in both manners: `python -m
benchmarks.retrieval.written_sets`. Prints each set's train and held-out part beside BM25, vectors and rank
fusion, and fails if a held-out part is below its bar."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from benchmarks.bars import Bar, lines
from benchmarks.retrieval.product import opened, server
from benchmarks.retrieval.scores import CUTOFFS, in_percent
from benchmarks.retrieval.searchers import Corpus, order
from benchmarks.retrieval.sets import HERE, Conversation, Question, Turn
from confide import audience, statement
from confide.model import Manner

PARTS: Final = ("train", "held_out")
#: hit@5 of the held-out part, in percent.
WANTED: Final = {"everyday": 92.0, "coding": 90.0, "team": 95.0}
SILENT, ANSWERED = 90.0, 55.0
ME: Final = "human:me"
#: Said by several people in a room.
CHATS: Final = ("team", "friends")


@dataclass(frozen=True)
class Section:
    """A store of its own: what is in it, and questions that nothing in it answers."""

    conversation: Conversation
    unknown: list[str]


@dataclass
class Answers:
    """Whether each question found its answer, in each way."""

    found: dict[str, list[bool]] = field(default_factory=dict)
    silent: list[bool] = field(default_factory=list)  # unknown questions, `certain`
    answered: list[bool] = field(default_factory=list)  # known questions, `certain`
    weak: list[int] = field(default_factory=list)  # told of unknown questions, `helpful`

    def add(self, way: str, *hits: bool) -> None:
        self.found.setdefault(way, []).extend(hits)


def sections(path: Path) -> Iterator[Section]:
    is_team = path.stem in CHATS
    for number, text in enumerate(path.read_text().split("== ")[1:]):
        turns, questions, unknown = list[Turn](), list[tuple[str, set[int]]](), list[str]()
        for line in text.splitlines()[1:]:
            mark, said = line[0], line[2:]
            if mark == "+":
                speaker, _, words = said.partition(": ") if is_team else ("Me", "", said)
                turns.append(Turn(speaker, words, is_new=True))
            elif mark == "?":
                questions.append((said, {len(turns) - 1}))
            elif mark == "=":
                questions[-1][1].add([turn.text for turn in turns].index(said))
            else:
                unknown.append(said)
        asked = [Question(one, frozenset(evidence), path.stem) for one, evidence in questions]
        yield Section(Conversation(number, turns, asked, asker="Me"), unknown)


def plainly(section: Section, answers: Answers) -> None:
    """The usual ways to search."""
    corpus = Corpus(section.conversation)
    for question in section.conversation.questions:
        ways = {
            "BM25": corpus.bm25(question.text),
            "vectors": corpus.cosine(question.text),
            "rank fusion": corpus.rank_fusion(question.text),
        }
        for way, scores in ways.items():
            answers.add(way, not question.evidence.isdisjoint(order(scores)[:5]))


async def asked(home: Path, section: Section, answers: Answers, *, is_team: bool) -> None:
    """Remembered one by one and recalled: alone, or by somebody in the team's room."""
    place = "group:team" if is_team else "dm"
    async with opened(home, "written", learn=False) as store:
        confide, kept = store.by_cutoff[CUTOFFS[0]], list[str]()
        for turn in section.conversation.turns:
            by = f"human:{turn.speaker.lower()}" if is_team else ME
            done = await confide.remember(statement(turn.text, by=by, place=place))
            kept.append(str(done.id))
        first = section.conversation.turns[0].speaker.lower()
        who = audience(f"human:{first}" if is_team else ME, place)
        for question in section.conversation.questions:
            for manner in Manner:
                told = await confide.recall(question.text, who, manner=manner)
                ids = [str(one.memory.id) for one in told.everything][:5]
                hit = any(kept[n] in ids for n in question.evidence)
                answers.add(manner.value, hit)
            answers.answered.append(bool(told.memories))
        for text in section.unknown:
            certain = await confide.recall(text, who, manner=Manner.CERTAIN)
            answers.silent.append(not certain.memories)
            answers.weak.append(len((await confide.recall(text, who)).perhaps))


async def measured(home: Path) -> dict[tuple[str, str], Answers]:
    found: dict[tuple[str, str], Answers] = {}
    for part in PARTS:
        for path in sorted((HERE / "written" / part).glob("*.txt")):
            answers = found[path.stem, part] = Answers()
            for section in sections(path):
                plainly(section, answers)
                await asked(home, section, answers, is_team=path.stem in CHATS)
    return found


def show(found: dict[tuple[str, str], Answers]) -> list[Bar]:
    bars: list[Bar] = []
    print("\n== written for this project: hit@5 in percent")
    for (name, part), answers in sorted(found.items()):
        hits = ", ".join(f"{way} {in_percent(one):.0f}" for way, one in answers.found.items())
        count = len(answers.answered)
        print(
            f"  {name:9} {part:9} {count:3} questions: {hits}; certain answers"
            f" {in_percent(answers.answered):.0f}, is silent on"
            f" {in_percent(answers.silent or [True]):.0f} of {len(answers.silent)} unknown; helpful tells"
            f" {sum(answers.weak) / max(1, len(answers.weak)):.1f} weak ones there"
        )
    for name, wanted in WANTED.items():
        value = in_percent(found[name, "held_out"].found[Manner.HELPFUL])
        bars.append(
            Bar(
                f"{name}, held out, hit@5",
                f"at least {wanted:.0f} %",
                f"{value:.1f} %",
                value >= wanted,
            )
        )
    held_out = [answers for (_, part), answers in found.items() if part == "held_out"]
    for what, least, values in (
        ("certain is silent on unknown", SILENT, [one for a in held_out for one in a.silent]),
        ("certain answers known", ANSWERED, [one for a in held_out for one in a.answered]),
    ):
        value = in_percent(values)
        bars.append(
            Bar(f"{what}, held out", f"at least {least:.0f} %", f"{value:.1f} %", value >= least)
        )
    return bars


async def run() -> list[Bar]:
    async with server() as home:
        return show(await measured(home))


def main() -> None:
    bars = asyncio.run(run())
    print("\n" + "\n".join(lines(bars)))
    if not all(bar.is_met for bar in bars):
        sys.exit("a bar was missed")


if __name__ == "__main__":
    main()
