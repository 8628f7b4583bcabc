"""Raking: weights of records, scaled table by table until they fit all tables. Sees noisy numbers only.

Paper: Deming & Stephan 1940 (iterative proportional fitting); the limit is the distribution nearest to the support, in
relative entropy, that has these margins (Csiszár 1975).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.arrays import Floats, Keys, Sizes

SWEEPS = 20
_LOOSE = 0.1
"""Variances of noisy tables, in proportion to those of their noise: less, for what is drawn is not the truth."""
_STEPS = 6
_FARTHEST = 14.0
"""A noisy table scales a weight by e to this power at most: a million."""
_SMALLEST = 1e-6
"""What is left of a weight where nobody is expected, as a share: weights stay above 0."""
_NOTHING = 1e-200
"""Less is in a cell only where many tables in turn expect nobody there; it is left alone, for no factor is as large."""


def raked(
    weights: Floats,
    total: float,
    tables: Sequence[tuple[Keys, Floats]],
    sweeps: int = SWEEPS,
    noisy: Sequence[tuple[Keys, Floats, float]] = (),
) -> Floats:
    """Weights of records, in all `total`, from those they start with.

    Args:
        weights: What they start with.
        total: What they are to add up to.
        tables: For each table the cell of each record, and what cells are to add up to.
        sweeps: How often weights are scaled to all tables.
        noisy: The same of tables that need be fitted only about, with the variance v of their noise: Σ w ln w and
            Σ (found − wanted)² / 2v together are made least, so that tables which contradict each other each have
            their say (regularized maximum entropy: Dudík, Phillips & Schapire 2004).
    """
    weights = weights * (total / weights.sum())
    scaled = [np.zeros(len(wanted)) for _, wanted, _ in noisy]
    for _ in range(sweeps):
        for i, (cells, wanted, variance) in enumerate(noisy):
            now = np.bincount(cells, weights=weights, minlength=len(wanted)).astype(np.float64)
            more = _about(now, wanted, _LOOSE * variance, scaled[i])
            scaled[i] += more
            weights = weights * np.exp(more)[cells]
        for cells, wanted in tables:
            found = np.bincount(cells, weights=weights, minlength=len(wanted))
            there = found > _NOTHING
            factor = np.where(there, wanted / np.where(there, found, 1), 1.0)
            weights = weights * np.maximum(factor, _SMALLEST)[cells]
        weights *= total / weights.sum()
    return weights


def _about(found: Floats, wanted: Floats, variance: float, power: Floats) -> Floats:
    """By which powers of e cells are to be scaled, which have been by `power`: found eᵈ + v (power + d) = wanted.

    The left side rises with d; Newton's steps, none farther than 1, and what they leave the next sweep makes good.
    """
    more = np.zeros(len(found))
    for _ in range(_STEPS):
        scaled = found * np.exp(more)
        off = scaled + variance * (power + more) - wanted
        more -= np.clip(off / np.maximum(scaled + variance, _NOTHING), -1.0, 1.0)
    return np.asarray(np.clip(power + more, -_FARTHEST, _FARTHEST) - power)


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
