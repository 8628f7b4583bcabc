"""The slide negative binomial model: how many classes of the population have one member, from the classes of a sample.

A class that exists in the population has 1 + X members, X negative binomial with parameters α and β. Each member is in
the sample with probability π. How many classes there are, K, is estimated first; α and β are those for which as many
classes of one and of two records are expected in the sample as there are.

Paper: Chen & Keller-McNulty 1998, "Estimation of identification disclosure risk in microdata"; K: Haas & Stokes 1998,
the modified Shlosser estimator.
"""

from __future__ import annotations

from math import exp, log

import numpy as np

from shoal.arrays import Sizes

_STEPS = 80
_LARGEST_ALPHA = 1e6


def uniques_by_slide_negative_binomial(sizes: Sizes, fraction: float) -> float | None:
    """The number of classes of one member in the population, K β^α; None if no parameters fit."""
    occurring, of_size = np.unique(sizes, return_counts=True)
    tally = dict(zip(occurring.tolist(), of_size.tolist(), strict=True))
    ones, twos = tally.get(1, 0), tally.get(2, 0)
    if ones == 0:
        return 0.0
    if twos == 0 or fraction >= 1:
        return float(ones) if fraction >= 1 else None
    classes = population_classes(sizes, fraction)
    solved = _solve(classes, ones, twos, fraction)
    if solved is None:
        return None
    alpha, beta = solved
    return classes * exp(alpha * log(beta))


def population_classes(sizes: Sizes, fraction: float) -> float:
    """How many classes the population has: the modified Shlosser estimator.

    u + s_1 A B²,  A = Σ i q² (1 − q²)^(i−1) s_i / Σ (1 − q)^i ((1 + q)^i − 1) s_i,
    B = Σ (1 − q)^i s_i / Σ i q (1 − q)^(i−1) s_i,

    with q the sampling fraction, u the classes of the sample and s_i those of i records.
    """
    i, s = (a.astype(float) for a in np.unique(sizes, return_counts=True))
    ones, q = float(s[i == 1].sum()), fraction
    if q >= 1 or ones == 0:
        return float(s.sum())
    first = float((i * q**2 * (1 - q**2) ** (i - 1) * s).sum() / (((1 - q * q) ** i - (1 - q) ** i) * s).sum())
    second = float(((1 - q) ** i * s).sum() / (i * q * (1 - q) ** (i - 1) * s).sum())
    return float(s.sum()) + ones * first * second**2


def expected_ones(classes: float, alpha: float, beta: float, fraction: float) -> float:
    """Classes of one record expected in the sample: the first derivative of G(z) = z (β / (1 − (1−β) z))^α at 1 − π."""
    c, z = 1 - beta, 1 - fraction
    inside = exp(alpha * log(beta / (1 - c * z)))
    return classes * fraction * inside * (1 + alpha * c * z / (1 - c * z))


def expected_twos(classes: float, alpha: float, beta: float, fraction: float) -> float:
    """Classes of two records expected in the sample: half of the second derivative, times π²."""
    c, z = 1 - beta, 1 - fraction
    inside = exp(alpha * log(beta / (1 - c * z)))
    return classes * fraction**2 / 2 * inside * alpha * c * (2 - (1 - alpha) * c * z) / (1 - c * z) ** 2


def _solve(classes: float, ones: float, twos: float, fraction: float) -> tuple[float, float] | None:
    """The (α, β) that fit both numbers: for each β the α of the right ratio, then the β of the right number of ones."""

    def alpha_of(beta: float) -> float | None:
        c, z, wanted = 1 - beta, 1 - fraction, twos / ones

        def ratio(alpha: float) -> float:
            return fraction / 2 * alpha * c * (2 - (1 - alpha) * c * z) / ((1 - c * z) * (1 - c * z + alpha * c * z))

        low, high = 0.0, _LARGEST_ALPHA
        if ratio(high) < wanted:
            return None
        for _ in range(_STEPS):
            middle = (low + high) / 2
            low, high = (middle, high) if ratio(middle) < wanted else (low, middle)
        return high

    def surplus(beta: float) -> float | None:
        alpha = alpha_of(beta)
        return None if alpha is None else expected_ones(classes, alpha, beta, fraction) - ones

    tried = [1 / (1 + exp(-x)) for x in np.linspace(-14, 14, 113).tolist()]
    values = [surplus(beta) for beta in tried]
    for (a, at_a), (b, at_b) in zip(
        zip(tried, values, strict=True), zip(tried[1:], values[1:], strict=True), strict=False
    ):
        if at_a is None or at_b is None or (at_a > 0) == (at_b > 0):
            continue
        low, high = a, b
        for _ in range(_STEPS):
            middle = (low + high) / 2
            value = surplus(middle)
            low, high = (middle, high) if value is not None and (value > 0) == (at_a > 0) else (low, middle)
        alpha = alpha_of(low)
        return None if alpha is None else (alpha, low)
    return None
