"""Charts as numbers for SVG, drawn on the server. One scale above and below zero."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def nice(most: float) -> float:
    """The next round number whose half is round too, so that a scale ends above every shape."""
    if most <= 0:
        return 1
    size = 1.0
    while size * 10 < most:
        size *= 10
    while size > most:
        size /= 10
    return next(step * size for step in (2, 4, 6, 8, 10) if step * size >= most)


def area(series: Sequence[Sequence[float]], width: float, height: float) -> dict[str, Any]:
    """Stacked areas, the first at the bottom: a path for each, and where each ends on the right."""
    count = len(series[0]) if series else 0
    top = nice(max((sum(one[n] for one in series) for n in range(count)), default=0))
    below, paths, ends = [0.0] * count, [], []
    for one in series:
        above = [low + value for low, value in zip(below, one, strict=True)]
        points = [(_x(n, count, width), _y(v, top, height)) for n, v in enumerate(above)]
        back = [(_x(n, count, width), _y(v, top, height)) for n, v in enumerate(below)][::-1]
        paths.append("M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in [*points, *back]) + "Z")
        ends.append(_y((above[-1] + below[-1]) / 2, top, height) if count else height)
        below = above
    return {"paths": paths, "ends": _apart(ends), "top": top, "lines": [top, top / 2]}


def bars(up: Sequence[float], down: Sequence[float], width: float, height: float) -> dict[str, Any]:
    """Bars above and below one line, on one scale."""
    top, bottom = max(up, default=0), max(down, default=0)
    whole = nice(top + bottom) if top + bottom else 1
    zero = height * (top / (top + bottom)) if top + bottom else height
    step = width / max(len(up), 1)
    scale = height / whole
    return {
        "zero": round(zero, 1),
        "width": round(step * 0.68, 1),
        "up": [(round(n * step + step * 0.16, 1), round(zero - v * scale, 1), round(v * scale, 1))
               for n, v in enumerate(up)],
        "down": [(round(n * step + step * 0.16, 1), round(zero + 2, 1), round(v * scale, 1))
                 for n, v in enumerate(down)],
        "top": top,
        "bottom": bottom,
        "low": round(zero + 2 + bottom * scale, 1),
        "high": round(zero - top * scale, 1),
    }  # fmt: skip


def _x(n: int, count: int, width: float) -> float:
    return width * n / max(count - 1, 1)


def _y(value: float, top: float, height: float) -> float:
    return height - height * value / top


def _apart(ends: list[float]) -> list[float]:
    """Labels at the shapes' ends must not cover each other."""
    placed: list[float] = []
    for end in ends:
        placed.append(min(end, placed[-1] - 26) if placed else end)
    return [round(one, 1) for one in placed]
