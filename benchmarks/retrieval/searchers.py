"""Ways to search, from the plainest to the product's own, over one conversation."""

from __future__ import annotations

import math
from collections import Counter
from functools import cache
from pathlib import Path

import numpy as np
import Stemmer
import wordllama
from wordllama import WordLlama, WordLlamaInference

from benchmarks.retrieval.plain import Row, ranked
from benchmarks.retrieval.sets import Conversation, Turn
from confide.recall.ranking import MIX, Mix
from confide.store.lexicon import ENGLISH
from confide.store.terms import asked, name_terms, terms, words

WINDOW = 2  # how many turns before a turn help to find it


plain = Stemmer.Stemmer("english").stemWord


@cache
def model() -> WordLlamaInference:
    return WordLlama.load(cache_dir=Path(wordllama.__file__).parent, disable_download=True)


def embed(texts: list[str]) -> np.ndarray:
    return np.asarray(model().embed(texts, norm=True))


class Corpus:
    """One conversation, indexed for every searcher."""

    def __init__(self, conversation: Conversation) -> None:
        self.conversation = conversation
        turns = conversation.turns
        lines = [f"{turn.speaker}: {turn.text}" for turn in turns]
        self.documents = [[plain(word) for word in words(line)] for line in lines]
        starts = [window_start(turns, i) for i in range(len(turns))]
        self.vectors = embed(lines)
        bodies = [terms(turn.text) for turn in turns]
        self.rows = [
            {
                "id": i,
                "own": frozenset(bodies[i]),
                "own_length": len(bodies[i]),
                "before": frozenset(t for b in bodies[s:i] for t in b),
                "names": name_terms([turns[i].speaker]),
                "is_askers": turns[i].speaker == conversation.asker,
            }
            for i, s in enumerate(starts)
        ]
        self.bearing = Counter(term for d in self.documents for term in set(d))
        self.counts = [Counter(d) for d in self.documents]
        self.usual = sum(map(len, self.documents)) / len(self.documents)

    def bm25(self, question: str) -> np.ndarray:
        """Textbook BM25, k1 = 1.2 and b = 0.75, over each turn with its speaker's name."""
        return self._bm25({plain(word) for word in words(question)})

    def bm25_telling(self, question: str) -> np.ndarray:
        """The same, asked without the question's stop words."""
        return self._bm25({plain(word) for word in words(question) if word not in ENGLISH})

    def _bm25(self, question: set[str]) -> np.ndarray:
        count = len(self.documents)
        scores = np.zeros(count)
        for term in question:
            n = self.bearing[term]
            idf = math.log(1 + (count - n + 0.5) / (n + 0.5))
            for i, tf in ((i, c[term]) for i, c in enumerate(self.counts) if term in c):
                length = 0.25 + 0.75 * len(self.documents[i]) / self.usual
                scores[i] += idf * tf * 2.2 / (tf + 1.2 * length)
        return scores

    def cosine(self, question: str) -> np.ndarray:
        return self.vectors @ embed([question])[0]

    def rank_fusion(self, question: str) -> np.ndarray:
        def reciprocal(scores: np.ndarray) -> np.ndarray:
            return 1 / (60 + np.argsort(np.argsort(-scores, kind="stable"), kind="stable"))

        return reciprocal(self.bm25(question)) + reciprocal(self.cosine(question))

    def confide(self, question: str, mix: Mix = MIX) -> list[int]:
        vector = embed([question])[0]
        cosines = self.vectors @ vector
        rows = [Row(**row, cosine=float(c)) for row, c in zip(self.rows, cosines, strict=True)]
        return [id for id, _ in ranked(asked(question), rows, mix)]


def order(scores: np.ndarray) -> list[int]:
    return [int(i) for i in np.argsort(-scores, kind="stable")]


def window_start(turns: list[Turn], i: int) -> int:
    start = i
    while start > max(0, i - WINDOW) and not turns[start].is_new:
        start -= 1
    return start
