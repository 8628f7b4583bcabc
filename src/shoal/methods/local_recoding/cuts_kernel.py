"""Cuts that leave least loss: a region is cut where its two sides together lose less than those of any other cut."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Floats, Keys, Nodes, Sizes
from shoal.kernels.cell_prices import SET, Prices, cell_price
from shoal.kernels.heads import Pairs, running_heads
from shoal.kernels.jit import compiled
from shoal.methods.mondrian.kernel import by_value


@compiled
def _sweep(
    prices: Prices,
    rows: Nodes,
    order: Keys,
    stamp: int,
    seen: Nodes,
    spans: Keys,
    cost: Floats,
    running: Floats,
) -> None:
    """`running[i]`: what one record of a class of the first i + 1 rows in `order` costs."""
    columns = rows.shape[1]
    low, high, different = spans[0], spans[1], spans[2]
    together = 0.0
    for j in range(columns):
        different[j], cost[j] = 0, 0.0
    for i in range(len(order)):
        row = order[i]
        for j in range(columns):
            value = rows[row, j]
            changed = False
            if prices.kind[j] == SET:
                if seen[j, value] != stamp:
                    seen[j, value] = stamp
                    different[j] += 1
                    changed = True
                low[j], high[j] = 0, different[j] - 1
            elif i == 0:
                low[j], high[j] = value, value
            elif value < low[j]:
                low[j], changed = value, True
            elif value > high[j]:
                high[j], changed = value, True
            if changed:
                fresh = cell_price(prices, j, low[j], high[j], different[j])
                together += fresh - cost[j]
                cost[j] = fresh
        running[i] = together


@compiled
def gain_cuts(codes: Nodes, sizes: Sizes, k: int, prices: Prices, widest: int, pairs: Pairs) -> tuple[Keys, int]:
    """The class of each row, and how many there are: cut while both sides can have k records, or persons.

    The arguments are those of `mondrian`, except that sizes are always records: they are what loses. Each row stays
    whole. Among cuts that leave the same loss the first column wins, and in it the lowest value.
    """
    n, d = codes.shape
    rows, row, size = codes.copy(), np.arange(n), sizes.copy()
    aside, aside_row, aside_size = np.empty_like(rows), np.empty_like(row), np.empty_like(size)
    label, starts = np.empty(n, dtype=np.int64), np.empty(n + 1, dtype=np.int64)
    tally, values = np.zeros(widest, dtype=np.int64), np.empty(widest, dtype=np.int64)
    seen = np.full((d, widest), -1, dtype=np.int32)
    spans, cost = np.empty((3, d), dtype=np.int64), np.empty(d, dtype=np.float64)
    order, backward = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    running, reverse = np.empty(n, dtype=np.float64), np.empty(n, dtype=np.float64)
    by_persons = len(pairs.starts) > 0
    marks, counted = np.full((pairs.people, 3), -1, dtype=np.int32), n if by_persons else 0
    people_left, people_right = np.empty(counted, dtype=np.int64), np.empty(counted, dtype=np.int64)
    classes, stamp = 0, 0
    depth, stop = 1, n
    starts[0] = 0
    while depth > 0:
        depth -= 1
        start = starts[depth]
        length, records = stop - start, size[start:stop].sum()
        column, cut, best = -1, -1, np.inf
        if records >= 2 * k:  # k persons have k records or more
            for j in range(d):
                by_value(rows, start, stop, j, tally, values, order)
                if rows[order[0], j] == rows[order[length - 1], j]:
                    continue
                stamp += 2
                _sweep(prices, rows, order[:length], stamp, seen, spans, cost, running)
                backward[:length] = order[:length][::-1]
                _sweep(prices, rows, backward[:length], stamp + 1, seen, spans, cost, reverse)
                if by_persons:
                    running_heads(row, order[:length], pairs, marks, stamp, people_left)
                    running_heads(row, backward[:length], pairs, marks, stamp + 1, people_right)
                left = 0
                for i in range(length - 1):
                    left += size[order[i]]
                    if rows[order[i], j] == rows[order[i + 1], j]:
                        continue
                    if by_persons:
                        if people_left[i] < k or people_right[length - 2 - i] < k:
                            continue
                    elif left < k or records - left < k:
                        continue
                    loss = left * running[i] + (records - left) * reverse[length - 2 - i]
                    if loss < best:
                        best, column, cut = loss, j, rows[order[i], j]
        if column < 0:
            label[row[start:stop]] = classes
            classes += 1
            stop = start
            continue
        kept, moved = start, 0
        for i in range(start, stop):
            if rows[i, column] <= cut:
                rows[kept], row[kept], size[kept] = rows[i], row[i], size[i]
                kept += 1
            else:
                aside[moved], aside_row[moved], aside_size[moved] = rows[i], row[i], size[i]
                moved += 1
        for i in range(moved):
            rows[kept + i], row[kept + i], size[kept + i] = aside[i], aside_row[i], aside_size[i]
        starts[depth], starts[depth + 1] = start, kept
        depth += 2
    return label, classes
