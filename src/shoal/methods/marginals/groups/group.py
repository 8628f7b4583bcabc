"""Tables of two to five columns: how finely they are cut, and how many records are in each cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from shoal.arrays import Floats, Keys, Sizes
from shoal.methods.marginals.groups.cuts import cut_into, rooms_of

if TYPE_CHECKING:
    from shoal.methods.marginals.class_tables import ClassTables
    from shoal.methods.marginals.leaves import Leaves

_OF_KERNEL = 3
"""How many columns the compiled loop takes."""


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Two to five columns, and how finely each is looked at.

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
        into = np.zeros(self.cells, dtype=np.int64)
        self._add_up(leaf, sizes, into)
        return into.reshape(self.shape)

    def sums(self, leaf: Sequence[Keys], weights: Floats) -> Floats:
        """What weights of records add up to in each cell."""
        into = np.zeros(self.cells)
        self._add_up(leaf, weights, into)
        return into.reshape(self.shape)

    def _add_up(self, leaf: Sequence[Keys], sizes: Sizes | Floats, into: Sizes | Floats) -> None:
        """A pair is three columns of which the last is in one piece; of more than three the last ones count as one."""
        from shoal.methods.marginals.groups.cells_kernel import add_up  # loads the compiler

        missing = max(_OF_KERNEL - len(self.columns), 0)
        columns = [leaf[column] for column in (*self.columns, *self.columns[:missing])]
        pieces = [*self.pieces, *(np.zeros_like(of_leaf) for of_leaf in self.pieces[:missing])]
        shape = [*self.shape, *[1] * missing]
        if len(shape) > _OF_KERNEL:
            last = Group(self.columns[2:], self.pieces[2:], self.shape[2:])
            columns, pieces = [*columns[:2], last.cells_of(leaf)], [*pieces[:2], np.arange(last.cells)]
            shape = [*shape[:2], last.cells]
        widths = np.array(shape, dtype=np.int64)
        add_up(columns[0], columns[1], columns[2], pieces[0], pieces[1], pieces[2], widths, sizes, into)

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
