"""Trains the small classifier on sentences written for this project. Deterministic.

    python -m benchmarks.screening.train

Rewrites `src/confide/screen/data/sensitivity_weights.txt`: a ridge-penalised logistic regression on
the built-in embeddings (256 numbers and a bias). Only the tuning half of the pairs is used.
"""

from pathlib import Path

import numpy as np

from benchmarks.screening.datasets import ROOT, pairs
from confide.providers.wordllama import embed
from confide.screen.classifier import directions

TRAINING = Path(__file__).parent / "training"
WEIGHTS = ROOT / "src" / "confide" / "screen" / "data" / "sensitivity_weights.txt"
RIDGE = 3.0
STEPS = 60


def main() -> None:
    sensitive = _lines("sensitive") + [pair.sensitive for pair in pairs(held_out=False)]
    harmless = _lines("harmless") + [pair.harmless for pair in pairs(held_out=False)]
    labels = np.array([1.0] * len(sensitive) + [0.0] * len(harmless))
    weights = _fit(directions(embed(sensitive + harmless)), labels)
    head = "# Written by `python -m benchmarks.screening.train`: the bias, then 256 weights.\n"
    WEIGHTS.write_text(head + "".join(f"{weight:.4f}\n" for weight in weights), encoding="utf-8")
    print(f"{len(sensitive)} sensitive and {len(harmless)} harmless sentences")


def _fit(vectors: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Newton's method on the penalised likelihood, both classes weighing the same."""
    inputs = np.hstack([np.ones((len(vectors), 1)), vectors])
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


def _lines(name: str) -> list[str]:
    return (TRAINING / f"{name}.txt").read_text(encoding="utf-8").splitlines()


if __name__ == "__main__":
    main()
