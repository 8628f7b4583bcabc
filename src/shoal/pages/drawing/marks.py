"""Shapes of points, one for each series, so that color is not needed to tell them apart; and their legend."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import cos, pi, sin

from shoal.pages.drawing.label_widths import label_width, shortened
from shoal.pages.drawing.shapes import BAR, INK, PAPER, SMALL_TEXT, Point, circle, polygon, words

_RADIUS = 4.6
_LINE_HEIGHT = 18.0


def _regular(corners: int, turned: float = 0.0, inner: float = 1.0) -> list[Point]:
    """Corners around a middle; every second one closer to it makes a star."""
    steps = corners if inner == 1 else 2 * corners
    radii = [1.0 if i % 2 == 0 else inner for i in range(steps)]
    angles = [2 * pi * i / steps - pi / 2 + turned for i in range(steps)]
    return [(r * cos(a), r * sin(a)) for r, a in zip(radii, angles, strict=True)]


_CROSS = [(-.35, -1), (.35, -1), (.35, -.35), (1, -.35), (1, .35), (.35, .35), (.35, 1), (-.35, 1), (-.35, .35),
          (-1, .35), (-1, -.35), (-.35, -.35)]  # fmt: skip
_SHAPES: tuple[Sequence[Point], ...] = (
    (),  # a circle
    [(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
    _regular(4),
    _regular(3),
    _regular(3, pi),
    _CROSS,
    _regular(5, inner=0.45),
    _regular(3, pi / 2),
    _regular(3, -pi / 2),
    [(0.0, -1.15), (0.65, 0.0), (0.0, 1.15), (-0.65, 0.0)],
    _regular(4, pi / 4, inner=0.4),
    _regular(5),
    _regular(6),
    [(-1.0, -0.6), (1.0, -0.6), (1.0, 0.6), (-1.0, 0.6)],
)


def mark(series: int, at: Point, radius: float = _RADIUS) -> str:
    """The mark of a series: shapes differ, and every second one is hollow."""
    fill = BAR if series % 2 == 0 else PAPER
    corners = _SHAPES[series % len(_SHAPES)]
    if not corners:
        return circle(at, radius, fill=fill, stroke=INK, stroke_width=1)
    larger = 1.2 * radius
    x, y = at
    return polygon([(x + larger * dx, y + larger * dy) for dx, dy in corners], fill=fill, stroke=INK)


Drawn = Callable[[Point], str]


def legend(entries: Sequence[tuple[Drawn, str]], left: float, top: float, width: float) -> tuple[list[str], float]:
    """Marks with their names in lines that fit a width, and how high they are together."""
    parts, x, y = [], left, top
    for drawn, name in entries:
        label = shortened(name, width - 26, SMALL_TEXT)
        needed = 16 + label_width(label, SMALL_TEXT) + 14
        if x > left and x + needed - 14 > left + width:
            x, y = left, y + _LINE_HEIGHT
        parts.append(drawn((x + 6, y + _LINE_HEIGHT / 2)))
        parts.append(words((x + 16, y + _LINE_HEIGHT / 2), label, size=SMALL_TEXT, full=name))
        x += needed
    return parts, (y + _LINE_HEIGHT - top if entries else 0.0)
