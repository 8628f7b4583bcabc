"""From noisy tables to consistent ones: numbers of 0 or more that add up to what they must. Sees noisy numbers only."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.arrays import Floats

_SWEEPS = 10
_TINY = 1e-9
_SMALLEST = 1e-300


def projected(values: Floats, total: float) -> Floats:
    """The nearest numbers of 0 or more with this total: all moved by one number, those below 0 cut off.

    >>> projected(np.array([5.0, 3.0, -4.0]), 6.0).tolist()
    [4.0, 2.0, 0.0]
    """
    if total <= 0 or not len(values):
        return np.zeros(len(values))
    descending = np.sort(values)[::-1]
    excess = (np.cumsum(descending) - total) / np.arange(1, len(values) + 1)
    above = np.flatnonzero(descending > excess)
    moved = excess[above[-1] if len(above) else 0]  # none above: a total lost in rounding
    return np.asarray(np.maximum(values - moved, 0.0))


def margin(table: Floats, axis: int) -> Floats:
    """What a table adds up to along one of its axes."""
    return np.asarray(table.sum(axis=tuple(other for other in range(table.ndim) if other != axis)))


def along(axis: int, values: Floats, axes: int) -> Floats:
    """Numbers of one axis in the shape that meets each cell of a table with theirs."""
    return values.reshape([-1 if one == axis else 1 for one in range(axes)])


def fitted(table: Floats, margins: Sequence[Floats]) -> Floats:
    """A table of numbers of 0 or more with these margins, one along each of its axes, by proportional fitting.

    Margins must add up to the same. A row or column without a number gets its margin in equal parts.
    """
    table = table + _TINY * (1 + table.sum()) / table.size
    for _ in range(_SWEEPS):
        for axis, wanted in enumerate(margins):
            table = table * along(axis, wanted / np.maximum(margin(table, axis), _SMALLEST), table.ndim)
    return table
