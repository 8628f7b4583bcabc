"""Models that price each cell by the node published in it: granularity, intensity, the loss metric, precision.

They differ in one function, what a node costs; a suppressed cell costs 1, as the root does. Costs grow along every path
to the root, so what all records cost at a recoding is a lower bound for every coarser one, and one-way counts tell it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from shoal.arrays import Floats, Mask, Sizes
from shoal.data.attribute import Attribute
from shoal.data.classes import Classes
from shoal.data.encoded import EncodedTable
from shoal.data.hierarchies.hierarchy import Hierarchy
from shoal.parameters import read_parameters
from shoal.quality.base import Change, checked_weights, dot


@dataclass(frozen=True)
class CellModel(ABC):
    """score = −Σ_records Σ_i w_i cost_i(node); loss = the weighted mean cost of a cell above an original one's.

    Attributes:
        weights: How much each quasi-identifier counts, 1 where none is given.
    """

    weights: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        read_parameters(self)

    @abstractmethod
    def costs(self, hierarchy: Hierarchy) -> Floats:
        """What each node of a hierarchy costs, from `costs(leaf)` up to 1 for the root."""

    def on(self, table: EncodedTable, smallest_class: int = 1) -> CellPrices:
        """The prices of one table's hierarchies."""
        del smallest_class
        return CellPrices(
            table,
            checked_weights(self.weights, table),
            tuple(self.costs(attribute.hierarchy) for attribute in table.quasi_identifiers),
        )

    def change(self, k: int, attributes: Sequence[Attribute]) -> Change:
        """[−W, (k − 1) W − k Σ_i w_i cost_i(leaf)], W the sum of weights (SP-6)."""
        weights = [self.weights.get(a.name, 1.0) for a in attributes]
        cheapest = sum(w * float(self.costs(a.hierarchy).min()) for w, a in zip(weights, attributes, strict=True))
        return Change(-sum(weights), (k - 1) * sum(weights) - k * cheapest)


class CellPrices:
    """A cell model on one table."""

    is_exact = True

    def __init__(self, table: EncodedTable, weights: Floats, costs: Sequence[Floats]) -> None:
        self._table, self._weights, self._costs = table, weights, costs
        cheapest = [float(cost.min()) for cost in costs]
        span = float(sum(w * (1 - low) for w, low in zip(weights, cheapest, strict=True))) or 1.0
        scale = weights / (span * max(table.total, 1))
        # What one record in a cell adds to the loss: relative to an original cell, so that the original loses nothing.
        self._prices = [s * (cost - low) for s, cost, low in zip(scale, costs, cheapest, strict=True)]
        self._lost_cell = [s * (1 - low) for s, low in zip(scale, cheapest, strict=True)]
        columns = [(p, a.hierarchy) for p, a in zip(self._prices, table.quasi_identifiers, strict=True)]
        self.counted_at = tuple(int(_is_alike(price[h.up[0]]) and h.height > 0) for price, h in columns)
        starts = [h.starts[level] for (_, h), level in zip(columns, self.counted_at, strict=True)]
        self._level_prices = [price[h.up[:, first]] for (price, h), first in zip(columns, starts, strict=True)]
        marginals = [table.marginal(attribute.name) for attribute in table.quasi_identifiers]
        self._marginals = [np.add.reduceat(counts, first) for counts, first in zip(marginals, starts, strict=True)]
        self.surcharges = tuple(
            lost - prices.max(axis=1, initial=0.0)
            for lost, prices in zip(self._lost_cell, self._level_prices, strict=True)
        )

    def score(self, classes: Classes, suppressed: Mask) -> float:
        """The negated price of all cells."""
        kept = np.where(suppressed, 0, classes.sizes)
        lost = float(classes.total - kept.sum())
        return -sum(
            (float(weight) * (dot(cost[classes.nodes(i)], kept) + lost))
            for i, (weight, cost) in enumerate(zip(self._weights, self._costs, strict=True))
        )

    def loss(self, classes: Classes, suppressed: Mask) -> float:
        """Between 0 and 1."""
        kept = np.where(suppressed, 0, classes.sizes)
        lost = float(classes.total - kept.sum())
        return float(
            sum(
                dot(price[classes.nodes(i)], kept) + lost_cell * lost
                for i, (price, lost_cell) in enumerate(zip(self._prices, self._lost_cell, strict=True))
            )
        )

    def floors(self, lost: Sequence[Sizes] | None) -> tuple[Floats, ...]:
        """What is not lost at the price of its node; what is lost, at that of a suppressed cell."""
        if lost is None:
            return tuple(p @ counts for p, counts in zip(self._level_prices, self._marginals, strict=True))
        gone = float(lost[0].sum())
        return tuple(
            prices @ (counts - missing) + gone * lost_cell
            for prices, counts, missing, lost_cell in zip(
                self._level_prices, self._marginals, lost, self._lost_cell, strict=True
            )
        )


def _is_alike(values: Floats) -> bool:
    return bool(values.min() == values.max())


@dataclass(frozen=True)
class Granularity(CellModel):
    """cost(v) = leaves(v) / |Ω|: how much of its domain a cell covers.

    Paper: SafePub §5.1, Definition 4 and Theorem 6.
    """

    name: ClassVar[str] = "granularity"

    def costs(self, hierarchy: Hierarchy) -> Floats:
        """Share of the leaves under each node."""
        return hierarchy.leaf_count / hierarchy.leaves


@dataclass(frozen=True)
class Intensity(CellModel):
    """cost(v) = level(v) / height: how far up its hierarchy a cell was moved.

    Paper: SafePub §5.1, after Sweeney 2002.
    """

    name: ClassVar[str] = "intensity"

    def costs(self, hierarchy: Hierarchy) -> Floats:
        """Relative level of each node; the root hides everything, also where it comes before the last level."""
        costs = hierarchy.level_of / max(hierarchy.height, 1)
        costs[hierarchy.root] = 1.0
        return np.asarray(costs)


@dataclass(frozen=True)
class Precision(Intensity):
    """1 − loss is the precision of a table: one minus the mean relative level of its cells.

    The cost of `Intensity` under the name by which users of k-anonymity know it.

    Paper: Sweeney 2002; (k, ε)-anonymity §III-A.
    """

    name: ClassVar[str] = "precision"


@dataclass(frozen=True)
class Loss(CellModel):
    """cost(v) = (leaves(v) − 1) / (|A| − 1): the loss metric LM.

    Paper: NSVDist Eq. (2), after Iyengar 2002.
    """

    name: ClassVar[str] = "loss"

    def costs(self, hierarchy: Hierarchy) -> Floats:
        """Share of the other leaves under each node; a column with one value costs nothing."""
        return (hierarchy.leaf_count - 1) / max(hierarchy.leaves - 1, 1)
