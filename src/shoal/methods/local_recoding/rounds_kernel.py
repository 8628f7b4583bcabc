"""The cheapest generalized cells first: every cell that still has k records becomes a class, from cheap to dear."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Floats, Keys, Mask, Nodes, Sizes
from shoal.kernels.heads import Pairs
from shoal.kernels.jit import compiled

_SPREAD = np.int64(-7046029254386353131)  # 2^64 / golden ratio: spreads keys over a hash table


class Levels(NamedTuple):
    """The levels of all hierarchies side by side: level l of column j starts at `at[j, l]`.

    Attributes:
        group: Which node of the level each value is under, numbered from 0.
        cost: What a cell with this node costs.
        at: Where the values of a level start.
        size: How many nodes a level has.
        heights: How many levels each column has above its values.
    """

    group: Keys
    cost: Floats
    at: Keys
    size: Keys
    heights: Keys


@compiled
def _people(  # noqa: PLR0917  compiled functions take positions
    head: int, following: Keys, row: Nodes, left: Keys, pairs: Pairs, k: int, marks: Keys, stamp: int, record: Keys
) -> int:
    """How many persons have a record of a list, but k if they are more: counting stops there."""
    people, i = 0, head
    while i >= 0:
        here = record[left[row[i]]]
        for pair in range(pairs.starts[here], pairs.starts[here + 1]):
            if marks[pairs.person[pair]] != stamp:
                marks[pairs.person[pair]] = stamp
                people += 1
                if people == k:
                    return people
        i = following[i]
    return people


_DIRECT = 1 << 17
"""Cells that are counted where their number says; more are counted in a hash table."""


class Table(NamedTuple):
    """Room to count cells in. What was written before counts for nothing: numbers of later visits are larger.

    Attributes:
        key: Which cell is at a place of the hash table.
        total: The number of the visit in the upper half, how many records a cell has in the lower.
        number: The number of the visit in the upper half, that of the cell among those of k or more in the lower.
    """

    key: Keys
    total: Keys
    number: Keys


class Left(NamedTuple):
    """The rows without a class when a round begins, side by side: a round looks at them often.

    Attributes:
        row: Their numbers.
        codes: `codes[column, i]`.
        sizes: How many records, or persons, each counts for.
        taken: Whether it has a class by now.
    """

    row: Keys
    codes: Nodes
    sizes: Sizes
    taken: Mask


class Prefixes(NamedTuple):
    """Rows that may still be in a class, one column more at a time: at depth j the first j columns tell cells apart.

    Attributes:
        row: `row[depth, i]`: places among the rows left, those in cells of k or more at this depth, ascending.
        cell: Their cells, numbered from 0.
        many: How many rows a depth has.
        cells: How many cells.
        slot: Room for each row.
        kept: The same.
    """

    row: Nodes
    cell: Nodes
    many: Keys
    cells: Keys
    slot: Keys
    kept: Nodes


@compiled
def _begin(label: Keys, codes: Nodes, sizes: Sizes, left: Left, prefixes: Prefixes) -> None:
    """Put the rows without a class side by side, all in one cell."""
    many = 0
    for row in range(len(label)):
        if label[row] < 0:
            left.row[many], left.sizes[many], left.taken[many] = row, sizes[row], False
            for j in range(codes.shape[1]):
                left.codes[j, many] = codes[row, j]
            prefixes.row[0, many], prefixes.cell[0, many] = many, 0
            many += 1
    prefixes.many[0] = many


@compiled
def _refine(
    depth: int, k: int, levels: Levels, level: int, left: Left, prefixes: Prefixes, table: Table, visit: int
) -> None:
    """Let a level of one column more tell cells apart; rows with a class and those in cells below k are left out."""
    many, size, fresh = prefixes.many[depth], levels.size[depth, level], visit << 32
    group, codes = levels.group[levels.at[depth, level] :], left.codes[depth]
    rows, cells, slot = prefixes.row[depth], prefixes.cell[depth], prefixes.slot
    is_direct = prefixes.cells[depth] * size <= _DIRECT
    room = 16
    while room < 2 * many:
        room *= 2
    kept = 0
    for i in range(many):
        row = rows[i]
        if left.taken[row]:
            continue
        place = cells[i] * size + group[codes[row]]
        if not is_direct:
            packed, spread = place, place * _SPREAD
            place = (spread ^ (spread >> 32)) & (room - 1)
            while table.total[place] >= fresh and table.key[place] != packed:
                place = (place + 1) & (room - 1)
            table.key[place] = packed
        table.total[place] = max(table.total[place], fresh) + left.sizes[row]
        slot[kept], prefixes.kept[kept] = place, row
        kept += 1
    enough, many, found = fresh + k, kept, 0
    rows, cells, kept = prefixes.row[depth + 1], prefixes.cell[depth + 1], 0
    for i in range(many):
        place = slot[i]
        if table.total[place] < enough:
            continue
        if table.number[place] < fresh:
            table.number[place] = fresh + found
            found += 1
        rows[kept], cells[kept] = prefixes.kept[i], table.number[place] - fresh
        kept += 1
    prefixes.many[depth + 1], prefixes.cells[depth + 1] = kept, found


@compiled
def cell_rounds(  # noqa: PLR0917  compiled functions take positions
    codes: Nodes,
    sizes: Sizes,
    k: int,
    levels: Levels,
    least: Keys,
    step: float,
    rounds: int,
    record: Keys,
    pairs: Pairs,
) -> tuple[Keys, int]:
    """The class of each row, −1 where none was found, and how many classes there are.

    A node of the lattice is first looked at in round `least[node]`; in round r its cells with k left that cost
    less than (r + 1) · step become classes, and the node comes back in the round of the next dearer such cell. Nodes
    that begin with the same levels share what these tell: a row whose cell is too small by the first columns is in no
    class by all of them, and is not looked at again below.

    Args:
        codes: `codes[row, column]`: values numbered 0, 1, … per column.
        sizes: How many records each row stands for; where persons are counted, how many persons have it.
        k: How many records, or persons, a class has at least.
        levels: The hierarchies.
        least: The first round of each node of the lattice, the last column's level running fastest.
        step: The price range of one round.
        rounds: How many rounds there are.
        record: The number of each row in the table.
        pairs: Who has which records, if persons are counted.
    """
    n, d = codes.shape
    due = least.copy()
    room = _DIRECT
    while room < 2 * n:
        room *= 2
    table = Table(np.empty(room, dtype=np.int64), np.zeros(room, dtype=np.int64), np.zeros(room, dtype=np.int64))
    prefixes = Prefixes(
        np.empty((d + 1, n), dtype=np.int32),
        np.empty((d + 1, n), dtype=np.int32),
        np.zeros(d + 1, dtype=np.int64),
        np.ones(d + 1, dtype=np.int64),
        np.empty(n, dtype=np.int64),
        np.empty(n, dtype=np.int32),
    )
    left = Left(
        np.empty(n, dtype=np.int64),
        np.empty((d, n), dtype=np.int32),
        np.empty(n, dtype=np.int64),
        np.empty(n, dtype=np.bool_),
    )
    label, classes, remaining, visit = np.full(n, -1, dtype=np.int64), 0, n, 0
    now, here = np.full(d, -1, dtype=np.int64), np.empty(d, dtype=np.int64)
    number, is_large = np.empty(n, dtype=np.int64), np.ones(n, dtype=np.bool_)
    by_persons = len(pairs.starts) > 0
    marks, mark = np.zeros(pairs.people, dtype=np.int64), 0
    head, following = np.full(n, -1, dtype=np.int64), np.empty(n, dtype=np.int64)
    for turn in range(rounds):
        _begin(label, codes, sizes, left, prefixes)
        same = 0  # of so many columns the levels are those of the node before
        for node in range(len(due)):
            if due[node] != turn or remaining == 0:
                continue
            due[node], rest = -1, node
            for j in range(d - 1, -1, -1):
                here[j] = rest % (levels.heights[j] + 1)
                rest //= levels.heights[j] + 1
            shared = 0
            while shared < same and here[shared] == now[shared]:
                shared += 1
            for j in range(shared, d):
                visit += 1
                _refine(j, k, levels, here[j], left, prefixes, table, visit)
                now[j] = here[j]
                same = j + 1
                if prefixes.many[j + 1] == 0:
                    break
            if prefixes.many[same] == 0:
                continue
            row, cell, many = prefixes.row[d], prefixes.cell[d], prefixes.many[d]
            for i in range(many):
                number[cell[i]] = -1
            if by_persons:  # cells with persons enough if nobody had two records in one
                for i in range(many):
                    following[i], head[cell[i]] = head[cell[i]], i
                for i in range(many):
                    if head[cell[i]] >= 0:
                        mark += 1
                        people = _people(head[cell[i]], following, row, left.row, pairs, k, marks, mark, record)
                        is_large[cell[i]] = people >= k
                        head[cell[i]] = -1
            later = np.inf
            for i in range(many):
                if not is_large[cell[i]]:
                    continue
                cost = 0.0
                for j in range(d):
                    cost += levels.cost[levels.at[j, here[j]] + left.codes[j, row[i]]]
                if cost >= (turn + 1) * step:
                    later = min(later, cost)
                    continue
                if number[cell[i]] < 0:
                    number[cell[i]] = classes
                    classes += 1
                label[left.row[row[i]]], left.taken[row[i]] = number[cell[i]], True
                remaining -= 1
            same = d - 1  # the last column's cells are used up: if it comes again, they are counted anew
            if later < np.inf:
                due[node] = max(turn + 1, min(int(later / step), rounds - 1))
    return label, classes
