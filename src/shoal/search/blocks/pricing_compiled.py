"""The score of `Cells` compiled: class sizes, what they are worth and what that is multiplied by, in one pass."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Keys, Sizes
from shoal.kernels.jit import compiled

_AT_ONCE = 256
"""How many classes are added up at a time: so few that their sizes stay where the processor finds them at once."""


def add_worth(  # noqa: PLR0917  as the compiled function behind it
    leaf_cells: Sizes,
    members: Keys,
    ends: Keys,
    combination: Keys,
    last: Sizes,
    first: Sizes,
    prefix: Keys,
    values: Sizes,
    slope: int,
    scores: Sizes,
) -> None:
    """Add to `scores[combination, prefix]` what the classes of each cell of a cube are worth, times its price.

    Args:
        leaf_cells: Records by leaf cell and class.
        members: The leaf cells of every cell of the cube, one cell after the other.
        ends: Where those of each cell end.
        combination: Which combination of levels each cell belongs to.
        last: What the last columns of each cell cost.
        first: What the settled columns of each class cost.
        prefix: The prefix of each class, ascending.
        values: What a class of 0, 1, … records is worth.
        slope: What each record beyond their end adds.
        scores: The scores.
    """
    row = np.empty(_AT_ONCE, dtype=np.int64)
    _add_worth(leaf_cells, members, ends, combination, last, first, prefix, values, slope, row, scores)


@compiled
def _add_worth(  # noqa: PLR0917
    leaf_cells: Sizes,
    members: Keys,
    ends: Keys,
    combination: Keys,
    last: Sizes,
    first: Sizes,
    prefix: Keys,
    values: Sizes,
    slope: int,
    row: Sizes,
    scores: Sizes,
) -> None:
    classes, beyond, start = leaf_cells.shape[1], len(values) - 1, 0
    while (
        start < classes
    ):  # views and unsigned places, which need no look at what is negative, are added up side by side
        here, stop = prefix[start], min(start + len(row), classes)
        while prefix[stop - 1] != here:
            stop -= 1
        prices, many, member = first[start:stop], stop - start, 0
        for cell in range(len(ends)):
            sizes = leaf_cells[members[member], start:stop]
            for j in range(many):
                row[j] = sizes[j]
            for other in range(member + 1, ends[cell]):
                sizes = leaf_cells[members[other], start:stop]
                for j in range(many):
                    row[j] += sizes[j]
            price, total = last[cell], 0
            for j in range(many):
                worth = values[np.uint64(min(row[j], beyond))] + max(row[j] - beyond, 0) * slope
                total += worth * (price + prices[j])
            scores[combination[cell], here] += total
            member = ends[cell]
        start = stop
