"""Pitman's sampling formula: how many classes of the population have one member, from the classes of a sample."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, inf, lgamma, log

import numpy as np

from shoal.arrays import Floats, Sizes

_GOLDEN = (5**0.5 - 1) / 2
_STEPS = 60
_NEAR_ONE = 1 - 1e-4


@dataclass(frozen=True, slots=True)
class Pitman:
    """The formula's two parameters, 0 <= alpha < 1 and theta > −alpha, as fitted to a sample by maximum likelihood.

    log L(θ, α) = Σ_{i=1}^{u−1} ln(θ + iα) − Σ_{i=1}^{n−1} ln(θ + i) + Σ_j s_j Σ_{i=1}^{j−1} ln(i − α) + constant, where
    s_j of the u classes have j of the n records.

    Paper: Hoshino 2001, "Applying Pitman's sampling formula to microdata disclosure risk assessment".
    """

    theta: float
    alpha: float

    @staticmethod
    def fitted(sizes: Sizes) -> Pitman | None:
        """The likeliest parameters; None where the likelihood has no maximum, as when all classes have one record."""
        occurring, of_size = np.unique(sizes, return_counts=True)
        sample = _Sample(occurring.astype(float), of_size.astype(float))
        if sample.classes < 2 or sample.classes == sample.records:
            return None

        def best_theta(alpha: float) -> tuple[float, float]:
            def at(y: float) -> float:
                return sample.likelihood(exp(y) - alpha, alpha)

            y, value = _maximum(at, -20.0, log(sample.records) + 20.0)
            return exp(y) - alpha, value

        alpha, _ = _maximum(lambda alpha: best_theta(alpha)[1], 1e-6, 1 - 1e-6)
        theta, value = best_theta(alpha)
        if alpha > _NEAR_ONE or value == -inf or theta > 1e7 * sample.records:
            return None
        return Pitman(theta, alpha)

    def uniques(self, population: float) -> float:
        """How many classes of one member are expected among so many people.

        E[S_1] = N Γ(θ + 1) Γ(θ + α + N − 1) / ( Γ(θ + α) Γ(θ + N) ), for large N about N^α Γ(θ + 1) / Γ(θ + α).
        """
        t, a, n = self.theta, self.alpha, population
        # Γ(x + s) / Γ(x) is (x + (s − 1) / 2)^s up to 1 / x²: lgamma would lose digits where x is large.
        last = (a - 1) * log(t + n + (a - 2) / 2) if n > 1e5 else lgamma(t + a + n - 1) - lgamma(t + n)
        return exp(log(n) + lgamma(t + 1) - lgamma(t + a) + last)


@dataclass(frozen=True, slots=True, eq=False)
class _Sample:
    """The sizes of classes that occur, and how many classes have each."""

    sizes: Floats
    of_size: Floats

    @property
    def records(self) -> float:
        return float((self.sizes * self.of_size).sum())

    @property
    def classes(self) -> float:
        return float(self.of_size.sum())

    def likelihood(self, theta: float, alpha: float) -> float:
        if theta <= -alpha or not theta < 1e300:
            return -inf
        u, n, ratio = self.classes, self.records, theta / alpha
        within: float = sum(
            count * (lgamma(size - alpha) - lgamma(1 - alpha))
            for size, count in zip(self.sizes.tolist(), self.of_size.tolist(), strict=True)
        )
        new = (u - 1) * log(alpha) + lgamma(u + ratio) - lgamma(1 + ratio)
        return new - (lgamma(n + theta) - lgamma(1 + theta)) + within


def _maximum(function: Callable[[float], float], low: float, high: float) -> tuple[float, float]:
    """Where a function with one peak is largest, and its value there: golden section."""
    a, b = low, high
    left, right = b - _GOLDEN * (b - a), a + _GOLDEN * (b - a)
    at_left, at_right = function(left), function(right)
    for _ in range(_STEPS):
        if at_left >= at_right:
            b, right, at_right = right, left, at_left
            left = b - _GOLDEN * (b - a)
            at_left = function(left)
        else:
            a, left, at_left = left, right, at_right
            right = a + _GOLDEN * (b - a)
            at_right = function(right)
    middle = (a + b) / 2
    return middle, function(middle)
