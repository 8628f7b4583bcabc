"""Which k to take, from what is public: the paper leaves it open (§6)."""

from __future__ import annotations

import math

from shoal.errors import ParameterError

_POOLED = 0.35
"""What isotonic regression leaves of noise, in units of (variance / number of values)^(2/3): measured, and robust."""

_MOST_NOISE = 0.25
"""The variance of a value that lies at one of the bounds, either being as likely: clamped noise is no worse."""


def expected_error(records: int, columns: int, k: int, epsilon: float, rho: float | None = None) -> float:
    """What a value of the release may be off by, squared, as a share of its column's width squared: a model.

    *Spread*: records are thought to be spread evenly over the domain and clusters to be as wide as they are high, so a
    cluster of k has the share k/n of the volume and (k/n)^(1/m) of each width: (k/n)^(2/m)/12. *Noise*: 2 s² with
    s = 1/(k ε) for one column and s = K m/(k ε) for m of them; Gaussian noise has m K/(2 ρ k²). Smoothing leaves of the
    noise of a single column about 0.35 (variance/K)^(2/3), the rate of isotonic regression. Nothing uses the data.
    """
    clusters = max(1, records // k)
    changed = 1 if columns == 1 else clusters
    spread = min(1.0, (k / records) ** (2 / columns)) / 12
    laplace = 2 * (changed * columns / (k * epsilon)) ** 2
    noise = laplace if rho is None else columns * changed / (2 * rho * k * k)
    if columns == 1:
        noise = min(noise, _POOLED * (noise / clusters) ** (2 / 3))
    return float(spread + min(noise, _MOST_NOISE))


def advised_k(records: int, columns: int, epsilon: float, rho: float | None = None) -> int:
    """The cluster size with the smallest expected error, from the number of records and of columns, and ε alone.

    Args:
        records: n, which is public under replace-one.
        columns: m.
        epsilon: ε, for all columns together.
        rho: With Gaussian noise, what ε and δ are worth in zCDP.

    >>> advised_k(1080, 1, 1.0), advised_k(1080, 4, 1.0), advised_k(30162, 4, 1.0)
    (45, 272, 1798)
    """
    if records < 1 or columns < 1 or not epsilon > 0:
        raise ParameterError("advice on k needs at least one record, one column, and epsilon above 0.")
    candidates = sorted({max(1, round(records / clusters)) for clusters in _spaced(records)})
    return min(candidates, key=lambda k: expected_error(records, columns, k, epsilon, rho))


def _spaced(records: int) -> list[float]:
    """Numbers of clusters from 1 to n, 3% apart."""
    return [math.exp(0.03 * step) for step in range(int(math.log(records) / 0.03) + 1)] + [float(records)]
