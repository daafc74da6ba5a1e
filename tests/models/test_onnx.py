"""A transformer on this machine: read from a folder, beside the built-in vectors, and nothing leaves."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.conftest import Opened
from tests.models.test_embedding import remember, vectors
from tests.models.tiny_onnx import write

from confide import audience
from confide.errors import InvalidInput
from confide.providers.onnx import OnnxEmbedder

CELLO, VAN, ILL = "cello", "van", "I was diagnosed with cancer"


async def nearest(setting: str, question: str, *texts: str) -> str:
    embedder = OnnxEmbedder(setting)
    asked = await embedder.embed_query(question)
    known = await embedder.embed_documents(texts)
    products = [sum(a * b for a, b in zip(asked, one, strict=True)) for one in known]
    return texts[products.index(max(products))]


@pytest.mark.req("B9", "B10")
async def test_texts_are_near_as_the_model_says_also_in_a_batch_of_other_lengths(
    tmp_path: Path,
) -> None:
    setting = write(tmp_path / "tiny")
    assert await nearest(setting, "instrument", VAN, CELLO, "van van van vehicle") == CELLO
    one = await OnnxEmbedder(setting).embed_documents([CELLO])
    many = await OnnxEmbedder(setting).embed_documents([CELLO, "van van van van"])
    assert list(one[0]) == pytest.approx(list(many[0]))  # padding has no say
    assert len(one[0]) == 1024


@pytest.mark.req("B9")
async def test_the_folder_says_which_token_stands_for_a_text_and_what_precedes_a_question(
    tmp_path: Path,
) -> None:
    first = write(tmp_path / "first", first_token=True)
    assert await nearest(first, "instrument van van", VAN, CELLO) == CELLO
    prefixed = write(tmp_path / "prefixed", first_token=True, query="vehicle ")
    assert await nearest(prefixed, "instrument", VAN, CELLO) == VAN


@pytest.mark.req("B9", "B10")
async def test_all_is_embedded_online_without_a_provider_and_found_by_it(
    open_confide: Opened, tmp_path: Path
) -> None:
    setting = write(tmp_path / "tiny")
    async with open_confide() as confide:
        await remember(confide, CELLO, VAN, ILL)
        builtin = await vectors(confide)
    async with open_confide(embedder=setting, external_models="none") as confide:
        assert await confide.vectors.left() == 3
        assert await confide.vectors.drain_backlog() == 3  # the sensitive one too: nothing leaves
        assert await vectors(confide) == {**builtin, setting: 3}
        context = await confide.recall("instrument", audience("human:alice", "dm"))
        assert context.memories[0].memory.text == CELLO


@pytest.mark.req("B9")
@pytest.mark.parametrize("broken", ["missing", "empty", "no tokenizer", "no model", "nonsense"])
async def test_a_folder_without_a_model_is_an_error_that_names_the_setting(
    open_confide: Opened, tmp_path: Path, broken: str
) -> None:
    folder = tmp_path / "tiny"
    setting = write(folder)
    if broken in ("missing", "empty", "no model"):
        (folder / "model.onnx").unlink()
    if broken in ("missing", "empty", "no tokenizer"):
        (folder / "tokenizer.json").unlink()
    if broken == "missing":
        folder.rmdir()
    if broken == "nonsense":
        (folder / "model.onnx").write_bytes(b"nonsense")
    async with open_confide(embedder=setting) as confide:
        with pytest.raises(InvalidInput) as raised:
            await confide.vectors.reembed()
        assert raised.value.field == "CONFIDE_EMBEDDER"
        await remember(confide, CELLO)  # remembering does not need it
