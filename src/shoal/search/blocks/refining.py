"""Loops of `search.refinement` in NumPy: for tables of ordinary size. `refining_compiled` has the same for large ones.

A cell is `class · leaves · rest + leaf · rest + others`: a class, the leaf of the next column, and the leaves of all
columns after it in mixed radix.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from shoal.arrays import Keys, Mask, Sizes
from shoal.data.hierarchies.hierarchy import Level
from shoal.kernels import grouping


def take_apart(
    cells: Keys, weights: Sizes, rest: int, domain: int, *, room: int | None = None
) -> tuple[Keys, Keys, Sizes]:
    """Class and leaf of each cell in one key below `domain`, its other columns, and the records of each key."""
    del room  # arrays are made anew
    keys = cells // rest
    return keys, cells - keys * rest, grouping.totals(keys, domain, weights)


class Settled(NamedTuple):
    """Classes and their records after one more column is settled, at one level after the other.

    Attributes:
        parent: The class that each class was part of.
        code: Its code at the level of the column.
        sizes: How many records each has.
        ends: Where the classes of each level end.
        cells: Class · rest + the leaves of all columns after it.
        weights: How many records each cell stands for.
    """

    parent: Keys
    code: Keys
    sizes: Sizes
    ends: list[int]
    cells: Keys
    weights: Sizes


def settle(
    keys: Keys,
    others: Keys,
    weights: Sizes,
    tally: Sizes,
    levels: Sequence[Level],
    least: int,
    rest: int,
    *,
    room: int | None = None,
    wanted: Mask | None = None,
    in_pairs: bool = False,
) -> Settled:
    """Settle a column at some levels: the classes that are large enough, and what is left in them.

    Equal cells are merged if a table of all of them is not much longer than what there is.

    Args:
        keys: Class and leaf of the column, for each record.
        others: What comes after that.
        weights: How many records each stands for.
        tally: Records by class and leaf.
        levels: The levels of the column.
        least: How many records a class must have.
        rest: How many different `others` there may be.
        room: Where results are kept until the next call that names it; here they always last.
        wanted: `[level, class]`: which classes are settled at which level, if not all are.
        in_pairs: Whether cells 2 n and 2 n + 1 are to stay side by side where equal ones are merged by hashing, as they
            are not here.
    """
    del room, in_pairs
    parts, ends = [], [0]
    for number_of, level in enumerate(levels):
        sizes = _summed(tally if wanted is None else tally * wanted[number_of][:, None], level)
        alive = np.flatnonzero(sizes >= least)
        number = np.full(len(sizes), len(alive), dtype=np.int64)  # what is too small is numbered last
        number[alive] = np.arange(len(alive))
        base = (number * rest).reshape(len(tally), level.size).take(level.codes, axis=1).ravel()
        cells = base.take(keys)
        cells += others
        cells, left = _left(cells, weights, len(alive) * rest, rest)
        parent = alive // level.size
        code, placed = alive - parent * level.size, cells + ends[-1] * rest if ends[-1] else cells
        parts.append((parent, code, sizes.take(alive), placed, left))
        ends.append(ends[-1] + len(alive))
    if len(parts) == 1:
        (parent, code, sizes, cells, left), ends = parts[0], ends[1:]
        return Settled(parent, code, sizes, ends, cells, left)
    parent, code, sizes, cells, left = (np.concatenate(of_levels) for of_levels in zip(*parts, strict=True))
    return Settled(parent, code, sizes, ends[1:], cells, left)


def _left(cells: Keys, weights: Sizes, domain: int, rest: int) -> tuple[Keys, Sizes]:
    """The cells below `domain`, and their records."""
    if domain + rest <= grouping.dense_limit(len(cells)):
        counted = grouping.totals(cells, domain + rest, weights)[:domain]
        merged = np.flatnonzero(counted)
        return merged, counted.take(merged)
    left = np.flatnonzero(cells < domain)
    return (cells, weights) if len(left) == len(cells) else (cells.take(left), weights.take(left))


def _summed(tally: Sizes, level: Level) -> Sizes:
    """Records by class and by class of the column at a level, from records by class and leaf."""
    if level.size == tally.shape[1]:
        return tally.ravel()
    starts = np.searchsorted(level.codes, np.arange(level.size))
    summed: Sizes = tally.sum(axis=1) if level.size == 1 else np.add.reduceat(tally, starts, axis=1)
    return summed.ravel()


def by_leaf_cell(cells: Keys, weights: Sizes, rest: int, classes: int) -> Sizes:
    """`[leaf cell, class]`: the records of each; cells are class · rest + leaf cell."""
    number = cells // rest
    flat = (cells - number * rest) * classes + number
    return grouping.totals(flat, rest * classes, weights).reshape(rest, classes)


def add_up(leaf_cells: Sizes, members: Keys, ends: Keys) -> Sizes:
    """`[c, class]`: records in the leaf cells `members[ends[c − 1] : ends[c]]`."""
    starts = np.concatenate([[0], ends[:-1]])
    summed: Sizes = np.add.reduceat(leaf_cells.take(members, axis=0), starts, axis=0)
    return summed
