"""What records would pay for a class: prices such that few cells gain by them, and all records together pay much."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Floats, Keys, Sizes
from shoal.kernels.jit import compiled
from shoal.methods.local_recoding.near_cells_kernel import NearCells

_KEPT = 0.7
"""So much of the last direction is kept in the next one."""

_EVERY = 8
"""In so many steps all cells are looked at once."""

_SHORTER = 0.7
"""Steps become so much shorter when prices are no better than before at that."""

_SHORTEST = 1e-3
"""Steps that would be shorter are not made."""


class Chosen(NamedTuple):
    """Room for the records of one class: so many of each row."""

    row: Keys
    many: Keys


@compiled
def room_to_choose(rows: int) -> Chosen:
    """Room for a class of all rows."""
    return Chosen(np.empty(rows, dtype=np.int64), np.empty(rows, dtype=np.int64))


@compiled
def best_class(
    cells: NearCells, cell: int, left: Sizes, prices: Floats, k: int, least: float, chosen: Chosen
) -> tuple[float, int, int]:
    """The class of k or more records that gains most in a cell: its gain, its records, and how many rows are chosen.

    All records that pay more than the cell costs are in it; if these are fewer than k, so are the dearest others. The
    gain is −∞ if fewer than k records are left, and what is chosen counts only if it is more than `least`, 0 or less.
    """
    cost, gain, records, rows = cells.costs[cell], 0.0, 0, 0
    for place in range(cells.starts[cell], cells.starts[cell + 1]):
        row = cells.rows[place]
        if left[row] > 0 and prices[row] > cost:
            chosen.row[rows], chosen.many[rows] = row, left[row]
            gain += left[row] * (prices[row] - cost)
            records += left[row]
            rows += 1
    if records >= k or gain <= least:
        return gain, records, rows
    first, wanted, found = rows, k - records, 0
    for place in range(cells.starts[cell], cells.starts[cell + 1]):
        row = cells.rows[place]
        price = prices[row]
        if left[row] == 0 or price > cost or (found >= wanted and price <= prices[chosen.row[rows - 1]]):
            continue
        here = rows
        while here > first and prices[chosen.row[here - 1]] < price:
            chosen.row[here], chosen.many[here] = chosen.row[here - 1], chosen.many[here - 1]
            here -= 1
        chosen.row[here], chosen.many[here] = row, left[row]
        found += left[row]
        rows += 1
        while found - chosen.many[rows - 1] >= wanted:
            rows -= 1
            found -= chosen.many[rows]
    if found < wanted:
        return -np.inf, 0, 0
    chosen.many[rows - 1] -= found - wanted
    for i in range(first, rows):
        gain += chosen.many[i] * (prices[chosen.row[i]] - cost)
    return gain, k, rows


@compiled
def stepped_prices(
    cells: NearCells, sizes: Sizes, prices: Floats, k: int, steps: int, share: float, least: float
) -> Floats:
    """The best prices that so many steps find, from some on.

    No classes of these cells cost less than all prices together, less the gains of the cells: that is to be large. Each
    step raises the prices of records that no gaining cell wants, and lowers those of records that several want. All
    cells are looked at in every `_EVERY` steps, and at last; in between those alone that gained more than `least`.

    Args:
        cells: The cells.
        sizes: How many records each row stands for.
        prices: What each record pays at first.
        k: How many records a class has at least.
        steps: How often prices change.
        share: What all prices together, less gains, are thought to become, as a share of what they are at first.
        least: Less than 0.
    """
    n = len(prices)
    here, best, most, width = prices.copy(), prices.copy(), -np.inf, 1.0
    wanted, way, chosen = np.empty(n, dtype=np.int64), np.zeros(n), room_to_choose(n)
    active, many, target = np.empty(len(cells.costs), dtype=np.int64), 0, 0.0
    for row in range(n):  # one after the other: added up in another order, the last digit and all that follows differ
        target += share * prices[row] * sizes[row]
    for step in range(steps + 1):
        is_whole = step % _EVERY == 0 or step == steps
        bound = 0.0
        for row in range(n):
            bound += here[row] * sizes[row]
            wanted[row] = 0
        if is_whole:
            many = 0
            for cell in range(len(cells.costs)):
                if best_class(cells, cell, sizes, here, k, least, chosen)[0] > least:
                    active[many] = cell
                    many += 1
        for place in range(many):
            gain, _, rows = best_class(cells, active[place], sizes, here, k, 0.0, chosen)
            if gain > 0:
                bound -= gain
                for i in range(rows):
                    wanted[chosen.row[i]] += chosen.many[i]
        if is_whole and bound > most:
            most = bound
            for row in range(n):
                best[row] = here[row]
        elif is_whole:
            width *= _SHORTER
        if is_whole and (bound >= target or width < _SHORTEST):
            break
        length = 0.0
        for row in range(n):
            way[row] = _KEPT * way[row] + sizes[row] - wanted[row]
            length += way[row] * way[row] / sizes[row]
        if length == 0:
            break
        for row in range(n):
            here[row] += width * max(target - bound, 0.0) / length * way[row] / sizes[row]
    return best
