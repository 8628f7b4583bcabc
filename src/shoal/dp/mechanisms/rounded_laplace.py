"""Laplace noise rounded to whole numbers: the law of papers that round noisy counts, drawn without a double."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from shoal.dp.accounting.cost import PrivacyCost
from shoal.dp.accounting.relation import Neighbors
from shoal.dp.coins.tail import Tail
from shoal.dp.mechanisms.checks import require_positive
from shoal.dp.mechanisms.laplace import with_noise
from shoal.parameters import read_parameters

if TYPE_CHECKING:
    from shoal.arrays import Floats, Sizes
    from shoal.dp.coins.coins import Coins
    from shoal.dp.mechanisms.charges import Charges


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundedLaplace:
    """Add Laplace noise of scale Δ / ε to whole numbers and round the sums: the published form of `DiscreteLaplace`.

    P[X = 0] = 1 − e^(−x/2), P[X = ±n] = e^(−x (n − 1/2)) (1 − e^−x) / 2, x = ε / Δ. Rounding a whole number plus noise
    is adding the rounded noise, so that nothing needs to be drawn but this law.

    Guarantee: ε-DP for lists of integers whose L1 distance between neighboring tables is at most Δ.
    Paper: DiffGen §4.2 (3), after Dwork et al. 2006.
    """

    epsilon: Fraction
    sensitivity: Fraction | int
    neighbors: Neighbors = Neighbors.ADD_REMOVE

    def __post_init__(self) -> None:
        read_parameters(self)
        require_positive(self, epsilon=self.epsilon, sensitivity=self.sensitivity)

    @property
    def cost(self) -> PrivacyCost:
        """What one call of `add` costs."""
        return PrivacyCost(Fraction(self.epsilon), neighbors=self.neighbors)

    @property
    def exponent(self) -> Fraction:
        """ε / Δ."""
        return Fraction(self.epsilon) / self.sensitivity

    def pmf(self, noise: Sizes) -> Floats:
        """The probability of each noise value."""
        x = float(self.exponent)
        beyond = np.exp(-x * (np.abs(noise) - 0.5)) * (-math.expm1(-x)) / 2
        return np.where(noise == 0, -math.expm1(-x / 2), beyond)

    def tail(self, least: int) -> Tail:
        """The chance of noise of `least` or more, for least >= 1: e^(−x (least − 1/2)) / 2."""
        return Tail(Fraction(1, 2), self.exponent * (2 * least - 1) / 2)

    def add(self, values: Sizes, coins: Coins, ledger: Charges, reason: str) -> Sizes:
        """Charge, then return the values with independent noise on each."""
        return with_noise(self, values, coins, ledger, reason)

    def draw(self, count: int, coins: Coins) -> Sizes:
        """Noise, without paying: for callers that charge in the same function themselves."""
        is_far = coins.bernoulli_exps(np.ones(count, dtype=np.int64), self.exponent / 2)
        far = np.flatnonzero(is_far)
        noise = np.zeros(count, dtype=np.int64)
        noise[far] = (1 - 2 * coins.randbelows(2, len(far))) * (1 + coins.geometrics(self.exponent, len(far)))
        return noise
