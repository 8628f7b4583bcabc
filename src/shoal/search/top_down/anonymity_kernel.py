"""How small groups become when one of their columns is split: the inner loop of top-down specialization."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Keys, Sizes
from shoal.kernels.jit import compiled


@compiled
def least_sides(group: Keys, place: Keys, sizes: Sizes, value: Keys, points: Keys, most: int) -> Sizes:
    """The smallest group that each split point leaves behind, among groups that it splits; `most` if it splits none.

    Split points are numbered through, value after value, and so are places, of which each value has one more: in value
    v, point i parts places up to i + v from those after it.

    Args:
        group: The group of each cell, ascending.
        place: The place of each cell, ascending within a group.
        sizes: The records of each cell.
        value: The value that each group has in the column; −1 for one that cannot be split.
        points: How many split points each value has.
        most: What is larger than every group.
    """
    total = 0
    for v in range(len(points)):
        total += points[v]
    height = 1
    while (1 << height) <= total:
        height += 1
    # least[h, i] is for the points i … i + 2^h − 1: two entries cover any range, and are handed down at the end.
    least = np.full((height, max(total, 1)), most)
    i = 0
    while i < len(group):
        end = i
        while end < len(group) and group[end] == group[i]:
            end += 1
        v = value[group[i]]
        if v >= 0 and points[v] > 0:
            whole, below = 0, 0
            for k in range(i, end):
                whole += sizes[k]
            for k in range(i, end - 1):
                below += sizes[k]
                _lower(least, place[k] - v, place[k + 1] - v, min(below, whole - below))
        i = end
    for h in range(height - 1, 0, -1):
        half = 1 << (h - 1)
        for k in range(total):
            here = least[h, k]
            least[h - 1, k] = min(least[h - 1, k], here)
            if k + half < total:
                least[h - 1, k + half] = min(least[h - 1, k + half], here)
    return least[0, :total].copy()


@compiled
def _lower(least: Sizes, low: int, high: int, to: int) -> None:
    """No point from `low` up to and without `high` is above `to`."""
    if high <= low:
        return
    h = 0
    while (2 << h) <= high - low:
        h += 1
    least[h, low] = min(least[h, low], to)
    least[h, high - (1 << h)] = min(least[h, high - (1 << h)], to)
