"""What specializing each value of a cut is worth, for all candidates at once.

A candidate is a value with its children; in a column with an order it is a value and a run of split points, all of
which put the same records on the same side. Runs cover every point of the declared grid, also those below the smallest
and above the largest value that occurs (theory DG-3), so that nothing about the data shows in what can be chosen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Codes, Floats, Keys, Mask, Sizes
from shoal.kernels import grouping
from shoal.search.top_down.cut import Axis, GrowingCut

_DENSE_CELLS_PER_RECORD = 4
_SMALLEST_DENSE = 1 << 16


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Ways to specialize a cut, one per entry.

    Attributes:
        column: Number of the column.
        value: Number of the value in its axis.
        start: The first split point of the run; −d where the children are the nodes d steps below in the taxonomy.
        width: How many split points the run has; 1 where there are none.
        score: What it is worth: exact integers, or doubles.
    """

    column: Keys
    value: Keys
    start: Keys
    width: Keys
    score: Sizes | Floats

    def __len__(self) -> int:
        return len(self.column)

    @staticmethod
    def joined(parts: Sequence[Candidates]) -> Candidates:
        """All of them in one list."""
        if not parts:
            none = np.zeros(0, dtype=np.int64)
            return Candidates(none, none, none, none, none)
        return Candidates(
            np.concatenate([part.column for part in parts]),
            np.concatenate([part.value for part in parts]),
            np.concatenate([part.start for part in parts]),
            np.concatenate([part.width for part in parts]),
            np.concatenate([part.score for part in parts]),
        )

    def only(self, which: Mask | Keys) -> Candidates:
        """Some of them."""
        return Candidates(
            self.column[which], self.value[which], self.start[which], self.width[which], self.score[which]
        )


class Places:
    """Where the records of each column lie for the inner loops: ranks of numbers that occur, or codes of names."""

    def __init__(self, cut: GrowingCut) -> None:
        self.present: list[Keys] = []
        self.place: list[Codes] = []
        self._orders: list[Keys | None] = [None] * len(cut.axes)
        self.label = cut.labels.astype(np.int32)
        for axis, codes in zip(cut.axes, cut.codes, strict=True):
            present = np.arange(axis.attribute.domain.size)
            if axis.is_ordered:
                seen = np.zeros(axis.attribute.domain.size, dtype=np.bool_)
                seen[codes] = True
                present = np.flatnonzero(seen)
            self.present.append(present)
            self.place.append(np.searchsorted(present, codes).astype(np.int32))

    def order(self, column: int) -> Keys:
        """The records in the order of a column, sorted once."""
        found = self._orders[column]
        if found is None:
            found = self._orders[column] = np.argsort(self.place[column], kind="stable")
        return found

    def histogram(self, cut: GrowingCut, column: int) -> Sizes:
        """`histogram[place, class]`, whatever the group: what the score of a value by itself is made of."""
        places = len(self.present[column])
        cells = grouping.totals(self.place[column] * cut.classes + self.label, places * cut.classes, cut.sizes)
        return cells.reshape(places, cut.classes)


def purity_gains(cut: GrowingCut, places: Places, depth: int = 1) -> Candidates:
    """By how much each candidate makes the groups of the whole table purer, in units of 2^−FINENESS records.

    One record more changes the purity after a specialization by a number in [−1, 0], for each candidate; what is
    subtracted, the purity before, is the same for all. So scores have a range of 1 (theory X-6).
    """
    from shoal.search.top_down import purity_kernel as purity

    before = purity.purities(cut.counts())
    parts: list[Candidates] = []
    for column, axis in enumerate(cut.axes):
        if not axis.can_specialize.any():
            continue
        value = cut.value_of_groups(column)
        base = np.zeros(len(axis), dtype=np.int64)
        np.add.at(base, value, before)
        if axis.is_ordered:
            parts += _split_gains(cut, places, column, value, base)
        else:
            parts += _branch_gains(cut, places, column, value, base, depth)
    return Candidates.joined(parts)


def _branch_gains(
    cut: GrowingCut, places: Places, column: int, value: Keys, base: Sizes, depth: int
) -> Iterator[Candidates]:
    """One list for each number of steps down the taxonomy, up to `depth`."""
    from shoal.search.top_down import purity_kernel as purity

    axis = cut.axes[column]
    for steps in range(1, depth + 1):
        reaches = np.array([len(below) >= steps for below in axis.branches])
        values = np.flatnonzero(reaches)
        if not len(values):
            return
        child = np.zeros(axis.attribute.domain.size, dtype=np.int32)
        for each in values.tolist():
            leaves = np.arange(axis.firsts[each], axis.lasts[each] + 1)
            child[leaves] = np.searchsorted(axis.child_starts(each, -steps), leaves, side="right") - 1
        group, _, counts = _cells(cut, places, column, child[places.place[column]], int(child.max()) + 1)
        after = purity.branch_purities(group, counts, np.where(reaches[value], value, -1), len(axis))
        ones = np.ones(len(values), dtype=np.int64)
        yield Candidates(column * ones, values, -steps * ones, ones, (after - base)[values])


def _split_gains(cut: GrowingCut, places: Places, column: int, value: Keys, base: Sizes) -> Iterator[Candidates]:
    """One list for each value that can be split."""
    from shoal.search.top_down import purity_kernel as purity

    axis, present = cut.axes[column], places.present[column]
    low, high = np.searchsorted(present, axis.firsts), np.searchsorted(present, axis.tops, side="right")
    can = axis.splits > 0
    group, place, counts = _cells(cut, places, column, places.place[column], len(present))
    after = purity.split_purities(
        group, place, counts, np.where(can[value], value, -1), low, np.maximum(high, low), len(present)
    )
    for each in np.flatnonzero(can).tolist():
        here = slice(int(low[each]), int(high[each]))
        score = after[here.start + each : here.stop + each + 1] - base[each]
        yield splits(axis, column, each, present[here], score)


def splits(axis: Axis, column: int, value: int, present: Keys, score: Sizes | Floats) -> Candidates:
    """The runs of split points of one value; `score[j]` is for a split before leaf j of `present`, or behind all."""
    edges = np.concatenate([[axis.firsts[value]], present, [axis.tops[value]]])
    width = np.diff(edges)
    there = width > 0
    starts = edges[:-1][there] + 1
    ones = np.ones(len(starts), dtype=np.int64)
    return Candidates(column * ones, value * ones, starts, width[there], score[there])


def _cells(cut: GrowingCut, places: Places, column: int, place: Codes, width: int) -> tuple[Keys, Keys, Sizes]:
    """The cells (group, place) of a column that hold records, in order, with their counts per class."""
    from shoal.search.top_down import purity_kernel as purity

    cells = cut.groups * width * cut.classes
    if cells <= max(_DENSE_CELLS_PER_RECORD * len(cut.group), _SMALLEST_DENSE):
        dense = np.zeros((cut.groups, width, cut.classes), dtype=np.int64)
        purity.tally(cut.group, place, places.label, cut.sizes, dense)
        return purity.cells_of_table(dense)
    order = places.order(column) if cut.axes[column].is_ordered else np.argsort(place, kind="stable")
    rows = purity.in_groups(order, cut.group, cut.groups)
    return purity.cells_of_rows(rows, cut.group, place, places.label, cut.sizes, cut.classes)
