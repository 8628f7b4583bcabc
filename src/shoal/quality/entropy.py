"""Non-uniform entropy in SafePub's form: how alike the values of each column have become; `shannon` has it in bits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np

from shoal.arrays import Floats, Mask, Sizes
from shoal.data.attribute import Attribute
from shoal.data.classes import Classes
from shoal.data.encoded import EncodedTable
from shoal.parameters import read_parameters
from shoal.quality.base import Change, checked_weights, dot
from shoal.quality.counts_by_level import CountsByLevel


@dataclass(frozen=True)
class NonUniformEntropy:
    """score = −Σ_i w_i φ(column i), φ = Σ_v n_v² / n + stars, n_v the published records with value v.

    Stars are suppressed records and those whose value is the root.

    loss places Σ_i w_i φ between that of the original table and n Σ_i w_i. Where one value holds more than half of a
    column, suppressing some of its records lowers φ, so the loss of such a recoding can fall slightly below 0.

    It counts squares, not logarithms: the non-uniform entropy in bits, as ARX reports it, is `shannon-entropy`.

    Paper: SafePub §5.3, Definition 6 and Theorem 8, after De Waal & Willenborg 1999.

    Attributes:
        weights: How much each quasi-identifier counts, 1 where none is given.
    """

    name: ClassVar[str] = "entropy"

    weights: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        read_parameters(self)

    def on(self, table: EncodedTable, smallest_class: int = 1) -> _Homogeneity:
        """The model on one table."""
        del smallest_class
        return _Homogeneity(table, checked_weights(self.weights, table))

    def change(self, k: int, attributes: Sequence[Attribute]) -> Change:
        """[−k W, k W], W the sum of weights (SP-6)."""
        weight = sum(self.weights.get(attribute.name, 1.0) for attribute in attributes)
        return Change(-k * weight, k * weight)


class _Homogeneity:
    """Publishing x of the N records of a value costs x²/n + (N − x), and joining two values never costs less.

    So the least a column can cost is known from its one-way counts: x = min(N − certainly lost, n/2) for each value.
    """

    is_exact = False

    def __init__(self, table: EncodedTable, weights: Floats) -> None:
        self._weights, self._total = weights, max(table.total, 1)
        self._attributes = table.quasi_identifiers
        self._marginals = [table.marginal(a.name) for a in self._attributes]
        originals = np.array([_squares(counts) / self._total for counts in self._marginals])
        self._origin = weights * originals
        self._span = float((weights * (self._total - originals)).sum()) or 1.0

    def score(self, classes: Classes, suppressed: Mask) -> float:
        """As in the paper."""
        kept = np.where(suppressed, 0, classes.sizes)
        lost = float(classes.total - kept.sum())
        score = 0.0
        for i, attribute in enumerate(self._attributes):
            column = np.bincount(classes.nodes(i), weights=kept, minlength=len(attribute.hierarchy.parent))
            stars, column[attribute.hierarchy.root] = lost + column[attribute.hierarchy.root], 0
            score -= float(self._weights[i]) * (_squares(column) / self._total + float(stars))
        return score

    def loss(self, classes: Classes, suppressed: Mask) -> float:
        """0 for the original table, 1 for none."""
        return (-self.score(classes, suppressed) - float(self._origin.sum())) / self._span

    def floors(self, lost: Sequence[Sizes] | None) -> tuple[Floats, ...]:
        """The least cost of each column at each level."""
        known = self._by_level
        left = known.sizes if lost is None else known.sizes - known.of(lost)
        published = np.minimum(left, self._total / 2)
        published[known.hidden] = 0  # a star, published or not
        costs = known.added_up(published * published / self._total + known.sizes - published)
        weighed = zip(self._weights, costs, self._origin, strict=True)
        return tuple((weight * column - origin) / self._span for weight, column, origin in weighed)

    @cached_property
    def _by_level(self) -> CountsByLevel:
        return CountsByLevel([attribute.hierarchy for attribute in self._attributes], self._marginals)


def _squares(counts: Sizes | Floats) -> float:
    return dot(counts.astype(float), counts)
