"""The smallest group of records, or of persons, that each specialization of a growing cut would leave behind."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Keys, Mask, Sizes
from shoal.data.people.incidence import Incidence
from shoal.kernels import grouping
from shoal.search.top_down.candidates import BRANCH, CutCandidates
from shoal.search.top_down.cut import Axis
from shoal.search.top_down.scores import Places

_DENSE_CELLS_PER_RECORD = 4
_SMALLEST_DENSE = 1 << 16


def least_groups(candidates: CutCandidates, places: Places, column: int) -> list[Sizes]:
    """Per value of a column, for each way to specialize it: the smallest group among those with the value.

    Groups that a split leaves whole are not looked at; they are no smaller than the smallest of the cut, which the
    caller knows.
    """
    axis = candidates.cut.axes[column]
    found = _of_splits(candidates, places, column) if axis.is_ordered else _of_branches(candidates, column)
    ends = np.cumsum([len(ways) for ways in candidates.of[column]])
    return np.split(found, ends[:-1])


def _of_branches(candidates: CutCandidates, column: int) -> Sizes:
    cut, axis, live = candidates.cut, candidates.cut.axes[column], candidates.live(column)
    child, width = _children(axis, live)
    of_record = child[cut.codes[column]]
    rows = np.flatnonzero(of_record >= 0)
    keys, cells = grouping.compact(cut.group[rows] * width + of_record[rows], cut.groups * width)
    sizes = (
        grouping.totals(keys, cells, cut.sizes[rows]) if cut.persons is None else _heads(cut.persons, rows, keys, cells)
    )
    value = axis.value_of(cut.codes[column][rows[grouping.members(keys, cells)]])
    least = np.full(len(axis), _most(cut.sizes))
    np.minimum.at(least, value, sizes)
    return least[live]


def _heads(persons: Incidence, rows: Keys, keys: Keys, cells: int) -> Sizes:
    """How many persons have one of some records in each cell."""
    of_record = np.full(persons.records, -1, dtype=np.int64)
    of_record[rows] = keys
    return persons.heads(of_record, cells)


def _children(axis: Axis, live: Mask) -> tuple[Keys, int]:
    """The number of the child that covers each leaf under a live value, −1 elsewhere; and how many there are."""
    child = np.full(axis.attribute.domain.size, -1)
    for value in np.flatnonzero(live):
        leaves = np.arange(axis.firsts[value], axis.lasts[value] + 1)
        child[leaves] = np.searchsorted(axis.child_starts(int(value), BRANCH), leaves, side="right") - 1
    return child, int(child.max(initial=0)) + 1


def _of_splits(candidates: CutCandidates, places: Places, column: int) -> Sizes:
    from shoal.search.top_down import anonymity_kernel as anonymity
    from shoal.search.top_down import purity_kernel as purity

    cut, axis = candidates.cut, candidates.cut.axes[column]
    points = np.array([len(ways) for ways in candidates.of[column]])
    present = places.present[column]
    every = np.concatenate([ways.at for ways in candidates.of[column]])
    of_rank = (np.searchsorted(every, present, side="right") + axis.value_of(present)).astype(np.int32)
    value = cut.value_of_groups(column)
    value[points[value] == 0] = -1
    width = int(points.sum()) + len(points)
    if cut.persons is not None:
        placed = of_rank[places.place[column]].astype(np.int64)
        here = np.where(value[cut.group] >= 0, cut.group, -1)
        return least_sides_in_persons(cut.persons, here, placed, cut.groups, value, points)
    is_dense = cut.groups * width <= max(_DENSE_CELLS_PER_RECORD * len(cut.group), _SMALLEST_DENSE)
    rows = np.arange(len(cut.group)) if is_dense else places.order(column)
    rows = rows[value[cut.group[rows]] >= 0]
    group, place, sizes = cut.group[rows], of_rank[places.place[column][rows]], cut.sizes[rows]
    unlabeled = np.zeros(len(rows), dtype=np.int32)
    if is_dense:
        dense = np.zeros((cut.groups, width, 1), dtype=np.int64)
        purity.tally(group, place, unlabeled, sizes, dense)
        of_group, of_place, cells = purity.cells_of_table(dense)
    else:
        in_order = purity.in_groups(np.arange(len(rows)), group, cut.groups)
        of_group, of_place, cells = purity.cells_of_rows(in_order, group, place, unlabeled, sizes, 1)
    return anonymity.least_sides(of_group, of_place, cells[:, 0], cells[:, 0], value, points, _most(cut.sizes))


def least_sides_in_persons(
    persons: Incidence, group: Keys, place: Keys, groups: int, value: Keys, points: Keys
) -> Sizes:
    """The fewest persons that each split point leaves on a side of a group, among groups that it splits.

    Below a point are those whose lowest place is, above it those whose highest place is; one person may be on both
    sides. `group` is that of each record, −1 for one that takes no part; the rest as in `least_sides`.
    """
    from shoal.search.top_down import anonymity_kernel as anonymity

    of_group, first, last = anonymity.spans(group, place, groups, *persons.by_person)
    width, number = int(place.max(initial=0)) + 1, len(of_group)
    both = np.concatenate([of_group * width + first, of_group * width + last])
    cells, found = grouping.compact(both, max(groups * width, 1))
    at = both[grouping.members(cells, found)]
    firsts, lasts = np.bincount(cells[:number], minlength=found), np.bincount(cells[number:], minlength=found)
    return anonymity.least_sides(at // width, at % width, firsts, lasts, value, points, persons.people + 1)


def _most(sizes: Sizes) -> int:
    return int(sizes.sum()) + 1
