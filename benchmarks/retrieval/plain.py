"""The signals of texts as the database would read them, for ranking without a database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from confide.recall.ranking import MIX, Mix, Ranked, best_first, rank
from confide.store.kinds import kinds_of, things_asked
from confide.store.search import Signals
from confide.store.terms import Asked


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A memory as search sees it. `before` holds words of the two messages before it, and is empty
    where the audience may not hear those."""

    id: int
    own: frozenset[str]
    own_length: int
    before: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()  # whose it is and whom it is about
    is_askers: bool = False
    cosine: float = 0.0


def signals(question: Asked, rows: Sequence[Row]) -> Signals:
    things, names = things_asked(question.terms), question.names_in_order
    said = [row.own | row.before for row in rows]

    def table(asked: Sequence[str], have: Sequence[frozenset[str]]) -> np.ndarray:
        has = [[one in each for one in asked] for each in have]
        return np.array(has, dtype=bool).reshape(len(rows), len(asked))

    near = np.array([row.cosine for row in rows], dtype=float)
    return Signals(
        memories=len(rows),
        askers=sum(row.is_askers for row in rows),
        words=sum(row.own_length for row in rows),
        ids=np.frombuffer(b"".join(row.id.to_bytes(16, "big") for row in rows), dtype="V16"),
        authors=np.zeros(len(rows), dtype=int),
        lengths=np.array([row.own_length for row in rows], dtype=int),
        near=near,
        model_near=near * np.nan,
        own=table(question.terms, [row.own for row in rows]),
        said=table(question.terms, said),
        own_things=table(things, [kinds_of(row.own) for row in rows]),
        said_things=table(things, [kinds_of(one) for one in said]),
        kinds=np.zeros((len(rows), 0), dtype=bool),
        names=table(names, [row.names for row in rows]),
        is_askers=np.array([row.is_askers for row in rows], dtype=bool),
    )


def ranked(question: Asked, rows: Sequence[Row], mix: Mix = MIX) -> list[tuple[int, float]]:
    """The ids of what fits, best first, with their relevance."""
    read = signals(question, rows)
    found: Ranked = rank(question, read, mix=mix)
    order = best_first(read.ids, found.relevance, found.is_fit & found.is_known)
    return [(rows[n].id, float(found.relevance[n])) for n in order]
