"""What charts share: how wide they are, names in a column to the left, numbers in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite, isinf, isnan

from shoal.pages.drawing.label_widths import label_width, shortened_apart
from shoal.pages.drawing.shapes import INK, TEXT_SIZE, words

WIDE = 620.0
"""Pixels across a picture that has a line of the page to itself."""
MARGIN = 4.0


def named_rows(
    names: Sequence[str], places: Sequence[float], *, most: float, size: float = TEXT_SIZE
) -> tuple[list[str], float]:
    """Names that end at one place, and that place: the longest name decides, up to `most` pixels."""
    labels = shortened_apart(names, most, size)
    edge = MARGIN + max((label_width(label, size) for label in labels), default=0.0)
    parts = [
        words((edge, place), label, fill=INK, size=size, anchor="end", full=name)
        for name, label, place in zip(names, labels, places, strict=True)
    ]
    return parts, edge


def figure_in_words(value: float, digits: int) -> str:
    """A number as people write it, also one that is none.

    >>> figure_in_words(1234.5, 1), figure_in_words(float("nan"), 1), figure_in_words(float("inf"), 1)
    ('1,234.5', '–', '∞')
    """
    if isnan(value):
        return "–"
    if isinf(value):
        return "∞" if value > 0 else "−∞"
    return f"{value:,.{digits}f}" if abs(value) < 1e15 else f"{value:.{digits}e}"


def share_in_words(value: float) -> str:
    """A share in per cent, as long as that can be read.

    >>> share_in_words(0.125), share_in_words(3e9)
    ('12.5%', '3.0e+09')
    """
    if not isfinite(value):
        return figure_in_words(value, 1)
    return f"{value:,.1%}" if abs(value) < 1e4 else f"{value:.1e}"


def listed(rows: Mapping[str, float], digits: int) -> str:
    """All numbers of a chart, for those who hear it."""
    return "; ".join(f"{name} {figure_in_words(value, digits)}" for name, value in rows.items())
