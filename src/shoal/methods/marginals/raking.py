"""Raking: weights of records, scaled table by table until they fit all tables. Sees noisy numbers only.

Paper: Deming & Stephan 1940 (iterative proportional fitting); the limit is the distribution nearest to the support, in
relative entropy, that has these margins (Csiszár 1975).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.arrays import Floats, Keys, Sizes

SWEEPS = 20
_SMALLEST = 1e-6
"""What is left of a weight where nobody is expected, as a share: weights stay above 0."""
_NOTHING = 1e-200
"""Less is in a cell only where many tables in turn expect nobody there; it is left alone, for no factor is as large."""


def raked(weights: Floats, total: float, tables: Sequence[tuple[Keys, Floats]], sweeps: int = SWEEPS) -> Floats:
    """Weights of records, in all `total`, from those they start with.

    For each table the cell of each record, and what cells are to add up to.
    """
    weights = weights * (total / weights.sum())
    for _ in range(sweeps):
        for cells, wanted in tables:
            found = np.bincount(cells, weights=weights, minlength=len(wanted))
            there = found > _NOTHING
            factor = np.where(there, wanted / np.where(there, found, 1), 1.0)
            weights = weights * np.maximum(factor, _SMALLEST)[cells]
        weights *= total / weights.sum()
    return weights


def whole_numbers(weights: Floats, total: int) -> Sizes:
    """How often each record is published: its weight, rounded so that every run of neighbors is right to within one.

    >>> whole_numbers(np.array([0.5, 0.5, 0.5, 1.5]), 3).tolist()
    [1, 0, 1, 1]
    """
    if total < 1:
        return np.zeros(len(weights), dtype=np.int64)
    ends = np.cumsum(weights) * (total / weights.sum())
    ends[-1] = total
    return np.asarray(np.diff(np.floor(ends + 0.5).astype(np.int64), prepend=0))


def effective(weights: Floats) -> float:
    """As how many records of equal weight weighted ones count, as a share of them all."""
    return float(weights.sum() ** 2 / ((weights**2).sum() * len(weights)))
