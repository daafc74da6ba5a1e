"""Measure retrieval: `python -m benchmarks.retrieval`. Prints tables and what has to be reached, writes
nothing, and fails if a bar is missed. `--formula` only compares ways to search, without a database.

Tuned on the LoCoMo conversations with even numbers (0, 2, 4, 6, 8); the odd ones are the test.
"""

from __future__ import annotations

import asyncio
import random
import sys
from collections.abc import Callable
from itertools import chain

from benchmarks.bars import Bar, lines
from benchmarks.retrieval import product, written_sets
from benchmarks.retrieval.learned import learned
from benchmarks.retrieval.scores import (
    CUTOFFS,
    Hits,
    found_enough,
    in_percent,
    kept_apart,
    quiet_enough,
    show,
)
from benchmarks.retrieval.searchers import Corpus, order
from benchmarks.retrieval.sets import Conversation, assistant_chats, locomo, unknown

Searcher = Callable[[Corpus, str], list[int]]
SEARCHERS: dict[str, Searcher] = {
    "BM25": lambda corpus, question: order(corpus.bm25(question)),
    "BM25 without stop words": lambda corpus, question: order(corpus.bm25_telling(question)),
    "vectors": lambda corpus, question: order(corpus.cosine(question)),
    "rank fusion": lambda corpus, question: order(corpus.rank_fusion(question)),
    "confide": lambda corpus, question: corpus.confide(question),
}


def measure(corpora: list[Corpus], search: Searcher) -> Hits:
    """Which part of its evidence each question finds."""
    hits: Hits = []
    for corpus in corpora:
        for question in corpus.conversation.questions:
            found = search(corpus, question.text)
            recall = [
                len(question.evidence.intersection(found[:k])) / len(question.evidence)
                for k in CUTOFFS
            ]
            hits.append((corpus.conversation.number, question.category, recall))
    return hits


def nothing(corpora: list[Corpus], questions: Callable[[Conversation], list[str]]) -> float:
    """How often, in percent, a question about nothing that is known finds nothing."""
    return in_percent([not c.confide(q) for c in corpora for q in questions(c.conversation)])


def strangers(conversations: list[Conversation], count: int) -> Callable[[Conversation], list[str]]:
    """Questions about people who have no part in the conversation asked."""

    def chosen(conversation: Conversation) -> list[str]:
        known = {turn.speaker for turn in conversation.turns}
        others = (c for c in conversations if known.isdisjoint(turn.speaker for turn in c.turns))
        pool = list(chain.from_iterable((q.text for q in c.questions) for c in others))
        return random.Random(conversation.number).sample(pool, count)

    return chosen


def compare(friends: list[Conversation], chats: Conversation) -> None:
    """Ways to search, each over one conversation at a time; no database, no rule."""
    corpora, chat = [Corpus(conversation) for conversation in friends], [Corpus(chats)]
    for title, chosen in (("LoCoMo", corpora), ("assistant chats", chat)):
        print(f"\n== {title}: {sum(len(c.conversation.questions) for c in chosen)} questions")
        for name, search in SEARCHERS.items():
            show(name, measure(chosen, search))
    asked = unknown()
    print("\n== nothing known: found nothing, in percent")
    print(f"  LoCoMo, about strangers    {nothing(corpora, strangers(friends, 60)):.1f}")
    print(f"  LoCoMo, about the world    {nothing(corpora, lambda _: asked['general']):.1f}")
    print(f"  chats, about strangers     {nothing(chat, strangers(friends, 200)):.1f}")
    print(f"  chats, about the world     {nothing(chat, lambda _: asked['general']):.1f}")
    print(f"  chats, about the asker     {nothing(chat, lambda _: asked['robin']):.1f}")
    print(f"  the same, other questions  {nothing(chat, lambda _: asked['robin_more']):.1f}")


async def through_the_product(friends: list[Conversation], chats: Conversation) -> list[Bar]:
    """The same questions through the product and its database, and what has to be reached."""
    asked, others = unknown(), strangers(friends, 60)
    async with product.server() as home:
        found = await product.friends(
            home, friends, lambda c: {"the world": asked["general"], "strangers": others(c)}
        )
        of_asker = {
            "the world": asked["general"],
            "the asker": asked["robin"] + asked["robin_more"],
        }
        talked = await product.assistant(home, chats, of_asker)
        heard, memories = await learned(home, chats, of_asker)
    print(f"\n== through the product, {found.a_second:.0f} memories stored a second")
    show("LoCoMo, a store for each, the agent alone", found.alone)
    show("LoCoMo, a store for each, asked in the room", found.in_rooms)
    show("LoCoMo, all in one store, asked in each room", found.together)
    show("assistant chats, the agent alone", talked.alone)
    show("assistant chats, each turn a memory, asked by who had them", talked.in_rooms)
    show(f"assistant chats, observed and learned ({memories} memories)", heard.in_rooms)
    # Raw turns hold every word that was ever said; what is learned is what a product is silent by.
    print("\nassistant chats, each turn a memory, found nothing, in percent")
    for about, answers in talked.silent.items():
        print(f"  about {about}: {in_percent(answers):.1f}")
    bm25 = measure([Corpus(conversation) for conversation in friends], SEARCHERS["BM25"])
    forbidden = found.forbidden + talked.forbidden
    return [
        *found_enough(found.alone, bm25),
        *kept_apart(found.in_rooms, found.together, forbidden),
        *quiet_enough(found.silent),
        *quiet_enough({f"{about}, as learned": told for about, told in heard.silent.items()}),
    ]


def main() -> None:
    friends, chats = locomo(), assistant_chats()
    compare(friends, chats)
    if "--formula" in sys.argv[1:]:
        return
    bars = [*asyncio.run(written_sets.run()), *asyncio.run(through_the_product(friends, chats))]
    print("\n== what has to be reached\n" + "\n".join(lines(bars)))
    if not all(bar.is_met for bar in bars):
        sys.exit("a bar was missed")


if __name__ == "__main__":
    main()
