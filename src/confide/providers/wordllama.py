"""The built-in embedder: WordLlama's 256-dimensional word vectors, averaged.

The weights lie inside the `wordllama` wheel. They are read directly, because importing that
package takes longer than a whole recall; a test holds the two equal.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from confide.errors import StorageProblem

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from confide.providers.embedder import Vector

MODEL: Final = "wordllama-l2-supercat-256"
SHORT: Final = 4000  # characters that are embedded at once, within a millisecond or two
LONGEST: Final = 8192  # characters that are read of one text; an average over more says less


class WordLlamaEmbedder:
    """Needs no key, no network and about a tenth of a millisecond a text."""

    model = MODEL

    async def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        if sum(map(len, texts)) <= SHORT:
            return embed(texts).tolist()
        vectors = await asyncio.to_thread(embed, texts)
        return vectors.tolist()

    async def embed_query(self, text: str) -> Vector:
        (vector,) = await self.embed_documents([text])
        return vector


def embed(texts: Sequence[str]) -> npt.NDArray[np.float32]:
    """Unit vectors, one a text; a text without known words gets the zero vector."""
    import numpy as np

    tokenizer, weights = load()
    read = [t[:LONGEST] for t in texts]
    if len(read) == 1:  # a batch wakes threads, which takes longer than one text
        encoded = [tokenizer.encode(read[0], add_special_tokens=False)]
    else:
        encoded = tokenizer.encode_batch(read, add_special_tokens=False)
    out = np.zeros((len(texts), weights.shape[1]), dtype=np.float32)
    for row, one in zip(out, encoded, strict=True):
        if ids := one.ids:
            # The sum points where the mean does.
            np.add.reduce(weights[ids], axis=0, dtype=np.float32, out=row)
    lengths = np.sqrt((out * out).sum(axis=1, keepdims=True, dtype=np.float32))
    return out / np.maximum(lengths, 1e-12)


def pieces(word: str) -> int:
    """How many known parts a word is made of: common words are one or two."""
    tokenizer, _ = load()
    return len(tokenizer.encode(word, add_special_tokens=False).ids)


@cache
def load() -> tuple[Any, npt.NDArray[np.float16]]:
    from safetensors.numpy import load_file  # pyright: ignore[reportUnknownVariableType]
    from tokenizers import Tokenizer

    package = find_spec("wordllama")
    if package is None or package.origin is None:
        raise StorageProblem("the wordllama package is missing; install confide again")
    folder = Path(package.origin).parent
    tokenizer = Tokenizer.from_file(
        str(folder / "tokenizers" / "l2_supercat_tokenizer_config.json")
    )
    tokenizer.no_padding()
    tokenizer.no_truncation()
    (weights,) = load_file(folder / "weights" / "l2_supercat_256.safetensors").values()
    return tokenizer, weights
