"""From weights to whole numbers of records: every pair of columns is to keep its counts. Sees noisy numbers only.

Paper: error diffusion (Floyd & Steinberg 1976) over the cells of all pairs at once, a greedy balancing of vectors
(Spencer 1977).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from shoal.arrays import Floats, Keys, Sizes
from shoal.methods.marginals.weights.raking import whole_numbers

_MOST_CELLS = 20_000_000
_MOST_STEPS = 1_000_000_000
"""Beyond so many cells of pairs, or looks at them, records are rounded one after the other by their weights alone."""


def balanced_numbers(columns: Sequence[Keys], weights: Floats, total: int) -> Sizes:
    """How often each record is published: its weight, rounded up or down so that pairs of columns hardly change.

    In all `total`, for which a few numbers may be one more or less than that.

    >>> columns = [np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])]
    >>> balanced_numbers(columns, np.array([1.5, 0.5, 0.5, 1.5]), 4).tolist()
    [1, 1, 0, 2]
    """
    sizes = [int(column.max(initial=0)) + 1 for column in columns]
    pairs = list(combinations(range(len(columns)), 2))
    cells = [sizes[first] * sizes[second] for first, second in pairs]
    if total < 1 or not pairs or sum(cells) > _MOST_CELLS or len(pairs) * len(weights) > _MOST_STEPS:
        return whole_numbers(weights, total)
    from shoal.methods.marginals.weights.rounding_kernel import round_each  # loads the compiler

    wanted = weights * (total / weights.sum())
    found = np.zeros(len(weights), dtype=np.int64)
    round_each(
        np.stack(columns, axis=1).astype(np.int64),
        np.array(pairs, dtype=np.int64),
        np.cumsum([0, *cells[:-1]]),
        np.array([sizes[second] for _, second in pairs], dtype=np.int64),
        wanted,
        np.zeros(sum(cells) + 1),
        np.zeros(len(pairs), dtype=np.int64),
        found,
    )
    return _with_total(found, wanted, total)


def _with_total(found: Sizes, wanted: Floats, total: int) -> Sizes:
    """One more, or less, of the records of which too few, or too many, are published."""
    while (missing := total - int(found.sum())) != 0:
        off = found - wanted if missing > 0 else np.where(found > 0, wanted - found, np.inf)
        at = np.argsort(off, kind="stable")[: abs(missing)]
        found[at[np.isfinite(off[at])]] += 1 if missing > 0 else -1
    return found
