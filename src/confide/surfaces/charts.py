"""Bars drawn as SVG, by hand: no script, no font, nothing that is loaded from elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Final

#: Told apart also by those who see few colours.
COLOURS: Final = (
    "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#7f7f7f", "#b8a900",
)  # fmt: skip
WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 720, 300, 44, 40, 56


def stacked_bars(title: str, columns: Sequence[str], series: Mapping[str, Sequence[int]]) -> str:
    """One bar a column, one colour a series, with a legend and the numbers in tooltips."""
    most = max((sum(values) for values in zip(*series.values(), strict=True)), default=0)
    step = _step(most)
    top = max(step, -(-most // step) * step)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="11" role="img">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        f'<text x="{LEFT}" y="18" font-size="14" fill="#222222">{escape(title)}</text>',
        *_legend(list(series)),
        *_grid(top, step),
        *_columns(columns, series, top),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _legend(names: Sequence[str]) -> list[str]:
    parts, x = list[str](), LEFT
    for n, name in enumerate(names):
        parts.append(f'<rect x="{x}" y="28" width="10" height="10" fill="{_colour(n)}"/>')
        parts.append(f'<text x="{x + 14}" y="37" fill="#444444">{escape(name)}</text>')
        x += 26 + 7 * len(name)
    return parts


def _grid(top: int, step: int) -> list[str]:
    parts: list[str] = []
    for value in range(0, top + 1, step):
        y = _y(value, top)
        parts.append(
            f'<line x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - 10}" y2="{y:.1f}" stroke="#dddddd"/>'
        )
        parts.append(
            f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end" fill="#444444">{value}</text>'
        )
    return parts


def _columns(columns: Sequence[str], series: Mapping[str, Sequence[int]], top: int) -> list[str]:
    parts: list[str] = []
    room = (WIDTH - 10 - LEFT) / max(1, len(columns))
    every = max(1, -(-len(columns) // 10))
    for n, column in enumerate(columns):
        x, under = LEFT + n * room + room * 0.1, 0
        for m, (name, values) in enumerate(series.items()):
            if values[n]:
                y, tall = _y(under + values[n], top), _y(0, top) - _y(values[n], top)
                parts.append(
                    f'<rect x="{x:.1f}" y="{y:.1f}" width="{room * 0.8:.1f}" height="{tall:.1f}" '
                    f'fill="{_colour(m)}"><title>{escape(column)}: {values[n]} {escape(name)}'
                    "</title></rect>"
                )
                under += values[n]
        if n % every == 0:
            parts.append(
                f'<text x="{x + room * 0.4:.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle" '
                f'fill="#444444">{escape(column)}</text>'
            )
    return parts


def _y(value: float, top: int) -> float:
    return HEIGHT - BOTTOM - value / top * (HEIGHT - BOTTOM - TOP)


def _step(most: int) -> int:
    """About five lines at round numbers."""
    size = 1
    while True:
        for step in (size, 2 * size, 5 * size):
            if most <= 5 * step:
                return step
        size *= 10


def _colour(n: int) -> str:
    return COLOURS[n % len(COLOURS)]
