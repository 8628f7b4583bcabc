"""Discrete Gaussian noise: for many answers at once, when a small δ is acceptable."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from shoal.dp.accounting.concentrated import ConcentratedCost
from shoal.dp.accounting.cost import PrivacyCost
from shoal.dp.accounting.relation import Neighbors
from shoal.dp.mechanisms.checks import require_positive
from shoal.dp.mechanisms.laplace import with_noise
from shoal.errors import ParameterError
from shoal.parameters import read_parameters

if TYPE_CHECKING:
    from shoal.arrays import Floats, Sizes
    from shoal.dp.coins.coins import Coins
    from shoal.dp.mechanisms.charges import Charges


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscreteGaussian:
    """Add integer noise with Gaussian tails to a list of counts.

    P[X = n] proportional to exp(−n² / (2σ²)), σ² = Δ² / (2ρ).

    `sensitivity` is Δ, the largest Euclidean distance between the lists of two neighboring tables.

    Guarantee: ρ-zCDP, hence (ε, δ)-DP with an ε of at most ρ + 2 √(ρ ln(1/δ)), for lists of integers with L2
        sensitivity Δ.
    Paper: Canonne, Kamath & Steinke 2020, Thm 4; conversion: `ConcentratedCost.at`; theory X-8.
    """

    rho: Fraction
    delta: Fraction
    sensitivity: Fraction | int
    neighbors: Neighbors = Neighbors.ADD_REMOVE

    def __post_init__(self) -> None:
        read_parameters(self)
        require_positive(self, rho=self.rho, delta=self.delta, sensitivity=self.sensitivity)
        if self.delta >= 1:
            raise ParameterError(f"DiscreteGaussian: delta must be less than 1; got {float(self.delta):g}.")

    @property
    def parameter(self) -> Fraction:
        """σ², which the variance comes close to."""
        return Fraction(self.sensitivity) ** 2 / (2 * self.rho)

    @property
    def concentrated(self) -> ConcentratedCost:
        """What one call of `add` costs in zCDP, for composing many."""
        return ConcentratedCost(Fraction(self.rho), self.neighbors)

    @property
    def cost(self) -> PrivacyCost:
        """What one call of `add` costs, ε rounded up."""
        return self.concentrated.at(Fraction(self.delta))

    def pmf(self, noise: Sizes) -> Floats:
        """The probability of each noise value."""
        twice = 2 * float(self.parameter)
        if twice > 100:
            total = math.sqrt(math.pi * twice)  # Poisson summation: off by a factor of 1 ± 2 e^(−π² · 100)
        else:
            total = 1 + 2 * float(np.exp(-(np.arange(1.0, 300.0) ** 2) / twice).sum())
        law: Floats = np.exp(-(np.asarray(noise, dtype=np.float64) ** 2) / twice) / total
        return law

    def add(self, values: Sizes, coins: Coins, ledger: Charges, reason: str) -> Sizes:
        """Charge, then return the values with independent noise on each."""
        return with_noise(self, values, coins, ledger, reason)

    def draw(self, count: int, coins: Coins) -> Sizes:
        """Noise, without paying: for callers that charge in the same function themselves."""
        return coins.discrete_gaussians(self.parameter, count)
