"""How private an English text is by its meaning: two small linear heads, one a level.

Each piece of a word has a weight; a sentence's score is their sum, tamed by its length, and what the
lexicon counted. The weights come from `python -m benchmarks.screening.train`, as their file says.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from confide.screen.lists import table

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Caution = Literal["low", "usual", "high"]
Numbers = npt.NDArray[np.float64]
UNKNOWN: Final = "[UNK]"
#: A long sentence has more words that weigh a little by chance.
TAMED: Final = 0.7


class Counts(NamedTuple):
    """What the lexicon saw in a sentence, as far as it counts."""

    strong: float
    weak: float
    of_person: float
    of_pastime: float


class Score(NamedTuple):
    """How much above what is still public, and above what is only personal; below zero: not."""

    personal: float
    sensitive: float


@dataclass(frozen=True, slots=True)
class _Head:
    tokenizer: "Tokenizer"
    pieces: Numbers  # a row for each piece, a column for each level
    counts: Numbers
    bias: Numbers


def score(texts: Sequence[str], counts: Sequence[Counts], caution: Caution) -> list[Score]:
    """Each sentence's distance from both thresholds."""
    if not texts:
        return []
    head, levels = _head(), table("sensitivity_head")
    limits = np.array(levels["thresholds"][caution])
    weighed = np.array([_sum(head.pieces[ids]) for ids in _ids(head.tokenizer, texts)])
    return [
        Score(*row)
        for row in (weighed + np.array(counts) @ head.counts + head.bias - limits).tolist()
    ]


def heaviest(text: str) -> str:
    """The word that speaks most for keeping the text private."""
    head = _head()
    encoded = head.tokenizer.encode(text, add_special_tokens=False)
    weights: dict[int, float] = {}
    for word, piece in zip(encoded.word_ids, encoded.ids, strict=True):
        if word is not None:
            weights[word] = weights.get(word, 0.0) + float(head.pieces[piece].sum())
    most = max(weights, key=lambda word: weights[word], default=None)
    spans = [
        span for word, span in zip(encoded.word_ids, encoded.offsets, strict=True) if word == most
    ]
    return text[spans[0][0] : spans[-1][1]] if spans else ""


def tokenizer(pieces: Sequence[str]) -> "Tokenizer":
    """Splits as BERT does, into these pieces."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    made = Tokenizer(models.WordPiece(vocabulary, unk_token=UNKNOWN))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return made


def _ids(tokenizer: "Tokenizer", texts: Sequence[str]) -> list[list[int]]:
    if len(texts) == 1:  # a batch wakes threads, which takes longer than one text
        return [tokenizer.encode(texts[0], add_special_tokens=False).ids]
    encoded = tokenizer.encode_batch(list(texts), add_special_tokens=False)
    return [one.ids for one in encoded]


def _sum(rows: Numbers) -> Numbers:
    return rows.sum(axis=0) / (len(rows) + 1) ** TAMED


@cache
def _head() -> _Head:
    written = (files("confide.screen") / "data" / "sensitivity_pieces.txt").read_text("utf-8")
    lines = [line.split(" ", 2) for line in written.splitlines() if not line.startswith("#")]
    levels = table("sensitivity_head")
    weights = np.array([(int(one), int(other)) for one, other, _ in lines], dtype=float)
    return _Head(
        tokenizer([piece for _, _, piece in lines]),
        weights * levels["scale"],
        np.array(levels["counts"]),
        np.array(levels["bias"]),
    )
