"""The small classifier: how likely a text is sensitive, by its built-in embedding.

Weights are written by `python -m benchmarks.screening.train` from sentences of this project.
"""

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from confide.screen.lists import lines

Embed = Callable[[Sequence[str]], np.ndarray]


def likely_sensitive(texts: Sequence[str], embed: Embed) -> np.ndarray:
    """For each text a number between 0 (harmless) and 1 (sensitive)."""
    return chances(embed(texts), _weights())


def chances(vectors: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Logistic regression on the directions of the vectors; their lengths say little."""
    return 1 / (1 + np.exp(-(weights[0] + directions(vectors) @ weights[1:])))


def directions(vectors: np.ndarray) -> np.ndarray:
    """The vectors at length one; empty texts stay at zero."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.maximum(lengths, 1e-9)


@cache
def _weights() -> np.ndarray:
    return np.array([float(line) for line in lines("sensitivity_weights")])
