"""Mondrian on coded records: cut again and again, as long as both sides keep k records.

A large region is cut in the column that costs most, at its median; a smaller one where its two sides lose least.

Where a person may have several records, both sides keep k persons, and whoever has records on both counts on both.
Strict cuts may have to keep sensitive values below a share of both sides, too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Codes, Floats, Keys, Mask, Nodes, Sizes
from shoal.kernels.cell_prices import NODE, Prices, cell_price, lowest_node
from shoal.kernels.heads import Pairs, first_and_last, running_heads
from shoal.kernels.jit import compiled
from shoal.kernels.sorting import sort_first
from shoal.methods.mondrian.cuts_kernel import bench, by_value, cut_losses, enter
from shoal.methods.mondrian.looking import Look


class Shares(NamedTuple):
    """No value of a sensitive column may have more than a share of a class (`FrequencyDiversity`).

    Attributes:
        value: `value[column, row]`; no columns where nothing of the kind is asked for.
        diversity: Per column ℓ, of which 1/ℓ is the share.
        widest: How many values a column has at most.
    """

    value: Nodes
    diversity: Floats
    widest: int


NO_SHARES = Shares(np.zeros((0, 0), dtype=np.int32), np.zeros(0), 1)
"""Nothing is asked of sensitive columns."""


@compiled
def copy_row(source: Nodes, i: int, target: Nodes, j: int) -> None:
    """One row becomes another."""
    for column in range(source.shape[1]):
        target[j, column] = source[i, column]


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
        sort_first(values, found)
    return found


@compiled
def mark_diverse(
    rows: Nodes, row: Keys, size: Sizes, column: int, order: Keys, shares: Shares, carry: Sizes, is_diverse: Mask
) -> None:
    """Which values of a column can be cut behind so that both sides are diverse, into `is_diverse[value]`.

    One pass from each end counts how many records of a side carry each sensitive value, and how many the most
    frequent one. `order` has the numbers of the rows of a region in the order of the column; `carry` is room, all 0.
    """
    places = len(order)
    for i in range(places):
        is_diverse[rows[order[i], column]] = True
    for s in range(len(shares.value)):
        diversity = shares.diversity[s]
        for is_left in (True, False):
            most, records = 0, 0
            for place in range(places - 1):
                here, there = order[place], order[place + 1]
                if not is_left:
                    here, there = order[places - 1 - place], order[places - 2 - place]
                value = shares.value[s, row[here]]
                carry[value] += size[here]
                records += size[here]
                most = max(most, carry[value])
                if rows[here, column] != rows[there, column] and most * diversity > records * (1 + 1e-12):
                    is_diverse[rows[here if is_left else there, column]] = False
            for place in range(places):
                carry[shares.value[s, row[order[place]]]] = 0


@compiled
def best_cut(  # noqa: PLR0917
    prices: Prices, column: int, values: Keys, found: int, firsts: Sizes, lasts: Sizes, total: int, k: int, may_be: Mask
) -> int:
    """The last value on the left of the most even cut that leaves k on both sides; −1 if there is none.

    In a column shown as nodes, cuts between children of the lowest node over all values come first.

    Args:
        prices: What cells cost.
        column: The column.
        values: Its values, ascending.
        found: How many there are.
        firsts: How many are on the left of every cut from a value on: records with this value, or persons who have none
            with a lower one.
        lasts: How many are on the right of every cut up to a value, but not of one at it: the same records, or persons
            who have none with a higher one.
        total: How many there are.
        k: How many must be on each side.
        may_be: Per value whether it can be the last on the left.
    """
    ends, top, shift = 0, -1, prices.shift[column]
    if prices.kind[column] == NODE:
        top = lowest_node(prices, column, prices.leaf[shift + values[0]], prices.leaf[shift + values[found - 1]])
    best, cut, left, right = -1, -1, 0, total
    for i in range(found - 1):
        left += firsts[values[i]]
        right -= lasts[values[i]]
        smaller = min(left, right)
        if smaller < k or not may_be[values[i]]:
            continue
        if prices.kind[column] == NODE:
            here, there = prices.leaf[shift + values[i]], prices.leaf[shift + values[i + 1]]
            ends = total if lowest_node(prices, column, here, there) == top else 0
        if ends + smaller > best:
            best, cut = ends + smaller, values[i]
    return cut


@compiled
def most_even(row: Keys, order: Keys, pairs: Pairs, marks: Codes, stamp: int, left: Sizes, right: Sizes, k: int) -> int:
    """How many records go left if the others keep most persons, and both sides k or more; 0 if that cannot be.

    The records stand at the places that `order` names; `left` and `right` are room, and two stamps are used.
    """
    places = len(order)
    running_heads(row, order, pairs, marks, stamp, left)
    running_heads(row, order[::-1], pairs, marks, stamp + 1, right)
    best, cut = k - 1, 0
    for i in range(1, places):
        smaller = min(left[i - 1], right[places - 1 - i])
        if smaller > best:
            best, cut = smaller, i
    return cut


@compiled
def mondrian(  # noqa: PLR0917  compiled functions take positions
    codes: Nodes,
    sizes: Sizes,
    k: int,
    is_relaxed: bool,
    look: Look,
    prices: Prices,
    widest: int,
    pairs: Pairs,
    shares: Shares,
) -> tuple[Keys, Keys, Sizes, Keys]:
    """Parts of classes: which row, in which class, how many of its records; and after how many cuts each class came.

    Args:
        codes: `codes[row, column]`: values numbered 0, 1, … per column.
        sizes: How many records each row stands for; where persons are counted, no row is divided.
        k: How many records, or persons, a class has at least.
        is_relaxed: Whether records with the median value may go to either side, so that both get half.
        look: Which regions are cut where their sides lose least, if rows are not divided: in the first of equal
            columns, and in it at the lowest value.
        prices: What cells cost; in other regions the column with the dearest cell is cut first, the first of equals.
        widest: How many values a column has at most.
        pairs: Who has which rows, if persons are counted.
        shares: What is asked of sensitive columns, if cuts are strict and records are counted.
    """
    n, d = codes.shape
    by_persons, by_shares = len(pairs.starts) > 0, len(shares.value) > 0
    total = 0
    for i in range(n):
        total += sizes[i]
    places = n + (total // k + 64 if is_relaxed and not by_persons else 0)
    rows, row, size = (
        np.empty((places, d), dtype=np.int32),
        np.empty(places, dtype=np.int64),
        np.empty(places, dtype=np.int64),
    )
    for i in range(n):
        row[i], size[i] = i, sizes[i]
        copy_row(codes, i, rows, i)
    source, label = np.empty(places, dtype=np.int64), np.empty(places, dtype=np.int64)
    taken = np.empty(places, dtype=np.int64)
    aside, aside_row = np.empty((places, d), dtype=np.int32), np.empty(places, dtype=np.int64)
    aside_size = np.empty(places, dtype=np.int64)
    starts, cuts = np.empty(places + 1, dtype=np.int64), np.zeros(places + 1, dtype=np.int64)
    cuts_of = np.empty(places, dtype=np.int64)
    tally, values = np.zeros(widest, dtype=np.int64), np.empty(widest, dtype=np.int64)
    firsts, lasts = np.zeros(widest, dtype=np.int64), np.zeros(widest, dtype=np.int64)
    marks, met = np.full((pairs.people, 3), -1, dtype=np.int32), np.empty(pairs.people, dtype=np.int64)
    may_be, carry = np.ones(widest, dtype=np.bool_), np.zeros(shares.widest, dtype=np.int64)
    halving = n if by_shares or (by_persons and is_relaxed) else 0
    order, before_cut, after_cut = (
        np.empty(halving, dtype=np.int64),
        np.empty(halving, dtype=np.int64),
        np.empty(halving, dtype=np.int64),
    )
    goes, stamp = np.empty(halving, dtype=np.bool_), 0
    room = bench(0 if is_relaxed else min(n, look.records), d, widest, pairs.people)
    stamps = np.full((0 if is_relaxed else pairs.people, 1), -1, dtype=np.int32)
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
        for j in range(d):
            low[j], high[j], different[j] = widest, -1, 0
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
            is_small = records <= look.records and not is_relaxed
            best, tried = np.inf, 0
            if is_small:
                enter(rows, start, stop, prices, room)
            while column < 0 or (is_small and tried < look.columns):
                widest_column = d - 1
                for j in range(d - 2, -1, -1):
                    if cost[j] >= cost[widest_column]:
                        widest_column = j
                if cost[widest_column] < 0:
                    break
                cost[widest_column] = -1.0
                if is_small and tried < look.columns:
                    if by_shares:
                        by_value(rows, start, stop, widest_column, tally, values, order)
                        mark_diverse(rows, row, size, widest_column, order[: stop - start], shares, carry, may_be)
                    found = cut_losses(rows, row, size, start, stop, widest_column, k, prices, pairs, stamps, room)
                    tried += found > 0
                    for i in range(found):
                        lost = room.cut_loss[i]
                        if by_shares and not may_be[room.cut_value[i]]:
                            continue
                        if lost < best or (lost == best and widest_column < column):
                            best, column, cut = lost, widest_column, room.cut_value[i]
                    continue
                if by_persons and is_relaxed:
                    by_value(rows, start, stop, widest_column, tally, values, order)
                    stamp += 2
                    cut = most_even(row, order[: stop - start], pairs, marks, stamp, before_cut, after_cut, k)
                    if cut > 0:
                        column = widest_column
                        for i in range(stop - start):
                            goes[order[i]] = i < cut
                    continue
                if by_shares:
                    by_value(rows, start, stop, widest_column, tally, values, order)
                    mark_diverse(rows, row, size, widest_column, order[: stop - start], shares, carry, may_be)
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
                    cut = best_cut(prices, widest_column, values, found, tally, tally, records, k, may_be)
                    if by_persons and cut >= 0:  # rows that are enough may be of too few persons
                        stamp += 1
                        people = first_and_last(
                            rows[:, widest_column], row, start, stop, pairs, marks, stamp, met, firsts, lasts
                        )
                        cut = best_cut(prices, widest_column, values, found, firsts, lasts, people, k, may_be)
                        for i in range(found):
                            firsts[values[i]], lasts[values[i]] = 0, 0
                    column = widest_column if cut >= 0 else -1
                for i in range(found):
                    tally[values[i]] = 0
        if column < 0:
            for i in range(start, stop):
                source[parts], label[parts], taken[parts] = row[i], classes, size[i]
                parts += 1
            cuts_of[classes] = cuts[depth]
            classes += 1
            stop = start
            continue
        wanted = records // 2
        if is_relaxed and not by_persons:
            for i in range(start, stop):
                if rows[i, column] < cut:
                    wanted -= size[i]
        kept, moved = start, 0
        for i in range(start, stop):
            if by_persons and is_relaxed:
                left = size[i] if goes[i] else 0
            else:
                left = size[i] if rows[i, column] < cut or (rows[i, column] == cut and not is_relaxed) else 0
                if is_relaxed and rows[i, column] == cut:
                    left = min(size[i], wanted)
                    wanted -= left
            right = size[i] - left
            if right > 0:
                aside_row[moved], aside_size[moved] = row[i], right
                copy_row(rows, i, aside, moved)
                moved += 1
            if left > 0:
                row[kept], size[kept] = row[i], left
                copy_row(rows, i, rows, kept)
                kept += 1
        for i in range(moved):
            row[kept + i], size[kept + i] = aside_row[i], aside_size[i]
            copy_row(aside, i, rows, kept + i)
        starts[depth], starts[depth + 1] = start, kept
        cuts[depth] += 1
        cuts[depth + 1] = cuts[depth]
        depth += 2
        stop = kept + moved
    return source[:parts], label[:parts], taken[:parts], cuts_of[:classes]
