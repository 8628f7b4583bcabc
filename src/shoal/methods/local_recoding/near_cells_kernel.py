"""Cells of the generalization lattice that cost little more than their records cost already."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Floats, Keys, Mask, Nodes, Sizes
from shoal.kernels.jit import compiled
from shoal.methods.local_recoding.rounds_kernel import Levels

_SPREAD = np.int64(-7046029254386353131)  # 2^64 / golden ratio: spreads keys over a hash table

_DIRECT = 1 << 17
"""Cells that are counted where their number says; more are counted in a hash table."""


class NearCells(NamedTuple):
    """Cells, each with the rows that it is near to, k records or more.

    Attributes:
        starts: Where the rows of each cell start in `rows`, and where those of the last one end.
        rows: The rows.
        costs: What each cell costs.
    """

    starts: Keys
    rows: Nodes
    costs: Floats


class _Prefixes(NamedTuple):
    """Rows by the first columns' nodes: at depth j so many columns tell cells apart.

    Attributes:
        row: `row[depth, i]`: the rows in cells of k records or more.
        cell: Their cells, numbered from 0.
        cost: What these columns cost.
        many: How many rows a depth has.
        cells: How many cells.
    """

    row: Nodes
    cell: Nodes
    cost: Floats
    many: Keys
    cells: Keys


class _Table(NamedTuple):
    """Room to count cells in, as of the visit that `visit` tells; what is older counts for nothing.

    Attributes:
        visit: The visit that wrote here last.
        key: Which cell is here.
        total: How many records it has.
        number: Its number among those that are kept, −1 before it has one.
        below: The node of the next lower level that its first row is under.
        is_needed: Whether another row is under another one: else the lower level has the same cell for less.
        slot: Where each row is counted.
        row: The rows that are counted.
        cost: What they cost.
    """

    visit: Keys
    key: Keys
    total: Keys
    number: Keys
    below: Keys
    is_needed: Mask
    slot: Keys
    row: Nodes
    cost: Floats


@compiled
def _refine(  # noqa: PLR0917  compiled functions take positions
    codes: Nodes,
    sizes: Sizes,
    most: Floats,
    k: int,
    levels: Levels,
    depth: int,
    level: int,
    prefixes: _Prefixes,
    table: _Table,
    visit: int,
) -> None:
    """Let a level of one column more tell cells apart."""
    size, at, below = levels.size[depth, level], levels.at[depth, level], levels.at[depth, max(level - 1, 0)]
    is_direct, room, kept = prefixes.cells[depth] * size <= _DIRECT, 16, 0
    while room < 2 * prefixes.many[depth]:
        room *= 2
    for i in range(prefixes.many[depth]):
        row = prefixes.row[depth, i]
        value = codes[row, depth]
        cost = prefixes.cost[depth, i] + levels.cost[at + value]
        if cost > most[row]:
            continue
        place = prefixes.cell[depth, i] * size + levels.group[at + value]
        if not is_direct:
            packed, spread = place, place * _SPREAD
            place = (spread ^ (spread >> 32)) & (room - 1)
            while table.visit[place] == visit and table.key[place] != packed:
                place = (place + 1) & (room - 1)
            table.key[place] = packed
        under = levels.group[below + value]
        if table.visit[place] != visit:
            table.visit[place], table.total[place], table.number[place] = visit, 0, -1
            table.below[place], table.is_needed[place] = under, level == 0
        table.total[place] += sizes[row]
        if table.below[place] != under:
            table.is_needed[place] = True
        table.slot[kept], table.row[kept], table.cost[kept] = place, row, cost
        kept += 1
    many, found, depth = 0, 0, depth + 1
    for i in range(kept):
        place = table.slot[i]
        if table.total[place] < k or not table.is_needed[place]:
            continue
        if table.number[place] < 0:
            table.number[place] = found
            found += 1
        prefixes.row[depth, many], prefixes.cell[depth, many] = table.row[i], table.number[place]
        prefixes.cost[depth, many] = table.cost[i]
        many += 1
    prefixes.many[depth], prefixes.cells[depth] = many, found


@compiled
def _is_lowest(codes: Nodes, levels: Levels, here: Keys, rows: Nodes) -> bool:
    """Whether no cell with one level lower has all these rows: they need not have been apart in each column before."""
    for j in range(codes.shape[1]):
        if here[j] == 0:
            continue
        below, is_needed = levels.at[j, here[j] - 1], False
        for row in rows:
            if levels.group[below + codes[row, j]] != levels.group[below + codes[rows[0], j]]:
                is_needed = True
                break
        if not is_needed:
            return False
    return True


@compiled
def near_cells(
    codes: Nodes, sizes: Sizes, most: Floats, k: int, levels: Levels, room: int, work: int
) -> tuple[NearCells, bool]:
    """All cells with k records or more for which they cost at most `most`, each with those; and whether these are all.

    Of cells with the same rows those are left out of which another one costs less. It ends before all are found if rows
    of cells are more than `room`, or rows that were looked at more than `work`.

    Args:
        codes: `codes[row, column]`: values numbered 0, 1, … per column.
        sizes: How many records each row stands for.
        most: What a cell may cost for each row.
        k: How many records a cell has at least.
        levels: The hierarchies.
        room: So many rows of cells are kept at most.
        work: So many rows are looked at, about.
    """
    n, d = codes.shape
    slots = _DIRECT
    while slots < 2 * n:
        slots *= 2
    table = _Table(
        np.zeros(slots, dtype=np.int64),
        np.empty(slots, dtype=np.int64),
        np.empty(slots, dtype=np.int64),
        np.empty(slots, dtype=np.int64),
        np.empty(slots, dtype=np.int64),
        np.empty(slots, dtype=np.bool_),
        np.empty(n, dtype=np.int64),
        np.empty(n, dtype=np.int32),
        np.empty(n, dtype=np.float64),
    )
    prefixes = _Prefixes(
        np.empty((d + 1, n), dtype=np.int32),
        np.zeros((d + 1, n), dtype=np.int32),
        np.zeros((d + 1, n), dtype=np.float64),
        np.full(d + 1, n, dtype=np.int64),
        np.ones(d + 1, dtype=np.int64),
    )
    for row in range(n):
        prefixes.row[0, row] = row
    rows, starts, costs = np.empty(1 << 16, dtype=np.int32), [0], [0.0]
    here, first, end = np.full(d, -1, dtype=np.int64), np.empty(n + 1, dtype=np.int64), 0
    depth, visit, looked = 0, 0, 0
    while depth >= 0:
        here[depth] += 1
        if here[depth] > levels.heights[depth]:
            here[depth] = -1
            depth -= 1
            continue
        visit += 1
        looked += prefixes.many[depth]
        if looked > work:
            break
        _refine(codes, sizes, most, k, levels, depth, here[depth], prefixes, table, visit)
        many, found = prefixes.many[depth + 1], prefixes.cells[depth + 1]
        if many == 0:
            continue
        if depth + 1 < d:
            depth += 1
            continue
        if end + many > room:
            break
        while end + many > len(rows):
            rows = np.concatenate((rows, rows))
        for cell in range(found + 1):
            first[cell] = 0
        for i in range(many):
            first[prefixes.cell[d, i] + 1] += 1
        for cell in range(found):
            first[cell + 1] += first[cell]
        for i in range(many):  # the cost of a cell is the same for all its rows
            cell = prefixes.cell[d, i]
            table.row[first[cell]], table.cost[cell] = prefixes.row[d, i], prefixes.cost[d, i]
            first[cell] += 1
        begin = 0
        for cell in range(found):
            inside = table.row[begin : first[cell]]
            begin = first[cell]
            if _is_lowest(codes, levels, here, inside):
                for row in inside:
                    rows[end] = row
                    end += 1
                starts.append(end)
                costs.append(table.cost[cell])
    return NearCells(np.array(starts), rows[:end], np.array(costs[1:])), depth < 0
