"""Models that price each cell by the node published in it: granularity, intensity, the loss metric, precision.

The four differ in one function, what a node costs; a suppressed cell costs 1, as the root does. Costs grow along every
path to the root, so the price of all records at a recoding is a lower bound for every coarser one, and it is known from
one-way counts.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from shoal.arrays import Floats, Mask
from shoal.data.classes import Classes
from shoal.data.encoded import EncodedTable
from shoal.data.hierarchy import Hierarchy
from shoal.data.schema import Attribute
from shoal.quality.base import Change, checked_weights


@dataclass(frozen=True)
class CellModel(ABC):
    """score = −Σ_records Σ_i w_i cost_i(node); loss = the weighted mean cost of a cell above that of an original one."""

    weights: Mapping[str, float] = field(default_factory=dict)

    @abstractmethod
    def costs(self, hierarchy: Hierarchy) -> Floats:
        """What each node of a hierarchy costs, from `costs(leaf)` up to 1 for the root."""

    def check(self, table: EncodedTable) -> None:
        """Weights must belong to quasi-identifiers."""
        checked_weights(self.weights, table)

    def score(self, classes: Classes, suppressed: Mask) -> float:
        """The negated price of all cells."""
        weights = checked_weights(self.weights, classes.table)
        total = float((classes.sizes[suppressed]).sum()) * weights.sum()
        for i, attribute in enumerate(classes.table.quasi_identifiers):
            cost = self.costs(attribute.hierarchy)[classes.nodes(i)]
            total += weights[i] * float((cost * classes.sizes)[~suppressed].sum())
        return -total

    def loss(self, classes: Classes, suppressed: Mask) -> float:
        """Between 0 and 1."""
        return self.floor(classes) + self.surcharge(classes, suppressed)

    def level_floors(self, table: EncodedTable) -> tuple[Floats, ...]:
        """The price of each column at each level, from its one-way counts."""
        weights = checked_weights(self.weights, table) / max(table.total, 1)
        floors = []
        for weight, attribute in zip(weights / self._span(table), table.quasi_identifiers, strict=True):
            costs, counts = self._relative_costs(attribute.hierarchy), table.marginal(attribute.name)
            floors.append(np.array([weight * float(costs[nodes] @ counts) for nodes in attribute.hierarchy.up]))
        return tuple(floors)

    def floor(self, classes: Classes) -> float:
        """The price of all records if nothing is suppressed."""
        return self._price(classes, slice(None))

    def surcharge(self, classes: Classes, suppressed: Mask) -> float:
        """What the suppressed records cost more than their cells would."""
        which = np.flatnonzero(suppressed)
        lost = float(classes.sizes[which].sum())
        return lost / max(classes.total, 1) - self._price(classes, which) if lost else 0.0

    def change(self, k: int, attributes: Sequence[Attribute]) -> Change:
        """[−W, (k − 1) W − k Σ_i w_i cost_i(leaf)], W the sum of weights (SP-6)."""
        weights = [self.weights.get(a.name, 1.0) for a in attributes]
        cheapest = sum(w * float(self.costs(a.hierarchy).min()) for w, a in zip(weights, attributes, strict=True))
        return Change(-sum(weights), (k - 1) * sum(weights) - k * cheapest)

    def _price(self, classes: Classes, which: np.ndarray | slice) -> float:
        table = classes.table
        weights = checked_weights(self.weights, table) / (self._span(table) * max(table.total, 1))
        price = 0.0
        for i, attribute in enumerate(table.quasi_identifiers):
            if weights[i]:
                costs = self._relative_costs(attribute.hierarchy)[classes.nodes(i, which)]
                price += weights[i] * float(costs @ classes.sizes[which])
        return price

    def _relative_costs(self, hierarchy: Hierarchy) -> Floats:
        """Costs above those of the cheapest node, so that the original table loses nothing."""
        costs = self.costs(hierarchy)
        return costs - costs.min()

    def _span(self, table: EncodedTable) -> float:
        """What a fully suppressed record loses, in weighted relative costs."""
        weights = checked_weights(self.weights, table)
        return float(
            sum(
                weight * self._relative_costs(attribute.hierarchy).max()
                for weight, attribute in zip(weights, table.quasi_identifiers, strict=True)
            )
        ) or 1.0


@dataclass(frozen=True)
class Granularity(CellModel):
    """cost(v) = leaves(v) / |Ω|: how much of its domain a cell covers.

    Paper: SafePub §5.1, Definition 4 and Theorem 6.
    """

    def costs(self, hierarchy: Hierarchy) -> Floats:
        """Share of the leaves under each node."""
        return hierarchy.leaf_count / hierarchy.leaves


@dataclass(frozen=True)
class Intensity(CellModel):
    """cost(v) = level(v) / height: how far up its hierarchy a cell was moved.

    Paper: SafePub §5.1, after Sweeney 2002.
    """

    def costs(self, hierarchy: Hierarchy) -> Floats:
        """Relative level of each node."""
        return hierarchy.level_of / max(hierarchy.height, 1)


@dataclass(frozen=True)
class Precision(Intensity):
    """1 − loss is Sweeney's precision: one minus the mean relative level of a cell.

    The same cost as `Intensity`; its score is reported on the scale 0 to 1 by which the literature knows it.

    Paper: Sweeney 2002; (k, ε)-anonymity §III-A.
    """

    def score(self, classes: Classes, suppressed: Mask) -> float:
        """Between 0 and 1."""
        return 1.0 - self.loss(classes, suppressed)


@dataclass(frozen=True)
class Loss(CellModel):
    """cost(v) = (leaves(v) − 1) / (|A| − 1): the loss metric LM.

    Paper: NSVDist Eq. (2), after Iyengar 2002.
    """

    def costs(self, hierarchy: Hierarchy) -> Floats:
        """Share of the other leaves under each node; a column with one value costs nothing."""
        return (hierarchy.leaf_count - 1) / max(hierarchy.leaves - 1, 1)
