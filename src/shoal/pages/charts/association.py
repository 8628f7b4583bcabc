"""How strongly pairs of columns depend on each other."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan

from shoal.arrays import Floats
from shoal.pages.charts.labels import MARGIN, figure_in_words
from shoal.pages.drawing.label_widths import label_width, shortened_apart
from shoal.pages.drawing.shapes import BAR, INK, ON_BAR, SMALL_TEXT, picture, rectangle, words

_LARGEST_CELL = 32.0
_SIDE = 400.0
_NAMES = 130.0
_NUMBER_SIZE = 10.0
_STRONG = 0.62
"""From here on the color of a cell is closer to that of bars than to paper, and so is what is readable on it."""


def heat(names: Sequence[str], values: Floats, *, title: str) -> str:
    """Half a square of cells, the darker the stronger; the number stands in each where there is room.

    A name stands at the end of its row, which is the top of its column: read left from it, then down.
    """
    count = len(names)
    cell = min(_LARGEST_CELL, _SIDE / max(count, 1))
    size = min(SMALL_TEXT, 0.95 * cell)
    labels = shortened_apart(names, _NAMES, size)
    parts = []
    for row, label in enumerate(labels):
        middle = MARGIN + (row + 0.5) * cell
        for column in range(row):
            value = float(values[row, column])
            strength = 0.0 if isnan(value) else min(abs(value), 1.0)
            left = MARGIN + column * cell
            shade = 0.05 + 0.9 * strength
            number = figure_in_words(value, 2)
            told = f"{names[row]} and {names[column]}: {number}"
            parts.append(
                rectangle(left + 0.5, middle - cell / 2 + 0.5, cell - 1, cell - 1, fill=BAR, opacity=shade, told=told)
            )
            if not isnan(value) and label_width(number, _NUMBER_SIZE) + 2 <= cell:
                ink = ON_BAR if shade > _STRONG else INK
                parts.append(words((left + cell / 2, middle), number, fill=ink, size=_NUMBER_SIZE, anchor="middle"))
        parts.append(words((MARGIN + row * cell + 6, middle), label, size=size, full=names[row]))
    ends = [MARGIN + row * cell + 6 + label_width(label, size) for row, label in enumerate(labels)]
    pairs = [(abs(values[i, j]), i, j) for i in range(count) for j in range(i) if not isnan(values[i, j])]
    strong = "; ".join(f"{names[i]} and {names[j]} {values[i, j]:.2f}" for _, i, j in sorted(pairs, reverse=True)[:5])
    return picture(
        max(ends, default=0) + MARGIN,
        2 * MARGIN + cell * count,
        parts,
        title=title,
        description=f"Strongest: {strong or 'none'}",
    )
