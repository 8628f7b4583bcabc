"""Labels beside points, so that none covers another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import hypot

from shoal.pages.drawing.shapes import Point

_REACHES = (6.0, 16.0, 28.0, 42.0, 60.0, 84.0, 112.0)
"""How far from its point a label may stand, in pixels."""

_MISTAKEN, _CROSSING = 14.0, 26.0
"""Pixels that a label rather moves away than to be taken for that of another point, or to cross a line."""


@dataclass(frozen=True, slots=True)
class Box:
    """A piece of a picture that is taken."""

    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: Box) -> bool:
        """Whether two boxes have room in common; edges may touch."""
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )

    def distance(self, point: Point) -> float:
        """From a point to the nearest place of the box."""
        x, y = self.nearest(point)
        return hypot(x - point[0], y - point[1])

    def nearest(self, point: Point) -> Point:
        """The place of the box that is nearest to a point."""
        x, y = point
        return min(max(x, self.left), self.right), min(max(y, self.top), self.bottom)

    def holds(self, other: Box) -> bool:
        """Whether another box lies within."""
        return (
            self.left <= other.left
            and other.right <= self.right
            and self.top <= other.top
            and other.bottom <= self.bottom
        )


def place_labels(
    points: Sequence[Point],
    sizes: Sequence[tuple[float, float]],
    marks: Sequence[Point],
    within: Box,
    *,
    radius: float,
    line: Sequence[Point] = (),
) -> list[Box | None]:
    """A box for the label of each point, or none where there is no room.

    Boxes lie within the picture and cover neither each other nor a mark. If they can, they stand close to their point,
    closer than to any other, and off the line and those that lead from points to their labels. Points with the least
    room around them are served first.

    Args:
        points: What the labels belong to.
        sizes: Width and height of each label.
        marks: All points that are drawn.
        within: Where labels may be.
        radius: How large a mark is.
        line: A line through points.
    """
    crossed = _boxes_along(line)
    labels: list[Box] = []
    covered = [Box(x - radius, y - radius, x + radius, y + radius) for x, y in marks]
    found: list[Box | None] = [None] * len(points)

    def cost(box: Box, point: Point) -> float:
        away = box.distance(point)
        mistaken = sum(box.distance(other) < away + radius for other in marks if other != point)
        crossing = any(box.overlaps(other) for other in crossed)
        leading = _boxes_along((point, box.nearest(point)))
        under = any(step.overlaps(label) for label in labels for step in leading)
        return away + _MISTAKEN * min(mistaken, 2) + _CROSSING * (crossing + under)

    for i in sorted(range(len(points)), key=lambda i: (-_neighbors(points, i), i)):
        free = [
            box
            for box in _candidates(points[i], sizes[i])
            if within.holds(box) and not any(box.overlaps(other) for other in covered)
        ]
        if free:
            best = min(free, key=lambda box: cost(box, points[i]))
            covered.append(best)
            labels.append(best)
            crossed += _boxes_along((points[i], best.nearest(points[i])))
            found[i] = best
    return found


def _neighbors(points: Sequence[Point], i: int) -> int:
    x, y = points[i]
    return sum(abs(x - other) < 60 and abs(y - another) < 24 for other, another in points)


def _boxes_along(line: Sequence[Point]) -> list[Box]:
    """Small boxes on a line, a few pixels from each other."""
    boxes = []
    for (x, y), (u, v) in pairwise(line):
        steps = max(int(max(abs(u - x), abs(v - y)) / 4), 1)
        places = ((x + (u - x) * i / steps, y + (v - y) * i / steps) for i in range(steps + 1))
        boxes += [Box(a - 1, b - 1, a + 1, b + 1) for a, b in places]
    return boxes


def _candidates(point: Point, size: tuple[float, float]) -> Iterator[Box]:
    """Places for a label, the best first: close by, to the right and above."""
    (x, y), (width, height) = point, size
    for reach in _REACHES:
        lefts = (x + reach, x - reach - width)
        for top in (y - reach - height / 2, y - height / 2, y + reach - height / 2):
            for left in lefts:
                yield Box(left, top, left + width, top + height)
        for top in (y - reach - height, y + reach):
            left = x - width / 2
            yield Box(left, top, left + width, top + height)
