"""What nodes under a prefix may score at most: those that cannot come near the best one need not be counted.

A class of n records is worth T(n), and classes that it is divided into hold n records together. With
r(n) = max of ⌈T(m) / m⌉ over m ≤ n they are worth n · r(n) at most, whatever the columns to come; times the most that
their cells may cost, that is a bound on every score below. For majorities it is a class that counts, and of every
combination of features only its largest one: as many records as the finest features of all that is to come tell apart.
Records in classes that were too small are worth nothing below, and are missing from all of this.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from shoal.arrays import Keys, Mask, Sizes
    from shoal.data.hierarchies.hierarchy import Level
    from shoal.search.blocks.bundles import Lineage

NOWHERE = -1
"""In place of a bound: all classes are there, and scores are exact."""


class Prospects:
    """Bounds on scores that are sums of what classes are worth, and below which of them a score is of no interest.

    Args:
        values: What classes of 0, 1, … records are worth.
        slope: What each record beyond their end adds.
        far: How far below the best score one may be and be of interest.
        prices: What the node of each column adds to the price of a class, if it is not 1.
        target: How many leaves the last column has, if only the largest class of each combination of the others counts
            and that column is told by its leaves.
    """

    def __init__(
        self, values: Sizes, slope: int, far: int, prices: Sequence[Sizes] | None = None, target: int | None = None
    ) -> None:
        each = -(-values[1:] // np.arange(1, len(values)))
        self._rates = np.maximum.accumulate(np.concatenate([[0], each, [slope]]))
        self._far, self._prices, self.target = far, prices, target
        self._enough: int | None = None

    @property
    def has_prices(self) -> bool:
        """Whether a class is worth more where its cells are finer."""
        return self._prices is not None

    def saw(self, scores: Sizes) -> None:
        """The exact scores of some nodes."""
        if len(scores):
            enough = int(scores.max()) - self._far
            self._enough = enough if self._enough is None else max(self._enough, enough)

    def is_hopeless(self, bounds: Sizes) -> Mask:
        """Which of these bounds are too low for anything below to be of interest."""
        if self._enough is None:
            return np.zeros(np.shape(bounds), dtype=np.bool_)
        return np.asarray(bounds < self._enough)

    def at_levels(
        self,
        tally: Sizes,
        levels: Sequence[Level],
        column: int,
        to_come: Sequence[tuple[int, Sequence[Level]]],
        settled: Lineage | None,
        prefix: Keys,
        prefixes: int,
        least: int,
    ) -> Sizes:
        """`[level, prefix]`: the most that a node with a column at some levels scores.

        Args:
            tally: Records by class and leaf of the column.
            levels: The levels.
            column: The column.
            to_come: The columns after it, and their levels.
            settled: The node of each class in each settled column.
            prefix: The number of the prefix that each class belongs to.
            prefixes: How many there are.
            least: Classes of fewer records are worth nothing.
        """
        from shoal.search.blocks.prospects_compiled import add_prospects

        nothing = np.zeros(len(tally), dtype=np.int64)
        first = nothing if self._prices is None or settled is None else settled.summed(self._prices)
        first = first + self._most_to_come(to_come)
        bounds = np.zeros((len(levels), prefixes), dtype=np.int64)
        for number, level in enumerate(levels):
            price = np.zeros(level.size, dtype=np.int64) if self._prices is None else self._prices[column][level.nodes]
            codes = level.codes.astype(np.int64)
            sums = np.zeros(level.size, dtype=np.int64)
            add_prospects(tally, codes, sums, least, self._rates, first, price, prefix, bounds[number])
        return bounds

    def _most_to_come(self, columns: Sequence[tuple[int, Sequence[Level]]]) -> int:
        """The most that the cells of some columns, at some levels, add to the price of a class."""
        if self._prices is None:
            return 1
        return sum(int(max(self._prices[column][level.nodes].max() for level in of)) for column, of in columns)

    def told_apart(self, cells: Keys, weights: Sizes, rest: int, sizes: Sizes, prefix: Keys, prefixes: int) -> Sizes:
        """`[prefix]`: what the largest classes of all features that the cells tell apart are worth together, at most.

        Equal features that are not side by side count as different ones, which only makes a bound of it that is higher.
        """
        from shoal.search.blocks.prospects_compiled import add_largest

        assert self.target is not None
        records, bounds = np.zeros_like(sizes), np.zeros(prefixes, dtype=np.int64)
        add_largest(cells, weights, rest, self.target, records)
        np.add.at(bounds, prefix, records * self._rates.take(sizes, mode="clip"))
        return bounds
