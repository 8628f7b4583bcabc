"""How pure the groups of a table become when one of its columns is split: the inner loops of a growing cut.

The purity of a group with n records, n_y of them of class y, is −(n² − Σ n_y²) / (2n), rounded to whole multiples of
2^−FINENESS: 0 where all are of one class, and with two classes minus the records of one times the share of the other.
One record more changes it by a number in [−1, 0] (`docs/proofs/diffgen.md`, section 3), also after rounding and after
counts are cut off at 2^26.
"""

from __future__ import annotations

import numpy as np

from shoal.arrays import Codes, Keys, Sizes
from shoal.kernels.jit import compiled

FINENESS = 10
"""Purities are counted in units of 2^−10 records."""

_MOST = 1 << 26
"""Larger groups are cut off, so that n² 2^9 fits 64 bits."""


@compiled
def purity(counts: Sizes) -> int:
    """The purity of one group, from its records of each class, in units of 2^−FINENESS."""
    most = _MOST // len(counts)
    records, squares = 0, 0
    for y in range(len(counts)):
        here = min(counts[y], most)
        records += here
        squares += here * here
    if records == 0:
        return 0
    return -(((records * records - squares) << (FINENESS - 1)) // records)


@compiled
def purities(counts: Sizes) -> Sizes:
    """The purity of each row of `counts[group, class]`."""
    found = np.empty(len(counts), dtype=np.int64)
    for i in range(len(counts)):
        found[i] = purity(counts[i])
    return found


@compiled
def tally(group: Keys, place: Codes, label: Codes, sizes: Sizes, counts: Sizes) -> None:
    """Add the records up: `counts[group, place, label]`."""
    for r in range(len(group)):
        counts[group[r], place[r], label[r]] += sizes[r]


@compiled
def in_groups(order: Keys, group: Keys, groups: int) -> Keys:
    """The records in the order of their groups, within a group as in `order`."""
    ends = np.zeros(groups + 1, dtype=np.int64)
    for r in range(len(group)):
        ends[group[r] + 1] += 1
    for g in range(groups):
        ends[g + 1] += ends[g]
    sorted_ = np.empty(len(order), dtype=np.int64)
    for k in range(len(order)):
        r = order[k]
        sorted_[ends[group[r]]] = r
        ends[group[r]] += 1
    return sorted_


@compiled
def cells_of_rows(
    rows: Keys, group: Keys, place: Codes, label: Codes, sizes: Sizes, classes: int
) -> tuple[Keys, Keys, Sizes]:
    """The cells (group, place) that records fall into, and their counts; `rows` are in the order of both."""
    cells = 0
    for k in range(len(rows)):
        if k == 0 or group[rows[k]] != group[rows[k - 1]] or place[rows[k]] != place[rows[k - 1]]:
            cells += 1
    groups, places = np.empty(cells, dtype=np.int64), np.empty(cells, dtype=np.int64)
    counts = np.zeros((cells, classes), dtype=np.int64)
    at = -1
    for k in range(len(rows)):
        r = rows[k]
        if k == 0 or group[r] != group[rows[k - 1]] or place[r] != place[rows[k - 1]]:
            at += 1
            groups[at], places[at] = group[r], place[r]
        counts[at, label[r]] += sizes[r]
    return groups, places, counts


@compiled
def cells_of_table(dense: Sizes) -> tuple[Keys, Keys, Sizes]:
    """The cells of `dense[group, place, label]` that hold records, in order, and their counts."""
    groups, places, classes = dense.shape
    cells = 0
    for g in range(groups):
        for p in range(places):
            for y in range(classes):
                if dense[g, p, y]:
                    cells += 1
                    break
    of_group, of_place = np.empty(cells, dtype=np.int64), np.empty(cells, dtype=np.int64)
    counts = np.empty((cells, classes), dtype=np.int64)
    at = 0
    for g in range(groups):
        for p in range(places):
            for y in range(classes):
                if dense[g, p, y]:
                    of_group[at], of_place[at] = g, p
                    counts[at] = dense[g, p]
                    at += 1
                    break
    return of_group, of_place, counts


@compiled
def branch_purities(group: Keys, counts: Sizes, value: Keys, values: int) -> Sizes:
    """The purity of all cells, added up by the value that their group has in the column; −1 is none."""
    after = np.zeros(values, dtype=np.int64)
    for i in range(len(group)):
        v = value[group[i]]
        if v >= 0:
            after[v] += purity(counts[i])
    return after


@compiled
def split_purities(group: Keys, place: Keys, counts: Sizes, value: Keys, low: Keys, high: Keys, places: int) -> Sizes:
    """The purity of both sides together, for every split point of every value of a column with an order.

    Cells come in the order of their groups and places. Value v covers the places from low[v] up to and without high[v].
    `result[low[v] + v + j]` is for a split before place low[v] + j.
    """
    after = np.zeros(places + len(low) + 1, dtype=np.int64)
    classes = counts.shape[1]
    left, right = np.zeros(classes, np.int64), np.zeros(classes, np.int64)
    i = 0
    while i < len(group):
        end = i
        while end < len(group) and group[end] == group[i]:
            end += 1
        v = value[group[i]]
        if v >= 0:
            left[:], right[:] = 0, 0
            for k in range(i, end):
                right += counts[k]
            before = purity(right)
            after[low[v] + v] += before
            for k in range(i, end):
                left += counts[k]
                right -= counts[k]
                now = purity(left) + purity(right)
                after[place[k] + v + 1] += now - before
                before = now
        i = end
    for v in range(len(low)):
        for k in range(low[v] + v + 1, high[v] + v + 1):
            after[k] += after[k - 1]
    return after
