"""The persons on both sides of cuts, for all regions of one depth."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Keys, Mask, Sizes
from shoal.kernels.heads import Pairs, first_and_last
from shoal.kernels.jit import compiled
from shoal.methods.mondrian.kernel import most_even


@compiled
def region_ends(number: Keys, row: Keys, label: Keys, values: int, pairs: Pairs) -> Sizes:
    """How many persons of a region are first met, and last met, at each of its values.

    Args:
        number: The value of each row, numbered region by region.
        row: The record.
        label: Its region; those of one region stand together.
        values: How many numbers there are.
        pairs: Who has which records.
    """
    ends = np.zeros((2, values), dtype=np.int64)
    marks, met = np.full((pairs.people, 3), -1, dtype=np.int64), np.empty(pairs.people, dtype=np.int64)
    start = 0
    while start < len(row):
        stop = start + 1
        while stop < len(row) and label[stop] == label[start]:
            stop += 1
        first_and_last(number, row, start, stop, pairs, marks, start, met, ends[0], ends[1])
        start = stop
    return ends


@compiled
def region_halves(row: Keys, starts: Keys, pairs: Pairs, k: int) -> Mask:
    """Which rows of each region are before its most even cut; none of a region that has none.

    Args:
        row: The record of each row, region by region, each in the order of its values.
        starts: Where each region starts.
        pairs: Who has which records.
        k: How many persons must be on both sides.
    """
    places = len(row)
    goes, order = np.zeros(places, dtype=np.bool_), np.arange(places)
    left, right = np.empty(places, dtype=np.int64), np.empty(places, dtype=np.int64)
    marks = np.full((pairs.people, 1), -1, dtype=np.int64)
    for region in range(len(starts)):
        start, stop = starts[region], starts[region + 1] if region + 1 < len(starts) else places
        cut = most_even(row, order[start:stop], pairs, marks, 2 * region, left, right, k)
        goes[start : start + cut] = True
    return goes
