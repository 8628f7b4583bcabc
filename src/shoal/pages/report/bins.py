"""Distributions drawn in little room: neighbors put together, rare categories set aside."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from shoal.arrays import Floats
from shoal.data.schema import Attribute

_MOST_BARS = 24
_MOST_NAMES = 8
_SIZES = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 10_000, 100_000, 1_000_000)


def binned(attribute: Attribute, before: Floats, after: Floats) -> tuple[list[str], Floats, Floats, bool]:
    """Names of the bars, their shares before and after, and whether they stand upright because values have an order."""
    if attribute.domain.ordered and attribute.domain.size > 2:
        return (*_neighbors(attribute, before, after), True)
    return (*_largest(attribute, before, after), False)


def _neighbors(attribute: Attribute, before: Floats, after: Floats) -> tuple[list[str], Floats, Floats]:
    """Equally many values to a bar where there is something in the domain; the missing value by itself."""
    missing, leaves = attribute.domain.missing, np.arange(attribute.domain.size)
    there = leaves[leaves != missing] if missing is not None else leaves
    seen = there[(before[there] > 0) | (after[there] > 1e-9)]
    low, high = (int(seen[0]), int(seen[-1])) if len(seen) else (int(there[0]), int(there[-1]))
    edges = np.unique(np.linspace(low, high + 1, min(_MOST_BARS, high - low + 1) + 1).astype(int))
    names = attribute.domain.labels(edges[:-1].tolist())
    first, second = (np.add.reduceat(shares[: high + 1], edges[:-1]) for shares in (before, after))
    if missing is not None and (before[missing] > 0 or after[missing] > 0):
        names = [*names, "missing"]
        first, second = np.append(first, before[missing]), np.append(second, after[missing])
    return names, first, second


def _largest(attribute: Attribute, before: Floats, after: Floats) -> tuple[list[str], Floats, Floats]:
    order = np.argsort(-np.maximum(before, after), kind="stable")
    order = order[np.maximum(before, after)[order] > 0]
    if len(order) <= _MOST_NAMES:
        return attribute.domain.labels(order.tolist()), before[order], after[order]
    head, rest = order[: _MOST_NAMES - 1], order[_MOST_NAMES - 1 :]
    names = [*attribute.domain.labels(head.tolist()), f"{len(rest):,} others"]
    return names, np.append(before[head], before[rest].sum()), np.append(after[head], after[rest].sum())


def binned_sizes(class_sizes: Mapping[int, int]) -> dict[str, int]:
    """Classes by size, in ranges that grow."""
    bins: dict[str, int] = {}
    for low, above in zip(_SIZES, [*_SIZES[1:], 10**12], strict=True):
        count = sum(n for size, n in class_sizes.items() if low <= size < above)
        name = f"{low:,}" if above == low + 1 else f"{low:,}+" if above == 10**12 else f"{low:,}-{above - 1:,}"
        if count:
            bins[name] = count
    return bins
