"""Records that no class may be made of by themselves: the nearest classes keep them company."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Keys
from shoal.data.partition import Partition
from shoal.kernels import grouping
from shoal.methods.parts.cells import Cells, Ranges, Rows
from shoal.methods.parts.judge import Judge


def apart(cells: Cells, judge: Judge, partition: Partition) -> Partition:
    """The same classes, those that would be published alike made one, and then with others until that is admissible.

    What is asked about records survives merging, so nothing is to be done. What is asked about persons need not: of two
    classes in which half of the persons have a value, a person may be in both, with another value in each
    (`people.md`, section 2).
    """
    if not judge.by_persons:
        return partition
    label, sizes = partition.label, partition.sizes
    while True:
        shown = cells.shown(Partition.whole(label, sizes))
        entries = [(len(kinds), entry) for kinds, entry in shown.values()]
        alike, groups = grouping.group([entry for _, entry in entries], [n for n, _ in entries], int(label.max()) + 1)
        label = alike[label]
        passed = judge.admissible(np.arange(len(label)), label, groups, sizes)
        if passed.all():
            return Partition.whole(label, sizes)
        label = completed(cells, judge, np.where(passed[label], label, -1))


def completed(cells: Cells, judge: Judge, label: Keys) -> Keys:
    """Put the rows that have no class into one, together with the nearest classes if they need company."""
    label, sizes = label.copy(), cells.table.counts.sizes
    while (alone := label < 0).any():
        rows = np.flatnonzero(alone)
        if judge.admissible(rows, np.zeros(len(rows), dtype=np.int64), 1, sizes[rows])[0]:
            label[rows] = label.max(initial=-1) + 1
            break
        placed = np.flatnonzero(~alone)
        label[
            label == nearest(cells, Partition(placed, label[placed], sizes[placed]), rows, int(sizes[rows].sum()))
        ] = -1
    return grouping.compact(label, int(label.max()) + 1)[0]


def nearest(cells: Cells, partition: Partition, rows: Keys, joining: int) -> int:
    """The class that loses least when so many records, of such rows, join it."""
    number, groups = grouping.compact(partition.label, int(partition.label.max()) + 1)
    classes, others = (
        Rows.of(partition.source, number),
        Rows.of(rows, np.zeros(len(rows), dtype=np.int64)),
    )
    records = grouping.totals(number, groups, partition.sizes)
    spent = np.zeros(groups)
    for j in range(len(cells.leaves)):
        mine, theirs = cells.ranges(j, others), cells.ranges(j, classes)
        both = Ranges(np.minimum(mine.low, theirs.low), np.maximum(mine.high, theirs.high), theirs.different)
        spent += (records + joining) * cells.costs(j, both) - records * cells.costs(j, theirs)
    return int(partition.label[grouping.members(number, groups)[int(np.argmin(spent))]])
