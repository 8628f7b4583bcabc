"""A share that grows in steps."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.pages.charts.labels import MARGIN, WIDE
from shoal.pages.drawing.axes import room_beside, ticks_below, ticks_beside, titled
from shoal.pages.drawing.label_widths import label_width
from shoal.pages.drawing.scales import Scale, decade_ticks
from shoal.pages.drawing.shapes import BAR, SMALL_TEXT, SOFT, WARN, picture, polygon, polyline, segment, words

_HIGH = 230.0
_SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)


def curve(points: Sequence[tuple[float, float]], *, title: str, across: str, upwards: str, mark: float | None) -> str:
    """A step curve over a logarithmic scale, from 0 to 1, with a mark at one place."""
    ticks, low, high = decade_ticks([place for place, _ in points])
    left, right = MARGIN + room_beside(_SHARES, percent=True), WIDE - MARGIN - 10
    top, base = MARGIN + 24, _HIGH - 38
    along, up = Scale(low, high, left, right, logarithmic=True), Scale(0, 1, base, top)
    steps = [(along(place), up(height)) for place, height in points if place > 0 and height == height]  # noqa: PLR0124
    outline = [
        corner for (_, was), (x, y) in zip([(left, base), *steps], steps, strict=False) for corner in ((x, was), (x, y))
    ]
    outline += [(right, steps[-1][1])] if steps else []
    parts = [
        *ticks_beside(up, _SHARES, left, right, percent=True),
        *ticks_below(along, ticks, top, base, width=WIDE),
        titled((MARGIN, MARGIN + 7), upwards),
        words(((left + right) / 2, _HIGH - 9), across, fill=SOFT, size=SMALL_TEXT, anchor="middle"),
    ]
    if outline:
        parts.append(polygon([*outline, (right, base), (outline[0][0], base)], fill=BAR, opacity=0.25))
        parts.append(polyline(outline, stroke=BAR, width=2))
    parts.append(segment((left, base), (right, base), stroke=SOFT))
    if mark is not None and mark > 0:
        place, label = along(mark), f"{mark:,.6g}"
        beyond = place + 5 + label_width(label, SMALL_TEXT) > right
        parts.append(segment((place, top - 6), (place, base), stroke=WARN, width=1.3, dashed=True))
        parts.append(
            words(
                (place + (-5 if beyond else 5), top + 7),
                label,
                fill=WARN,
                size=SMALL_TEXT,
                anchor="end" if beyond else "start",
                halo=True,
            )
        )
    said = "; ".join(f"{place:,g}: {height:.1%}" for place, height in points[:: max(len(points) // 6, 1)])
    return picture(WIDE, _HIGH, parts, title=title, description=said)
