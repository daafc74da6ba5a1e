"""A model of meaning with six words, written as the bytes of an ONNX file: a look-up of word vectors."""

from __future__ import annotations

import json
import struct
from pathlib import Path

from tokenizers import Tokenizer, models, pre_tokenizers

WORDS = ("[UNK]", "[PAD]", "cello", "instrument", "van", "vehicle")
#: An instrument is near a cello, a vehicle near a van.
VECTORS = (
    (0.1, 0.1, 0.1),
    (9.0, 9.0, 9.0),
    (1.0, 0.0, 0.0),
    (0.9, 0.1, 0.0),
    (0, 1.0, 0),
    (0, 0.9, 0.1),
)


def write(folder: Path, vectors: tuple[tuple[float, ...], ...] = VECTORS, **own: object) -> str:
    """The setting that names the model."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(_model(vectors))
    tokenizer = Tokenizer(models.WordLevel({w: n for n, w in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.enable_padding(pad_id=1, pad_token="[PAD]")
    tokenizer.save(str(folder / "tokenizer.json"))
    if own:
        (folder / "embedding.json").write_text(json.dumps(own))
    return f"onnx:{folder}"


def _model(vectors: tuple[tuple[float, ...], ...]) -> bytes:
    flat = [number for vector in vectors for number in vector]
    shape = _number(1, len(vectors)) + _number(1, len(vectors[0]))
    weights = (
        shape + _number(2, 1) + _part(8, b"w") + _part(9, struct.pack(f"<{len(flat)}f", *flat))
    )
    node = _part(1, b"w") + _part(1, b"input_ids") + _part(2, b"states") + _part(4, b"Gather")
    graph = _part(1, node) + _part(2, b"tiny") + _part(5, weights)
    graph += _part(11, _value(b"input_ids", 7, ("texts", "words")))
    graph += _part(12, _value(b"states", 1, ("texts", "words", "size")))
    return _number(1, 8) + _part(8, _part(1, b"") + _number(2, 13)) + _part(7, graph)


def _value(name: bytes, element: int, dimensions: tuple[str, ...]) -> bytes:
    shape = b"".join(_part(1, _part(2, one.encode())) for one in dimensions)
    return _part(1, name) + _part(2, _part(1, _number(1, element) + _part(2, shape)))


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _part(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])
