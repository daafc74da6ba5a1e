"""The built-in embedder reads WordLlama's files itself, and must not differ from the package."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import wordllama

from confide.providers.wordllama import WordLlamaEmbedder, embed

TEXTS = [
    "hello world",
    "I love pizza and my dog Max",
    "Ich wohne in München und mag Bücher",
    "我住在北京",
    "😀 emoji, numbers 12345 and_underscores",
    "a" * 500,
]


@pytest.mark.req("B10")
def test_it_gives_the_vectors_that_the_package_gives() -> None:
    folder = Path(wordllama.__file__).parent
    package = wordllama.WordLlama.load(cache_dir=folder, disable_download=True)
    assert np.allclose(embed(TEXTS), package.embed(TEXTS, norm=True), atol=1e-6)


@pytest.mark.req("B10")
def test_vectors_have_length_one_and_nothing_has_none() -> None:
    lengths = np.linalg.norm(embed([*TEXTS, ""]), axis=1)
    assert np.allclose(lengths[:-1], 1, atol=1e-6)
    assert lengths[-1] == 0


async def test_many_texts_are_embedded_like_few() -> None:
    embedder = WordLlamaEmbedder()
    many = await embedder.embed_documents(TEXTS * 20)
    assert np.allclose(many[: len(TEXTS)], await embedder.embed_documents(TEXTS), atol=1e-6)
    assert np.allclose(many[0], await embedder.embed_query(TEXTS[0]), atol=1e-6)
