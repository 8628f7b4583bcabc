"""Sorting inside of kernels: numba takes a second to compile its own, and this a tenth."""

from __future__ import annotations

from shoal.arrays import Keys
from shoal.kernels.jit import compiled


@compiled
def sort_first(values: Keys, count: int) -> None:
    """The first `count` values in ascending order, in place; heapsort, so no input is slow."""
    for root in range(count // 2 - 1, -1, -1):
        _sink(values, root, count)
    for last in range(count - 1, 0, -1):
        values[0], values[last] = values[last], values[0]
        _sink(values, 0, last)


@compiled
def _sink(values: Keys, root: int, count: int) -> None:
    """Move a value down until it is no smaller than those below it."""
    value = values[root]
    child = 2 * root + 1
    while child < count:
        if child + 1 < count and values[child] < values[child + 1]:
            child += 1
        if values[child] <= value:
            break
        values[root] = values[child]
        root, child = child, 2 * child + 1
    values[root] = value
