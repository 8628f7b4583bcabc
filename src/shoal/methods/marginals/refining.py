"""What counted pairs say about single columns: their margins refine the class tables. Sees noisy numbers only.

The masses of leaves are taken as independent estimates with known variances, and every margin of a pair as another
estimate of the masses of its pieces, by which they are corrected as in a Kalman filter, one margin after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from shoal.arrays import Sizes
from shoal.methods.marginals.balancing import fitted, projected
from shoal.methods.marginals.class_tables import ClassTables

if TYPE_CHECKING:
    from shoal.methods.marginals.pairs import Pair

_SMALLEST = 1e-300


def refined(
    believed: ClassTables,
    spreads: Sequence[float],
    pairs: Sequence[Pair],
    noisy: Sequence[Sizes],
    variances: Sequence[float],
) -> ClassTables:
    """Class tables whose masses agree better with the pairs.

    Args:
        believed: The class tables by themselves.
        spreads: The variance of the noise on a leaf of each column, of all classes together.
        pairs: The pairs that were counted.
        noisy: Their noisy tables.
        variances: The variance of the noise on a cell of each.
    """
    masses = [believed.masses(column) for column in range(len(believed.tables))]
    unsure = [np.full(len(mass), spread) for mass, spread in zip(masses, spreads, strict=True)]
    for pair, table, variance in zip(pairs, noisy, variances, strict=True):
        told = table + (believed.records - table.sum()) / table.size  # the number of records is better known
        for which, (column, pieces) in enumerate(zip(pair.columns, pair.pieces, strict=True)):
            margin = told.sum(axis=1 - which)
            here = np.bincount(pieces, weights=masses[column], minlength=len(margin))
            spread = np.bincount(pieces, weights=unsure[column], minlength=len(margin))
            gain = spread / (spread + variance * pair.shape[1 - which])
            part = unsure[column] / np.maximum(spread, _SMALLEST)[pieces]
            masses[column] = masses[column] + part * (gain * (margin - here))[pieces]
            unsure[column] = unsure[column] * (1 - part * gain[pieces])
    masses = [projected(mass, believed.records) for mass in masses]
    tables = [
        fitted(table * (mass / np.maximum(table.sum(axis=1), _SMALLEST))[:, None], (mass, believed.totals))
        for table, mass in zip(believed.tables, masses, strict=True)
    ]
    return ClassTables(believed.records, believed.totals, tuple(tables))
