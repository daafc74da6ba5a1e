"""A transformer on this machine: a folder with `model.onnx` and `tokenizer.json`, as models are published.

Nothing leaves, so it may read what is sensitive too. Texts become the mean of their tokens or, if the
model's `1_Pooling/config.json` or the folder's `embedding.json` says so, the first token.
"""

from __future__ import annotations

import asyncio
import json
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, cast

from confide.errors import InvalidInput, UnusableAnswer
from confide.providers.vectors import DIMENSIONS, ExternalEmbedder, sound

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from confide.providers.embedder import Vector

PREFIX: Final = "onnx:"
#: Longer texts are cut, as the models themselves do.
LONGEST: Final = 512
THREADS: Final = 2  # others compute beside it
MODEL_FILES: Final = ("model.onnx", "onnx/model.onnx", "model_quantized.onnx")


class OnnxEmbedder(ExternalEmbedder):
    """Asked like a provider, but in this process and for nothing."""

    is_local = True

    def __init__(self, model: str) -> None:
        super().__init__(model)
        self._folder = Path(model.removeprefix(PREFIX)).expanduser()
        _load(self._folder)  # a wrong folder is said before anything is asked

    async def _embed(
        self, texts: list[str], kind: Literal["query", "document"], seconds: float
    ) -> list[Vector]:
        vectors = await asyncio.to_thread(_vectors, self._folder, texts, kind)
        return sound(vectors.tolist(), len(texts), self.model)


class _Loaded(NamedTuple):
    session: Any
    tokenizer: Any
    is_first: bool
    prefixes: dict[str, str]


def _vectors(
    folder: Path, texts: list[str], kind: Literal["query", "document"]
) -> npt.NDArray[np.float32]:
    """One row a text, filled up with zeros: the angles between them stay."""
    import numpy as np

    loaded = _load(folder)
    before = loaded.prefixes.get(kind, "")
    encoded = loaded.tokenizer.encode_batch([before + text for text in texts])
    mask = np.array([one.attention_mask for one in encoded], dtype=np.int64)
    fed = {
        "input_ids": np.array([one.ids for one in encoded], dtype=np.int64),
        "attention_mask": mask,
        "token_type_ids": np.zeros_like(mask),
    }
    wanted = {one.name for one in loaded.session.get_inputs()}
    states = loaded.session.run(None, {name: fed[name] for name in fed if name in wanted})[0]
    if states.ndim == 2:  # the model makes one vector of a text by itself
        pooled = states
    elif loaded.is_first:
        pooled = states[:, 0]
    else:
        pooled = (states * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1)[:, None]
    if pooled.shape[1] > DIMENSIONS:
        raise UnusableAnswer(f"the model in {folder.name} has more than {DIMENSIONS} dimensions")
    out = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
    out[:, : pooled.shape[1]] = pooled
    return out


@cache
def _load(folder: Path) -> _Loaded:
    model = next((folder / name for name in MODEL_FILES if (folder / name).is_file()), None)
    if model is None or not (folder / "tokenizer.json").is_file():
        raise InvalidInput(
            "CONFIDE_EMBEDDER", f"{folder} must be a folder with model.onnx and tokenizer.json"
        )
    try:
        onnxruntime = cast("Any", import_module("onnxruntime"))
    except ImportError:
        raise InvalidInput(
            "CONFIDE_EMBEDDER",
            "onnx: needs a package that is not there; pip install 'confide[onnx]'",
        ) from None
    from tokenizers import Tokenizer

    options: Any = onnxruntime.SessionOptions()
    options.intra_op_num_threads = THREADS
    try:
        session: Any = onnxruntime.InferenceSession(str(model), options)
        tokenizer = cast("Any", Tokenizer.from_file(str(folder / "tokenizer.json")))
    except Exception as problem:  # noqa: BLE001 - both raise bare exceptions of their own
        raise InvalidInput(
            "CONFIDE_EMBEDDER",
            f"{folder} holds no model that can be read ({type(problem).__name__})",
        ) from None
    tokenizer.enable_truncation(LONGEST)
    tokenizer.enable_padding()
    pooling, own = _json(folder / "1_Pooling" / "config.json"), _json(folder / "embedding.json")
    is_first = bool(own.get("first_token", pooling.get("pooling_mode_cls_token", False)))
    prefixes = {kind: str(own.get(kind, "")) for kind in ("query", "document")}
    return _Loaded(session, tokenizer, is_first, prefixes)


def _json(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
