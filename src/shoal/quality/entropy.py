"""Non-uniform entropy in SafePub's form: how alike the values of each column have become."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import ClassVar

import numpy as np

from shoal.arrays import Floats, Mask, Sizes
from shoal.data.classes import Classes
from shoal.data.encoded import EncodedTable
from shoal.data.hierarchies.hierarchy import Hierarchy
from shoal.data.schema import Attribute
from shoal.parameters import read_parameters
from shoal.quality.base import Change, checked_weights, dot


@dataclass(frozen=True)
class NonUniformEntropy:
    """score = −Σ_i w_i φ(column i), φ = Σ_v n_v² / n + stars, n_v the published records with value v.

    Stars are suppressed records and those whose value is the root.

    loss places Σ_i w_i φ between that of the original table and n Σ_i w_i. Where one value holds more than half of a
    column, suppressing some of its records lowers φ, so the loss of such a recoding can fall slightly below 0.

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
        costs = np.add.reduceat(published * published / self._total + known.sizes - published, known.starts)
        by_column = np.split(costs, np.cumsum(known.levels)[:-1])
        weighed = zip(self._weights, by_column, self._origin, strict=True)
        return tuple((weight * column - origin) / self._span for weight, column, origin in weighed)

    @cached_property
    def _by_level(self) -> _ByLevel:
        return _ByLevel([attribute.hierarchy for attribute in self._attributes], self._marginals)


class _ByLevel:
    """Counts of all columns at all their levels in one array: level by level, column by column.

    Attributes:
        levels: How many levels each column has.
        starts: Where each level starts.
        sizes: How many records are in each class of each level.
        hidden: Which of these classes are a root.
    """

    def __init__(self, hierarchies: Sequence[Hierarchy], marginals: Sequence[Sizes]) -> None:
        every = [level for hierarchy in hierarchies for level in hierarchy.levels]
        self.levels = [len(hierarchy.levels) for hierarchy in hierarchies]
        self.starts = np.cumsum([0, *(level.size for level in every)])[:-1]
        self._places = np.concatenate([level.codes + start for level, start in zip(every, self.starts, strict=True)])
        first = np.cumsum([0, *(hierarchy.leaves for hierarchy in hierarchies)])
        leaves = [np.arange(start, end) for start, end in pairwise(first)]
        repeated = [part for part, levels in zip(leaves, self.levels, strict=True) for _ in range(levels)]
        self._leaves = np.concatenate(repeated)
        self.hidden = np.concatenate([level.nodes == h.root for h in hierarchies for level in h.levels])
        self.sizes = self.of(marginals)

    def of(self, counts: Sequence[Sizes]) -> Floats:
        """The records of each class, from those of each leaf column by column."""
        summed: Floats = np.bincount(self._places, weights=np.concatenate(counts)[self._leaves])  # type: ignore[assignment]
        return summed


def _squares(counts: Sizes | Floats) -> float:
    return dot(counts.astype(float), counts)
