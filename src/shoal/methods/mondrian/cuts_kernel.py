"""What the two sides of every cut of a region lose together."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Codes, Floats, Keys, Mask, Nodes, Sizes
from shoal.kernels.cell_prices import SET, Prices, cell_price
from shoal.kernels.heads import Pairs, running_heads
from shoal.kernels.jit import compiled
from shoal.kernels.sorting import sort_first


@compiled
def by_value(rows: Nodes, start: int, stop: int, column: int, tally: Sizes, values: Keys, order: Keys) -> None:
    """The numbers of some rows, ascending in one column, into `order`."""
    found = 0
    for i in range(start, stop):
        value = rows[i, column]
        if tally[value] == 0:
            values[found] = value
            found += 1
        tally[value] += 1
    sort_first(values, found)
    before = 0
    for i in range(found):
        here = tally[values[i]]
        tally[values[i]] = before
        before += here
    for i in range(start, stop):
        value = rows[i, column]
        order[tally[value]] = i
        tally[value] += 1
    for i in range(found):
        tally[values[i]] = 0


class Bench(NamedTuple):
    """Room in which the cuts of regions are compared, for as many rows as the largest of them has.

    Attributes:
        order: Rows by their value in a column.
        backward: The same from the other end.
        running: What a record on the left costs, for each cut.
        reverse: The same on the right, from the other end.
        left: The persons on the left, if they are counted.
        right: The same on the right, from the other end.
        tally: Room for each value of a column, 0 in between.
        values: Room for them.
        seen: Stamps of the values of each column.
        low: The lowest value on a side, for each column that differs.
        high: The highest.
        cost: What a cell of it costs.
        differing: The columns in which the rows of the region differ, those shown as sets first: no cell of another
            costs anything.
        used: How many stamps were used, how many columns differ, and how many of these are shown as sets.
        cut_value: The last value on the left of each cut.
        cut_loss: What all records of the region lose after it.
    """

    order: Keys
    backward: Keys
    running: Floats
    reverse: Floats
    left: Sizes
    right: Sizes
    tally: Sizes
    values: Keys
    seen: Codes
    low: Keys
    high: Keys
    cost: Floats
    differing: Keys
    used: Keys
    cut_value: Keys
    cut_loss: Floats


@compiled
def bench(rows: int, columns: int, widest: int, people: int) -> Bench:
    """Room for regions of so many rows; `people` is 0 if they are not counted."""
    counted = rows if people > 0 else 0
    return Bench(
        np.empty(rows, dtype=np.int64),
        np.empty(rows, dtype=np.int64),
        np.empty(rows, dtype=np.float64),
        np.empty(rows, dtype=np.float64),
        np.empty(counted, dtype=np.int64),
        np.empty(counted, dtype=np.int64),
        np.zeros(widest, dtype=np.int64),
        np.empty(widest, dtype=np.int64),
        np.full((columns, widest), -1, dtype=np.int32),
        np.empty(columns, dtype=np.int64),
        np.empty(columns, dtype=np.int64),
        np.empty(columns, dtype=np.float64),
        np.empty(columns, dtype=np.int64),
        np.zeros(3, dtype=np.int64),
        np.empty(widest, dtype=np.int64),
        np.empty(widest, dtype=np.float64),
    )


@compiled
def enter(rows: Nodes, start: int, stop: int, prices: Prices, room: Bench) -> None:
    """Begin with a region: see in which columns its rows differ."""
    found = 0
    for is_set in (True, False):
        for j in range(rows.shape[1]):
            i = start + 1
            while i < stop and rows[i, j] == rows[start, j]:
                i += 1
            if i < stop and (prices.kind[j] == SET) == is_set:
                room.differing[found] = j
                found += 1
        if is_set:
            room.used[2] = found
    room.used[1] = found


@compiled
def _sweep(prices: Prices, rows: Nodes, order: Keys, length: int, stamp: int, room: Bench, running: Floats) -> None:
    """`running[i]`: what one record of a class of the first i + 1 rows in `order` costs."""
    columns, sets, together = room.used[1], room.used[2], 0.0
    differing, seen, low, high, cost = room.differing, room.seen, room.low, room.high, room.cost
    first = order[0]
    for c in range(columns):
        low[c], high[c], cost[c] = rows[first, differing[c]], rows[first, differing[c]], 0.0
    for c in range(sets):
        seen[differing[c], rows[first, differing[c]]] = stamp
    running[0] = 0.0
    for i in range(1, length):
        row = order[i]
        for c in range(sets):
            j = differing[c]
            value = rows[row, j]
            if seen[j, value] != stamp:
                seen[j, value] = stamp
                together += prices.scale[j]
        for c in range(sets, columns):
            value = rows[row, differing[c]]
            if value < low[c] or value > high[c]:
                low[c], high[c] = min(low[c], value), max(high[c], value)
                fresh = cell_price(prices, differing[c], low[c], high[c], 2)
                together += fresh - cost[c]
                cost[c] = fresh
        running[i] = together


@compiled
def cut_losses(  # noqa: PLR0917  compiled functions take positions
    rows: Nodes,
    row: Keys,
    records: Sizes,
    start: int,
    stop: int,
    column: int,
    k: int,
    prices: Prices,
    pairs: Pairs,
    marks: Codes,
    room: Bench,
) -> int:
    """Every cut of one column of a region that leaves k records, or persons, on both sides, and what is lost after it.

    Returns how many there are; which and what is in `room.cut_value`, ascending, and `room.cut_loss`. Two sweeps over
    the rows in the order of their values say what each side costs wherever it ends. The region was entered before.

    Args:
        rows: `rows[place, column]`: values numbered 0, 1, … per column.
        row: The record at each place.
        records: How many records each place stands for: they are what loses, whoever is counted.
        start: Where the region begins.
        stop: Where it ends.
        column: The column.
        k: How many must be on each side.
        prices: What cells cost.
        pairs: Who has which records, if persons are counted.
        marks: Stamps of persons, if they are counted.
        room: Where it is done.
    """
    length = stop - start
    by_value(rows, start, stop, column, room.tally, room.values, room.order)
    order = room.order
    if rows[order[0], column] == rows[order[length - 1], column]:
        return 0
    total = 0
    for i in range(length):
        room.backward[i] = order[length - 1 - i]
        total += records[start + i]
    stamp = room.used[0]
    room.used[0] += 2
    _sweep(prices, rows, order, length, stamp, room, room.running)
    _sweep(prices, rows, room.backward, length, stamp + 1, room, room.reverse)
    by_persons = len(pairs.starts) > 0
    if by_persons:
        running_heads(row, order[:length], pairs, marks, stamp, room.left)
        running_heads(row, room.backward[:length], pairs, marks, stamp + 1, room.right)
    found, left = 0, 0
    for i in range(length - 1):
        left += records[order[i]]
        if rows[order[i], column] == rows[order[i + 1], column]:
            continue
        if by_persons:
            if room.left[i] < k or room.right[length - 2 - i] < k:
                continue
        elif left < k or total - left < k:
            continue
        room.cut_value[found] = rows[order[i], column]
        room.cut_loss[found] = left * room.running[i] + (total - left) * room.reverse[length - 2 - i]
        found += 1
    return found


@compiled
def all_cut_losses(  # noqa: PLR0917  compiled functions take positions
    rows: Nodes, row: Keys, records: Sizes, starts: Keys, asked: Mask, k: int, prices: Prices, widest: int, pairs: Pairs
) -> Floats:
    """What is lost after every cut that `cut_losses` finds, region by region, in the columns that are asked of it."""
    places, columns = rows.shape
    most = 0
    for region in range(len(starts)):
        most = max(most, (starts[region + 1] if region + 1 < len(starts) else places) - starts[region])
    room, marks = bench(most, columns, widest, pairs.people), np.full((pairs.people, 1), -1, dtype=np.int32)
    cuts, lost = 0, np.empty(16, dtype=np.float64)
    for region in range(len(starts)):
        start, stop = starts[region], starts[region + 1] if region + 1 < len(starts) else places
        if not asked[region].any():
            continue
        enter(rows, start, stop, prices, room)
        for column in range(columns):
            if not asked[region, column]:
                continue
            found = cut_losses(rows, row, records, start, stop, column, k, prices, pairs, marks, room)
            while cuts + found > len(lost):
                lost = np.append(lost, lost)
            for i in range(found):
                lost[cuts + i] = room.cut_loss[i]
            cuts += found
    return lost[:cuts]
