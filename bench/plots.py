"""Plots of the step as SVG: against the size of the vocabulary, and against the number of denied phrases."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from bench.rows import Row

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 360, 70, 150, 40, 50
COLOURS = ("#0b6e4f", "#c1440e", "#3b6fb6", "#8a5a9e", "#b38b00", "#555555")

Points = Mapping[str, Sequence[tuple[float, float]]]
"""For each line its points, x and microseconds."""


def write_plots(rows: Sequence[Row], folder: Path) -> list[Path]:
    """Write `step-vocabulary.svg` and `step-phrases.svg`, where there is something to plot. Returns their paths."""
    plots = {
        "step-vocabulary.svg": ("whole step, ko, dense", "tokens in the vocabulary", _by_vocabulary(rows)),
        "step-phrases.svg": ("whole step, dense", "denied phrases, 0 is ko alone", _by_phrases(rows)),
    }
    written = []
    for name, (title, x_title, points) in plots.items():
        if max((len(p) for p in points.values()), default=0) > 1:
            (folder / name).write_text(svg(title, x_title, points), encoding="utf-8")
            written.append(folder / name)
    return written


def _by_vocabulary(rows: Iterable[Row]) -> Points:
    return _lines((_size(r), r) for r in rows if r.metric == "step-dense" and r.policy == "ko")


def _size(row: Row) -> float:
    return float(row.vocabulary.rpartition("-")[2].removesuffix("k")) * 1_000


def _by_phrases(rows: Iterable[Row]) -> Points:
    chosen = [r for r in rows if r.metric == "step-dense" and r.vocabulary == "qwen-151k" and r.policy != "ko+regions"]
    return _lines((float(r.policy.partition("+")[2] or 0), r) for r in chosen)


def _lines(found: Iterable[tuple[float, Row]]) -> Points:
    points: dict[str, dict[float, float]] = {"langc": {}}
    for x, row in found:
        points["langc"][x] = row.ours
        if row.peer_value is not None:
            points.setdefault(row.peer, {})[x] = row.peer_value
    return {name: sorted(line.items()) for name, line in points.items()}


def svg(title: str, x_title: str, points: Points) -> str:
    """A plot with a logarithmic axis of time. x is logarithmic, too, but for a 0, which stands at the left."""
    place = _Places(points)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"',
        ' font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{LEFT}" y="22" font-size="15">{title}</text>',
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 12}" text-anchor="middle">{x_title}</text>',
        f'<text x="16" y="{HEIGHT / 2}" transform="rotate(-90 16 {HEIGHT / 2})" text-anchor="middle">µs</text>',
        *place.grid(),
    ]
    for colour, (name, line) in zip(COLOURS, points.items(), strict=False):
        if line:
            path = " ".join(f"{place.x(x):.1f},{place.y(y):.1f}" for x, y in line)
            at = place.y(line[-1][1]) + 4
            parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
            parts += [f'<circle cx="{place.x(x):.1f}" cy="{place.y(y):.1f}" r="3" fill="{colour}"/>' for x, y in line]
            parts.append(f'<text x="{WIDTH - RIGHT + 12}" y="{at:.1f}" fill="{colour}">{name}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


class _Places:
    """Where a point stands on the page."""

    def __init__(self, points: Points) -> None:
        self.xs = sorted({x for line in points.values() for x, _ in line})
        ys = [y for line in points.values() for _, y in line]
        self.low, self.high = math.floor(math.log10(min(ys))), math.ceil(math.log10(max(ys)))

    def x(self, value: float) -> float:
        """Equal steps between the values that there are."""
        return LEFT + 20 + (WIDTH - LEFT - RIGHT - 40) * self.xs.index(value) / max(len(self.xs) - 1, 1)

    def y(self, value: float) -> float:
        """By the logarithm."""
        share = (math.log10(value) - self.low) / max(self.high - self.low, 1)
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share

    def grid(self) -> list[str]:
        """Lines and numbers."""
        parts = []
        for power in range(self.low, self.high + 1):
            y = self.y(10.0**power)
            parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
            parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{10.0**power:,g}</text>')
        below = HEIGHT - BOTTOM + 18
        return parts + [f'<text x="{self.x(x):.1f}" y="{below}" text-anchor="middle">{x:,.0f}</text>' for x in self.xs]
