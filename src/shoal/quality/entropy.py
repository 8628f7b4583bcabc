"""Non-uniform entropy in SafePub's form: how alike the values of each column have become."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from shoal.arrays import Floats, Mask, Sizes
from shoal.data.classes import Classes
from shoal.data.encoded import EncodedTable
from shoal.data.schema import Attribute
from shoal.quality.base import Change, checked_weights


@dataclass(frozen=True)
class NonUniformEntropy:
    """score = −Σ_i w_i φ(column i), φ = Σ_v n_v² / n + suppressed, n_v the published records with value v.

    loss places Σ_i w_i φ between that of the original table and n Σ_i w_i. Where one value holds more than half of a
    column, suppressing some of its records lowers φ, so the loss of such a recoding can fall slightly below 0.

    Paper: SafePub §5.3, Definition 6 and Theorem 8, after De Waal & Willenborg 1999.
    """

    weights: Mapping[str, float] = field(default_factory=dict)

    def check(self, table: EncodedTable) -> None:
        """Weights must belong to quasi-identifiers."""
        checked_weights(self.weights, table)

    def score(self, classes: Classes, suppressed: Mask) -> float:
        """As in the paper."""
        weights, total = checked_weights(self.weights, classes.table), max(classes.total, 1)
        lost = float(classes.sizes[suppressed].sum())
        kept = np.where(suppressed, 0, classes.sizes)
        score = 0.0
        for i, weight in enumerate(weights):
            published = np.bincount(classes.nodes(i), weights=kept)
            score -= weight * (float(published @ published) / total + lost)
        return score

    def loss(self, classes: Classes, suppressed: Mask) -> float:
        """0 for the original table, 1 for none."""
        origin, span = self._scale(classes.table)
        return (-self.score(classes, suppressed) - origin) / span

    def level_floors(self, table: EncodedTable) -> tuple[Floats, ...]:
        """The least φ of each column at each level over everything that could be suppressed.

        Publishing x of the N records of a value costs x²/n + (N − x), least at x = min(N, n/2); and joining two values
        never costs less than both apart.
        """
        weights, (origin, span) = checked_weights(self.weights, table), self._scale(table)
        total, columns = max(table.total, 1), len(weights)
        floors = []
        for weight, attribute in zip(weights, table.quasi_identifiers, strict=True):
            counts = table.marginal(attribute.name)
            least = []
            for level in attribute.hierarchy.levels:
                at_level = np.bincount(level.codes, weights=counts)
                best = np.minimum(at_level, total / 2)
                least.append(weight * float((best * best / total + at_level - best).sum()))
            floors.append((np.array(least) - origin / columns) / span)
        return tuple(floors)

    def floor(self, classes: Classes) -> float:  # noqa: ARG002
        """Known from one-way counts: see `level_floors`."""
        return -np.inf

    def surcharge(self, classes: Classes, suppressed: Mask) -> float:  # noqa: ARG002
        """Nothing: suppression is in the floor already."""
        return 0.0

    def change(self, k: int, attributes: Sequence[Attribute]) -> Change:
        """[−k W, k W], W the sum of weights (SP-6)."""
        weight = sum(self.weights.get(attribute.name, 1.0) for attribute in attributes)
        return Change(-k * weight, k * weight)

    def _scale(self, table: EncodedTable) -> tuple[float, float]:
        weights, total = checked_weights(self.weights, table), max(table.total, 1)
        origin = sum(
            weight * _squares(table.marginal(attribute.name)) / total
            for weight, attribute in zip(weights, table.quasi_identifiers, strict=True)
        )
        return origin, float(total * weights.sum()) - origin or 1.0


def _squares(counts: Sizes) -> float:
    values = counts.astype(float)
    return float(values @ values)
