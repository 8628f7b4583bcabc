"""Which records lie in which boxes."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Mask, Nodes
from shoal.kernels.jit import compiled


@compiled
def inside(records: Nodes, low: Nodes, high: Nodes) -> Mask:
    """Which records lie in one box; `records[column, record]`, and the box goes from `low` to `high`."""
    columns, number = records.shape
    found = np.ones(number, np.bool_)
    for column in range(columns):
        a, b = low[column], high[column]
        here = records[column]
        for i in range(number):
            found[i] &= (here[i] >= a) & (here[i] <= b)
    return found


@compiled
def around(record: Nodes, low: Nodes, high: Nodes) -> Mask:
    """Which boxes hold one record; box j goes from `low[:, j]` to `high[:, j]`."""
    columns, number = low.shape
    found = np.ones(number, np.bool_)
    for column in range(columns):
        x = record[column]
        for j in range(number):
            found[j] &= (low[column, j] <= x) & (x <= high[column, j])
    return found
