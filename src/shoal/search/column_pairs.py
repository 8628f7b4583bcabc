"""What two columns alone rule out: nodes that cannot be admissible, without counting a class of the whole table.

A class has no more records than the class of its values in some of the columns. So whoever is one of fewer than k in
two columns is so in all, and where two columns at their levels leave out more records than may be, no node as fine as
that in both is admissible (the subset property of Incognito, LeFevre et al. 2005; with records left out, too). A table
of two columns is small, and rolls up to every pair of their levels. Columns of few values are put in blocks, and two
blocks are counted in one pass over the records: the tables of their columns are sums of that.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import isqrt, prod
from typing import TypeAlias

import numpy as np

from shoal.arrays import Codes, Floats, Keys
from shoal.kernels import grouping
from shoal.search.lattice import Node, NodeClasses

Columns: TypeAlias = tuple[int, ...]
_TELLS_LITTLE = 8
"""Two columns with fewer combinations of values than this rule out next to nothing, and are not asked."""
_MOST_TOGETHER = 20_000
"""Up to so many combinations of values two blocks are counted at once: to add up more takes as long as to count."""
_LONG = 1 << 17
"""Of more records no keys are kept: memory counts more."""
_MOST_COLUMNS = 8
"""Columns in a block: an array has no more than 64 axes, and columns of one value would all fit."""


class ColumnPairs:
    """Which levels of two columns go together.

    Args:
        classes: The table, at any level of its columns.
        k: Classes of fewer records are left out.
        allowed: How many records may be.
    """

    def __init__(self, classes: NodeClasses, k: int, allowed: int) -> None:
        self._k, self._allowed = k, allowed
        self._hierarchies = [attribute.hierarchy for attribute in classes.table.quasi_identifiers]
        self._widths = [[level.size for level in hierarchy.levels] for hierarchy in self._hierarchies]
        self._classes = classes
        records = len(classes.table.counts)
        self._most_cells = grouping.dense_limit(records)
        leaves = [widths[0] for widths in self._widths]
        self._blocks = _blocks(leaves, isqrt(min(records, self._most_cells, _MOST_TOGETHER)))
        self._block_of = {column: block for block in self._blocks for column in block}
        self._keys: dict[Columns, Keys] = {}
        self._counted: dict[tuple[Columns, Columns], Floats] = {}
        self._of_leaves: dict[Columns, Floats] = {}
        self._known: dict[tuple[int, ...], bool] = {}
        self._floors: dict[tuple[int, int], Node] = {}

    def raised(self, lo: Node, hi: Node) -> Node | None:
        """The finest node between two that may be admissible as far as pairs tell; None if there is none."""
        raised = tuple(map(max, lo, *(self._floor(i, level) for i, level in enumerate(hi))))
        return raised if all(map(int.__le__, raised, hi)) else None

    def _floor(self, i: int, level: int) -> Node:
        """For each column the finest level that goes with column i at this level or a finer one; above all if none."""
        if self._widths[i][level] == 1:
            return self._alone
        floor = self._floors.get((i, level))
        if floor is None:
            coarser = self._floor(i, level + 1)  # what does not go with a coarser level does not go with this one
            floor = self._floors[i, level] = tuple(
                least if i == j else self._finest(i, level, j, least) for j, least in enumerate(coarser)
            )
        return floor

    @cached_property
    def _alone(self) -> Node:
        """For each column the finest level at which it leaves out no more than may be by itself."""
        return tuple(
            next(
                (at for at in range(len(widths)) if self._fits(self._rolled_up(self._by_leaves(i), i, at))),
                len(widths),
            )
            for i, widths in enumerate(self._widths)
        )

    def _finest(self, i: int, a: int, j: int, least: int) -> int:
        """The finest level of column j, from `least` up, that goes with column i at level a; above all if none.

        Levels with too many values to be counted go together as long as a coarser one does.
        """
        finest = least
        for b in range(least, len(self._widths[j])):
            cells = self._widths[i][a] * self._widths[j][b]
            if cells > self._most_cells:
                continue
            if cells < _TELLS_LITTLE or self._go_together(*((i, a, j, b) if i < j else (j, b, i, a))):
                return finest
            finest = b + 1
        return finest

    def _go_together(self, *place: int) -> bool:
        """Whether column i at level a and column j at level b leave out no more than may be; kept."""
        if place not in self._known:
            self._known[place] = self._fits(self._counts(*place))
        return self._known[place]

    def _fits(self, counts: Floats) -> bool:
        """Whether classes of these sizes leave out no more than may be."""
        return float(np.vdot(counts, counts < self._k)) <= self._allowed

    def _counts(self, i: int, a: int, j: int, b: int) -> Floats:
        """How many records have each combination of values: rolled up from leaves, where these are not too many."""
        if self._leaves((i, j)) > self._most_cells:
            width = self._widths[j][b]
            keys = self._column(i, a) * np.int64(width) + self._column(j, b)
            return self._tally(keys, self._widths[i][a] * width)
        return self._rolled_up(self._rolled_up(self._by_leaves(i, j), i, a).T, j, b)

    def _rolled_up(self, counts: Floats, column: int, level: int) -> Floats:
        """Counts by the leaves of a column, along the first axis, as counts by its classes at a level."""
        return np.add.reduceat(counts, self._hierarchies[column].starts[level]) if level else counts

    def _by_leaves(self, *columns: int) -> Floats:
        """How many records have each value of a column, or each combination of values of two; kept."""
        if columns not in self._of_leaves:
            self._of_leaves[columns] = self._added_up(*columns)
        return self._of_leaves[columns]

    def _added_up(self, i: int, j: int | None = None) -> Floats:
        block = self._block_of[i]
        other = block if j is None else self._block_of[j]
        if j is not None and other != block:
            if self._leaves(block) * self._leaves(other) > self._most_cells:
                return self._counted_together((i,), (j,))
            counts = self._of_columns(self._counted_together(block, other), block, i)
            return self._of_columns(np.ascontiguousarray(counts.T), other, j).T
        beside = self._blocks[self._blocks.index(block) - 1]  # any other: most are asked for sooner or later
        if beside == block or self._leaves(block) * self._leaves(beside) > self._most_cells:
            counts = self._tally(self._keys_of(block), self._leaves(block))
        else:
            counts = self._counted_together(beside, block).sum(axis=0)
        if j is None:
            return self._of_columns(counts, block, i)
        within = self._of_columns(counts, block, i, j)
        return within if block.index(i) < block.index(j) else within.T

    def _counted_together(self, block: Columns, other: Columns) -> Floats:
        """How many records have each combination of values of two blocks, the first along the first axis; kept."""
        if (other, block) in self._counted:
            return self._counted[other, block].T
        if (block, other) not in self._counted:
            shape = self._leaves(block), self._leaves(other)
            keys = self._keys_of(block) * shape[1] + self._keys_of(other)
            self._counted[block, other] = self._tally(keys, prod(shape)).reshape(shape)
        return self._counted[block, other]

    def _keys_of(self, block: Columns) -> Keys:
        """A number for each combination of values of the columns of a block, by distinct record; kept if not long."""
        keys = self._keys.get(block)
        if keys is None:
            columns, widths = [self._column(i, 0) for i in block], [self._widths[i][0] for i in block]
            keys = grouping.pack(columns, widths, len(self._classes.table.counts))[0]
            if len(keys) <= _LONG:
                self._keys[block] = keys
        return keys

    def _of_columns(self, counts: Floats, block: Columns, *columns: int) -> Floats:
        """Counts by the values of a block, along the first axis, as counts by those of some of its columns."""
        counts = counts.reshape(*(self._widths[i][0] for i in block), *counts.shape[1:])
        others = tuple(axis for axis, i in enumerate(block) if i not in columns)
        return np.add.reduce(counts, axis=others) if others else counts

    def _leaves(self, columns: Columns) -> int:
        return prod(self._widths[i][0] for i in columns)

    def _tally(self, keys: Keys, cells: int) -> Floats:
        counts: Floats = np.bincount(keys, weights=self._classes.table.weights, minlength=cells)  # type: ignore[assignment]
        return counts

    def _column(self, column: int, level: int) -> Codes:
        return self._classes.column(column, level)[: len(self._classes.table.counts)]  # a population comes behind


def _blocks(widths: Sequence[int], most: int) -> list[Columns]:
    """Columns in few blocks, each of at most so many combinations of values, by first fit; a wider one by itself."""
    blocks: list[list[int]] = []
    for i in sorted(range(len(widths)), key=lambda i: -widths[i]):
        for block in blocks:
            if widths[i] * prod(widths[j] for j in block) <= most and len(block) < _MOST_COLUMNS:
                block.append(i)
                break
        else:
            blocks.append([i])
    return [tuple(block) for block in blocks]
