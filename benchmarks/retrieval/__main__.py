"""Measure retrieval: `python -m benchmarks.retrieval`. Prints a table, writes nothing.
With `--product` the questions go through the product and its database.

Tuned on the LoCoMo conversations with even numbers (0, 2, 4, 6, 8); the odd ones are the test.
"""

from __future__ import annotations

import asyncio
import random
import sys
from collections.abc import Callable
from itertools import chain

from benchmarks.retrieval import product
from benchmarks.retrieval.scores import CUTOFFS, Hits, show
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


def nothing(corpora: list[Corpus], questions: Callable[[Corpus], list[str]]) -> float:
    """How often, in percent, a question about nothing that is known finds nothing."""
    answers = [not c.confide(question) for c in corpora for question in questions(c)]
    return 100 * sum(answers) / len(answers)


def strangers(conversations: list[Conversation], count: int) -> Callable[[Corpus], list[str]]:
    """Questions about people who have no part in the conversation asked."""

    def chosen(corpus: Corpus) -> list[str]:
        known = {turn.speaker for turn in corpus.conversation.turns}
        others = (c for c in conversations if known.isdisjoint(turn.speaker for turn in c.turns))
        pool = list(chain.from_iterable((q.text for q in c.questions) for c in others))
        return random.Random(corpus.conversation.number).sample(pool, count)

    return chosen


def main() -> None:
    friends, chats = locomo(), assistant_chats()
    if "--product" in sys.argv[1:]:
        asyncio.run(product.run(friends, unknown()))
        return
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


if __name__ == "__main__":
    main()
