"""What two columns alone rule out: nodes that cannot be admissible, without counting a class of the whole table.

A class has no more records than the class of its values in some of the columns. So whoever is one of fewer than k in
two columns is so in all, and where two columns at their levels leave out more records than may be, no node as fine as
that in both is admissible (the subset property of Incognito, LeFevre et al. 2005; with records left out, too). A table
of two columns is small, and rolls up to every pair of their levels.
"""

from __future__ import annotations

from functools import cached_property
from math import prod

import numpy as np

from shoal.arrays import Codes, Floats
from shoal.kernels import grouping
from shoal.search.lattice import Node, NodeClasses

_TELLS_LITTLE = 8
"""Two columns with fewer combinations of values than this rule out next to nothing, and are not asked."""


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
        self._most_cells = grouping.dense_limit(len(classes.table.counts))
        self._counted: dict[tuple[tuple[int, int], ...], Floats] = {}
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
                (at for at in range(len(widths)) if self._fits(self._rolled_up(self._counted_at((i, 0)), i, at))),
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
        return float((counts * (counts < self._k)).sum()) <= self._allowed

    def _counts(self, i: int, a: int, j: int, b: int) -> Floats:
        """How many records have each combination of values: rolled up from leaves, where these are not too many."""
        if self._widths[i][0] * self._widths[j][0] > self._most_cells:
            return self._counted_at((i, a), (j, b))
        counts = self._counted_at((i, 0), (j, 0)).reshape(self._widths[i][0], -1)
        return self._rolled_up(self._rolled_up(counts, i, a).T, j, b)

    def _rolled_up(self, counts: Floats, column: int, level: int) -> Floats:
        """Counts by the leaves of a column, along the first axis, as counts by its classes at a level."""
        return np.add.reduceat(counts, self._hierarchies[column].starts[level]) if level else counts

    def _counted_at(self, *columns: tuple[int, int]) -> Floats:
        """How many records have each combination of values of columns at levels; kept."""
        if columns not in self._counted:
            keys = self._column(*columns[0])
            if len(columns) > 1:
                keys = keys * np.int64(self._widths[columns[1][0]][columns[1][1]])
                keys += self._column(*columns[1])
            cells = prod(self._widths[i][level] for i, level in columns)
            counts: Floats = np.bincount(keys, weights=self._classes.table.weights, minlength=cells)  # type: ignore[assignment]
            self._counted[columns] = counts
        return self._counted[columns]

    def _column(self, column: int, level: int) -> Codes:
        return self._classes.column(column, level)[: len(self._classes.table.counts)]  # a population comes behind
