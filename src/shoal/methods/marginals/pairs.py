"""Tables of two columns: which of them are worth counting, and what their noisy counts say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from shoal.arrays import Floats, Keys, Sizes
from shoal.kernels import grouping
from shoal.methods.marginals.balancing import fitted, projected
from shoal.methods.marginals.budget import shares_by_size
from shoal.methods.marginals.cuts import cut_into, room_of

if TYPE_CHECKING:
    from shoal.dp.coins.coins import Coins
    from shoal.methods.marginals.class_tables import ClassTables
    from shoal.methods.marginals.leaves import Leaves
    from shoal.methods.marginals.purse import Purse

_TINY = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """Two columns, and how finely each is looked at.

    Attributes:
        columns: Their numbers.
        pieces: The piece of each leaf, of both.
        shape: How many pieces both have.
    """

    columns: tuple[int, int]
    pieces: tuple[Keys, Keys]
    shape: tuple[int, int]

    @property
    def cells(self) -> int:
        """How many cells their table has."""
        return self.shape[0] * self.shape[1]

    def cells_of(self, leaf: Sequence[Keys]) -> Keys:
        """The cell of each record, given its leaf in every column."""
        first, second = (of_leaf[leaf[column]] for of_leaf, column in zip(self.pieces, self.columns, strict=True))
        return first * self.shape[1] + second

    def counts(self, leaf: Sequence[Keys], sizes: Sizes) -> Sizes:
        """How many records are in each cell: every record in one."""
        return grouping.totals(self.cells_of(leaf), self.cells, sizes).reshape(self.shape)

    def by_class(self, believed: ClassTables) -> tuple[Floats, Floats]:
        """The class tables of both columns, the leaves of a piece added up."""
        first, second = (
            np.stack(
                [np.bincount(pieces, weights=of_class, minlength=number) for of_class in believed.tables[column].T]
            )
            for column, pieces, number in zip(self.columns, self.pieces, self.shape, strict=True)
        )
        return np.asarray(first.T, dtype=np.float64), np.asarray(second.T, dtype=np.float64)

    def expected(self, believed: ClassTables) -> Floats:
        """What would be there if, within each class, the two columns had nothing to do with each other."""
        first, second = self.by_class(believed)
        return (first / np.maximum(believed.totals, _TINY)) @ second.T


def cut_pairs(
    believed: ClassTables, leaves: Sequence[Leaves], columns: Sequence[tuple[int, int]], cells: float
) -> list[Pair]:
    """Pairs of columns, cut so that their tables have about so many cells. Sees noisy numbers only."""
    found = []
    for first, second in columns:
        shape = room_of(cells, len(leaves[first]), len(leaves[second]))
        pieces = (
            cut_into(leaves[first], believed.masses(first), shape[0]),
            cut_into(leaves[second], believed.masses(second), shape[1]),
        )
        found.append(Pair((first, second), pieces, shape))
    return found


def misfit(pair: Pair, believed: ClassTables, leaf: Sequence[Keys], sizes: Sizes) -> int:
    """How many records lie elsewhere than expected, in whole numbers: one record more moves it by exactly 1."""
    expected = np.rint(pair.expected(believed)).astype(np.int64)
    return int(np.abs(pair.counts(leaf, sizes) - expected).sum())


def chosen_pairs(
    pairs: Sequence[Pair],
    scores: Sequence[Fraction],
    number: int,
    purse: Purse,
    share: Fraction,
    coins: Coins,
) -> list[Pair]:
    """So many of the pairs, those with the largest scores most likely, for a share each.

    One record must move every score by at most 1.
    """
    left = list(range(len(pairs)))
    chosen = []
    for _ in range(number):
        at = purse.choose([scores[i] for i in left], share, coins, "choose a pair of columns")
        chosen.append(pairs[left.pop(at)])
    return chosen


def measured(
    pairs: Sequence[Pair], leaf: Sequence[Keys], sizes: Sizes, purse: Purse, share: Fraction, coins: Coins
) -> tuple[list[Sizes], list[float]]:
    """The noisy table of each pair, and the variance of the noise on its cells, for a share of all of them together.

    Larger tables get more of it.
    """
    shares = shares_by_size(share, [pair.cells for pair in pairs], [Fraction(1)] * len(pairs))
    found = [
        purse.count(pair.counts(leaf, sizes), each, coins, "count a pair of columns")
        for pair, each in zip(pairs, shares, strict=True)
    ]
    return found, [purse.variance(each) for each in shares]


def consistent(pair: Pair, noisy: Sizes, believed: ClassTables) -> Floats:
    """A noisy table made one of numbers of 0 or more, with the margins that class tables say."""
    rows, columns = (table.sum(axis=1) for table in pair.by_class(believed))
    table = noisy + ((rows - noisy.sum(axis=1)) / pair.shape[1])[:, None]
    table = table + (columns - table.sum(axis=0)) / pair.shape[0]
    return fitted(projected(table.ravel(), believed.records).reshape(pair.shape), (rows, columns))
