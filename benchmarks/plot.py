"""Draw docs/pictures/scaling.svg from docs/measurements/scaling.json: `python -m benchmarks.plot`."""

from __future__ import annotations

import json
import math
from html import escape
from pathlib import Path
from typing import Final

DOCS: Final = Path(__file__).parents[1] / "docs"
LINES: Final = {
    "recall, ms": ("recall", "#0b6e4f"),
    "remember, ms": ("remember", "#3066be"),
    "learn from ten messages, ms": ("learn", "#8e44ad"),
    "gc again, seconds": ("gc, nothing to do", "#b07d00"),
    "doctor, seconds": ("doctor", "#c0392b"),
    "backup, seconds": ("backup", "#e67e22"),
    "disk, megabytes": ("disk", "#555555"),
}
WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 720, 400, 64, 48, 150, 44
MOST: Final = 200.0


def draw(figures: dict[str, dict[str, float]]) -> str:
    sizes = sorted(int(size) for size in figures["recall, ms"])
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
        f'height="{HEIGHT}" font-family="sans-serif" font-size="12" role="img">',
        "<title>How much longer each thing takes as the store grows</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        f'<text x="{LEFT}" y="24" font-size="14">Times as much as with {sizes[0]:,} memories</text>',
    ]
    for times in (1, 10, 100):
        y = _y(times)
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y}" y2="{y}" stroke="#dddddd"/>')
        parts.append(
            f'<text x="{LEFT - 8}" y="{y + 4}" text-anchor="end" fill="#555555">{times} ×</text>'
        )
    for size in sizes:
        x = _x(size, sizes)
        parts.append(
            f'<text x="{x}" y="{HEIGHT - 18}" text-anchor="middle" fill="#555555">{size:,}</text>'
        )
    labels: list[float] = []
    for name, (shown, colour) in sorted(
        LINES.items(), key=lambda one: _last(figures, one[0], sizes)
    ):
        known = {int(size): value for size, value in figures.get(name, {}).items()}
        if not known:
            continue
        times = [(size, max(value / known[sizes[0]], 0.5)) for size, value in sorted(known.items())]
        points = " ".join(f"{_x(size, sizes)},{_y(value)}" for size, value in times)
        end = _x(times[-1][0], sizes), _y(times[-1][1])
        y = min([end[1] + 4, *(one - 14 for one in labels[-1:])])
        labels.append(y)
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'
        )
        parts.append(
            f'<text x="{end[0] + 8}" y="{y:.0f}" fill="{colour}">{escape(shown)} {times[-1][1]:.1f} ×</text>'
        )
    return "\n".join([*parts, "</svg>"]) + "\n"


def _last(figures: dict[str, dict[str, float]], name: str, sizes: list[int]) -> float:
    known = figures.get(name, {})
    return known.get(str(sizes[-1]), 0.0) / known.get(str(sizes[0]), 1.0)


def _x(size: int, sizes: list[int]) -> float:
    low, high = math.log10(sizes[0]), math.log10(sizes[-1])
    return round(LEFT + (WIDTH - LEFT - RIGHT) * (math.log10(size) - low) / (high - low), 1)


def _y(times: float) -> float:
    bottom = HEIGHT - BOTTOM
    low, high = math.log10(0.7), math.log10(MOST)
    return round(bottom - (bottom - TOP) * (math.log10(times) - low) / (high - low), 1)


if __name__ == "__main__":
    read = json.loads((DOCS / "measurements" / "scaling.json").read_text())
    (DOCS / "pictures" / "scaling.svg").write_text(draw(read))
