"""Company: columns of few values that a chosen three takes along. Follows from numbers of leaves and what was asked.

Boxes are divided where most is told, whatever the column. So a column of two to five values costs a group next to
nothing where it tells nothing, and where it does, one table tells of more columns for the same noise.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import combinations

_FEW_LEAVES = 5
"""Columns of more leaves than that would take boxes from those that were chosen."""
_MOST = 2
"""How many columns are taken along: more than five together are looked at too coarsely."""
_THREE = 3


def company_of(columns: tuple[int, ...], leaves: Sequence[int], asked: Collection[tuple[int, ...]]) -> tuple[int, ...]:
    """The columns of a group, ascending, with those that it takes along: the ones of fewest leaves.

    Of every pair of columns that are counted together somebody must have asked. Pairs, where threes are too many or
    nobody asked for more, stay pairs.

    >>> company_of((0, 1, 2), [9, 9, 9, 5, 2, 6], [(0, 1, 2, 3, 4, 5)])
    (0, 1, 2, 3, 4)
    """
    if len(columns) != _THREE:
        return columns
    pairs = {pair for group in asked for pair in combinations(group, 2)}
    together = columns
    for column in sorted(range(len(leaves)), key=lambda column: (leaves[column], column)):
        wider = tuple(sorted({*together, column}))
        is_asked = all(pair in pairs for pair in combinations(wider, 2))
        if leaves[column] <= _FEW_LEAVES and is_asked and len(wider) <= _THREE + _MOST:
            together = wider
    return together
