"""Axes: ticks with their words, as many as fit beside each other."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.pages.drawing.label_widths import label_width
from shoal.pages.drawing.scales import Scale, tick_labels
from shoal.pages.drawing.shapes import LINE, SMALL_TEXT, SOFT, Point, segment, words

_BETWEEN = 8.0
"""Pixels between two labels of an axis."""


def apart(places: Sequence[float], labels: Sequence[str], size: float = SMALL_TEXT) -> list[int]:
    """Which labels, centered at places, can stand side by side; the first ones are the most important."""
    taken: list[tuple[float, float]] = []
    kept = []
    for i, (place, label) in enumerate(zip(places, labels, strict=True)):
        half = (label_width(label, size) + _BETWEEN) / 2
        if all(place + half <= left or right <= place - half for left, right in taken):
            taken.append((place - half, place + half))
            kept.append(i)
    return kept


def ticks_below(
    scale: Scale, ticks: Sequence[float], top: float, bottom: float, *, width: float, percent: bool = False
) -> list[str]:
    """Fine upright lines at ticks, and their labels underneath; those at the edge of the picture stand within it."""
    labels = tick_labels(ticks, percent=percent)
    places = [scale(tick) for tick in ticks]
    halves = [label_width(label, SMALL_TEXT) / 2 for label in labels]
    inside = [min(max(place, half), width - half) for place, half in zip(places, halves, strict=True)]
    parts = [segment((places[i], top), (places[i], bottom), stroke=LINE) for i in range(len(ticks))]
    parts += [
        words((inside[i], bottom + 11), labels[i], fill=SOFT, size=SMALL_TEXT, anchor="middle")
        for i in apart(inside, labels)
    ]
    return parts


def ticks_beside(
    scale: Scale, ticks: Sequence[float], left: float, right: float, *, percent: bool = False
) -> list[str]:
    """Fine level lines at ticks, and their labels to the left."""
    parts = []
    for tick, label in zip(ticks, tick_labels(ticks, percent=percent), strict=True):
        place = scale(tick)
        parts.append(segment((left, place), (right, place), stroke=LINE))
        parts.append(words((left - 6, place), label, fill=SOFT, size=SMALL_TEXT, anchor="end"))
    return parts


def room_beside(ticks: Sequence[float], *, percent: bool = False) -> float:
    """What the labels of an upright axis take to its left."""
    return max((label_width(label, SMALL_TEXT) for label in tick_labels(ticks, percent=percent)), default=0) + 8


def titled(at: Point, title: str) -> str:
    """What an axis counts, written where it ends: upright titles are hard to read."""
    return words(at, title, fill=SOFT, size=SMALL_TEXT)
