"""Which columns are counted together: those in which the records that fit so far are farthest from the table.

By threes: three pairs for the noise of one table, or little more where a column has few values. After each choice, or
after a few, records are fitted anew, so that nothing is counted twice.

Paper: own; as in MWEM and AIM (Hardt, Ligett & McSherry 2012; McKenna et al. 2022).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, prod
from typing import TYPE_CHECKING

import numpy as np

from shoal.arrays import Keys, Sizes
from shoal.methods.marginals.fitting import Fit, fit
from shoal.methods.marginals.groups.boxes import Boxes
from shoal.methods.marginals.groups.company import company_of
from shoal.methods.marginals.groups.group import Group, cut_group

if TYPE_CHECKING:
    from shoal.dp.coins.coins import Coins
    from shoal.methods.marginals.budget import Split
    from shoal.methods.marginals.class_tables import ClassTables
    from shoal.methods.marginals.leaves import Leaves
    from shoal.methods.marginals.purse import Purse

_ROUNDS = 12
"""So often, at most, records are fitted anew before more groups are chosen."""
_SCORES = 6000
"""And not so often that more groups than that are looked at in all, though once at least."""
_DRAWN = 20_000
"""How many records are drawn for that."""
_SWEEPS = 10
_NOISE = 1
"""What a cell costs in the score of a group, in scales of its noise."""
_WITH_COMPANY = (300, 2000)
"""Of so many boxes, at least and at most, a group has enough to take along columns of few values ..."""
_FEWER_BOXES = 0.75
"""... and it does with so many times as many: each of them tells of more columns."""
_LOOKED_AT = 0.6
"""By how many cells a group is looked at before it is chosen, for each box that it would be counted by."""
_LEAST_LOOKED_AT = 64
"""And by no fewer than that: a score has no noise in each cell."""


@dataclass(eq=False)
class Choosing:
    """Chooses groups of columns and counts them, round by round.

    Attributes:
        believed: The class tables.
        leaves: The leaves of each column.
        leaf: The leaf of each distinct record, in each column.
        sizes: How many records each distinct one stands for.
        asked: The columns that may be counted together.
        weights: How much each column matters, at most 1.
        cells: How many boxes a table may have, about.
        noise: The scale of noise on a box.
    """

    believed: ClassTables
    leaves: Sequence[Leaves]
    leaf: Sequence[Keys]
    sizes: Sizes
    asked: Sequence[tuple[int, ...]]
    weights: Sequence[Fraction]
    cells: float
    noise: float
    _seen: dict[tuple[int, ...], tuple[Group, Sizes]] = field(default_factory=dict)

    def counted(
        self, split: Split, spreads: Sequence[float], purse: Purse, coins: Coins
    ) -> tuple[list[Boxes], list[Sizes], float]:
        """Spend what groups get: the groups in boxes, their noisy numbers, and the variance of the noise on a box.

        `spreads` are the variances of the noise on a leaf of each column, of all classes together.
        """
        share = split.measured / split.groups
        variance = purse.variance(share)
        chosen: list[Boxes] = []
        taken: list[tuple[int, ...]] = []
        noisy: list[Sizes] = []
        rounds = max(1, min(_ROUNDS, _SCORES // len(self.asked)))
        while len(chosen) < split.groups:
            found = fit(self.believed, spreads, chosen, noisy, variance, _DRAWN, _SWEEPS)
            number = min(ceil(split.groups / rounds), split.groups - len(chosen))
            for columns in self.chosen(number, found, taken, split.choice, purse, coins):
                taken.append(columns)
                together, number_of_boxes = self._together(columns)
                boxes = Boxes.among(together, self.believed, self.leaves, found, number_of_boxes)
                chosen.append(boxes)
                counts = boxes.counts(self.leaf, self.sizes)
                noisy.append(purse.count(counts, share, coins, "count columns together"))
        return chosen, noisy, variance

    def _together(self, columns: tuple[int, ...]) -> tuple[tuple[int, ...], int]:
        """A group with the columns that it takes along, if there are boxes enough, and how many boxes it gets."""
        least, most = _WITH_COMPANY
        if not least <= self.cells <= most:
            return columns, int(self.cells)
        together = company_of(columns, [len(of_column) for of_column in self.leaves], self.asked)
        return together, int(self.cells * (1 if together == columns else _FEWER_BOXES))

    def chosen(
        self, number: int, found: Fit, taken: Sequence[tuple[int, ...]], share: Fraction, purse: Purse, coins: Coins
    ) -> list[tuple[int, ...]]:
        """So many groups more, those with the largest scores most likely, for a share each."""
        left = [columns for columns in self.asked if columns not in taken]
        scores = [self.score(columns, found) for columns in left]
        more = []
        for _ in range(number):
            at = purse.choose(scores, share, coins, "choose columns to count together")
            more.append(left.pop(at))
            scores.pop(at)
        return more

    def score(self, columns: tuple[int, ...], found: Fit) -> Fraction:
        """How many records lie elsewhere than in what fits so far, less what noise would move, by weight.

        What fits is rounded to whole numbers, and follows from noisy ones: one record more moves the score by the
        weight, which is 1 at most.
        """
        group, counts = self._cut(columns)
        misfit = int(np.abs(counts - found.expected(group)).sum()) - round(_NOISE * self.noise * group.cells)
        return misfit * prod((self.weights[column] for column in columns), start=Fraction(1))

    def _cut(self, columns: tuple[int, ...]) -> tuple[Group, Sizes]:
        if columns not in self._seen:
            cells = max(_LOOKED_AT * self.cells, _LEAST_LOOKED_AT)
            group = cut_group(self.believed, self.leaves, columns, cells)
            self._seen[columns] = group, group.counts(self.leaf, self.sizes)
        return self._seen[columns]
