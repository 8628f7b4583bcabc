"""Tables of two or three columns: how finely they are cut, and what their noisy counts say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from shoal.arrays import Floats, Keys, Sizes
from shoal.kernels import grouping
from shoal.methods.marginals.balancing import along, fitted, margin, projected
from shoal.methods.marginals.cuts import cut_into, rooms_of

if TYPE_CHECKING:
    from shoal.methods.marginals.class_tables import ClassTables
    from shoal.methods.marginals.leaves import Leaves


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Two or three columns, and how finely each is looked at.

    Attributes:
        columns: Their numbers, ascending.
        pieces: The piece of each leaf, of each of them.
        shape: How many pieces each has.
    """

    columns: tuple[int, ...]
    pieces: tuple[Keys, ...]
    shape: tuple[int, ...]

    @property
    def cells(self) -> int:
        """How many cells their table has."""
        return prod(self.shape)

    def cells_of(self, leaf: Sequence[Keys]) -> Keys:
        """The cell of each record, given its leaf in every column."""
        first, *others = (of_leaf[leaf[column]] for of_leaf, column in zip(self.pieces, self.columns, strict=True))
        return reduce(lambda cell, more: cell * more[0] + more[1], zip(self.shape[1:], others, strict=True), first)

    def counts(self, leaf: Sequence[Keys], sizes: Sizes) -> Sizes:
        """How many records are in each cell: every record in one."""
        return grouping.totals(self.cells_of(leaf), self.cells, sizes).reshape(self.shape)

    def by_class(self, believed: ClassTables) -> tuple[Floats, ...]:
        """The class tables of all of them, the leaves of a piece added up."""
        return tuple(
            np.stack(
                [np.bincount(pieces, weights=of_class, minlength=number) for of_class in believed.tables[column].T],
                axis=1,
            ).astype(np.float64)
            for column, pieces, number in zip(self.columns, self.pieces, self.shape, strict=True)
        )


def cut_group(believed: ClassTables, leaves: Sequence[Leaves], columns: Sequence[int], cells: float) -> Group:
    """Columns cut so that their table has about so many cells. Sees noisy numbers only."""
    shape = rooms_of(cells, [len(leaves[column]) for column in columns])
    pieces = [
        cut_into(leaves[column], believed.masses(column), number) for column, number in zip(columns, shape, strict=True)
    ]
    return Group(tuple(columns), tuple(pieces), shape)


def consistent(group: Group, noisy: Sizes, believed: ClassTables) -> Floats:
    """A noisy table made one of numbers of 0 or more, with the margins that class tables say."""
    margins = [table.sum(axis=1) for table in group.by_class(believed)]
    table = noisy.astype(np.float64)
    for axis, wanted in enumerate(margins):
        table = table + along(axis, (wanted - margin(table, axis)) * len(wanted) / table.size, table.ndim)
    return fitted(projected(table.ravel(), believed.records).reshape(group.shape), margins)
