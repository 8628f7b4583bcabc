"""Classes made anew by what records would pay for them: what is dear elsewhere has the first choice of company."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.arrays import Floats, Keys, Sizes
from shoal.data.partition import Partition
from shoal.methods.local_recoding.rounds import Rounds
from shoal.methods.parts.cells import Cells
from shoal.methods.parts.company import nearest
from shoal.methods.parts.judge import Judge

_NEAR = 1.3
"""A cell is near to a record if it costs at most so many times what the record costs already,"""

_NEAR_STEPS = 3
"""and so many price steps of rounds."""

_ROOM = 1 << 23
"""Rows of near cells that are kept at most; where they are more, the classes stay as they were."""

_WORK = 1 << 28
"""Rows that are looked at in a block, at most, to find near cells; the same."""

_TARGET = 0.92
"""What prices, less gains, are thought to add up to at last, as a share of what the records cost already."""

_ACTIVE = 0.5
"""Cells whose gain is no more than so many price steps of rounds below 0, k times, are looked at in every step."""

_BELOW = 4
"""A class may pay so many price steps of rounds less than it costs, k times: what is left over has fewer to choose."""

_LITTLE = 0.2
"""A cell that costs nothing counts as if it cost such a part of a price step."""


@dataclass(frozen=True, eq=False)
class PricedClasses:
    """What makes classes anew.

    Attributes:
        cells: The records.
        rounds: The lattice, with the order of its columns.
        judge: Asks for k records and nothing else.
        steps: How often prices are changed.
    """

    cells: Cells
    rounds: Rounds
    judge: Judge
    steps: int

    def classes(self, rows: Keys, sizes: Sizes, costs: Floats) -> Keys | None:
        """The class of each record of some rows, row by row; None if the cells near them are too many.

        Args:
            rows: The rows.
            sizes: How many records of each need a class.
            costs: What a record of each costs already.
        """
        from shoal.methods.local_recoding.greedy_kernel import greedy_classes
        from shoal.methods.local_recoding.near_cells_kernel import near_cells
        from shoal.methods.local_recoding.prices_kernel import stepped_prices

        k, step = self.judge.k, self.rounds.step
        most = _NEAR * costs + _NEAR_STEPS * step
        cells, is_whole = near_cells(self.rounds.codes[rows], sizes, most, k, self.rounds.levels, _ROOM, _WORK)
        if not is_whole:
            return None
        prices = stepped_prices(cells, sizes, costs, k, self.steps, _TARGET, -_ACTIVE * step * k)
        source, label, many, left = greedy_classes(cells, sizes, prices, k, -_BELOW * step * k, _LITTLE * step)
        rest = np.flatnonzero(left)
        found = self.rounds.classes(rows[rest], self.judge, left[rest])
        found = np.where(found >= 0, found + label.max(initial=-1) + 1, -1)
        source, label, many = np.append(source, rest), np.append(label, found), np.append(many, left[rest])
        if (alone := label < 0).any():  # fewer than k records
            made = Partition(rows[source[~alone]], label[~alone], many[~alone])
            label[alone] = nearest(self.cells, made, rows[source[alone]], int(many[alone].sum()))
        order = np.argsort(source, kind="stable")
        return np.repeat(label[order], many[order])
