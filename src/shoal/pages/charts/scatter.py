"""Releases as points between two costs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import isfinite

from shoal.pages.charts.labels import MARGIN
from shoal.pages.drawing.axes import room_beside, ticks_below, ticks_beside, titled
from shoal.pages.drawing.label_widths import label_width, shortened
from shoal.pages.drawing.marks import legend, mark
from shoal.pages.drawing.placing import Box, place_labels
from shoal.pages.drawing.scales import Scale, round_ticks
from shoal.pages.drawing.shapes import (
    INK,
    SMALL_TEXT,
    SOFT,
    WARN,
    Point,
    group,
    picture,
    polyline,
    segment,
    words,
)

_WIDTH = 760.0
_PLOT = 380.0
_LONGEST = 220.0
_LINE_HEIGHT = 14.0
_PADDING = 2.0
_MARK = 6.0


def scatter(
    points: Sequence[tuple[str, str, float, float]], best: Sequence[int], *, title: str, across: str, upwards: str
) -> str:
    """Points (series, label, x, y) in shares; those numbered in `best`, which no other one beats, are joined and named.

    Names stand where they cover neither each other nor a point, at the end of a fine line if that is farther away;
    where there is no such place, and for all other points, a name shows when a pointer rests on its point.
    """
    series = list(dict.fromkeys(name for name, *_ in points))
    drawn = [i for i, (_, _, x, y) in enumerate(points) if isfinite(x) and isfinite(y)]
    ticks, levels = round_ticks([points[i][2] for i in drawn], 7), round_ticks([points[i][3] for i in drawn], 7)
    head, above = legend(
        [(partial(mark, number), name) for number, name in enumerate(series)], MARGIN, MARGIN, _WIDTH - 2 * MARGIN
    )
    left, right = MARGIN + room_beside(levels, percent=True), _WIDTH - MARGIN - 18
    top = MARGIN + above + 26
    bottom = top + _PLOT
    along, up = Scale(ticks[0], ticks[-1], left, right), Scale(levels[0], levels[-1], bottom, top)
    places = {i: (along(points[i][2]), up(points[i][3])) for i in drawn}
    parts = [
        *head,
        titled((MARGIN, MARGIN + above + 10), upwards),
        *ticks_beside(up, levels, left, right, percent=True),
        *ticks_below(along, ticks, top, bottom, width=_WIDTH, percent=True),
        words(((left + right) / 2, bottom + 29), across, fill=SOFT, size=SMALL_TEXT, anchor="middle"),
    ]
    frontier = sorted(places[i] for i in best if i in places)
    if len(frontier) > 1:
        parts.append(polyline(frontier, stroke=WARN, width=1.2, dashed=True))
    named = [(points[i][1], places[i]) for i in best if i in places]
    within = Box(left + 2, top + 2, right + 16, bottom - 2)
    lines, labels = _labels(named, list(places.values()), within, frontier)
    parts += lines
    for i in drawn:
        name, label, x, y = points[i]
        parts.append(group([mark(series.index(name), places[i])], f"{label}: {x:.1%}, {y:.1%}"))
    said = "; ".join(f"{points[i][1]}: {points[i][2]:.3g}, {points[i][3]:.3g}" for i in best)
    return picture(_WIDTH, bottom + 40, [*parts, *labels], title=title, description=f"Beaten by none: {said or 'none'}")


def _labels(
    named: Sequence[tuple[str, Point]], marks: Sequence[Point], within: Box, frontier: Sequence[Point]
) -> tuple[list[str], list[str]]:
    """Fine lines to names that had to move away from their points, and the names."""
    texts = [shortened(name, _LONGEST, SMALL_TEXT) for name, _ in named]
    sizes = [(label_width(text, SMALL_TEXT) + 2 * _PADDING, _LINE_HEIGHT) for text in texts]
    boxes = place_labels([at for _, at in named], sizes, marks, within, radius=_MARK, line=frontier)
    lines, written = [], []
    for (name, at), text, box in zip(named, texts, boxes, strict=True):
        if box is None:
            continue
        if box.distance(at) > 1.5 * _MARK:
            lines.append(segment(at, box.nearest(at), stroke=SOFT, width=0.8))
        written.append(
            words(
                (box.left + _PADDING, (box.top + box.bottom) / 2), text, fill=INK, size=SMALL_TEXT, full=name, halo=True
            )
        )
    return lines, written
