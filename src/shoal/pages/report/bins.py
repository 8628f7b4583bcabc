"""Distributions drawn in little room: neighbors put together, rare categories set aside."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Floats
from shoal.data.attribute import Attribute
from shoal.data.recoding import Lookup
from shoal.data.shown import Spans, TreeNodes, texts
from shoal.evaluate.posterior import sums

_MOST_BARS = 24
_MOST_NAMES = 8
_SIZES = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 10_000, 100_000, 1_000_000)


@dataclass(frozen=True, eq=False)
class Places:
    """What the values of a column are counted by: single values, or the groups that are published.

    Attributes:
        before: The share of each in the original.
        after: The share of each in the release.
        names: How some of them are written.
        missing: The number of the one that is the missing value, if it is shown by itself.
    """

    before: Floats
    after: Floats
    names: Callable[[Sequence[int]], list[str]]
    missing: int | None

    @property
    def overlap(self) -> float:
        """Which share of the two distributions is the same."""
        return float(np.minimum(self.before, self.after).sum())


def places(attribute: Attribute, before: Floats, after: Floats, lookup: Lookup | None = None) -> Places:
    """The shares of the values of a column, or of the groups that a recoding makes of them.

    A place for missing values that was made only to take in what the domain does not hold is none of them where
    nothing was missing: coarse values that are spread over all they may have been would put a share there.
    """
    missing = attribute.domain.missing
    is_absorbed = missing is not None and attribute.absorbs and before[missing] == 0
    if lookup is not None and isinstance(shown := lookup.shown, TreeNodes | Spans) and len(shown) < len(lookup.codes):
        codes, alone = lookup.codes, None
        if missing is not None and np.count_nonzero(codes == codes[missing]) == 1:
            alone = int(codes[missing])
        first, second = (sums(codes, shares, len(shown)) for shares in (before, after))
        return Places(first, second, _renamed(lambda some: _written(attribute, shown, some), alone, is_absorbed), alone)
    if is_absorbed and lookup is None:
        after = np.where(np.arange(len(after)) == missing, 0.0, after)
        after /= float(after.sum()) or 1.0
    return Places(before, after, _renamed(attribute.domain.labels, missing, is_absorbed), missing)


def _renamed(
    names: Callable[[Sequence[int]], list[str]], missing: int | None, is_absorbed: bool
) -> Callable[[Sequence[int]], list[str]]:
    """Missing values that nobody had, and noise brought about, are called so."""
    if not is_absorbed:
        return names
    return lambda some: [
        "missing, by noise" if code == missing else name for code, name in zip(some, names(some), strict=True)
    ]


def _written(attribute: Attribute, shown: TreeNodes | Spans, some: Sequence[int]) -> list[str]:
    at = np.asarray(some, dtype=np.int64)
    chosen = TreeNodes(shown.nodes[at]) if isinstance(shown, TreeNodes) else Spans(shown.first[at], shown.last[at])
    return texts(attribute, chosen)


def binned(attribute: Attribute, found: Places) -> tuple[list[str], Floats, Floats, bool]:
    """Names of the bars, their shares before and after, and whether they stand upright because values have an order."""
    if attribute.domain.ordered and len(found.before) > 2:
        return (*_neighbors(found), True)
    return (*_largest(found), False)


def _neighbors(found: Places) -> tuple[list[str], Floats, Floats]:
    """Equally many values to a bar where there is something in the domain; the missing value by itself."""
    before, after, missing = found.before, found.after, found.missing
    every = np.arange(len(before))
    there = every[every != missing] if missing is not None else every
    seen = there[(before[there] > 0) | (after[there] > 1e-9)]
    low, high = (int(seen[0]), int(seen[-1])) if len(seen) else (int(there[0]), int(there[-1]))
    edges = np.unique(np.linspace(low, high + 1, min(_MOST_BARS, high - low + 1) + 1).astype(int))
    names = found.names(edges[:-1].tolist())
    first, second = (np.add.reduceat(shares[: high + 1], edges[:-1]) for shares in (before, after))
    if missing is not None and (before[missing] > 0 or after[missing] > 0):
        names = [*names, *found.names([missing])]
        first, second = np.append(first, before[missing]), np.append(second, after[missing])
    return names, first, second


def _largest(found: Places) -> tuple[list[str], Floats, Floats]:
    before, after = found.before, found.after
    order = np.argsort(-np.maximum(before, after), kind="stable")
    order = order[np.maximum(before, after)[order] > 0]
    if len(order) <= _MOST_NAMES:
        numbers = [re.match(r"\d+(\.\d+)?", name) for name in found.names(order.tolist())]
        if all(numbers):  # names of numbers stand in their order
            order = order[np.argsort([float(match[0]) for match in numbers if match], kind="stable")]
        return found.names(order.tolist()), before[order], after[order]
    head, rest = order[: _MOST_NAMES - 1], order[_MOST_NAMES - 1 :]
    names = [*found.names(head.tolist()), f"{len(rest):,} others"]
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
