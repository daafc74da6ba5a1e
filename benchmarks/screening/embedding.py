"""The built-in embeddings, loaded the way the product loads them."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
import wordllama
from wordllama import WordLlama


def embed(texts: Sequence[str]) -> np.ndarray:
    """Vectors of 256 numbers, one a text."""
    return _model().embed(list(texts))


@cache
def _model() -> wordllama.WordLlamaInference:
    folder = Path(wordllama.__file__).parent
    return WordLlama.load(cache_dir=folder, disable_download=True)
