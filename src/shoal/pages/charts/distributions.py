"""A column before and after: outlined the original, filled the release."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.arrays import Floats
from shoal.pages.charts.labels import MARGIN, named_rows, share_in_words
from shoal.pages.drawing.axes import apart, room_beside, ticks_below, ticks_beside
from shoal.pages.drawing.label_widths import label_width, shortened
from shoal.pages.drawing.scales import Scale, finite, round_ticks
from shoal.pages.drawing.shapes import BAR, BEFORE, INK, SMALL_TEXT, SOFT, picture, polyline, rectangle, segment, words

_WIDTH = 290.0
_UPRIGHT = 150.0
_ROW = 20.0
_NAMES = 118.0
_TICK_LABELS = 20.0


def before_and_after(names: Sequence[str], before: Floats, after: Floats, *, title: str, upright: bool) -> str:
    """Two distributions over the same few places."""
    was, now = _drawable(before), _drawable(after)
    ticks = round_ticks([0.0, *was, *now] if any(was) or any(now) else [0.0, 1.0], 5)
    parts, height = (_columns if upright else _rows)(names, was, now, ticks)
    moved = sum(abs(a - b) for a, b in zip(was, now, strict=True)) / 2
    description = f"original and release differ by {share_in_words(moved)}"
    return picture(_WIDTH, height, parts, title=title, description=description)


def _drawable(shares: Floats) -> list[float]:
    """Shares that are numbers and not below zero."""
    return finite(np.maximum(np.nan_to_num(shares), 0.0).tolist())


def _columns(
    names: Sequence[str], before: Sequence[float], after: Sequence[float], ticks: Sequence[float]
) -> tuple[list[str], float]:
    left, right, base = MARGIN + room_beside(ticks, percent=True), _WIDTH - MARGIN, _UPRIGHT - _TICK_LABELS
    up = Scale(ticks[0], ticks[-1], base, MARGIN + 6)
    step = (right - left) / max(len(names), 1)
    edges = [left + step * i for i in range(len(names) + 1)]
    parts = ticks_beside(up, ticks, left, right, percent=True)
    gap = min(0.1 * step, 1.5)
    parts += [
        rectangle(edge + gap / 2, up(share), step - gap, base - up(share), fill=BAR)
        for edge, share in zip(edges, after, strict=False)
    ]
    outline = [
        (place, up(share)) for i, share in enumerate(before) for place in (edges[i], edges[i + 1])
    ]  # a step for each share
    if outline:
        parts.append(polyline([(left, base), *outline, (right, base)], stroke=BEFORE, width=1.3))
    parts.append(segment((left, base), (right, base), stroke=SOFT))
    return [*parts, *_few_names(names, [edge + step / 2 for edge in edges[:-1]], left, right, base)], _UPRIGHT


def _few_names(names: Sequence[str], middles: Sequence[float], left: float, right: float, base: float) -> list[str]:
    """The first, the last, and as many between at equal distances as fit."""
    count = len(names)
    labels = [shortened(name, (right - left) / min(max(count, 1), 2) - 8, SMALL_TEXT) for name in names]
    halves = [label_width(label, SMALL_TEXT) / 2 for label in labels]
    places = [
        min(max(middle, left + half), right - half) if count > 1 else middle
        for middle, half in zip(middles, halves, strict=True)
    ]
    chosen: list[int] = []
    for few in range(1, min(count, 9) + 1):
        some = sorted({round(i * (count - 1) / max(few - 1, 1)) for i in range(few)})
        if len(apart([places[i] for i in some], [labels[i] for i in some])) == len(some):
            chosen = some
    return [
        words((places[i], base + 11), labels[i], fill=INK, size=SMALL_TEXT, anchor="middle", full=names[i])
        for i in chosen
    ]


def _rows(
    names: Sequence[str], before: Sequence[float], after: Sequence[float], ticks: Sequence[float]
) -> tuple[list[str], float]:
    places = [MARGIN + _ROW * (i + 0.5) for i in range(len(names))]
    labels, edge = named_rows(names, places, most=_NAMES, size=SMALL_TEXT)
    last = label_width("100%", SMALL_TEXT) / 2
    left, right, bottom = edge + 7, _WIDTH - MARGIN - last, MARGIN + _ROW * max(len(names), 1)
    scale = Scale(ticks[0], ticks[-1], left, right)
    parts = [*labels, *ticks_below(scale, ticks, MARGIN, bottom, width=_WIDTH, percent=True)]
    for place, was, now in zip(places, before, after, strict=True):
        parts.append(rectangle(left, place - 5.5, scale(now) - left, 11, fill=BAR))
        parts.append(rectangle(left, place - 7.5, scale(was) - left, 15, stroke=BEFORE))
    parts.append(segment((left, MARGIN), (left, bottom), stroke=SOFT))
    return parts, bottom + _TICK_LABELS
