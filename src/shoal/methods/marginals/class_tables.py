"""Class tables: how many records of each class have each leaf of a column, with noise, made consistent.

Without a target there is one class, and the tables are the plain distributions of the columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal.arrays import Floats, Keys, Sizes
from shoal.kernels import grouping
from shoal.methods.marginals.balancing import fitted, projected
from shoal.search.top_down.cut import class_codes

if TYPE_CHECKING:
    from fractions import Fraction

    from shoal.data.encoded import EncodedTable
    from shoal.dp.coins.coins import Coins
    from shoal.methods.marginals.leaves import Leaves
    from shoal.methods.marginals.purse import Purse

MOST_RECORDS = 1_000_000_000
"""No more records than that are believed, whatever noise says."""
_TRUST = 0.6
"""How far, as a share of its records, the class shares of a piece are expected to lie from those of what it is in."""
_TINY = 1e-9
_LEAST_SHARE = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class ClassTables:
    """What is believed about single columns: everything here is computed from noisy numbers.

    Attributes:
        records: How many records there are.
        totals: How many of each class.
        tables: For each column `tables[j][leaf, class]`, with these totals.
    """

    records: float
    totals: Floats
    tables: tuple[Floats, ...]

    def masses(self, column: int) -> Floats:
        """How many records have each leaf."""
        return np.asarray(self.tables[column].sum(axis=1))

    @staticmethod
    def of(
        noisy: Sequence[Sizes],
        leaves: Sequence[Leaves],
        variances: Sequence[float],
        counted: int,
        spread: float,
    ) -> ClassTables:
        """Make noisy tables agree with each other.

        Args:
            noisy: The noisy table of each column.
            leaves: The leaves of each column.
            variances: Those of the noise on a cell of each table.
            counted: The noisy number of records.
            spread: The variance of its noise.
        """
        trust = np.array([1 / (len(table) * variance) for table, variance in zip(noisy, variances, strict=True)])
        sums = np.stack([table.sum(axis=0) for table in noisy]).astype(float)
        totals = trust @ sums / trust.sum()
        other = len(totals) / trust.sum()
        records = float((counted / spread + totals.sum() / other) / (1 / spread + 1 / other))
        records = min(max(records, 0.0), MOST_RECORDS)
        totals = projected(totals, records)
        tables = [
            _denoised(table.astype(float), column, totals, variance)
            for table, column, variance in zip(noisy, leaves, variances, strict=True)
        ]
        return ClassTables(records, totals, tuple(tables))


def classes_of(records: EncodedTable, target: str | None) -> tuple[Keys, Keys]:
    """The codes of the classes, and the class of each distinct record; without a target there is one."""
    if target is None:
        return np.zeros(1, dtype=np.int64), np.zeros(len(records.counts), dtype=np.int64)
    classes = class_codes(records[target])
    return classes, np.searchsorted(classes, records.counts.column(target))


def count_by_class(
    leaf: Keys, leaves: int, label: Keys, classes: int, sizes: Sizes, purse: Purse, share: Fraction, coins: Coins
) -> Sizes:
    """Pay, then return how many records have each leaf and class, with noise: every record is in one cell."""
    cells = grouping.totals(leaf * classes + label, leaves * classes, sizes)
    return purse.count(cells.reshape(leaves, classes), share, coins, "count a column by class")


def _denoised(table: Floats, leaves: Leaves, totals: Floats, variance: float) -> Floats:
    """One table with the totals of the classes, and class shares of pieces drawn to those of what they are in."""
    table = np.stack([projected(table[:, y], float(total)) for y, total in enumerate(totals)], axis=1)
    masses = table.sum(axis=1)
    if len(totals) == 1:
        return table
    shares = np.tile((totals + _TINY) / (totals + _TINY).sum(), (len(table), 1))
    for groups in ever_finer(leaves, masses):
        number = int(groups.max()) + 1
        mass = np.bincount(groups, weights=masses, minlength=number)
        in_class = np.stack([np.bincount(groups, weights=column, minlength=number) for column in table.T], axis=1)
        signal = (_TRUST * mass) ** 2
        weight = (signal / (signal + np.bincount(groups) * variance))[groups, None]
        found = in_class / np.maximum(mass, _TINY)[:, None]
        mixed = np.maximum((1 - weight) * shares + weight * found[groups], _LEAST_SHARE)
        shares = mixed / mixed.sum(axis=1, keepdims=True)
    return fitted(masses[:, None] * shares, (masses, totals))


def ever_finer(leaves: Leaves, masses: Floats) -> Iterator[Keys]:
    """The group of each leaf, ever finer: neighbors in halves of about equal mass; at last every leaf by itself."""
    number, pieces = len(masses), 2
    middle = (np.cumsum(masses) - masses / 2) / max(float(masses.sum()), _TINY)
    while leaves.ordered and pieces < number:
        yield np.unique(np.minimum((middle * pieces).astype(np.int64), pieces - 1), return_inverse=True)[1]
        pieces *= 2
    yield np.arange(number)
