"""Discrete Laplace noise: integer answers stay integers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Protocol

import numpy as np

from shoal.dp.accounting.cost import PrivacyCost
from shoal.dp.accounting.relation import Neighbors
from shoal.dp.coins.tail import LogisticTail
from shoal.dp.mechanisms.checks import require_positive
from shoal.errors import ParameterError
from shoal.parameters import read_parameters

if TYPE_CHECKING:
    from shoal.arrays import Floats, Sizes
    from shoal.dp.coins.coins import Coins
    from shoal.dp.mechanisms.charges import Charges

LARGEST = 1 << 61
"""Answers are clipped to ±2^61 before the noise, so that sums fit 64 bits. Clipping never increases a difference."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscreteLaplace:
    """Add symmetric integer noise that hides any one record in a list of counts.

    P[X = n] = (1 − a) / (1 + a) · a^|n|, a = exp(−ε / Δ).

    `sensitivity` is Δ: how far, summed over the whole list, the answers of two neighboring tables can lie apart. A
    histogram has Δ = 1 under add/remove and Δ = 2 under replace, however many cells it has, if all cells get noise.

    Guarantee: ε-DP for lists of integers whose L1 distance between neighboring tables is at most Δ.
    Paper: Ghosh, Roughgarden & Sundararajan 2009; exact draws: Canonne, Kamath & Steinke 2020; theory X-4.

    >>> from fractions import Fraction
    >>> noise = DiscreteLaplace(epsilon=Fraction(1, 2), sensitivity=1)
    >>> noise.pmf(np.arange(5)).round(6).tolist()
    [0.244919, 0.148551, 0.090101, 0.054649, 0.033146]
    >>> round(noise.variance, 6)
    7.835396
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

    @property
    def variance(self) -> float:
        """2a / (1 − a)²."""
        return 1 / (2 * math.sinh(float(self.exponent) / 2) ** 2)

    def pmf(self, noise: Sizes) -> Floats:
        """The probability of each noise value."""
        x = float(self.exponent)
        law: Floats = math.tanh(x / 2) * np.exp(-x * np.abs(noise))
        return law

    def cdf(self, noise: Sizes) -> Floats:
        """The probability of at most that noise."""
        x = float(self.exponent)
        beyond = np.exp(-x * np.where(noise < 0, -noise, noise + 1)) / (1 + math.exp(-x))
        return np.where(noise < 0, beyond, 1 - beyond)

    def tail(self, least: int) -> LogisticTail:
        """The chance of noise of `least` or more, for least >= 1: a^least / (1 + a)."""
        return LogisticTail(self.exponent, self.exponent * (least - 1))

    def add(self, values: Sizes, coins: Coins, ledger: Charges, reason: str) -> Sizes:
        """Charge, then return the values with independent noise on each."""
        return with_noise(self, values, coins, ledger, reason)

    def draw(self, count: int, coins: Coins) -> Sizes:
        """Noise, without paying: for callers that charge in the same function themselves."""
        return coins.discrete_laplaces(self.exponent, count)


class AdditiveNoise(Protocol):
    """Noise that is added to whole numbers, for a price."""

    @property
    def cost(self) -> PrivacyCost:
        """What one list with noise costs."""
        ...

    def draw(self, count: int, coins: Coins) -> Sizes:
        """Noise, without paying."""
        ...


def with_noise(noise: AdditiveNoise, values: Sizes, coins: Coins, ledger: Charges, reason: str) -> Sizes:
    """Charge, then return the values with independent noise on each."""
    exact = integers(noise, values)
    ledger.charge(noise.cost, reason)
    return exact + noise.draw(exact.size, coins).reshape(exact.shape)


def integers(owner: object, values: Sizes) -> Sizes:
    """The values as 64-bit integers within ±2^61; floats are refused, because their rounding would have to be paid."""
    array = np.asarray(values)
    if not np.issubdtype(array.dtype, np.integer):
        raise ParameterError(
            f"{type(owner).__name__}: noise is added to integers; got an array of {array.dtype}. "
            "Multiply by a public scale, round, and give the sensitivity of the rounded numbers."
        )
    return np.clip(array, -LARGEST, LARGEST).astype(np.int64)
