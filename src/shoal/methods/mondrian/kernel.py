"""Mondrian on coded records: cut the column that costs most at its median, as long as both sides keep k records."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Keys, Nodes, Sizes
from shoal.kernels.cell_prices import NODE, Prices, cell_price, lowest_node
from shoal.kernels.jit import compiled


@compiled
def tallied(  # noqa: PLR0917  compiled functions take positions
    rows: Nodes, sizes: Sizes, start: int, stop: int, column: int, low: int, high: int, tally: Sizes, values: Keys
) -> int:
    """The different values of one column in some rows, ascending, into `values`, their records into `tally[value]`.

    Returns how many there are. The caller sets what it read in `tally` back to 0. A wide range with few rows is sorted.
    """
    found = 0
    for i in range(start, stop):
        value = rows[i, column]
        if tally[value] == 0:
            values[found] = value
            found += 1
        tally[value] += sizes[i]
    if high - low < 8 * found:
        found = 0
        for value in range(low, high + 1):
            if tally[value] > 0:
                values[found] = value
                found += 1
    else:
        values[:found].sort()
    return found


@compiled
def best_cut(prices: Prices, column: int, values: Keys, found: int, tally: Sizes, total: int, k: int) -> int:
    """The last value on the left of the most even cut that leaves k records on both sides; −1 if there is none.

    In a column shown as nodes, cuts between children of the lowest node over all values come first.
    """
    ends, top, shift = 0, -1, prices.shift[column]
    if prices.kind[column] == NODE:
        top = lowest_node(prices, column, prices.leaf[shift + values[0]], prices.leaf[shift + values[found - 1]])
    best, cut, left = -1, -1, 0
    for i in range(found - 1):
        left += tally[values[i]]
        smaller = min(left, total - left)
        if smaller < k:
            continue
        if prices.kind[column] == NODE:
            here, there = prices.leaf[shift + values[i]], prices.leaf[shift + values[i + 1]]
            ends = total if lowest_node(prices, column, here, there) == top else 0
        if ends + smaller > best:
            best, cut = ends + smaller, values[i]
    return cut


@compiled
def mondrian(
    codes: Nodes, sizes: Sizes, k: int, is_relaxed: bool, prices: Prices, widest: int
) -> tuple[Keys, Keys, Sizes]:
    """Parts of classes: which row, in which class, how many of its records.

    Args:
        codes: `codes[row, column]`: values numbered 0, 1, … per column.
        sizes: How many records each row stands for.
        k: How many records a class has at least.
        is_relaxed: Whether records with the median value may go to either side, so that both get half.
        prices: What cells cost; the column with the dearest cell is cut first, the first of equals.
        widest: How many values a column has at most.
    """
    n, d = codes.shape
    total = sizes.sum()
    room = n + (total // k + 64 if is_relaxed else 0)
    rows, row, size = (
        np.empty((room, d), dtype=np.int32),
        np.empty(room, dtype=np.int64),
        np.empty(room, dtype=np.int64),
    )
    rows[:n], size[:n] = codes, sizes
    for i in range(n):
        row[i] = i
    source, label = np.empty(room, dtype=np.int64), np.empty(room, dtype=np.int64)
    taken = np.empty(room, dtype=np.int64)
    aside, aside_row = np.empty((room, d), dtype=np.int32), np.empty(room, dtype=np.int64)
    aside_size = np.empty(room, dtype=np.int64)
    starts = np.empty(room + 1, dtype=np.int64)
    tally, values = np.zeros(widest, dtype=np.int64), np.empty(widest, dtype=np.int64)
    seen = np.full((d, widest), -1, dtype=np.int32)
    low, high, different = np.empty(d, dtype=np.int64), np.empty(d, dtype=np.int64), np.empty(d, dtype=np.int64)
    cost = np.empty(d, dtype=np.float64)
    parts, classes, visit = 0, 0, 0
    depth, stop = 1, n
    starts[0] = 0
    while depth > 0:  # the topmost region of the stack is rows[start:stop]; its halves take its place
        depth -= 1
        start = starts[depth]
        visit += 1
        records = 0
        low[:], high[:], different[:] = widest, -1, 0
        for i in range(start, stop):
            records += size[i]
            for j in range(d):
                value = rows[i, j]
                low[j], high[j] = min(low[j], value), max(high[j], value)
                if seen[j, value] != visit:
                    seen[j, value] = visit
                    different[j] += 1
        column, cut = -1, -1
        if records >= 2 * k:
            for j in range(d):
                cost[j] = cell_price(prices, j, low[j], high[j], different[j]) if low[j] < high[j] else -1.0
            while column < 0:
                widest_column = int(np.argmax(cost))
                if cost[widest_column] < 0:
                    break
                cost[widest_column] = -1.0
                found = tallied(
                    rows, size, start, stop, widest_column, low[widest_column], high[widest_column], tally, values
                )
                if is_relaxed:
                    column, cut, before = widest_column, -1, 0
                    while 2 * (before + tally[values[cut + 1]]) < records:
                        cut += 1
                        before += tally[values[cut]]
                    cut = values[cut + 1]  # the median: as many of its records go left as are missing to half
                else:
                    cut = best_cut(prices, widest_column, values, found, tally, records, k)
                    column = widest_column if cut >= 0 else -1
                for i in range(found):
                    tally[values[i]] = 0
        if column < 0:
            for i in range(start, stop):
                source[parts], label[parts], taken[parts] = row[i], classes, size[i]
                parts += 1
            classes += 1
            stop = start
            continue
        wanted = records // 2
        if is_relaxed:
            for i in range(start, stop):
                if rows[i, column] < cut:
                    wanted -= size[i]
        kept, moved = start, 0
        for i in range(start, stop):
            left = size[i] if rows[i, column] < cut or (rows[i, column] == cut and not is_relaxed) else 0
            if is_relaxed and rows[i, column] == cut:
                left = min(size[i], wanted)
                wanted -= left
            right = size[i] - left
            if right > 0:
                aside[moved], aside_row[moved], aside_size[moved] = rows[i], row[i], right
                moved += 1
            if left > 0:
                rows[kept], row[kept], size[kept] = rows[i], row[i], left
                kept += 1
        for i in range(moved):
            rows[kept + i], row[kept + i], size[kept + i] = aside[i], aside_row[i], aside_size[i]
        starts[depth], starts[depth + 1] = start, kept
        depth += 2
        stop = kept + moved
    return source[:parts], label[:parts], taken[:parts]
