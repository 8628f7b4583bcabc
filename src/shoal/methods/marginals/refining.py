"""What counted groups say about single columns: their margins refine the class tables. Sees noisy numbers only.

The masses of leaves are taken as independent estimates with known variances, and every margin of a group as another
estimate of the masses of its pieces, by which they are corrected as in a Kalman filter, one margin after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from shoal.arrays import Sizes
from shoal.methods.marginals.balancing import fitted, margin, projected
from shoal.methods.marginals.class_tables import ClassTables

if TYPE_CHECKING:
    from shoal.methods.marginals.groups.boxes import Boxes

_SMALLEST = 1e-300


def refined(
    believed: ClassTables,
    spreads: Sequence[float],
    groups: Sequence[Boxes],
    noisy: Sequence[Sizes],
    variance: float,
) -> ClassTables:
    """Class tables whose masses agree better with the groups.

    Args:
        believed: The class tables by themselves.
        spreads: The variance of the noise on a leaf of each column, of all classes together.
        groups: The groups of columns that were counted.
        noisy: The noisy numbers of their boxes.
        variance: That of the noise on a box.
    """
    masses = [believed.masses(column) for column in range(len(believed.tables))]
    unsure = [np.full(len(mass), spread) for mass, spread in zip(masses, spreads, strict=True)]
    for group, table in zip(groups, noisy, strict=True):
        told = table + (believed.records - table.sum()) / len(table)  # the number of records is better known
        grid = group.spread_out(told)
        for axis, (column, pieces) in enumerate(zip(group.columns, group.grid.pieces, strict=True)):
            counted = margin(grid, axis)
            here = np.bincount(pieces, weights=masses[column], minlength=len(counted))
            spread = np.bincount(pieces, weights=unsure[column], minlength=len(counted))
            gain = spread / (spread + group.variances(axis, variance, told))
            part = unsure[column] / np.maximum(spread, _SMALLEST)[pieces]
            masses[column] = masses[column] + part * (gain * (counted - here))[pieces]
            unsure[column] = unsure[column] * (1 - part * gain[pieces])
    masses = [projected(mass, believed.records) for mass in masses]
    tables = [
        fitted(table * (mass / np.maximum(table.sum(axis=1), _SMALLEST))[:, None], (mass, believed.totals))
        for table, mass in zip(believed.tables, masses, strict=True)
    ]
    return ClassTables(believed.records, believed.totals, tuple(tables))
