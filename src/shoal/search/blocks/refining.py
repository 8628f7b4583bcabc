"""Loops of `search.refinement` in NumPy: for tables of ordinary size. `refining_compiled` has the same for large ones.

A cell is `class · leaves · rest + leaf · rest + others`: a class, the leaf of the next column, and the leaves of all
columns after it in mixed radix.
"""

from __future__ import annotations

import numpy as np

from shoal.arrays import Keys, Sizes
from shoal.kernels import grouping


def take_apart(cells: Keys, weights: Sizes, rest: int, domain: int) -> tuple[Keys, Keys, Sizes]:
    """Class and leaf of each cell in one key below `domain`, its other columns, and the records of each key."""
    keys = cells // rest
    return keys, cells - keys * rest, grouping.totals(keys, domain, weights)


def settle(keys: Keys, others: Keys, weights: Sizes, base: Keys, domain: int, rest: int) -> tuple[Keys, Sizes]:
    """The cells `base[key] + others` and their records; what is not below `domain` is dropped.

    Equal cells are merged if a table of all of them is not much longer than what there is.
    """
    cells = base.take(keys)
    cells += others
    if domain + rest <= grouping.dense_limit(len(cells)):
        counted = grouping.totals(cells, domain + rest, weights)[:domain]
        merged = np.flatnonzero(counted)
        return merged, counted.take(merged)
    left = np.flatnonzero(cells < domain)
    return (cells, weights) if len(left) == len(cells) else (cells.take(left), weights.take(left))


def add_up(cells: Keys, weights: Sizes, rest: int, classes: int, members: Keys, ends: Keys) -> Sizes:
    """`[c, class]`: records in the leaf cells `members[ends[c − 1] : ends[c]]`; cells are class · rest + leaf cell."""
    number = cells // rest
    flat = (cells - number * rest) * classes + number
    leaf_cells = grouping.totals(flat, rest * classes, weights).reshape(rest, classes)
    starts = np.concatenate([[0], ends[:-1]])
    summed: Sizes = np.add.reduceat(leaf_cells.take(members, axis=0), starts, axis=0)
    return summed
