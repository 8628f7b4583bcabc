"""Sampling rates that are never rounded."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from shoal.dp.checks import require_fraction
from shoal.dp.enclosures import Enclosure, complement, exp_minus, rational
from shoal.errors import ParameterError


@dataclass(frozen=True, slots=True)
class RationalRate:
    """Keep each record with probability β, a fraction in [0, 1]."""

    beta: Fraction

    def __post_init__(self) -> None:
        require_fraction(self, beta=self.beta)
        if not 0 <= self.beta <= 1:
            raise ParameterError(f"RationalRate: beta must lie between 0 and 1; got {float(self.beta):g}.")

    def __float__(self) -> float:
        return float(self.beta)

    @property
    def enclosure(self) -> Enclosure:
        """Integer bounds on 2^b β."""
        return rational(self.beta)


@dataclass(frozen=True, slots=True)
class ExponentialRate:
    """Keep each record with probability β = 1 − e^−ε, which no fraction equals (SafePub Thm 3).

    >>> round(float(ExponentialRate(Fraction(9, 10))), 6)
    0.59343
    """

    epsilon: Fraction

    def __post_init__(self) -> None:
        require_fraction(self, epsilon=self.epsilon)
        if self.epsilon < 0:
            raise ParameterError(f"ExponentialRate: epsilon must not be negative; got {float(self.epsilon):g}.")

    def __float__(self) -> float:
        return -math.expm1(-float(self.epsilon))

    @property
    def enclosure(self) -> Enclosure:
        """Integer bounds on 2^b β."""
        return complement(exp_minus(self.epsilon))


Rate: TypeAlias = RationalRate | ExponentialRate
"""What `Coins.thin` keeps records with."""
