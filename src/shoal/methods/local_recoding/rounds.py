"""Generalized cells as classes, from cheap to dear."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from shoal.arrays import Keys, Sizes
from shoal.kernels import grouping
from shoal.methods.parts.cells import Cells
from shoal.methods.parts.judge import Judge
from shoal.search.lattice import Lattice

if TYPE_CHECKING:
    from shoal.methods.local_recoding.rounds_kernel import Levels

_ROUNDS = 180
"""So many steps of equal size lie between the original and nothing at all."""

_LARGEST_LATTICE = 200_000

_LARGEST_JUDGED_LATTICE = 50_000
"""The same where criteria beyond k are judged, node by node."""


def is_small(cells: Cells, *, is_size_alone: bool = True) -> bool:
    """Whether all nodes of the lattice can be looked at, and one integer can number the cells of each."""
    leaves = [attribute.hierarchy.leaves for attribute in cells.table.quasi_identifiers]
    largest = _LARGEST_LATTICE if is_size_alone else _LARGEST_JUDGED_LATTICE
    return Lattice.of(cells.table).size <= largest and prod(leaves) < np.iinfo(np.int64).max


class Rounds:
    """The nodes of the lattice in the order of what their cells cost, of equal ones the last column's level first."""

    def __init__(self, cells: Cells, columns: Sequence[int] | None = None) -> None:
        self._columns = list(range(len(cells.leaves)) if columns is None else columns)
        self.codes = cells.codes[:, self._columns]
        self._sizes = cells.table.counts.sizes
        hierarchies = [cells.table.quasi_identifiers[j].hierarchy for j in self._columns]
        self._heights = [hierarchy.height for hierarchy in hierarchies]
        self._groups: list[list[Keys]] = []
        self._costs = []
        for j, hierarchy in zip(self._columns, hierarchies, strict=True):
            leaf = cells.leaves[j]
            self._groups.append([level.codes[leaf].astype(np.int64) for level in hierarchy.levels])
            self._costs.append([cells.scales[j] * (hierarchy.leaf_count[nodes[leaf]] - 1.0) for nodes in hierarchy.up])
        self.step = float(cells.weights.sum()) / _ROUNDS
        least = np.zeros(1)
        for costs in self._costs:
            least = (least[:, None] + np.array([cost.min() for cost in costs])[None, :]).ravel()
        self._least = np.minimum((least / self.step).astype(np.int64), _ROUNDS)

    @cached_property
    def levels(self) -> Levels:
        """The hierarchies of the columns, for compiled kernels."""
        from shoal.methods.local_recoding.rounds_kernel import Levels

        widths = [len(groups[0]) for groups in self._groups]
        starts = np.zeros((len(widths), max(self._heights) + 1), dtype=np.int64)
        sizes = np.ones_like(starts)
        end = 0
        for j, height in enumerate(self._heights):
            starts[j, : height + 1] = end + widths[j] * np.arange(height + 1)
            sizes[j, : height + 1] = [group.max() + 1 for group in self._groups[j]]
            end += widths[j] * (height + 1)
        return Levels(
            np.concatenate([group for groups in self._groups for group in groups]),
            np.concatenate([cost for costs in self._costs for cost in costs]),
            starts,
            sizes,
            np.array(self._heights, dtype=np.int64),
        )

    def classes(self, rows: Keys, judge: Judge, entries: Sizes | None = None) -> Keys:
        """The class of some rows, −1 where none was found, if a class needs k records, or persons, and nothing else.

        Args:
            rows: The rows.
            judge: What is asked of a class.
            entries: How many records of each row need a class; all of them if that is not said.
        """
        from shoal.methods.local_recoding.rounds_kernel import cell_rounds

        label, _ = cell_rounds(
            self.codes[rows],
            judge.entries[rows] if entries is None else entries,
            judge.k,
            self.levels,
            self._least,
            self.step,
            _ROUNDS + 1,
            rows,
            judge.pairs,
        )
        return label

    def judged_classes(self, judge: Judge) -> Keys:
        """The class of each row, −1 where none was found."""
        due = self._least.copy()
        sizes = self._sizes
        label, left, classes = np.full(len(sizes), -1), np.arange(len(sizes)), 0
        for turn in range(_ROUNDS + 1):
            for node in np.flatnonzero(due == turn).tolist():
                levels = np.unravel_index(node, [height + 1 for height in self._heights])
                values = [(j, int(level), self.codes[left, j]) for j, level in enumerate(levels)]
                groups = [self._groups[j][level] for j, level, _ in values]
                cell, cells = grouping.group(
                    [group[value] for group, (_, _, value) in zip(groups, values, strict=True)],
                    [int(group.max()) + 1 for group in groups],
                    len(left),
                )
                if not (enough := grouping.totals(cell, cells, sizes[left]) >= judge.k).any():
                    continue  # k persons have k records or more
                large = enough[cell]
                number, some = grouping.compact(cell[large], cells)
                passed = np.zeros(cells, dtype=np.bool_)
                passed[enough] = judge.admissible(left[large], number, some, sizes[left[large]])
                if not passed.any():
                    continue
                cost = sum(self._costs[j][level][value] for j, level, value in values)
                now = passed[cell] & (cost < (turn + 1) * self.step)
                later = passed[cell] & ~now
                if later.any():
                    due[node] = max(turn + 1, min(int(cost[later].min() / self.step), _ROUNDS))
                number, added = grouping.compact(cell[now], cells)
                label[left[now]] = classes + number
                classes += added
                left = left[~now]
                if not len(left):
                    return label
        return label


def dear_first(cells: Cells) -> list[int]:
    """The columns in the order of what their first generalization costs the mean record, the dearest first.

    Nodes that are due together then share most of their first levels, and of cells that cost about the same those
    become classes first that keep such columns.
    """
    table, costs = cells.table, []
    for j, attribute in enumerate(table.quasi_identifiers):
        hierarchy = attribute.hierarchy
        further = hierarchy.leaf_count[hierarchy.up[min(1, hierarchy.height)]] - 1.0
        costs.append(float(cells.scales[j] * (further @ table.marginal(attribute.name))))
    return sorted(range(len(costs)), key=lambda j: -costs[j])
