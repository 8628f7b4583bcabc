"""How many records are in each class of each level of each column: for models that look at one column at a time."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from shoal.arrays import Floats, Sizes
from shoal.data.hierarchies.hierarchy import Hierarchy


class CountsByLevel:
    """Counts of all columns at all their levels in one array: level by level, column by column.

    Attributes:
        levels: How many levels each column has.
        starts: Where each level starts.
        sizes: How many records are in each class of each level.
        hidden: Which of these classes are a root.
    """

    def __init__(self, hierarchies: Sequence[Hierarchy], marginals: Sequence[Sizes]) -> None:
        every = [level for hierarchy in hierarchies for level in hierarchy.levels]
        self.levels = [len(hierarchy.levels) for hierarchy in hierarchies]
        self.starts = np.cumsum([0, *(level.size for level in every)])[:-1]
        self._places = np.concatenate([level.codes + start for level, start in zip(every, self.starts, strict=True)])
        first = np.cumsum([0, *(hierarchy.leaves for hierarchy in hierarchies)])
        leaves = [np.arange(start, end) for start, end in pairwise(first)]
        repeated = [part for part, levels in zip(leaves, self.levels, strict=True) for _ in range(levels)]
        self._leaves = np.concatenate(repeated)
        self.hidden = np.concatenate([level.nodes == h.root for h in hierarchies for level in h.levels])
        self.sizes = self.of(marginals)

    def of(self, counts: Sequence[Sizes]) -> Floats:
        """The records of each class, from those of each leaf column by column."""
        summed: Floats = np.bincount(self._places, weights=np.concatenate(counts)[self._leaves])  # type: ignore[assignment]
        return summed

    def added_up(self, amounts: Floats) -> list[Floats]:
        """Per column one sum for each level, of one amount for each class."""
        return np.split(np.add.reduceat(amounts, self.starts), np.cumsum(self.levels)[:-1])
