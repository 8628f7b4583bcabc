"""Patterns: sets of columns that are blanked together, from cheap to dear.

Two records are published alike if the same columns of both are blanked and they agree in all others. So the records
that a pattern could put together are those that agree in the columns it keeps.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from itertools import groupby

import numpy as np

from shoal.arrays import Floats, Keys
from shoal.kernels import grouping
from shoal.methods.parts.cells import Cells
from shoal.methods.parts.judge import Judge

_WORK = 300_000_000
"""Cells that are grouped to find classes, or to bound what any must blank; then shorter ways are taken."""

_LONG_WORK = 3_000_000_000
"""Cells that are grouped to find which column to blank next; then it is the one with most values."""


def cheapest_first(weights: Floats) -> Iterator[tuple[float, tuple[int, ...]]]:
    """All sets of columns with what blanking them costs, cheapest first, then smallest.

    >>> [columns for _, columns in cheapest_first(np.array([1.0, 1.0, 3.0]))]
    [(), (0,), (1,), (0, 1), (2,), (0, 2), (1, 2), (0, 1, 2)]
    """
    order = np.argsort(weights, kind="stable").tolist()
    heap: list[tuple[float, int, tuple[int, ...]]] = [(0.0, 0, ())]  # places in `order`
    while heap:
        cost, size, places = heappop(heap)
        yield cost, tuple(sorted(order[place] for place in places))
        after = places[-1] + 1 if places else 0
        if after < len(order):
            heappush(heap, (cost + weights[order[after]], size + 1, (*places, after)))
            if places:  # the last column of the set exchanged for the next one
                cost = cost - weights[order[after - 1]] + weights[order[after]]
                heappush(heap, (cost, size, (*places[:-1], after)))


def blanked_classes(cells: Cells, judge: Judge) -> Keys:
    """The class of each row, −1 where none was found: the cheapest patterns take what they can, then dearer ones.

    Of patterns that cost the same the one that helps most records comes first. Where there are too many columns to try
    every pattern, one column more is blanked at a time for all records left, whichever helps most.
    """
    sizes = cells.table.counts.sizes
    search = _Search(cells, judge)
    tiers = groupby(cheapest_first(cells.weights), key=lambda one: round(one[0], 9))
    for _, tier in tiers:
        patterns = _within(tier, search)
        if not patterns:
            break
        if len(patterns) > 1:
            helped = [int(sizes[search.left[search.placed(pattern)[1]]].sum()) for pattern in patterns]
            patterns = [patterns[i] for i in np.argsort([-count for count in helped], kind="stable")]
            patterns = patterns[: sum(count > 0 for count in helped)]
        for pattern in patterns:
            search.take(pattern)
        if not len(search.left):
            return search.label
    search.work = _LONG_WORK
    weights = np.maximum(cells.weights, 1e-9)
    blanked: tuple[int, ...] = ()
    while len(blanked) < len(cells.leaves) and len(search.left):
        others = [j for j in range(len(cells.leaves)) if j not in blanked]
        if len(others) * search.price > search.work:  # very many columns: those first that tell most values apart
            order = (*blanked, *sorted(others, key=lambda j: (-len(cells.leaves[j]) / weights[j], j)))
            few = bisect_left(
                range(len(order)), True, lo=len(blanked), key=lambda n: len(search.placed(order[:n])[1]) > 0
            )
            for number in range(few, len(order) + 1):  # with fewer blanks no class can be had
                search.take(order[:number])
            break
        helped = [float(sizes[search.left[search.placed((*blanked, j))[1]]].sum()) / weights[j] for j in others]
        blanked = (*blanked, others[int(np.argmax(helped))])
        search.take(blanked)
    return search.label


class _Search:
    """The rows that have no class yet, and the work done so far."""

    def __init__(self, cells: Cells, judge: Judge) -> None:
        self._cells, self._judge = cells, judge
        self._widths = [len(leaf) for leaf in cells.leaves]
        self.label = np.full(len(cells.codes), -1)
        self.left = np.arange(len(cells.codes))
        self.work = _WORK
        self._classes = 0

    @property
    def price(self) -> int:
        """What it takes to try a pattern, and to make its classes."""
        return 2 * len(self.left) * (len(self._widths) + 1)

    def placed(self, pattern: Sequence[int]) -> tuple[Keys, Keys]:
        """The group of each row left, and where those are whose group may be a class."""
        kept = [j for j in range(len(self._widths)) if j not in pattern]
        self.work -= len(self.left) * (len(kept) + 1)
        group, groups = grouping.group(
            [self._cells.codes[self.left, j] for j in kept], [self._widths[j] for j in kept], len(self.left)
        )
        passed = self._judge.admissible(self.left, group, groups, self._cells.table.counts.sizes[self.left])
        return group, np.flatnonzero(passed[group])

    def take(self, pattern: Sequence[int]) -> None:
        """Make classes of all groups that may be one."""
        if not len(self.left):
            return
        group, which = self.placed(pattern)
        number, added = grouping.compact(group[which], int(group.max()) + 1)
        self.label[self.left[which]] = self._classes + number
        self._classes += added
        self.left = np.delete(self.left, which)


def _within(tier: Iterator[tuple[float, tuple[int, ...]]], search: _Search) -> list[tuple[int, ...]]:
    """The patterns of one price; none if trying them all would take too long."""
    found: list[tuple[int, ...]] = []
    for _, pattern in tier:
        found.append(pattern)
        if len(found) * search.price > search.work:
            return []
    return found


def least_blanked(cells: Cells, judge: Judge) -> float:
    """What the blanked cells cost at least, whichever are chosen: no class of k can be had for less.

    A record in a class with some pattern agrees with k − 1 others in the columns that the pattern keeps; so it costs no
    less than the cheapest pattern under which the whole table has k records, or persons, that agree with it.
    """
    sizes, widths = cells.table.counts.sizes, [len(leaf) for leaf in cells.leaves]
    left, rows = np.ones(len(sizes), dtype=np.bool_), np.arange(len(sizes))
    work, spent = _WORK, 0.0
    for cost, pattern in cheapest_first(cells.weights):
        kept = [j for j in range(len(widths)) if j not in pattern]
        work -= len(sizes) * (len(kept) + 1)
        if work < 0:
            return spent + cost * float(sizes[left].sum())
        group, groups = grouping.group([cells.codes[:, j] for j in kept], [widths[j] for j in kept], len(sizes))
        size = judge.people(rows, group, groups) if judge.by_persons else grouping.totals(group, groups, sizes)
        reached = left & (size >= judge.k)[group]
        spent += cost * float(sizes[reached].sum())
        left &= ~reached
        if not left.any():
            break
    return spent
