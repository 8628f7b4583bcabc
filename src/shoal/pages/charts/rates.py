"""Shares beside each other on one line: what learners reach, what attackers find."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite

from shoal.pages.charts.labels import MARGIN, WIDE, named_rows, share_in_words
from shoal.pages.drawing.axes import ticks_below
from shoal.pages.drawing.label_widths import label_width
from shoal.pages.drawing.marks import legend
from shoal.pages.drawing.scales import Scale, round_ticks
from shoal.pages.drawing.shapes import (
    BAR,
    BEFORE,
    LINE,
    PAPER,
    SMALL_TEXT,
    SOFT,
    Point,
    circle,
    picture,
    segment,
    words,
)

_ROW = 40.0
_CLOSE_ROW = 28.0
_NAMES = 250.0
_BELOW = 22.0


def accuracies(rows: Mapping[str, tuple[float, float, float]], *, title: str) -> str:
    """Per learner the accuracy without learning, from the release and from the original, on one line."""
    head, above = legend(
        [(_trivial, "always the most frequent value"), (_original, "taught by the original"),
         (_release, "taught by the release")], MARGIN, MARGIN, WIDE - 2 * MARGIN)  # fmt: skip
    places = [MARGIN + above + _ROW * (i + 0.6) for i in range(len(rows))]
    names, edge = named_rows(list(rows), places, most=_NAMES)
    ticks = round_ticks([value for row in rows.values() for value in row], 6)
    left, right = edge + 18, WIDE - MARGIN - label_width("100%", SMALL_TEXT) / 2
    bottom = MARGIN + above + _ROW * max(len(rows), 1) + 4
    scale = Scale(ticks[0], ticks[-1], left, right)
    parts = [*head, *names, *ticks_below(scale, ticks, MARGIN + above + 4, bottom, width=WIDE, percent=True)]
    for place, (trivial, release, original) in zip(places, rows.values(), strict=True):
        ends = [scale(value) for value in (trivial, release, original) if isfinite(value)]
        if ends:
            parts.append(segment((min(ends), place), (max(ends), place), stroke=SOFT, width=2))
        for drawn, value in ((_trivial, trivial), (_original, original), (_release, release)):
            parts += [drawn((scale(value), place))] if isfinite(value) else []
        if isfinite(release):
            label = share_in_words(release)
            half = label_width(label, SMALL_TEXT) / 2
            middle = min(max(scale(release), left + half), right - half)
            parts.append(words((middle, place - 14), label, size=SMALL_TEXT, anchor="middle", halo=True))
    said = "; ".join(
        f"{name}: release {r:.1%}, original {o:.1%}, always the same {t:.1%}" for name, (t, r, o) in rows.items()
    )
    return picture(WIDE, bottom + _BELOW, parts, title=title, description=said)


def intervals(rows: Sequence[tuple[str, float, float, float]], *, title: str, description: str) -> str:
    """Rates from 0 to 1 as points: a name, the rate, and from where to where it may well be."""
    places = [MARGIN + _CLOSE_ROW * (i + 0.5) for i in range(len(rows))]
    names, edge = named_rows([name for name, *_ in rows], places, most=_NAMES)
    bottom = MARGIN + _CLOSE_ROW * max(len(rows), 1)
    told = max(label_width(share_in_words(rate), SMALL_TEXT) for rate in (1.0, *(rate for _, rate, *_ in rows)))
    scale = Scale(0, 1, edge + 18, WIDE - MARGIN - 16 - told)
    parts = [*names, *ticks_below(scale, (0.0, 0.25, 0.5, 0.75, 1.0), MARGIN, bottom, width=WIDE, percent=True)]
    for place, (_, rate, low, high) in zip(places, rows, strict=True):
        parts.append(segment((scale(0), place), (scale(1), place), stroke=LINE))
        if isfinite(low) and isfinite(high):
            parts.append(segment((scale(low), place), (scale(high), place), stroke=SOFT, width=3.5))
        if isfinite(rate):
            parts.append(_release((scale(rate), place)))
        parts.append(words((scale(1) + 14, place), share_in_words(rate), size=SMALL_TEXT))
    return picture(WIDE, bottom + _BELOW, parts, title=title, description=description)


def _trivial(at: Point) -> str:
    x, y = at
    return segment((x, y - 6), (x, y + 6), stroke=SOFT, width=2)


def _original(at: Point) -> str:
    return circle(at, 4.6, fill=PAPER, stroke=BEFORE)


def _release(at: Point) -> str:
    return circle(at, 4.6, fill=BAR)
