"""Bars with their numbers written out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan

from shoal.pages.charts.labels import MARGIN, WIDE, figure_in_words, listed, named_rows
from shoal.pages.drawing.axes import apart
from shoal.pages.drawing.label_widths import label_width, shortened
from shoal.pages.drawing.placing import Box
from shoal.pages.drawing.scales import Scale, finite
from shoal.pages.drawing.shapes import BAR, BEFORE, INK, LINE, SMALL_TEXT, SOFT, picture, rectangle, segment, words

_ROW = 25.0
_THICK = 15.0
_NAMES = 190.0
_HIGH = 190.0


def bars(
    rows: Mapping[str, float],
    *,
    title: str,
    top: float | None = None,
    digits: int = 3,
    outlined: Sequence[float] | None = None,
) -> str:
    """Horizontal bars, on a faint line up to `top` if there is one; beside them what they were, `outlined`."""
    values = list(rows.values())
    limit = (max([0.0, *finite(values)]) or 1) if top is None else top
    places = [MARGIN + _ROW * (i + 0.5) for i in range(len(values))]
    parts, edge = named_rows(list(rows), places, most=_NAMES)
    told = [figure_in_words(value, digits) for value in values]
    left, right = edge + 8, WIDE - MARGIN - 6 - max((label_width(text, SMALL_TEXT) for text in told), default=0)
    scale = Scale(0, limit, left, right)
    was = [0.0] * len(values) if outlined is None else outlined
    for place, value, before, text in zip(places, values, was, told, strict=True):
        end = scale(0 if isnan(value) else value)
        if top is not None:
            parts.append(segment((left, place), (right, place), stroke=LINE, width=2))
        parts.append(rectangle(left, place - _THICK / 2, end - left, _THICK, fill=BAR))
        if before > 0:
            parts.append(rectangle(left, place - _THICK / 2 - 2, scale(before) - left, _THICK + 4, stroke=BEFORE))
        parts.append(words((max(end, scale(before)) + 6, place), text, fill=SOFT, size=SMALL_TEXT, halo=True))
    height = 2 * MARGIN + _ROW * max(len(values), 1)
    parts.append(segment((left, MARGIN), (left, height - MARGIN), stroke=SOFT))
    return picture(WIDE, height, parts, title=title, description=listed(rows, digits))


def columns(rows: Mapping[str, float], *, title: str, across: str) -> str:
    """Upright columns, for a distribution over ranges that `across` names."""
    names, values = list(rows), list(rows.values())
    step = (WIDE - 2 * MARGIN) / max(len(values), 1)
    middles = [MARGIN + step * (i + 0.5) for i in range(len(values))]
    labels = [shortened(name, max(step, 60), SMALL_TEXT) for name in names]
    told = [figure_in_words(value, 0) for value in values]
    base = _HIGH - 36
    scale = Scale(0, max([0.0, *finite(values)]) or 1, base, MARGIN + 16)
    ends = [scale(0 if isnan(value) else value) for value in values]
    thick = min(0.75 * step, 72.0)
    drawn = [Box(middle - thick / 2, end, middle + thick / 2, base) for middle, end in zip(middles, ends, strict=True)]
    parts = [rectangle(box.left, box.top, thick, base - box.top, fill=BAR) for box in drawn]
    for i in sorted(range(len(values)), key=ends.__getitem__):  # where there is no room, low ones go without
        half = label_width(told[i], SMALL_TEXT) / 2
        middle = min(max(middles[i], half), WIDE - half)
        label = Box(middle - half - 2, ends[i] - 16, middle + half + 2, ends[i] - 1)
        if not any(label.overlaps(other) for other in drawn):
            drawn.append(label)
            parts.append(words((middle, ends[i] - 9), told[i], fill=SOFT, size=SMALL_TEXT, anchor="middle"))
    parts.append(segment((MARGIN, base), (WIDE - MARGIN, base), stroke=SOFT))
    parts += [
        words((middles[i], base + 11), labels[i], fill=INK, size=SMALL_TEXT, anchor="middle", full=names[i])
        for i in apart(middles, labels)
    ]
    parts.append(words((WIDE / 2, _HIGH - 9), across, fill=SOFT, size=SMALL_TEXT, anchor="middle"))
    return picture(WIDE, _HIGH, parts, title=title, description=listed(rows, 0))
