"""Records that fit what was measured: drawn from it, then weighted. Sees noisy numbers only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal.arrays import Floats, Keys, Sizes
from shoal.methods.marginals.groups.boxes import Boxes, consistent
from shoal.methods.marginals.groups.group import Group
from shoal.methods.marginals.refining import refined
from shoal.methods.marginals.support import drawn_support
from shoal.methods.marginals.weights.raking import SWEEPS, raked

if TYPE_CHECKING:
    from shoal.methods.marginals.class_tables import ClassTables


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """Weighted records.

    Attributes:
        label: The class of each.
        leaf: Its leaf in each column but the target.
        weights: How many records each stands for.
    """

    label: Keys
    leaf: list[Keys]
    weights: Floats

    def expected(self, group: Group) -> Sizes:
        """How many of them are in each cell of a group, in whole numbers."""
        return np.rint(group.sums(self.leaf, self.weights)).astype(np.int64)


def fit(
    believed: ClassTables,
    spreads: Sequence[float],
    groups: Sequence[Boxes],
    noisy: Sequence[Sizes],
    variance: float,
    number: int,
    sweeps: int = SWEEPS,
) -> Fit:
    """So many drawn records, weighted until they fit class tables, and groups as far as their noise allows.

    Args:
        believed: The class tables by themselves.
        spreads: The variance of the noise on a leaf of each column, of all classes together.
        groups: The groups of columns that were counted.
        noisy: The noisy numbers of their boxes.
        variance: That of the noise on a box.
        number: How many records are drawn.
        sweeps: How often weights are scaled to all tables.
    """
    believed = refined(believed, spreads, groups, noisy, variance)
    tables = [consistent(group, table, believed) for group, table in zip(groups, noisy, strict=True)]
    label, leaf = drawn_support(believed, [group.grid for group in groups], tables, number)
    counted = [table + (believed.records - table.sum()) / len(table) for table in noisy]  # records are better known
    about = [(group.of(leaf), table, variance) for group, table in zip(groups, counted, strict=True)]
    classes = len(believed.totals)
    wanted = [
        (of_column * classes + label, table.ravel()) for of_column, table in zip(leaf, believed.tables, strict=True)
    ]
    return Fit(label, leaf, raked(np.ones(number), max(believed.records, 1.0), wanted, sweeps, about))
