"""Record linkage: for every published record the originals nearest to it."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Floats, Keys, Nodes, Sizes
from shoal.kernels.jit import compiled

_EQUAL = 1 + 1e-9
"""Distances so close are equal: the mean of two records is as far from one as from the other."""


@compiled
def nearest_shares(  # noqa: PLR0917  compiled functions take positions
    numbers: Floats,
    centers: Floats,
    categories: Nodes,
    nodes: Nodes,
    squares: Floats,
    offsets: Keys,
    widths: Keys,
    sizes: Sizes,
    ends: Keys,
    members: Keys,
    taken: Sizes,
) -> Floats:
    """For each center how many of its own records an attacker links who picks one of the nearest originals.

    `members[ends[c − 1] : ends[c]]` are the points that center c stands for, `taken` how many records of each.
    """
    points, groups = len(sizes), len(ends)
    away = np.empty(points, np.float64)
    linked = np.zeros(groups, np.float64)
    first = 0
    for group in range(groups):
        away[:] = 0.0
        for axis in range(len(numbers)):
            at = centers[axis, group]
            for i in range(points):
                step = numbers[axis, i] - at
                away[i] += step * step
        for axis in range(len(categories)):
            row = offsets[axis] + nodes[axis, group] * widths[axis]
            for i in range(points):
                away[i] += squares[row + categories[axis, i]]
        least = away.min() * _EQUAL
        candidates = 0
        for i in range(points):
            if away[i] <= least:
                candidates += sizes[i]
        for part in range(first, ends[group]):
            if away[members[part]] <= least:
                linked[group] += taken[part] / candidates
        first = ends[group]
    return linked
