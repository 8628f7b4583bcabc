"""How columns were recoded: the level of each on its ladder, or the pieces of its domain."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from shoal.pages.charts.labels import MARGIN, WIDE, named_rows
from shoal.pages.drawing.label_widths import label_width
from shoal.pages.drawing.scales import Scale
from shoal.pages.drawing.shapes import BAR, LINE, SMALL_TEXT, SOFT, circle, picture, rectangle, segment, words

_ROW = 29.0
_NAMES = 190.0
_BELOW = 20.0


def ladder(rows: Sequence[tuple[str, int, int]], *, title: str) -> str:
    """Per column the level that was chosen, on a ladder from every value kept to all hidden."""
    parts, places, scale, height = _lines([name for name, _, _ in rows], "every value kept", "hidden")
    for place, (_, level, top) in zip(places, rows, strict=True):
        reach = max(top, 1)
        parts.append(segment((scale(0), place), (scale(1), place), stroke=LINE, width=2))
        parts += [circle((scale(i / reach), place), 3.4, fill=LINE) for i in range(top + 1)]
        parts.append(circle((scale(level / reach), place), 6, fill=BAR))
    said = "; ".join(f"{name} {level} of {top} steps coarser" for name, level, top in rows)
    return picture(WIDE, height, parts, title=title, description=said)


def segments(rows: Sequence[tuple[str, Sequence[float]]], *, title: str) -> str:
    """Per column its domain as a line, cut into pieces: `edges` are the places of the cuts, from 0 to 1."""
    parts, places, scale, height = _lines([name for name, _ in rows], "first value", "last value")
    for place, (_, edges) in zip(places, rows, strict=True):
        for number, (first, last) in enumerate(pairwise([0.0, *edges, 1.0])):
            left, right = scale(first), scale(last)
            gap = min(2.0, (right - left) / 2)
            faint = 0.95 if number % 2 == 0 else 0.5
            parts.append(rectangle(left + gap / 2, place - 7, right - left - gap, 14, fill=BAR, opacity=faint))
    said = "; ".join(f"{name} in {len(edges) + 1} pieces" for name, edges in rows)
    return picture(WIDE, height, parts, title=title, description=said)


def _lines(names: Sequence[str], first: str, last: str) -> tuple[list[str], list[float], Scale, float]:
    """A line for each name, on which places go from 0 to 1; what its ends mean stands below."""
    places = [MARGIN + _ROW * (i + 0.5) for i in range(len(names))]
    parts, edge = named_rows(names, places, most=_NAMES)
    left, right, bottom = edge + 16, WIDE - MARGIN - 8, MARGIN + _ROW * len(names)
    half = label_width(last, SMALL_TEXT) / 2
    parts.append(words((left - 6, bottom + 9), first, fill=SOFT, size=SMALL_TEXT))
    parts.append(
        words((min(right, WIDE - MARGIN - half), bottom + 9), last, fill=SOFT, size=SMALL_TEXT, anchor="middle")
    )
    return parts, places, Scale(0, 1, left, right), bottom + _BELOW
