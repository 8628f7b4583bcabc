"""Boxes: how finely columns are counted together. Heavy parts of their table are looked at closely, empty ones hardly.

What was counted so far says how many records to expect in each cell of a fine grid; the whole grid is divided, the
heaviest part first, until as many boxes are left as noise allows. Sees noisy numbers only.

Paper: own; as in a k-d tree (Bentley 1975), with expected in place of counted records.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from shoal.arrays import Floats, Keys, Sizes
from shoal.methods.marginals.balancing import fitted, margin, projected
from shoal.methods.marginals.groups.group import Group, cut_group

if TYPE_CHECKING:
    from shoal.methods.marginals.class_tables import ClassTables
    from shoal.methods.marginals.fitting import Fit
    from shoal.methods.marginals.leaves import Leaves

_GRID = 20_000
"""About how many cells the grid may have."""
_FEWEST_BOXES = 100
_MOST_BOXES = 2000
"""Fewer tell too little in return, and more are not looked for one by one: then the cells of a grid are the boxes."""
_APART = 0.1
"""How much of what is expected is as if columns were independent in each class: drawn records miss some cells."""
_UNSURE = 0.3
"""How far shares of a box are expected to lie from what was expected of them, in proportion."""
_TINY = 1e-9
_SMALLEST = 1e-300


@dataclass(frozen=True, slots=True, eq=False)
class Boxes:
    """Columns that are counted together, and by what.

    Attributes:
        grid: The columns, finely cut.
        box: The box of each cell of the grid.
        within: What share of its box each cell of the grid is expected to have, in the shape of the grid.
    """

    grid: Group
    box: Keys
    within: Floats

    @property
    def columns(self) -> tuple[int, ...]:
        """The numbers of the columns."""
        return self.grid.columns

    def counts(self, leaf: Sequence[Keys], sizes: Sizes) -> Sizes:
        """How many records are in each box: every record in one."""
        return np.bincount(self.box, weights=self.grid.counts(leaf, sizes).ravel()).astype(np.int64)

    def of(self, leaf: Sequence[Keys]) -> Keys:
        """The box of each record, given its leaf in every column."""
        return self.box[self.grid.cells_of(leaf)]

    def spread_out(self, counted: Floats) -> Floats:
        """Numbers of boxes in the shape of the grid, divided as it is expected."""
        return counted[self.box].reshape(self.grid.shape) * self.within

    def variances(self, axis: int, variance: float, told: Floats) -> Floats:
        """Those of a margin that boxes tell, where `told` are their numbers: noise, and shares that may be others."""
        size, number = self.grid.shape[axis], len(told)
        piece = np.indices(self.grid.shape)[axis]
        place = self.box.reshape(self.grid.shape) * size + piece
        share = np.bincount(place.ravel(), self.within.ravel(), number * size).reshape(number, size)
        unsure = _UNSURE * np.maximum(told, 0)[:, None] * share * (1 - share)
        return np.asarray((variance * share**2 + unsure**2).sum(axis=0))

    @staticmethod
    def among(
        columns: tuple[int, ...], believed: ClassTables, leaves: Sequence[Leaves], found: Fit, number: int
    ) -> Boxes:
        """About so many boxes, or fewer where columns have fewer values, by the weighted records that fit so far."""
        if not _FEWEST_BOXES <= number <= _MOST_BOXES:
            grid = cut_group(believed, leaves, columns, number)
            return Boxes(grid, np.arange(grid.cells), np.ones(grid.shape))
        grid = cut_group(believed, leaves, columns, _GRID)
        expected = (1 - _APART) * grid.sums(found.leaf, found.weights) + _APART * _independent(grid, believed) + _TINY
        box = divided(expected, [leaves[column].ordered for column in columns], number)
        mass = np.bincount(box, weights=expected.ravel())
        return Boxes(grid, box, expected / mass[box].reshape(grid.shape))


def divided(expected: Floats, ordered: Sequence[bool], number: int) -> Keys:
    """The box of each cell: so many boxes, unless there are fewer cells, of about the same number of records.

    The heaviest box is divided in two along the axis on which its records are spread most: where their number is
    halved, neighbors staying together if the axis has an order, else heavy values with heavy ones.

    >>> divided(np.array([[9.0, 1], [1, 1]]), [True, True], 3).tolist()
    [0, 2, 1, 1]
    """
    boxes: list[tuple[float, int, list[Keys]]] = [(-1.0, 0, [np.arange(size) for size in expected.shape])]
    single: list[list[Keys]] = []
    made = 1
    while boxes and len(boxes) + len(single) < number:
        _, _, heaviest = heapq.heappop(boxes)
        inside = expected[np.ix_(*heaviest)]
        if inside.size == 1:
            single.append(heaviest)
            continue
        for half in _halves(inside, heaviest, ordered):
            heapq.heappush(boxes, (-float(expected[np.ix_(*half)].sum()), made, half))
            made += 1
    box = np.zeros(expected.shape, dtype=np.int64)
    for i, cells in enumerate([*single, *(cells for _, _, cells in sorted(boxes, key=lambda one: one[:2]))]):
        box[np.ix_(*cells)] = i
    return box.ravel()


def _halves(inside: Floats, cells: list[Keys], ordered: Sequence[bool]) -> tuple[list[Keys], list[Keys]]:
    """The two boxes that become of one."""
    margins = [margin(inside, axis) for axis in range(inside.ndim)]
    axis = int(np.argmax([_entropy(masses) for masses in margins]))
    masses = margins[axis]
    order = np.arange(len(masses)) if ordered[axis] else np.argsort(-masses, kind="stable")
    ends = np.cumsum(masses[order])
    at = 1 + int(np.argmin(np.abs(ends[:-1] - ends[-1] / 2)))
    low, high = (cells[axis][np.sort(part)] for part in (order[:at], order[at:]))
    return [*cells[:axis], low, *cells[axis + 1 :]], [*cells[:axis], high, *cells[axis + 1 :]]


def _entropy(masses: Floats) -> float:
    """How far numbers are spread; less than nothing if there is but one."""
    if len(masses) == 1:
        return -1.0
    law = masses / masses.sum()
    return float(-(law * np.log(np.maximum(law, _SMALLEST))).sum())


def _independent(grid: Group, believed: ClassTables) -> Floats:
    """How many records the cells of a grid had if columns told nothing about each other but through the class."""
    tables = grid.by_class(believed)
    shares = np.maximum(believed.totals, 1.0)
    parts = [reduce(np.multiply.outer, [t[:, y] / shares[y] for t in tables]) * shares[y] for y in range(len(shares))]
    return np.asarray(sum(parts))


def consistent(boxes: Boxes, noisy: Sizes, believed: ClassTables) -> Floats:
    """Noisy numbers of boxes made a table of the grid: numbers of 0 or more, with the margins that class tables say."""
    counted = projected(noisy.astype(np.float64), believed.records)
    return fitted(boxes.spread_out(counted), [table.sum(axis=1) for table in boxes.grid.by_class(believed)])
