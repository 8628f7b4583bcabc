"""Examples: what a learner is given. Distinct labeled records in codes, each with how often it occurs."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from shoal.arrays import Codes, Keys, Sizes
from shoal.data.counts import Counts
from shoal.errors import SchemaError, listed


@dataclass(frozen=True, slots=True, eq=False)
class Examples:
    """Records with features and a label.

    Attributes:
        features: One array of codes per feature.
        cardinalities: The size of each feature's domain.
        labels: The code of the target.
        classes: The size of the target's domain.
        weights: How many records are equal to each row.
    """

    features: tuple[Codes, ...]
    cardinalities: tuple[int, ...]
    labels: Codes
    classes: int
    weights: Sizes

    @staticmethod
    def of(counts: Counts, target: str) -> Examples:
        """All columns but the target are features."""
        if target not in counts.names:
            raise SchemaError(f"the target {target!r} is not among the columns {listed(counts.names, 12)}.")
        others = [i for i, name in enumerate(counts.names) if name != target]
        return Examples(
            tuple(counts.codes[i] for i in others),
            tuple(counts.cardinalities[i] for i in others),
            counts.column(target),
            counts.cardinality(target),
            counts.sizes,
        )

    def __len__(self) -> int:
        return len(self.weights)

    @property
    def total(self) -> int:
        """Number of records."""
        return int(self.weights.sum())

    def weighted(self, weights: Sizes) -> Examples:
        """The same rows as often as `weights` says; those that do not occur are left out."""
        rows = np.flatnonzero(weights)
        features = tuple(feature[rows] for feature in self.features)
        return replace(self, features=features, labels=self.labels[rows], weights=weights[rows])

    def one_by_one(self) -> Examples:
        """Every record as a row of its own, for learners that count rows."""
        rows: Keys = np.repeat(np.arange(len(self)), self.weights)
        features = tuple(feature[rows] for feature in self.features)
        return replace(self, features=features, labels=self.labels[rows], weights=np.ones(len(rows), dtype=np.int64))

    def matrix(self) -> Keys:
        """`matrix[i, row]`: the code of feature i."""
        if not self.features:
            return np.zeros((0, len(self)), dtype=np.int64)
        return np.stack([feature.astype(np.int64) for feature in self.features])
